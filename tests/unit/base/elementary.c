/* elementary.c - elementary functions: close to libm's, special values,
 * the same bits one by one and in arrays of every instruction set; which
 * processors and sets of kernels are refused
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "base/elementary.h"
#include "base/processor.h"
#include "base/random.h"

#include <string.h>

enum { MOST = 1001 };

struct function_row {
  const char *name;
  double (*ours)(double x);
  double (*libm)(double x);
  double low, high;
};

static const struct function_row functions[] = {
    {"exp", th_exp, exp, -700, 700},     {"exp2", th_exp2, exp2, -900, 900},
    {"log", th_log, log, 1e-9, 9},       {"log2", th_log2, log2, 1e-9, 1e9},
    {"log1p", th_log1p, log1p, -0.9, 3}, {"tanh", th_tanh, tanh, -9, 9},
    {"erfc", th_erfc, erfc, -4, 9}};

static double between(double low, double high, int k)
{
  const struct th_stream stream = {1, TH_PURPOSE_TEST};
  double pair[2];
  th_random_uniform(stream, 0, (uint64_t)k, pair);
  return low + (high - low) * pair[0];
}

static void test_close(void)
{
  for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
    for (int k = 0; k < MOST; k++) {
      const struct function_row *row = &functions[f];
      double x = between(row->low, row->high, k);
      CHECK_NEAR(row->ours(x) / row->libm(x), 1.0, 2e-15);
    }
  for (int k = 0; k < MOST; k++) {
    double x = between(0, 7, k);
    struct th_sincos turn = th_sincos(x);
    CHECK_NEAR(turn.sin, sin(x), 1e-15);
    CHECK_NEAR(turn.cos, cos(x), 1e-15);
    CHECK_NEAR(th_pow(x, 1.7 - x) / pow(x, 1.7 - x), 1.0, 1e-15);
    CHECK_NEAR(th_hypot(x, 2) / hypot(x, 2), 1.0, 1e-15);
  }
}

static void test_special(void)
{
  CHECK(th_exp(0) == 1 && th_exp(-INFINITY) == 0);
  CHECK(isinf(th_exp(800)) && th_exp(-800) == 0 && isnan(th_exp(NAN)));
  CHECK(th_log(1) == 0 && th_log(0) == -INFINITY && isnan(th_log(-1)));
  CHECK(th_log1p(0) == 0 && th_log1p(-1) == -INFINITY);
  CHECK(isinf(th_log1p(INFINITY)) && isnan(th_log1p(-2)));
  CHECK(th_tanh(INFINITY) == 1 && th_tanh(0) == 0);
  CHECK(th_pow(0, 2) == 0 && th_pow(NAN, 0) == 1 && th_pow(2, 10) == 1024);
  CHECK(th_hypot(3, 4) == 5 && isinf(th_hypot(INFINITY, 0)));
}

/* Lengths around whole vectors; y behind the last one stays. */
static void test_array(const char *set, th_elementary_array *array,
                       double (*one)(double x), double low, double high)
{
  static double x[MOST];
  static double y[MOST + 1];
  for (int n = 0; n <= MOST; n = n < 20 ? n + 1 : n + 327) {
    for (int k = 0; k < n; k++)
      x[k] = between(low, high, k + n);
    if (n > 3)
      x[n - 1] = NAN;
    y[n] = 7;
    array(n, x, y);
    CHECK(y[n] == 7);
    for (int k = 0; k < n; k++) {
      double scalar = one(x[k]);
      bool same = isnan(scalar) ? isnan(y[k]) : memcmp(&scalar, y + k, 8) == 0;
      CHECK(same);
      if (!same)
        fprintf(stderr, "%s: other bits at %a\n", set, x[k]);
    }
    array(n, x, x); /* in place */
    CHECK(n < 4 || memcmp(x, y, (size_t)(n - 1) * sizeof *x) == 0);
  }
}

static bool same_bits(double a, double b)
{
  return isnan(a) ? isnan(b) : memcmp(&a, &b, sizeof a) == 0;
}

/* Powers and pairs, likewise. */
static void test_pairs(const struct th_elementary_set *set)
{
  static double x[MOST];
  static double y[MOST + 1];
  static double z[MOST + 1];
  for (int n = 0; n <= MOST; n = n < 20 ? n + 1 : n + 327) {
    double exponent = between(-3, 3, n);
    for (int k = 0; k < n; k++)
      x[k] = between(0, 7, k + n);
    y[n] = z[n] = 7;
    set->pow(n, x, exponent, y);
    for (int k = 0; k < n; k++)
      CHECK(same_bits(y[k], th_pow(x[k], exponent)));
    set->sincos(n, x, y, z);
    for (int k = 0; k < n; k++) {
      struct th_sincos turn = th_sincos(x[k]);
      CHECK(same_bits(y[k], turn.sin) && same_bits(z[k], turn.cos));
    }
    CHECK(y[n] == 7 && z[n] == 7);
    set->sincos(n, x, x, z); /* in place */
    CHECK(memcmp(x, y, (size_t)n * sizeof *x) == 0);
  }
}

static void test_sets(void)
{
#define SET(form) &th_elementary_##form,
#define NAME(form) #form,
  static const struct th_elementary_set *const sets[TH_FORM_COUNT] = {
      TH_FORMS(SET)};
  static const char *const names[TH_FORM_COUNT] = {TH_FORMS(NAME)};
#undef SET
#undef NAME
  const struct th_processor here = th_processor_here();
  for (int form = 0; form < TH_FORM_COUNT; form++) {
    const char *name = names[form];
    if (!th_processor_runs((enum th_processor_form)form, &here))
      continue;
    test_array(name, sets[form]->exp, th_exp, -760, 715);
    test_array(name, sets[form]->log, th_log, -0.1, 9);
    test_array(name, sets[form]->log1p, th_log1p, -1.1, 9);
    test_pairs(sets[form]);
  }
}

struct refusal {
  struct th_processor processor;
  const char *wanted;
  th_status rc;
  const char *text;
};

#if defined(__x86_64__)
static const struct refusal refusals[] = {
    {{true, true, false}, NULL, TH_OK, ""},
    {{true, true, false}, "", TH_OK, ""},
    {{true, true, false}, "avx2", TH_OK, ""},
    {{true, true, true}, "avx512", TH_OK, ""},
    {{true, true, false}, "avx512", TH_EUSAGE, "processor does not run it"},
    {{true, true, true}, "sse", TH_EUSAGE, "this build has plain avx2 avx512"},
    {{true, false, false}, NULL, TH_EARG, "this processor has no FMA;"},
    {{false, true, false}, "plain", TH_EARG, "this processor has no AVX2;"},
};
#else
static const struct refusal refusals[] = {
    {{false, false, false}, NULL, TH_OK, ""},
    {{false, false, false}, "plain", TH_OK, ""},
    {{false, false, false}, "avx2", TH_EUSAGE, "this build has plain"},
};
#endif

static void test_refusals(void)
{
  for (size_t k = 0; k < sizeof refusals / sizeof *refusals; k++) {
    struct th_error err;
    th_error_clear(&err);
    CHECK(th_processor_check(&refusals[k].processor, refusals[k].wanted,
                             &err) == refusals[k].rc);
    CHECK(strstr(err.text, refusals[k].text) != NULL);
    CHECK(strchr(err.text, '\n') == NULL);
  }
}

int main(void)
{
  CASE(test_close());
  CASE(test_special());
  CASE(test_sets());
  CASE(test_refusals());
  return check_finish(NULL);
}
