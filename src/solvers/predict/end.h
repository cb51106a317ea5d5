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
 * SPDX-License-Identifier: MIT */
#ifndef TH_END_H
#define TH_END_H

#include "data/latin.h"
#include "model/model.h"
#include "solvers/access/replicated_columns.h"
#include "solvers/exact/net.h"
#include "solvers/predict/choice.h"
#include "solvers/predict/end_list.h"
#include "solvers/predict/marginal.h"
#include "solvers/predict/strict.h"

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
int64_t th_end_rows_longest_list(int64_t budget, int64_t n);

/* Do folds choose the model, rather than a held-out part? passes: 1, or more.
 * Local. */
bool th_end_rows_by_folds(int64_t passes, int64_t n);

/* The passes for screening, of so many in all (0: no limit), over `blocks`
 * blocks of data of n examples; 1 of a single pass. Local. */
int64_t th_end_rows_screens(int64_t passes, int64_t blocks, int64_t n);

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
 * all of the run, and those that screen. Collective. Release with
 * th_end_rows_free.
 */
th_status th_end_rows(struct th_end *end, struct th_context *context,
                      int64_t passes, int64_t screens, struct th_error *err);

/* Local. */
void th_end_rows_free(struct th_end *end);

/* Make the model. support holds the strict support that screening has found,
 * and receives the chosen candidate. known: what was learnt about the strict
 * support from rows that the end does not see; NULL if it sees all rows.
 * Observes the list on the end's rows. Collective. */
th_status th_end_run(struct th_end *end, struct th_context *context,
                     struct th_marginal *scores,
                     const struct th_end_known *known,
                     struct th_support *support, struct th_error *err);

/* --- What the files of an end that predicts share
 *
 * All functions that do not say otherwise are local. */

enum {
  TH_MIXES = 3,
  TH_USUAL_LAMBDAS = 25,
  TH_LAMBDAS = 37, /* of a path, if the last of the usual ones predicts best */
  TH_NETS = TH_MIXES * TH_LAMBDAS
};

/* A model on a list: places in it, and coefficients of its columns. */
struct th_end_model {
  int64_t size;
  int64_t *place;
  double *coef;
  double intercept;
};

/* In which an attribute is penalised (end_rows.c). */
enum th_end_unit {
  TH_UNIT_REACH,     /* the root of its deviation times its range: the usual */
  TH_UNIT_DEVIATION, /* its deviation */
  TH_UNITS
};

/* Paths of this round of lambdas, on all ranks. */
struct th_end_made {
  int64_t paths;
  int64_t most; /* if all of them are made */
  double cost;
  double all;            /* the cost of these */
  int64_t cut[TH_MIXES]; /* paths of a mix that were cut short */
  bool whole;            /* none are */
  bool first;            /* those of the first mix are made already */
};

/* Replicated but where said. */
struct th_end_work {
  struct th_end *end;
  struct th_context *context;
  const struct th_end_known *known; /* NULL: only the rows are known */
  int64_t rows;                     /* of the end */
  double *target;
  double *weight;
  struct th_end_list *list; /* folds + 1: the list of each fold, then that of
                               all rows; empty where the last one serves */
  struct th_end_list all;   /* the union of the lists */
  struct th_replicated_columns columns; /* values of the union */
  double *scale;                        /* of all: the usual scale of solvers */
  double *unit[TH_UNITS]; /* of all: the units of a penalised fit */
  enum th_end_unit in_use;
  struct th_vector *plain;  /* of all: (x - centre) scale */
  struct th_vector *scaled; /* of all: (x - centre) / g */
  double *lambda[TH_MIXES];
  int64_t lambdas; /* of them that are tried */
  struct th_end_made made;
  bool at_end;              /* the last of these predicts best */
  const char *blind;        /* why no predictions can choose; NULL: they can */
  int64_t held;             /* rows that choose */
  int64_t *held_row;        /* ascending */
  double *prediction;       /* TH_NETS x held, of rows that were not seen */
  double *strict;           /* held: of the strict support */
  double *null;             /* held: of the mean */
  int64_t *points;          /* TH_MIXES x (folds + 1): lambdas of each path */
  int64_t size[TH_NETS];    /* attributes of nets, see th_end_sizes_fold */
  struct th_end_model net;  /* the chosen net */
  int64_t net_step;         /* the lambda of the chosen net in its mix */
  struct th_end_model best; /* the strict support on all rows */
};

/* The first row that equals row i, or i. */
static inline int64_t th_end_lead(const struct th_end_work *w, int64_t i)
{
  return w->end->twin != NULL ? w->end->twin[i] : i;
}

/* The list that fold f uses; f = folds: the list of all rows. */
static inline const struct th_end_list *
th_end_list_of(const struct th_end_work *w, int64_t f)
{
  const struct th_end_list *own = &w->list[f];
  return own->attribute != NULL ? own : &w->list[w->end->folds];
}

/* Read targets and weights of all training examples, and reserve room for all
 * arrays over rows. Local. */
th_status th_end_rows_reserve(struct th_end_work *w, struct th_error *err);

/* Make the lists, and fetch the values and scales of their attributes.
 * Collective. */
th_status th_end_rows_fetch_lists(struct th_end_work *w,
                                  struct th_marginal *scores,
                                  const struct th_support *support,
                                  struct th_error *err);

/* Do the two units of attributes differ by more than a factor that all share?
 * Local. */
bool th_end_rows_units_differ(const struct th_end_work *w);

/* Take this unit for the columns of penalised fits. Local. */
void th_end_rows_take_unit(struct th_end_work *w, enum th_end_unit unit);

/* The candidates for the strict support on all rows: the list or, in large
 * data, the members of S. */
static inline const struct th_end_list *
th_end_members(const struct th_end_work *w, const struct th_end_list *members)
{
  return w->end->small ? &w->list[w->end->folds] : members;
}

/* Room for `size` members. Local. */
th_status th_end_rows_reserve_model(struct th_end_model *model, int64_t size,
                                    struct th_error *err);

void th_end_rows_free_model(struct th_end_model *model);

/* Pick the columns of a list from those of all; the caller frees *out. Local.
 */
th_status th_end_rows_pick(const struct th_end_work *w,
                           const struct th_end_list *list,
                           const struct th_vector *from, struct th_vector **out,
                           struct th_error *err);

/* weight[rows] without the rows of fold f. Local. */
th_status th_end_rows_weigh(const struct th_end_work *w, int64_t f,
                            double **weight, struct th_error *err);

/* How many different examples of equal weight tell as much as these rows, of
 * which one chooses for all that are equal, with their mean weight. Their
 * number says nothing: examples of few values are equal by chance. Local. */
double th_end_rows_effective(const double *weight, const int64_t *equal,
                             int64_t rows);

/* The share of norm1 in the nets of each mix. */
extern const double th_end_mix[TH_MIXES];

/* The rows that tell how large nets are: all rows if folds have lists of their
 * own, else those outside the held-out part. */
static inline int64_t th_end_sizes_fold(const struct th_end_work *w)
{
  return w->end->folds == 1 ? 0 : w->end->folds;
}

/* How many lambdas the path of a mix without fold f has got; f = folds: that on
 * all rows. */
static inline int64_t *th_end_path_points(const struct th_end_work *w, int mix,
                                          int64_t f)
{
  return &w->points[mix * (w->end->folds + 1) + f];
}

/* Candidates, with what their choice borrows. */
struct th_end_candidates {
  struct th_choice choice;
  double *target; /* of the rows that choose */
  double *weight;
  int64_t *place; /* of these rows among all that were held out */
  double *prediction;
};

/* No candidates. The rows of one fold choose, or all that were held out (fold
 * -1). Equal rows choose as one row with their weight: they are predicted alike
 * and tell no more than it. Local; release with th_end_candidates_dismiss, also
 * after a failure. */
th_status th_end_candidates_invite(struct th_end_candidates *c,
                                   const struct th_end_work *w, int64_t fold,
                                   struct th_error *err);
void th_end_candidates_dismiss(struct th_end_candidates *c);

/* Add predictions of all rows that were held out. Local. */
th_status th_end_candidates_add(struct th_end_candidates *c,
                                enum th_candidate_kind kind, int64_t size,
                                const double *prediction, struct th_error *err);

/* Add the first nets of a mix, with the sizes that are known. Local. */
th_status th_end_candidates_add_nets(struct th_end_candidates *c,
                                     const struct th_end_work *w, int mix,
                                     int64_t points, bool sized,
                                     struct th_error *err);

/* Lambdas at which the first paths of a mix, so many, all have a model. Local.
 */
int64_t th_end_candidates_points(const struct th_end_work *w, int mix,
                                 int64_t paths);

/* A path on the list of a fold takes time. Local. */
bool th_end_candidates_are_dear(const struct th_end_work *w, int64_t fold);

/* The rows that choose are enough to tell nets apart. Local. */
bool th_end_candidates_can_tell(const struct th_end_candidates *c);

/* *goes_on: the mix that was tried last is worth its other paths, or the mixes
 * behind it are worth trying. Of its path without the first fold, the best
 * prediction of this fold is not far behind that of the mix before
 * (th_choice_trails), and no net so far comes near the strict support
 * (th_choice_leads); or this cannot be told of so few rows, or the paths are
 * short. Local. */
th_status th_end_candidates_go_on(const struct th_end_work *w, int mix,
                                  bool *goes_on, struct th_error *err);

/* Make paths of so many lambdas. Mixes with less of norm1 have more attributes,
 * and take the most time. A mix whose first path is far behind that of the mix
 * before is left out, and so are those behind it. Collective. */
th_status th_end_nets(struct th_end_work *w, int64_t lambdas,
                      struct th_error *err);

/* Fit the chosen net again, to the precision of its reported loss: all ranks
 * together, or each by itself where that is not worth it. Collective. */
th_status th_end_nets_final(struct th_end_work *w, int64_t mix, int64_t step,
                            struct th_error *err);

/* The strict support, without each fold and on all rows, and the mean
 * (end_strict.c). Collective. */
th_status th_end_strict(struct th_end_work *w, const struct th_support *support,
                        struct th_error *err);

#endif
