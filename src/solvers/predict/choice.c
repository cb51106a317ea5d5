/* choice.c - chooses the model that predicts best and is no larger than needed
 * SPDX-License-Identifier: MIT */
#include "solvers/predict/choice.h"

#include "base/elementary.h"
#include "base/memory.h"
#include "math/kernels/column.h"

#include <math.h>
#include <stdlib.h>

static const double clear_gain = 9; /* G that no number of attributes raises */
static const double se_strict = 1;
static const double se_net = 0.25;
static const double least_share = 0.01;  /* of a gain, that strictness costs */
static const double rows_of_all = 20000; /* where it may cost all, but for se */
static const double clearly_worse = 3;   /* standard errors, of mixes */
static const double clearly_better = 2;  /* the same, of the strict support */
static const double far_behind = 2.0 / 3.0; /* of the gain of another mix */

enum { ANY_MIX = -1 };

th_status th_choice_init(struct th_choice *choice, int64_t rows,
                         const double *target, const double *weight,
                         const struct th_loss *loss, int64_t most,
                         struct th_error *err)
{
  *choice = (struct th_choice){.rows = rows,
                               .target = target,
                               .weight = weight,
                               .loss = loss,
                               .most = most};
  for (int64_t i = 0; i < rows; i++)
    choice->sum += weight[i];
  double squares = th_column_dot_plain(weight, weight, rows);
  choice->n = squares > 0 ? choice->sum * choice->sum / squares : 0;
  return TH_NEW(&choice->difference, rows, "losses", err);
}

void th_choice_free(struct th_choice *choice)
{
  TH_FREE_LIST(choice->row_loss, choice->count);
  TH_FREE(choice->candidate, choice->difference);
  *choice = (struct th_choice){0};
}

static double weighted_mean(const struct th_choice *choice, const double *u)
{
  double sum = th_column_dot_plain(choice->weight, u, choice->rows);
  return choice->sum > 0 ? sum / choice->sum : 0;
}

static double se_of(const struct th_choice *choice, const double *u,
                    double mean)
{
  double sum = 0;
  for (int64_t i = 0; i < choice->rows; i++) {
    double part = choice->weight[i] * (u[i] - mean);
    sum += part * part;
  }
  return choice->sum > 0 ? sqrt(sum) / choice->sum : 0;
}

double th_choice_effective(const struct th_choice *choice)
{
  return choice->n;
}

void th_choice_count(struct th_choice *choice, double effective)
{
  choice->n = effective;
}

static th_status reserve(struct th_choice *choice, struct th_error *err)
{
  int64_t wanted = choice->count + 1;
  th_status rc = TH_GROW(&choice->candidate, &choice->capacity, wanted,
                         "candidate attributes", err);
  if (rc == TH_OK)
    rc = TH_GROW(&choice->row_loss, &choice->room, wanted,
                 "candidate attributes", err);
  return rc;
}

th_status th_choice_add(struct th_choice *choice, enum th_candidate_kind kind,
                        int64_t mix, int64_t step, int64_t size,
                        const double *prediction, struct th_error *err)
{
  double *loss = NULL;
  th_status rc;
  TH_TRY(reserve(choice, err));
  TH_TRY(TH_NEW(&loss, choice->rows, "losses", err));
  th_loss_f_all(choice->loss, choice->rows, prediction, choice->target, loss);
  double mean = weighted_mean(choice, loss);
  choice->candidate[choice->count] =
      (struct th_candidate){.kind = kind,
                            .mix = mix,
                            .step = step,
                            .size = size,
                            .loss = mean,
                            .se = se_of(choice, loss, mean)};
  choice->row_loss[choice->count++] = loss;
done:
  return rc;
}

static bool counts(const struct th_choice *choice, const struct th_candidate *c)
{
  bool null = c->kind == TH_CANDIDATE_NULL;
  return isfinite(c->loss) && (null || c->size > 0) &&
         (choice->most <= 0 || c->size <= choice->most);
}

/* Does a predict better than b? Of equals the first is better. */
static bool predicts_better(const struct th_candidate *a,
                            const struct th_candidate *b)
{
  return a->loss < b->loss || (a->loss == b->loss && a->size < b->size);
}

static bool is_sparser(const struct th_candidate *a,
                       const struct th_candidate *b)
{
  return a->size < b->size || (a->size == b->size && a->loss < b->loss);
}

/* mean(loss_c - loss_b), and its standard error. */
static double compare(const struct th_choice *choice, int64_t c, int64_t b,
                      double *se)
{
  for (int64_t i = 0; i < choice->rows; i++)
    choice->difference[i] = choice->row_loss[c][i] - choice->row_loss[b][i];
  double mean = weighted_mean(choice, choice->difference);
  *se = se_of(choice, choice->difference, mean);
  return mean;
}

/* gain: of b over the null model. */
static bool is_as_good(const struct th_choice *choice, int64_t c, int64_t b,
                       double gain)
{
  double share = fmax(least_share, th_choice_effective(choice) / rows_of_all);
  double se;
  double above = compare(choice, c, b, &se);
  if (choice->candidate[c].kind != TH_CANDIDATE_STRICT)
    return above <= se_net * se;
  return above <= fmin(se_strict * se, share * gain);
}

/* G, twice a gain in log likelihood. */
static double gain_of(const struct th_choice *choice, double null, double best)
{
  double rows = th_choice_effective(choice);
  if (choice->loss->predicts == TH_PREDICTS_ODDS)
    return 2 * rows * (null - best);
  return best > 0 ? rows * th_log(null / best) : INFINITY;
}

static int64_t find_candidate(const struct th_choice *choice,
                              enum th_candidate_kind kind)
{
  for (int64_t c = 0; c < choice->count; c++)
    if (choice->candidate[c].kind == kind)
      return c;
  return -1;
}

/* The best of all that count, or of the nets of a mix; -1: there is none. */
static int64_t find_best(const struct th_choice *choice, int64_t mix)
{
  const struct th_candidate *all = choice->candidate;
  int64_t best = -1;
  for (int64_t c = 0; c < choice->count; c++) {
    bool of_mix = all[c].kind == TH_CANDIDATE_NET && all[c].mix == mix;
    if (counts(choice, &all[c]) && (mix == ANY_MIX || of_mix) &&
        (best < 0 || predicts_better(&all[c], &all[best])))
      best = c;
  }
  return best;
}

bool th_choice_trails(const struct th_choice *choice, int64_t mix,
                      int64_t other)
{
  const struct th_candidate *all = choice->candidate;
  int64_t c = find_best(choice, mix);
  int64_t b = find_best(choice, other);
  int64_t null = find_candidate(choice, TH_CANDIDATE_NULL);
  double se = 0;
  if (c < 0 || b < 0 || null < 0)
    return false;
  double gain = all[null].loss - all[c].loss;
  double most = all[null].loss - all[b].loss;
  return compare(choice, c, b, &se) > clearly_worse * se &&
         gain < far_behind * most;
}

bool th_choice_ahead(const struct th_choice *choice, int64_t mix, int64_t other)
{
  int64_t c = find_best(choice, mix);
  int64_t b = find_best(choice, other);
  double se = 0;
  return c >= 0 && b >= 0 && compare(choice, b, c, &se) > clearly_better * se;
}

/* The best net, whatever its size; -1: none has been added. */
static int64_t find_net(const struct th_choice *choice)
{
  int64_t best = -1;
  for (int64_t c = 0; c < choice->count; c++) {
    const struct th_candidate *net = &choice->candidate[c];
    if (net->kind == TH_CANDIDATE_NET && isfinite(net->loss) &&
        (best < 0 || predicts_better(net, &choice->candidate[best])))
      best = c;
  }
  return best;
}

bool th_choice_leads(const struct th_choice *choice)
{
  int64_t strict = find_candidate(choice, TH_CANDIDATE_STRICT);
  int64_t best = find_net(choice);
  double se = 0;
  return strict >= 0 && best >= 0 &&
         compare(choice, best, strict, &se) > clearly_better * se;
}

bool th_choice_rises(const struct th_choice *choice, int64_t patience)
{
  int64_t last = choice->count - 1;
  int64_t best = find_net(choice);
  double se = 0;
  return best >= 0 && last - best >= patience &&
         compare(choice, last, best, &se) > clearly_better * se;
}

/* The first candidate, from few to many attributes, that is as good as b. At
 * the latest b itself. */
static int64_t find_sparsest(const struct th_choice *choice, int64_t b,
                             double null)
{
  const struct th_candidate *all = choice->candidate;
  double gain = null - all[b].loss;
  int64_t found = b;
  for (int64_t c = 0; c < choice->count; c++)
    if (all[c].kind != TH_CANDIDATE_NULL && counts(choice, &all[c]) &&
        is_as_good(choice, c, b, gain) &&
        (is_sparser(&all[c], &all[found]) ||
         (c < found && !is_sparser(&all[found], &all[c]))))
      found = c;
  return found;
}

double th_choice_least_gain(int64_t attributes)
{
  return fmin(clear_gain, th_log(1 + (double)attributes));
}

th_status th_choice_make(struct th_choice *choice, double least_gain,
                         struct th_chosen *made, struct th_error *err)
{
  made->null = find_candidate(choice, TH_CANDIDATE_NULL);
  made->strict = find_candidate(choice, TH_CANDIDATE_STRICT);
  made->best = find_best(choice, ANY_MIX);
  if (made->null < 0)
    return th_fail(err, TH_EARG, "a choice needs the null model");
  if (made->best < 0)
    made->best = made->null;
  double null = choice->candidate[made->null].loss;
  double gain = gain_of(choice, null, choice->candidate[made->best].loss);
  made->chosen = made->best != made->null && gain >= least_gain
                     ? find_sparsest(choice, made->best, null)
                     : made->null;
  made->above = compare(choice, made->chosen, made->best, &made->above_se);
  return TH_OK;
}
