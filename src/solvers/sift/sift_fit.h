/* sift_fit.h - the fit that solver `sift` keeps on S and the constant
 *
 * What all rounds have taught about S is kept as one Gaussian observation with
 * precision Lam and moment eta = Lam theta. When an entrant joins, what earlier
 * rows taught is neither lost nor biased: with the regression of the entrant on
 * the old members, these rows are observations of a linear function of both.
 * This is called the fold. It is small dense algebra on replicated numbers,
 * done on rank 0 and broadcast.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SIFT_FIT_H
#define TH_SIFT_FIT_H

#include "math/cholesky.h"
#include "math/kernels/kernels.h"
#include "solvers/access/gram.h"

#include <stdbool.h>
#include <stdint.h>

/* What becomes of a member in a round, and of its evidence. */
enum th_sift_fate {
  TH_SIFT_STAYS,
  TH_SIFT_FAILED,   /* an entrant leaves; its evidence stays */
  TH_SIFT_DROPPED,  /* a member leaves; its evidence is replaced by what the fit
                       knows */
  TH_SIFT_DEPENDENT /* a member depends on others; its evidence is void */
};

/* The verdict on a slow entrant, one that few examples of a round have. */
enum th_sift_verdict { TH_SIFT_GOES_ON, TH_SIFT_JOINS, TH_SIFT_FAILS };

/* Members are those of S, in its order; the constant comes last where there is
 * one, and is never tested. Replicated but for precision and moment, which only
 * rank 0 has and needs. */
struct th_sift_fit {
  int64_t size;  /* |S| */
  int64_t order; /* and the constant */
  bool constant;
  double *precision; /* Lam, order x order, full; zero for entrants */
  double *moment;    /* eta */
  double *theta;
  bool *entrant;            /* E: chosen by the last round, tried in this one */
  bool *exempt;             /* without a penalty: never an entrant, and stays */
  double *score;            /* z of entrants */
  struct th_evidence *came; /* U and W of entrants when they came; kept for slow
                               ones after they have joined, else 0 */
  int64_t *nonzeros;        /* of slow ones: examples since they came */
  bool *slow;               /* entrants whose trial lasts over rounds */
  unsigned char
      *verdict;  /* on slow ones, set by the caller of th_sift_fit_round */
  double *trial; /* sums over the rows of trials, laid out as precision; members
                    that came later have fewer rows */
  double *trial_moment;
  double *seen; /* weight of these rows, since the member came; replicated */
  double *last; /* of members that are dropped: their coefficient */
  double *knowledge;    /* and its precision, 1 / inv(Lam)_jj */
  unsigned char *fate;  /* of the last round */
  bool *keep;           /* work array */
  double rows;          /* that precision stands for, at most n */
  char *message;        /* work array of the broadcast */
  struct th_cholesky a; /* of a round */
  struct th_cholesky lam;
  int64_t capacity;
};

/* An empty fit. Local. */
th_status th_sift_fit_start(struct th_sift_fit *fit, bool constant,
                            struct th_error *err);
void th_sift_fit_free(struct th_sift_fit *fit);

/* Its state between rounds. Local. */
void th_sift_fit_describe(struct th_sift_fit *fit, struct th_state *state);

/* What a round gives to the fit. */
struct th_sift_round {
  const struct th_gram *gram; /* of S, 1, y over its rows */
  double variance;            /* mean squared residual before the fit */
  double least;               /* variance is taken to be at least this */
  double n;                   /* rows in the data */
};

/* Let a round join the fit. Entrants are tried on the round's rows alone, slow
 * ones by their verdict. Those that pass join by the fold. Then the round's
 * rows join the fit, of which at most n count. Members that the fit finds
 * insignificant leave until none is left. Those that leave are marked in fate;
 * th_sift_fit_filter removes them. Entrants that stay become old members,
 * except slow ones whose trial goes on. before: rank 0's status of the work on
 * the round; if it is a failure, all ranks fail here. Collective. */
th_status th_sift_fit_round(struct th_sift_fit *fit, struct th_context *context,
                            const struct th_sift_round *round, th_status before,
                            struct th_error *err);

/* The last call, when no rows follow. Trials end by their verdict. What was
 * known of a member when it came joins the fit if the rows since then agree.
 * Fates are marked as above. Collective. */
th_status th_sift_fit_last(struct th_sift_fit *fit, struct th_context *context,
                           struct th_error *err);

/* S has grown to `size` members: old member k is now member place[k]
 * (ascending); the others are entrants without history. Local. */
th_status th_sift_fit_insert(struct th_sift_fit *fit, const int64_t *place,
                             int64_t size, struct th_error *err);

/* Remove the members for which keep is false. Local. */
void th_sift_fit_filter(struct th_sift_fit *fit, const bool *keep);

#endif
