/* working_set_solver_kept.h - what the exact solver saves on columns in memory
 *
 * Every pass looks at all columns, so that slopes of all are known where it has
 * been: whoever stays there, at another lambda or on another working set, needs
 * no look. Local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_WORKING_SET_SOLVER_KEPT_H
#define TH_WORKING_SET_SOLVER_KEPT_H

#include "solvers/exact/working_set_solver.h"

/* All columns are members: nothing is left for a pass. */
bool th_working_set_solver_all_known(const struct th_working_set_solver *exact);

/* The next lambda begins where the last one ended: a model by products that is
 * the problem itself leads on from there as well as from anywhere. */
bool th_working_set_solver_stays(const struct th_working_set_solver *exact);

/* Slopes and gap of the working set as it is, with the coefficients of the last
 * pass, or of the zero model. */
void th_working_set_solver_stay(struct th_working_set_solver *exact,
                                double lambda);

/* Columns that are few all join, at once and for good. Collective. TH_ENUMERIC,
 * TH_ENOMEM, and of reading TH_EARG, TH_EDATA, TH_EBUDGET, TH_EFORMAT, TH_EIO.
 */
th_status th_working_set_solver_take_all(struct th_working_set_solver *exact,
                                         struct th_error *err);

#endif
