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

#endif
