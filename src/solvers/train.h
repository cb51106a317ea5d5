/* train.h - training as a whole: one call from a store to a model
 * SPDX-License-Identifier: MIT */
#ifndef TH_TRAIN_H
#define TH_TRAIN_H

#include "core/comm.h"
#include "core/model.h"
#include "core/profile.h"
#include "core/source.h"
#include "solvers/config.h"

#include <stdbool.h>
#include <stdint.h>

struct th_algorithm;

/* The solver table, ended by a NULL name. */
struct th_solver_row {
  const char *name;
  const char *summary;
  const char *source;         /* paper and algorithm */
  const char *const *options; /* names of the options it uses beyond those
                                 that all solvers use; NULL-ended */
  bool needs_sparsity;        /* -s must be given */
  bool needs_budget;          /* --budget must be given */
  bool needs_start;           /* --start must be given */
  bool penalised;             /* mean loss + lambda Omega, no budget */
  bool by_examples;      /* keeps values example by example (panel_memory) */
  enum th_screen screen; /* what --screen is when not given */
  const struct th_algorithm *algorithm;
};
const struct th_solver_row *th_solver_table(void);
const struct th_solver_row *th_solver_find(const char *name);

/* What a run is going to do, decided before anything large is allocated. */
struct th_plan {
  struct th_config config; /* with every "automatic" replaced where it can be
                              known before the first example is read */
  int64_t deal_unit;       /* u */
  int64_t blocks;          /* d' of the first update */
  int64_t memory;          /* bytes this rank needs beyond stored values */
  int64_t read_bytes;      /* expected, of all ranks; what was read stays */
  int64_t stream_bytes;    /* the same where nothing stays in memory */
  int64_t updates;         /* expected, 0: not known beforehand */
  int64_t screens;         /* passes over blocks, before an end that predicts */
  int64_t list;            /* attributes that it fits; 0: it does not predict */
  double fit_visits;       /* values that its fits visit, expected */
  int64_t points;          /* lambdas, expected; 0: no penalty */
  double visits;           /* stored values that are computed with, expected */
  double most_visits;      /* the same where no gap ends the run early; 0: none
                              may */
};

/* Loss `auto` becomes `logistic` where the training targets have two values and
 * the solver has a penalty or ends with what predicts best (`sift`), else
 * `squared`. Local; of the same targets, the same on every rank. */
th_status th_train_choose_loss(struct th_config *config, struct th_store *store,
                               struct th_error *err);

/* Why sift cannot end with what predicts best; NULL: it can. Local. */
const char *th_plan_why_truth(const struct th_config *config,
                              const struct th_shape *shape);

/* Check a configuration against the data and complete it. owned: attributes of
 * the rank that owns the most. Local, the same on every rank. TH_EUSAGE: s >=
 * s', s' > d, an option the solver needs. */
th_status th_train_plan(const struct th_config *config,
                        const struct th_shape *shape, int ranks, int64_t owned,
                        struct th_plan *plan, struct th_error *err);

/* How a run is going; called by every rank after every update. */
struct th_progress {
  int64_t examples; /* drawn so far */
  int64_t attributes_observed;
  double done;   /* share of the run, 0 to 1; less: not known */
  double epochs; /* passes so far, those of screening apart */
  int64_t updates;
  double loss; /* mean over the rows of the last update, before the step */
  int64_t support_size;
  const int64_t *support; /* borrowed */
  const double *coef;     /* in the data's own units */
  double intercept;
  double step_size;
  const struct th_certificate *certificate; /* borrowed; NULL: none */
  const struct th_ending *ending;           /* the same; none before the end */
};
struct th_monitor {
  void (*progress)(void *self, const struct th_progress *progress);
  void (*notice)(void *self, const char *text); /* one line for the user */
  /* In the midst of a long step: the share of the run that is done, as in
   * th_progress, and a few words on what is going on. NULL: nobody listens. */
  void (*going)(void *self, double done, const char *text);
  void *self;
};

/* Train a model on the training examples of a store. Collective. *model is
 * replicated; release it with th_model_free. monitor may be NULL. */
th_status th_train(const struct th_plan *plan, struct th_store *store,
                   struct th_comm *comm, const struct th_monitor *monitor,
                   struct th_profile *profile, struct th_model *model,
                   struct th_error *err);

/* Predictions of a model for rows of one or more row groups, summed over ranks:
 * each rank reads the support attributes it owns. Collective; prediction[] is
 * replicated: the linear predictor (with intercept), for every loss. Not
 * counted in any ledger. */
th_status th_predict(const struct th_model *model, struct th_store *store,
                     struct th_comm *comm, struct th_rows rows,
                     double *prediction, struct th_error *err);

#endif
