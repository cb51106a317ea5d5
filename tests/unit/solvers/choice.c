/* choice.c - each rule of the choice in a case of its own
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "normal.h"

#include "solvers/predict/choice.h"

enum { ROWS = 400 };

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

/* Allocations until one fails; below 0: none does. */
static int64_t calls_left = -1;

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
  if (calls_left == 0)
    return NULL;
  calls_left -= calls_left > 0;
  return __real_aligned_alloc(alignment, size);
}

/* The target is a signal and noise of variance 1 each; predictions are the
 * signal and an error of their own. */
struct trial {
  double signal[ROWS];
  double target[ROWS];
  double weight[ROWS];
  struct th_choice choice;
  struct th_chosen made;
};

static void begin(struct trial *t, const char *loss, bool even, int64_t most)
{
  struct th_error err = {0};
  for (int64_t i = 0; i < ROWS; i++) {
    t->signal[i] = test_normal(13, 1, i);
    t->target[i] = t->signal[i] + test_normal(13, 2, i);
    t->weight[i] = even ? 1 : 0.5 + (double)(i % 3);
    if (th_loss_find(loss)->labels)
      t->target[i] = t->target[i] > 0 ? 1 : -1;
  }
  CHECK(th_choice_init(&t->choice, ROWS, t->target, t->weight,
                       th_loss_find(loss), most, &err) == TH_OK);
}

static void end(struct trial *t)
{
  th_choice_free(&t->choice);
}

/* signal * share + size * errors of a stream; returns its place. */
static int64_t add(struct trial *t, enum th_candidate_kind kind, int64_t size,
                   double share, double error, uint64_t stream)
{
  struct th_error err = {0};
  double prediction[ROWS];
  int64_t place = t->choice.count;
  for (int64_t i = 0; i < ROWS; i++)
    prediction[i] = share * t->signal[i] + error * test_normal(13, stream, i);
  CHECK(th_choice_add(&t->choice, kind, 2, place, size, prediction, &err) ==
        TH_OK);
  CHECK(t->choice.candidate[place].mix == 2 &&
        t->choice.candidate[place].step == place &&
        t->choice.candidate[place].kind == kind);
  return place;
}

enum { MANY = 100000 }; /* attributes: a gain of 9 is asked for */

static int64_t choose_of(struct trial *t, int64_t attributes)
{
  struct th_error err = {0};
  double least = th_choice_least_gain(attributes);
  CHECK(th_choice_make(&t->choice, least, &t->made, &err) == TH_OK);
  CHECK(t->made.above >= 0);
  return t->made.chosen;
}

static int64_t choose(struct trial *t)
{
  return choose_of(t, MANY);
}

/* How many rows of equal weight tell as much. */
static double rows_of(const struct trial *t)
{
  double sum = 0;
  double squares = 0;
  for (int64_t i = 0; i < ROWS; i++) {
    sum += t->weight[i];
    squares += t->weight[i] * t->weight[i];
  }
  return sum * sum / squares;
}

/* Twice the gain in log likelihood, plainly. */
static double gain_of(const struct trial *t, int64_t b)
{
  double null = t->choice.candidate[0].loss;
  double best = t->choice.candidate[b].loss;
  double rows = rows_of(t);
  bool odds = t->choice.loss == th_loss_find("logistic");
  return odds ? 2 * rows * (null - best) : rows * log(null / best);
}

/* Null is chosen when it is best, and when the best gains too little. */
static void test_null(void)
{
  static struct trial t;
  begin(&t, "squared", true, 0);
  int64_t null = add(&t, TH_CANDIDATE_NULL, 0, 0, 0, 3);
  int64_t strict = add(&t, TH_CANDIDATE_STRICT, 2, 0, 0.5, 4);
  CHECK(choose(&t) == null && t.made.best == null);
  CHECK(t.made.null == null && t.made.strict == strict);
  int64_t net = add(&t, TH_CANDIDATE_NET, 5, 0.05, 0.05, 5);
  CHECK(t.choice.candidate[net].loss < t.choice.candidate[null].loss);
  CHECK(choose(&t) == (gain_of(&t, net) < 9 ? null : net));
  CHECK(t.made.best == net);
  end(&t);
}

/* From just below what is asked for to just above it, for any number of
 * attributes. */
static void test_gain(const char *loss, bool even)
{
  static struct trial t;
  const int64_t attributes[] = {1, 5, 50, 8101, 8103, MANY};
  const double wanted[] = {0.693147, 1.791759, 3.931826, 8.999866, 9, 9};
  for (int k = 0; k < 6; k++) {
    bool chosen[2] = {false};
    for (int turn = 0; turn < 200; turn++) {
      begin(&t, loss, even, 0);
      int64_t null = add(&t, TH_CANDIDATE_NULL, 0, 0, 0, 3);
      int64_t net = add(&t, TH_CANDIDATE_NET, 3, 0.0004 * turn, 0.02, 6);
      const struct th_candidate *c = t.choice.candidate;
      double gain = gain_of(&t, net);
      bool best = c[net].loss < c[null].loss;
      if (fabs(gain - wanted[k]) > 1e-5)
        CHECK(choose_of(&t, attributes[k]) ==
              (best && gain > wanted[k] ? net : null));
      chosen[gain > wanted[k]] = true;
      end(&t);
    }
    CHECK(chosen[0] && chosen[1]); /* both happened */
  }
}

/* Nothing is left to gain where nothing is lost. */
static void test_perfect(void)
{
  static struct trial t;
  struct th_error err = {0};
  begin(&t, "squared", true, 0);
  add(&t, TH_CANDIDATE_NULL, 0, 0, 0, 3);
  CHECK(th_choice_add(&t.choice, TH_CANDIDATE_NET, 0, 0, 3, t.target, &err) ==
        TH_OK);
  CHECK(choose(&t) == 1);
  end(&t);
  begin(&t, "squared", true, 0);
  for (int64_t i = 0; i < ROWS; i++)
    t.target[i] = 0;
  int64_t null = add(&t, TH_CANDIDATE_NULL, 0, 0, 0, 3);
  add(&t, TH_CANDIDATE_NET, 3, 0, 0, 3);
  CHECK(choose(&t) == null);
  end(&t);
}

/* The paired standard error of a difference, plainly. */
static double paired(const struct trial *t, int64_t c, int64_t b, double *se)
{
  const double *one = t->choice.row_loss[c];
  const double *two = t->choice.row_loss[b];
  double sum = 0;
  double square = 0;
  double weights = 0;
  for (int64_t i = 0; i < ROWS; i++) {
    sum += t->weight[i] * (one[i] - two[i]);
    weights += t->weight[i];
  }
  double mean = sum / weights;
  for (int64_t i = 0; i < ROWS; i++)
    square += pow(t->weight[i] * (one[i] - two[i] - mean), 2);
  *se = sqrt(square) / weights;
  return mean;
}

/* A net of 50 attributes and a smaller model of a kind that differs by some
 * error; returns the latter's place. */
static int64_t add_pair(struct trial *t, enum th_candidate_kind kind,
                        int64_t size, double error, uint64_t stream)
{
  add(t, TH_CANDIDATE_NULL, 0, 0, 0, 3);
  add(t, TH_CANDIDATE_NET, 50, 1, 0, 3);
  return add(t, kind, size, 1, error, stream);
}

/* It is taken when it loses at most k standard errors more, of uneven weights
 * too, and the strict support no more than a small share of what is gained;
 * either happens. Returns how often it was this share that decided. */
static int test_within(enum th_candidate_kind kind, double k, const char *loss,
                       double step)
{
  static struct trial t;
  int taken = 0;
  int left = 0;
  int by_gain = 0;
  for (int turn = 1; turn < 120; turn++) {
    double se;
    begin(&t, loss, turn % 2, 0);
    int64_t small = add_pair(&t, kind, 10, step * turn, 20 + (uint64_t)turn);
    double above = paired(&t, small, 1, &se);
    int64_t chosen = choose(&t);
    const struct th_candidate *c = t.choice.candidate;
    double most = k * se;
    if (kind == TH_CANDIDATE_STRICT)
      most =
          fmin(most, fmax(0.01, rows_of(&t) / 20000) * (c[0].loss - c[1].loss));
    if (t.made.best == 1) {
      CHECK(chosen == (above <= most ? small : 1));
      CHECK_NEAR(t.made.above, chosen == small ? above : 0, 1e-12);
      CHECK_NEAR(t.made.above_se, chosen == small ? se : 0, 1e-12);
      taken += chosen == small;
      left += chosen != small;
      by_gain += above <= k * se && above > most;
    }
    end(&t);
  }
  CHECK(taken > 5 && left > 5);
  return by_gain;
}

/* Between a quarter of a standard error and one: the strict support is taken, a
 * net is not; a larger strict support is not either. */
static void test_preference(void)
{
  const enum th_candidate_kind kinds[] = {TH_CANDIDATE_STRICT,
                                          TH_CANDIDATE_NET};
  static struct trial t;
  int tried = 0;
  for (int turn = 0; turn < 240; turn++) {
    int which = turn % 4;
    double se;
    begin(&t, "squared", true, 0);
    int64_t small = add_pair(&t, kinds[which % 2], which < 2 ? 10 : 60, 0.03,
                             200 + (uint64_t)turn);
    double above = paired(&t, small, 1, &se);
    CHECK(0.9 * se < 0.01 * (t.choice.candidate[0].loss -
                             t.choice.candidate[1].loss)); /* asks for more */
    if (above > 0.3 * se && above < 0.9 * se) {
      tried |= 1 << which;
      CHECK(choose(&t) == (which == 0 ? small : 1));
    }
    end(&t);
  }
  CHECK(tried == 15);
}

/* However little it loses: only the first two rules may take the null model. */
static void test_never_null(void)
{
  static struct trial t;
  double sums[2] = {0};
  double se;
  begin(&t, "squared", true, 0);
  for (int64_t i = 0; i < ROWS; i++) {
    sums[0] += t.signal[i] * t.target[i];
    sums[1] += t.signal[i] * t.signal[i];
  }
  double share = sums[0] / sums[1]; /* the best */
  int64_t null = add(&t, TH_CANDIDATE_NULL, 0, share + 0.05, 0, 3);
  int64_t net = add(&t, TH_CANDIDATE_NET, 5, share, 0, 3);
  double above = paired(&t, null, net, &se);
  CHECK(above > 0 && above < se);
  CHECK(choose_of(&t, 1) == net);
  CHECK(choose_of(&t, 5) == null);
  end(&t);
}

static void test_sizes(void)
{
  static struct trial t;
  begin(&t, "squared", true, 20);
  add(&t, TH_CANDIDATE_NULL, 0, 0, 0, 3);
  int64_t strict = add(&t, TH_CANDIDATE_STRICT, 21, 1, 0, 3);
  add(&t, TH_CANDIDATE_NET, 0, 0.99, 0, 3); /* aside */
  add(&t, TH_CANDIDATE_NET, 40, 1, 0, 3);
  int64_t fits = add(&t, TH_CANDIDATE_NET, 20, 0.8, 0, 3);
  CHECK(choose(&t) == fits && t.made.best == fits && t.made.strict == strict);
  add(&t, TH_CANDIDATE_NET, 3, NAN, 0, 3); /* nothing that can be said of it */
  CHECK(choose(&t) == fits);
  end(&t);
  begin(&t, "squared", true, 2);
  int64_t null = add(&t, TH_CANDIDATE_NULL, 0, 0, 0, 3);
  add(&t, TH_CANDIDATE_STRICT, 3, 1, 0, 3);
  CHECK(choose(&t) == null && t.made.best == null);
  end(&t);
}

static void test_ties(void)
{
  static struct trial t;
  begin(&t, "logistic", true, 0);
  add(&t, TH_CANDIDATE_NULL, 0, 0, 0, 3);
  add(&t, TH_CANDIDATE_NET, 9, 1.5, 0, 3);
  int64_t small = add(&t, TH_CANDIDATE_NET, 8, 1.5, 0, 3);
  add(&t, TH_CANDIDATE_NET, 8, 1.5, 0, 3);
  add(&t, TH_CANDIDATE_STRICT, 8, 1.5, 0, 3);
  CHECK(choose(&t) == small && t.made.best == small);
  /* of the same size the one that loses less, though added later */
  int64_t close = add(&t, TH_CANDIDATE_STRICT, 4, 1.5, 0.02, 9);
  int64_t closer = add(&t, TH_CANDIDATE_STRICT, 4, 1.5, 0.01, 9);
  const struct th_candidate *c = t.choice.candidate;
  CHECK(choose(&t) == (c[closer].loss < c[close].loss ? closer : close));
  end(&t);
}

/* A net of a mix whose predictions miss the signal's rest by chance alone. */
static void add_mix(struct trial *t, int64_t mix, double share, int64_t size)
{
  struct th_error err = {0};
  double prediction[ROWS];
  for (int64_t i = 0; i < ROWS; i++)
    prediction[i] = share * t->signal[i];
  CHECK(th_choice_add(&t->choice, TH_CANDIDATE_NET, mix, 0, size, prediction,
                      &err) == TH_OK);
}

/* The best net of a mix counts, beside the best of another one. Half of the
 * signal is three quarters of the gain, and a fifth of it little more than a
 * third. */
static void test_trails(void)
{
  static struct trial t;
  begin(&t, "squared", true, 0);
  add_mix(&t, 0, 0.2, 3);
  add_mix(&t, 0, 1, 5);
  add_mix(&t, 1, 0.2, 3);
  CHECK(!th_choice_trails(&t.choice, 1, 0)); /* without the null model */
  add(&t, TH_CANDIDATE_NULL, 0, 0, 0, 3);
  CHECK(th_choice_trails(&t.choice, 1, 0));
  CHECK(!th_choice_trails(&t.choice, 0, 1));
  CHECK(!th_choice_trails(&t.choice, 2, 0)); /* has no net */
  CHECK(!th_choice_trails(&t.choice, 0, 2));
  add_mix(&t, 1, 5, 0); /* no net that counts */
  CHECK(th_choice_trails(&t.choice, 1, 0));
  add_mix(&t, 2, 0.5, 4); /* clearly worse, not far behind */
  CHECK(!th_choice_trails(&t.choice, 2, 0));
  end(&t);
}

/* The strict support leads the best net, not any net, by more than chance does.
 */
static void test_leads(void)
{
  static struct trial t;
  begin(&t, "squared", true, 0);
  add(&t, TH_CANDIDATE_NULL, 0, 0, 0, 3);
  add_mix(&t, 0, 0.5, 5);
  CHECK(!th_choice_leads(&t.choice)); /* without a strict support */
  add(&t, TH_CANDIDATE_STRICT, 4, 1, 0, 9);
  CHECK(th_choice_leads(&t.choice));
  add(&t, TH_CANDIDATE_NET, 8, 1, 0.02, 9); /* as good, but for chance */
  CHECK(!th_choice_leads(&t.choice));
  end(&t);
  begin(&t, "squared", true, 0);
  add(&t, TH_CANDIDATE_STRICT, 4, 1, 0, 9);
  CHECK(!th_choice_leads(&t.choice)); /* without a net */
  end(&t);
}

/* The best net of a mix beats the best of another one by more than chance. */
static void test_ahead(void)
{
  static struct trial t;
  begin(&t, "squared", true, 0);
  add_mix(&t, 1, 0.2, 3);
  CHECK(!th_choice_ahead(&t.choice, 0, 1)); /* has no net */
  CHECK(!th_choice_ahead(&t.choice, 1, 0));
  add_mix(&t, 0, 0.5, 3);
  add_mix(&t, 0, 0.1, 3);
  CHECK(th_choice_ahead(&t.choice, 0, 1));
  CHECK(!th_choice_ahead(&t.choice, 1, 0));
  add(&t, TH_CANDIDATE_NULL, 0, 0, 0, 3);
  add_mix(&t, 1, 0.5, 3); /* no better */
  CHECK(!th_choice_ahead(&t.choice, 1, 0));
  CHECK(!th_choice_ahead(&t.choice, 0, 1));
  end(&t);
}

/* A path has passed its best net when that one lies behind it and the last one
 * is worse beyond chance. */
static void test_rises(void)
{
  static struct trial t;
  begin(&t, "squared", true, 0);
  CHECK(!th_choice_rises(&t.choice, 0)); /* no net */
  add(&t, TH_CANDIDATE_NULL, 0, 0, 0, 3);
  CHECK(!th_choice_rises(&t.choice, 0));
  add_mix(&t, 0, 0.2, 5);
  add_mix(&t, 0, 1, 5); /* the best */
  add_mix(&t, 0, 0.5, 5);
  CHECK(th_choice_rises(&t.choice, 1));
  CHECK(!th_choice_rises(&t.choice, 2)); /* not for so long */
  add(&t, TH_CANDIDATE_NET, 1, 1, 0.02, 5);
  CHECK(!th_choice_rises(&t.choice, 2)); /* worse, but by chance */
  add_mix(&t, 0, 0.2, 5);
  CHECK(th_choice_rises(&t.choice, 1));
  end(&t);
}

/* Far behind, but within what chance does: a few rows decide. */
static void test_chance(void)
{
  static struct trial t;
  begin(&t, "squared", true, 0);
  for (int64_t i = 0; i < ROWS; i++) {
    t.weight[i] = i < 4 ? 1 : 1e-6;
    t.signal[i] = i < 4 ? 1 : 0;
    t.target[i] = i < 4 ? (i < 1 ? 9 : 1) : 0;
  }
  th_choice_free(&t.choice);
  struct th_error err = {0};
  CHECK(th_choice_init(&t.choice, ROWS, t.target, t.weight,
                       th_loss_find("squared"), 0, &err) == TH_OK);
  add(&t, TH_CANDIDATE_NULL, 0, 0, 0, 3);
  add_mix(&t, 0, 4, 3);
  add_mix(&t, 1, 1, 3);
  double gain = t.choice.candidate[0].loss - t.choice.candidate[2].loss;
  double most = t.choice.candidate[0].loss - t.choice.candidate[1].loss;
  CHECK(gain < 0.66 * most);
  CHECK(!th_choice_trails(&t.choice, 1, 0));
  CHECK(th_choice_effective(&t.choice) < 5);
  end(&t);
}

/* What is said of losses: plain means and their errors. */
static void test_numbers(void)
{
  static struct trial t;
  double mean = 0;
  double square = 0;
  begin(&t, "logistic", true, 0);
  add(&t, TH_CANDIDATE_NULL, 0, 0, 0, 3);
  int64_t net = add(&t, TH_CANDIDATE_NET, 5, 1, 0, 3);
  CHECK_NEAR(t.choice.candidate[0].loss, log(2), 1e-14);
  CHECK_NEAR(t.choice.candidate[0].se, 0, 1e-14);
  for (int64_t i = 0; i < ROWS; i++) {
    double loss = log(1 + exp(-t.target[i] * t.signal[i]));
    mean += loss / ROWS;
    square += loss * loss / ROWS;
  }
  CHECK_NEAR(t.choice.candidate[net].loss, mean, 1e-13);
  CHECK_NEAR(t.choice.candidate[net].se, sqrt((square - mean * mean) / ROWS),
             1e-13);
  end(&t);
}

static th_status make_all(struct trial *t, struct th_error *err)
{
  th_status rc;
  struct th_choice *choice = &t->choice;
  TH_TRY(th_choice_init(choice, ROWS, t->target, t->weight,
                        th_loss_find("squared"), 0, err));
  for (int64_t c = 0; c < 40; c++)
    TH_TRY(th_choice_add(choice, TH_CANDIDATE_NET, 0, c, c, t->signal, err));
done:
  return rc;
}

static void test_failures(void)
{
  static struct trial t;
  struct th_error err = {0};
  th_status rc = TH_ENOMEM;
  for (int64_t call = 0; rc == TH_ENOMEM && call < 1000; call++) {
    th_error_clear(&err);
    calls_left = call;
    rc = make_all(&t, &err);
    calls_left = -1;
    if (rc == TH_OK)
      CHECK(th_choice_make(&t.choice, 1, &t.made, &err) == TH_EARG);
    th_choice_free(&t.choice);
  }
  CHECK(rc == TH_OK);
}

int main(void)
{
  CASE(test_null());
  CASE(test_gain("squared", true));
  CASE(test_gain("squared", false));
  CASE(test_gain("squared-hinge", true));
  CASE(test_gain("logistic", true));
  CASE(test_gain("logistic", false));
  CASE(test_perfect());
  CASE(test_within(TH_CANDIDATE_STRICT, 1, "squared", 0.002));
  CASE(test_within(TH_CANDIDATE_NET, 0.25, "squared", 0.002));
  CASE(CHECK(test_within(TH_CANDIDATE_STRICT, 1, "logistic", 0.002) > 5));
  CASE(test_within(TH_CANDIDATE_NET, 0.25, "logistic", 0.002));
  CASE(test_preference());
  CASE(test_never_null());
  CASE(test_sizes());
  CASE(test_ties());
  CASE(test_trails());
  CASE(test_leads());
  CASE(test_ahead());
  CASE(test_rises());
  CASE(test_chance());
  CASE(test_numbers());
  CASE(test_failures());
  return check_finish(NULL);
}
