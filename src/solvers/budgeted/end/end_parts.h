/* end_parts.h - what the files of an end that predicts share
 *
 * All functions that do not say otherwise are local. Where a comment names no
 * code, the only failure is TH_ENOMEM.
 * SPDX-License-Identifier: MIT */
#ifndef TH_END_PARTS_H
#define TH_END_PARTS_H

#include "solvers/budgeted/end/end.h"
#include "solvers/budgeted/end/end_list.h"
#include "solvers/data/replicated_columns.h"
#include "solvers/exact/net.h"

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
  double *factor;           /* of all: g, the unit of a penalised fit */
  struct th_vector *plain;  /* of all: (x - centre) scale */
  struct th_vector *scaled; /* of all: (x - centre) / g */
  double *lambda[TH_MIXES];
  int64_t lambdas;          /* of them that are tried */
  int64_t paths;            /* that this round of them has made, on all ranks */
  double done;              /* what these cost */
  bool at_end;              /* the last of these predicts best */
  const char *blind;        /* why no predictions can choose; NULL: they can */
  int64_t held;             /* rows that choose */
  int64_t *held_row;        /* ascending */
  double *prediction;       /* TH_NETS x held, of rows that were not seen */
  double *strict;           /* held: of the strict support */
  double *null;             /* held: of the mean */
  int64_t *points;          /* TH_MIXES x (folds + 1): lambdas of each path */
  int64_t size[TH_NETS];    /* attributes of nets, see th_end_sizes */
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

/* The rows that tell how large nets are: all rows if folds have lists of their
 * own, else those outside the held-out part. */
static inline int64_t th_end_sizes(const struct th_end_work *w)
{
  return w->end->folds == 1 ? 0 : w->end->folds;
}

/* How many lambdas the path of a mix without fold f has got; f = folds: that on
 * all rows. Local. */
static inline int64_t *th_end_points(const struct th_end_work *w, int mix,
                                     int64_t f)
{
  return &w->points[mix * (w->end->folds + 1) + f];
}

/* Read targets and weights of all training examples, and reserve room for all
 * arrays over rows. Local. TH_EARG, TH_EDATA, TH_EFORMAT, TH_EIO, TH_ENOMEM.
 * */
th_status th_end_reserve(struct th_end_work *w, struct th_error *err);

/* Make the lists, and fetch the values and scales of their attributes.
 * Collective. TH_ENUMERIC, TH_ENOMEM, and of reading TH_EARG, TH_EDATA,
 * TH_EBUDGET, TH_EFORMAT, TH_EIO. */
th_status th_end_gather(struct th_end_work *w, struct th_marginal *scores,
                        const struct th_support *support, struct th_error *err);

/* The share of norm1 in the nets of a mix. Local. */
double th_end_mix(int64_t mix);

/* The candidates for the strict support on all rows: the list or, in large
 * data, the members of S. */
static inline const struct th_end_list *
th_end_members(const struct th_end_work *w, const struct th_end_list *members)
{
  return w->end->small ? &w->list[w->end->folds] : members;
}

/* Room for `size` members. Local. */
th_status th_end_model_reserve(struct th_end_model *model, int64_t size,
                               struct th_error *err);
void th_end_model_free(struct th_end_model *model);

/* Pick the columns of a list from those of all; the caller frees *out. Local.
 */
th_status th_end_pick(const struct th_end_work *w,
                      const struct th_end_list *list,
                      const struct th_vector *from, struct th_vector **out,
                      struct th_error *err);

/* weight[rows] without the rows of fold f. Local. */
th_status th_end_weigh(const struct th_end_work *w, int64_t f, double **weight,
                       struct th_error *err);

/* What the model is told of an end of that kind, but for its choice
 * (end_choose.c). Local. */
struct th_ending th_end_note(const struct th_end_work *w,
                             enum th_ending_kind kind);
/* How many different examples of equal weight tell as much as these rows, of
 * which one chooses for all that are equal, with their mean weight. Their
 * number says nothing: examples of few values are equal by chance. Local. */
double th_end_effective(const double *weight, const int64_t *equal,
                        int64_t rows);

/* Choose among the candidates (end_choose.c). Local. TH_EARG, TH_ENOMEM. */
th_status th_end_choose(struct th_end_work *w, struct th_error *err);

/* Whether a mix is worth its other paths: of its path without the first fold,
 * the best prediction of this fold is not far behind that of the mix before
 * (th_choice_trails), or this cannot be told of so few rows, or the paths are
 * short. Local. TH_ENOMEM. */
th_status th_end_goes_on(const struct th_end_work *w, int mix, bool *goes_on,
                         struct th_error *err);

/* Elastic nets on the lists, without each fold and on all rows (end_nets.c).
 * Collective. TH_EDATA, TH_ENUMERIC, TH_ENOMEM. */
th_status th_end_nets(struct th_end_work *w, int64_t lambdas,
                      struct th_error *err);
/* Fit the chosen net again, to the precision of its reported loss. Local.
 * TH_EDATA, TH_ENUMERIC, TH_ENOMEM. */
th_status th_end_net_final(struct th_end_work *w, int64_t mix, int64_t step,
                           struct th_error *err);
/* The strict support, without each fold and on all rows, and the mean
 * (end_strict.c). Collective. */
th_status th_end_strict(struct th_end_work *w, const struct th_support *support,
                        struct th_error *err);

#endif
