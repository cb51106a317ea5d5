/* pursuit_parts.h - what the files of a path share
 * SPDX-License-Identifier: MIT */
#ifndef TH_PURSUIT_PARTS_H
#define TH_PURSUIT_PARTS_H

#include "solvers/greedy/pursuit.h"

/* A row joins the factor if this share of its diagonal is its own. */
#define TH_PURSUIT_DEPENDS 1e-10

/* mean[j] and product[j] = sum q (x_j - mean_j) u, for j = first .. size - 1.
 * q, u: of each example. Collective. TH_ENOMEM. */
th_status th_pursuit_means(struct th_pursuit *path, int64_t first,
                           const double *q, const double *u,
                           struct th_error *err);

/* gram[j][k] = sum q (x_j - mean_j) (x_k - mean_k), for j = first .. size - 1
 * and k = 0 .. j, at both places. Collective. TH_ENOMEM. */
th_status th_pursuit_products(struct th_pursuit *path, int64_t first,
                              const double *q, struct th_error *err);

/* path->work = f' at the predictions, 0 where an example is left out. Local. */
void th_pursuit_theta(struct th_pursuit *path);

/* The slot of an attribute's column, which is fetched unless a path has it.
 * Collective. TH_ENOMEM, and of reading TH_EARG, TH_EDATA, TH_EBUDGET,
 * TH_EFORMAT, TH_EIO. */
th_status th_pursuit_fetch(struct th_pursuit *path, int64_t attribute,
                           int64_t *slot, struct th_error *err);

/* Say whether the path's forecast shows its slopes: all that it has chosen
 * since were candidates. The residuals are the sum of factor[k] times vector k.
 * Local. */
bool th_pursuit_sees(const struct th_pursuit *path,
                     double factor[TH_FORECAST_WIDTH]);

/* Begin a forecast at the fit on S, with the largest of the duals' values as
 * candidates; path->work is theta. Its products with attributes are left to the
 * caller. Collective. TH_ENUMERIC, TH_ENOMEM, and of reading TH_EARG, TH_EDATA,
 * TH_EBUDGET, TH_EFORMAT, TH_EIO. */
th_status th_pursuit_forecast(struct th_pursuit *path, struct th_error *err);

/* The same with the forecast's candidates, and with the products. Collective.
 * TH_ENOMEM, and of reading TH_EARG, TH_EDATA, TH_EBUDGET, TH_EFORMAT, TH_EIO.
 */
th_status th_pursuit_forecast_again(struct th_pursuit *path,
                                    struct th_error *err);

#endif
