/* steps.h - the sizes of the steps
 *
 * A fixed size, or AdaGrad: by the norm of all gradients so far, or by each
 * coordinate (Kukliansky & Shamir 2015, appendix A; Duchi, Hazan & Singer
 * 2011). Sums include the present gradient.
 * SPDX-License-Identifier: MIT */
#ifndef TH_STEPS_H
#define TH_STEPS_H

#include "base/error.h"
#include "solvers/config.h"
#include "solvers/sampling/ball.h"
#include "state/state.h"

#include <stdint.h>

struct th_steps {
  enum th_adagrad by; /* TH_ADAGRAD_NONE: `size` alone */
  double size;
  double sum;     /* of squared norms */
  double *square; /* coordinate: of the owned attributes, sums of squares */
  int64_t count;  /* of them; 0: by is another one */
  double shown;   /* the last step, for the progress display */
};

/* The way of steps that the options decide. Local. */
th_status th_steps_init(struct th_steps *steps, const struct th_config *config,
                        int64_t owned, struct th_error *err);
void th_steps_free(struct th_steps *steps);

/* Begin a phase with nothing added up. Local. */
void th_steps_begin(struct th_steps *steps, const struct th_config *config,
                    const struct th_ball *ball,
                    const struct th_ball_frame *frame,
                    const struct th_ball_theory *theory);

/* The step of an attribute of this rank; norms have been added up. Local. */
double th_steps_next(struct th_steps *steps, int64_t a, double gradient);

/* Add the squared norm of a gradient, before the step. Local. */
void th_steps_add(struct th_steps *steps, double square);

/* Local. */
void th_steps_describe(struct th_steps *steps, struct th_range owned,
                       struct th_state *state);

#endif
