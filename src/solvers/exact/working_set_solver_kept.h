/* working_set_solver_kept.h - short cuts of the exact solver for columns in
 * memory
 *
 * Every pass looks at all columns, so all slopes are known at its point. To
 * stay at this point, for another lambda or working set, no look is needed.
 * Functions are local unless they say otherwise.
 * SPDX-License-Identifier: MIT */
#ifndef TH_WORKING_SET_SOLVER_KEPT_H
#define TH_WORKING_SET_SOLVER_KEPT_H

#include "solvers/exact/working_set_solver.h"

/* Whether all columns are members, so that no pass is needed. */
bool th_working_set_solver_all_known(const struct th_working_set_solver *exact);

/* Whether the next lambda begins where the last one ended. A model by products
 * that is the problem itself leads to the solution from there as well as from
 * anywhere. */
bool th_working_set_solver_stays(const struct th_working_set_solver *exact);

/* Slopes and gap of the working set as it is, with the coefficients of the last
 * pass, or of the zero model. */
void th_working_set_solver_stay(struct th_working_set_solver *exact,
                                double lambda);

/* If there are few columns, all join at once and stay. Collective.
 * TH_ENUMERIC, TH_ENOMEM, and of reading TH_EARG, TH_EDATA, TH_EBUDGET,
 * TH_EFORMAT, TH_EIO. */
th_status th_working_set_solver_take_all(struct th_working_set_solver *exact,
                                         struct th_error *err);

#endif
