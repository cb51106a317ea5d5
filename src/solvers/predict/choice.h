/* choice.h - chooses the model that predicts best and is no larger than needed
 *
 * Candidates predict validation rows that they have not seen. The loss of each
 * candidate on every row is kept, so that differences are judged in pairs. With
 * rows i, weights w_i and W their sum:
 *   loss_ci   (y - p)^2 / 2, or log(1 + exp(-y p)) for labels (th_loss_f)
 *   mean(u)   sum of w_i u_i / W
 *   se(u)     root of the sum of (w_i (u_i - mean(u)))^2, by W: of equal
 *             weights the population's deviation by root n
 * A candidate counts unless it has more than `most` attributes (most > 0), has
 * none and is not the null model, or its mean loss is not finite.
 *   b         has the least mean loss of those that count; of equals the one
 *             with fewer attributes, then the one added first
 *   n         how many rows of equal weight tell as much: W^2 / sum of w_i^2,
 *             unless the caller knows better (th_choice_count)
 *   G         what b gains over the null model: n log(loss_null / loss_b); of
 *             log losses 2 n (loss_null - loss_b). Either is twice a gain in
 *             log likelihood, on rows that b has not seen
 * With d attributes in the data, the null model is chosen where b is one, or G
 * is less than min(9, log(1 + d)): among more attributes chance finds more. So
 * one attribute has to gain 0.7, and 50 have to gain 3.9. (The caller may ask
 * for more.) Else, from few to many attributes (of equals the smaller mean loss
 * first, then the order of addition), it is the first candidate c but the null
 * model with size_c <= size_b that loses little. With u = loss_c - loss_b:
 *   nets      mean(u) <= se(u) / 4
 *   strict    mean(u) <= se(u), and at most the share max(0.01, n / 20000) of
 *             what b gains, mean(loss_null - loss_b): a standard error of few
 *             rows is no small loss
 * b itself is one.
 *
 * All functions are local; sums run in a fixed order.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CHOICE_H
#define TH_CHOICE_H

#include "base/error.h"
#include "math/loss.h"

#include <stdbool.h>
#include <stdint.h>

enum th_candidate_kind {
  TH_CANDIDATE_NULL,   /* the mean, or the log odds */
  TH_CANDIDATE_STRICT, /* the strict support */
  TH_CANDIDATE_NET     /* an elastic net */
};

struct th_candidate {
  enum th_candidate_kind kind;
  int64_t mix;  /* place in the grid of nets; 0 of others */
  int64_t step; /* its place among the penalties; 0 of others */
  int64_t size; /* attributes of the final model */
  double loss;  /* mean(loss_c), by th_choice_add */
  double se;    /* se(loss_c), by th_choice_add */
};

struct th_choice {
  int64_t rows;
  const double *target; /* rows; labels: -1, +1; borrowed */
  const double *weight; /* rows, >= 0; borrowed */
  const struct th_loss *loss;
  int64_t most; /* option -s; 0: any */
  double sum;   /* W */
  double n;
  int64_t count;
  struct th_candidate *candidate; /* count */
  double **row_loss;              /* count: rows each */
  double *difference;             /* rows: work array */
  int64_t capacity;
  int64_t room; /* for row_loss */
};

/* The choice: places in `candidate`; -1: there is none. */
struct th_chosen {
  int64_t chosen;
  int64_t best;   /* b */
  int64_t null;   /* the first */
  int64_t strict; /* the first strict support, whether it counts or not */
  double above;   /* mean(loss_chosen - loss_b) */
  double above_se;
};

/* n of all rows. */
double th_choice_effective(const struct th_choice *choice);
/* n is another number: where rows stand for several equal ones. */
void th_choice_count(struct th_choice *choice, double effective);

/* No candidates. */
th_status th_choice_init(struct th_choice *choice, int64_t rows,
                         const double *target, const double *weight,
                         const struct th_loss *loss, int64_t most,
                         struct th_error *err);
void th_choice_free(struct th_choice *choice);

/* Add a candidate by its prediction of every row, which is not kept. Takes 8
 * bytes a row. */
th_status th_choice_add(struct th_choice *choice, enum th_candidate_kind kind,
                        int64_t mix, int64_t step, int64_t size,
                        const double *prediction, struct th_error *err);

/* True if the best net of a mix is far behind the best of another one: their
 * mean difference is more than three standard errors, and what it gains over
 * the null model is less than two thirds of what the other one gains. False
 * where one of the three has not been added. */
bool th_choice_trails(const struct th_choice *choice, int64_t mix,
                      int64_t other);

/* True if the strict support is better than every net that has been added, by
 * more than two standard errors of their mean difference. For another net not
 * to lose to it (as above), it would have to be better than these by three. */
bool th_choice_leads(const struct th_choice *choice);

/* True if the best net of a mix is better than the best of another one by more
 * than two standard errors of their mean difference. False where one of the two
 * has not been added. */
bool th_choice_ahead(const struct th_choice *choice, int64_t mix,
                     int64_t other);

/* True if the net that was added last is worse than the best of them by more
 * than two standard errors of their mean difference, and `patience` or more
 * have been added since that one. */
bool th_choice_rises(const struct th_choice *choice, int64_t patience);

/* The least G of a model that is not the null model, in data of so many
 * attributes that vary. */
double th_choice_least_gain(int64_t attributes);

/* Choose; a G below least_gain is none. An error when no null model has been
 * added. */
th_status th_choice_make(struct th_choice *choice, double least_gain,
                         struct th_chosen *made, struct th_error *err);

#endif
