/* end.h - an end that predicts: candidates on a list, chosen on rows that no
 * step has seen
 *
 * The strict support finds true attributes, but for predicting it stops too
 * early. So the run ends with a list: the members of S and the best of the
 * other attributes. On this list, elastic-net paths (solvers/exact/net.h) and
 * the strict support compete with the mean. All of them predict rows that they
 * have not seen. The one that predicts best is fitted on all rows. In large
 * data such rows are held out. In small data they are folds, and each fold has
 * a list of its own that has not seen it. In a single pass, the first two
 * thirds of the examples make the list and the last third is used with it;
 * folds of that third share the list.
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
  /* fewer examples: folds; from here on a part is held out */
  TH_END_SMALL = 5000,
  TH_END_MOST = 1 << 21, /* with more examples no list fits into memory */
  TH_END_FEWEST = 8,     /* with fewer, nothing can be chosen by predictions */
  TH_END_FEWEST_ONCE = 60, /* the same in a single pass */
  TH_END_OF_ONE = 3, /* in a single pass the list sees one example of three */
  TH_END_LISTS = 4   /* passes that the lists of folds may take together */
};

/* Attributes in the list of a run with that budget on n examples. Local. */
int64_t th_end_longest_list(int64_t budget, int64_t n);

/* Do folds choose the model, rather than a held-out part? passes: 1, or more.
 * Local. */
bool th_end_small(int64_t passes, int64_t n);

/* The passes for screening, of so many in all (0: no limit), over `blocks`
 * blocks of data of n examples; 1 of a single pass. Local. */
int64_t th_end_screens(int64_t passes, int64_t blocks, int64_t n);

/* What rows that the end does not see have taught about the strict support: by
 * squared loss, and for labels also by their own loss, unless its precision is
 * missing. Replicated. */
struct th_end_known {
  struct th_strict_known squares;
  struct th_strict_known labels;
};

/* Replicated. */
struct th_end {
  struct th_ending ending;
  struct th_candidate chosen;
  bool once;  /* screening and the list share a single pass */
  bool small; /* several passes, few examples: folds have lists of their own */
  double screened; /* passes of screening */
  int64_t passes;  /* passes that the lists may take, at least 1 */
  int64_t units;   /* deal units that screening takes, in the seeded order */
  int64_t rows;    /* training examples that see the list */
  struct th_pieces pieces; /* the same, ascending, none across row groups */
  int64_t folds;           /* 1: the held-out part */
  uint8_t *fold;           /* fold of each of the rows; UINT8_MAX: none */
  int64_t *twin; /* of each of the rows: the first of them that equals it, or
                    itself; NULL: none are equal */
  int64_t torn;  /* rows that do not choose, as equal ones are learnt from */
};

/* Does a run end like this, and keep the held-out rows for it? Local. */
static inline bool th_end_chooses(const struct th_config *config)
{
  return config->select == TH_SELECT_PREDICT;
}

/* Decide which rows see the list, and which of these choose the model. passes:
 * all of the run, and those that screen. Collective. Release with th_end_free.
 */
th_status th_end_init(struct th_end *end, struct th_context *context,
                      int64_t passes, int64_t screens, struct th_error *err);
/* Local. */
void th_end_free(struct th_end *end);

/* Targets and weights of these rows, in the form of th_context_targets. Local.
 */
th_status th_end_targets(const struct th_end *end, struct th_context *context,
                         double *target, double *weight, struct th_error *err);

/* Make the model. support holds the strict support that screening has found,
 * and receives the chosen candidate. known: what was learnt about the strict
 * support from rows that the end does not see; NULL if it sees all rows.
 * Observes the list on the end's rows. Collective. TH_ENUMERIC, TH_ENOMEM, and
 * of reading TH_EARG, TH_EDATA, TH_EBUDGET, TH_EFORMAT, TH_EIO. */
th_status th_end_run(struct th_end *end, struct th_context *context,
                     struct th_marginal *scores,
                     const struct th_end_known *known,
                     struct th_support *support, struct th_error *err);

#endif
