/* loss.h - losses: value, derivative, curvature
 * SPDX-License-Identifier: MIT */
#ifndef TH_LOSS_H
#define TH_LOSS_H

#include <stdbool.h>

/* One row per loss; p is the linear predictor, y the target (labels: -1, +1).
 */
struct th_loss {
  const char *name;
  const char *summary;
  bool labels;       /* needs a target with exactly two values */
  double smoothness; /* largest second derivative: L = smoothness * lambda */
  double (*value)(double p, double y);
  double (*derivative)(double p, double y);
  double (*curvature)(double p, double y);
};

/* The table, ended by a NULL name; the row of a name, or NULL. Local. */
const struct th_loss *th_loss_table(void);
const struct th_loss *th_loss_find(const char *name);

#endif
