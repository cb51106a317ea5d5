/* sift.h - the state of solver `sift`, and its parts: learning, entering, end
 *
 * The round itself, which puts them together, is in sift.c.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SIFT_H
#define TH_SIFT_H

#include "data/latin.h"
#include "solvers/algorithms.h"
#include "solvers/predict/end.h"
#include "solvers/sift/sift_evidence.h"
#include "solvers/sift/sift_fit.h"
#include "solvers/thresholding/round_log.h"

#include <stdbool.h>
#include <stdint.h>

/* Fewest rows of a block and of the race. */
enum { TH_SIFT_LEAST_ROWS = 20 };

/* Work arrays for attributes that enter S. */
struct th_sift_entry {
  struct th_selection selection;
  int64_t capacity;
  struct th_index_value *entrants; /* E with z */
  struct th_index_value *merged;   /* S + E with theta */
  int64_t *attribute;              /* E, or the slow ones of S */
  struct th_evidence *sum;         /* what is known of them */
  int64_t *place;                  /* of the members of S in S + E */
};

/* Which attributes a round looks at: blocks of a rotation over all of them, and
 * the race of the most promising ones. Each rank has its own part of the race.
 */
struct th_sift_plan {
  struct th_batch_draw *draw; /* of B rows of each block; last of the race */
  int64_t draws;
  int64_t consumers; /* that rows are shared out among: blocks of the whole
                        budget, and the race */
  int64_t blocks;
  int64_t capacity;
  double given; /* sum over blocks of rows times attributes outside S */
  int64_t race_rows;
  int64_t *race; /* this rank's part */
  int64_t race_count;
  int64_t race_capacity;
  int64_t fresh;   /* rows for which this choice of the race still holds */
  int64_t *bins;   /* of the race's histogram */
  int64_t next;    /* attribute or Latin block where the rotation continues */
  int64_t windows; /* Latin: places of windows in their blocks, so far */
  double level;    /* information that it has given each attribute */
  double used;     /* rows of all rounds */
};

/* Replicated but for evidence, and the plan's part of the race. */
struct th_sift {
  struct th_head head;
  bool predicts;               /* ends with what predicts best (end.h) */
  struct th_latin latin;       /* deals the rows of the rounds, if predicts */
  struct th_marginal marginal; /* if predicts: makes the list */
  struct th_end end;
  struct th_support support;   /* S with theta, entrants among them */
  struct th_support confirmed; /* S without entrants: the model as it is */
  struct th_sift_plan plan;    /* J */
  struct th_batch batch;
  struct th_round_log log; /* labels, single pass: for Newton steps */
  struct th_gram gram;     /* of one round */
  struct th_sift_fit fit;
  struct th_sift_evidence evidence;
  struct th_sift_entry entry;
  double threshold; /* z0 */
  int64_t largest_support;
  int64_t round;   /* k, from 0 */
  int64_t reserve; /* p_end: rows kept for the end */
  int64_t dealt;   /* rows of a pass of the rounds, if predicts; else of all
                      their passes */
  double smallest; /* rmin */
  double pooled;   /* squared residuals of rounds without entrants */
  double pooled_rows;
  double mean_square;      /* r2 of the last round */
  double label_mean;       /* labels -1, +1 are centred for the evidence */
  double least;            /* r2 of labels counts as no less */
  double rare_label_slack; /* rows of the rarer label that chance may bring,
                              times their squared residual */
};

/* ---- which attributes a round looks at (sift_plan.c) ---- */

/* The blocks and rows of the next round; declares the race to the source.
 * *more: they are left. Collective. */
th_status th_sift_plan_round(struct th_sift *s, struct th_context *context,
                             bool *more, struct th_error *err);

/* The round has been read, with this mean squared residual. Local. */
void th_sift_plan_done(struct th_sift *s, const struct th_context *context);
void th_sift_plan_free(struct th_sift_plan *plan);

/* ---- the end: the rows that are left are spent on S (sift_end.c) ---- */

/* Entrants leave. The kept rows observe S only. Backward elimination leaves at
 * most -s members. The last fit is by least squares or Newton steps.
 * Collective. */
th_status th_sift_end(struct th_sift *s, struct th_context *context,
                      struct th_error *err);

#endif
