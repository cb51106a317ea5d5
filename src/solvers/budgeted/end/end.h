/* end.h - an end that predicts: candidates on a list, chosen on rows that no
 * step has seen
 *
 * The strict support finds true attributes; for predicting it stops too early.
 * So the run ends with a list of members and the best of what is left, on which
 * elastic-net paths (solvers/exact/net.h) and the strict support compete with
 * the mean; all of them predict rows that they have not seen, and the best by
 * these is fitted on all rows. In large data such rows are held out, in small
 * data they are folds, of which each has a list of its own that has not seen
 * it. Of one pass the list sees the last third of the examples, the first two
 * thirds have made it; folds of that third share it.
 *
 * Where a comment names no code, a status is one of TH_EARG, TH_EDATA,
 * TH_EFORMAT, TH_EIO, TH_ENOMEM.
 * SPDX-License-Identifier: MIT */
#ifndef TH_END_H
#define TH_END_H

#include "core/latin.h"
#include "core/model.h"
#include "solvers/budgeted/end/choice.h"
#include "solvers/budgeted/end/marginal.h"
#include "solvers/budgeted/end/strict.h"

#include <stdbool.h>
#include <stdint.h>

enum {
  TH_END_SMALL = 5000,   /* examples: below, folds; from here on, a part */
  TH_END_MOST = 1 << 21, /* above, no list of them fits into memory */
  TH_END_FEWEST = 20,    /* below, nothing can be chosen by predictions */
  TH_END_OF_ONE = 3,     /* of one pass the list sees one example of three */
  TH_END_LISTS = 4       /* passes that the lists of folds may take together */
};

/* Attributes in the list of a run with that budget on n examples. Local. */
int64_t th_end_longest_list(int64_t budget, int64_t n);

/* Do folds choose, in place of a part that is held back? passes: 1, or other.
 * Local. */
bool th_end_small(int64_t passes, int64_t n);

/* Of so many passes in all (0: as many as it takes), those over `blocks` blocks
 * of data of n examples; 1 of 1. Local. */
int64_t th_end_screens(int64_t passes, int64_t blocks, int64_t n);

/* What rows that the end does not see have taught of the strict support, by
 * squared loss; of labels by their own loss, too, unless there is no precision.
 * Replicated. */
struct th_end_known {
  struct th_strict_known squares;
  struct th_strict_known labels;
};

/* Replicated. */
struct th_end {
  struct th_ending ending;
  struct th_candidate chosen;
  bool once;       /* screening and the list share a single pass */
  bool small;      /* of several passes: folds have lists of their own */
  double screened; /* passes of screening */
  int64_t passes;  /* that the lists may take, at least 1 */
  int64_t units;   /* deal units of the seeded order that screening takes */
  int64_t rows;    /* training examples that see the list: */
  struct th_pieces pieces; /* these, ascending, none across row groups */
  int64_t folds;           /* 1: the held-out part */
  uint8_t *fold;           /* of each of the rows; UINT8_MAX: of none */
};

/* Does a run end so, and keep the rows that are held out for it? Local. */
static inline bool th_end_chooses(const struct th_config *config)
{
  return config->select == TH_SELECT_PREDICT;
}

/* Which rows see the list, and which of them are going to choose; passes: all
 * of the run, and those that screen. Collective. Release with th_end_free. */
th_status th_end_init(struct th_end *end, struct th_context *context,
                      int64_t passes, int64_t screens, struct th_error *err);
/* Local. */
void th_end_free(struct th_end *end);

/* Targets and weights of these rows, as th_context_targets has them. Local. */
th_status th_end_targets(const struct th_end *end, struct th_context *context,
                         double *target, double *weight, struct th_error *err);

/* The model: what support holds is the strict support that screening has found,
 * and what it gets is the candidate that was chosen. known: what has been
 * learnt of the strict support from rows that the end does not see; NULL where
 * it sees all of them. Observes the list on the end's rows. Collective.
 * TH_ENUMERIC, TH_ENOMEM, and of reading TH_EARG, TH_EDATA, TH_EBUDGET,
 * TH_EFORMAT, TH_EIO. */
th_status th_end_run(struct th_end *end, struct th_context *context,
                     struct th_marginal *scores,
                     const struct th_end_known *known,
                     struct th_support *support, struct th_error *err);

#endif
