/* verify_again.c - a model compared with itself, trained anew by its own
 * options
 * SPDX-License-Identifier: MIT */
#include "solvers/driver/verify_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

static bool same_model(const struct th_model *a, const struct th_model *b)
{
  size_t size = (size_t)a->support_size;
  return a->support_size == b->support_size && a->intercept == b->intercept &&
         (size == 0 ||
          (memcmp(a->support, b->support, size * sizeof *a->support) == 0 &&
           memcmp(a->coef, b->coef, size * sizeof *a->coef) == 0));
}

/* Compare bit for bit. */
static void compare_numbers(struct th_verdict *verdict,
                            const struct th_certificate *claimed,
                            const struct th_certificate *again)
{
#define CHECK(name, what)                                                      \
  if (claimed->name != again->name)                                            \
    th_verify_wrong(verdict, #name " is %.17g, trained anew it is %.17g",      \
                    (double)claimed->name, (double)again->name);
  TH_CERTIFICATE_REALS(CHECK)
  TH_CERTIFICATE_COUNTS(CHECK)
#undef CHECK
  for (int k = 0; k < TH_MARGINS; k++)
    if (claimed->margin[k] != again->margin[k])
      th_verify_wrong(verdict, "margin %d is %lld, trained anew it is %lld", k,
                      (long long)claimed->margin[k],
                      (long long)again->margin[k]);
}

static bool same_point(const struct th_path_point *a,
                       const struct th_path_point *b)
{
  return a->lambda == b->lambda && a->objective == b->objective &&
         a->gap == b->gap && a->support_size == b->support_size;
}

/* Both intervals hold the least objective. */
static bool meet(const struct th_path_point *a, const struct th_path_point *b)
{
  double slack = 64 * DBL_EPSILON * fmax(a->objective, b->objective);
  return a->objective - a->gap <= b->objective + slack &&
         b->objective - b->gap <= a->objective + slack;
}

static void compare_paths(struct th_verdict *verdict,
                          const struct th_certificate *claimed,
                          const struct th_certificate *again, bool reproduced)
{
  if (claimed->path_size != again->path_size) {
    th_verify_wrong(verdict,
                    "the path has %lld entries, trained anew it has %lld",
                    (long long)claimed->path_size, (long long)again->path_size);
    return;
  }
  for (int64_t k = 0; k < claimed->path_size; k++) {
    const struct th_path_point *a = &claimed->path[k];
    const struct th_path_point *b = &again->path[k];
    if (!(reproduced ? same_point(a, b) : meet(a, b)))
      th_verify_wrong(verdict,
                      "entry %lld of the path has objective %.12g, gap %.3g "
                      "and a support of %lld, trained anew %.12g, %.3g and "
                      "%lld",
                      (long long)k, a->objective, a->gap,
                      (long long)a->support_size, b->objective, b->gap,
                      (long long)b->support_size);
  }
}

th_status th_verify_again(const struct th_verify_setting *setting,
                          const struct th_model *model,
                          struct th_verdict *verdict, struct th_error *err)
{
  struct th_model again = {0};
  const struct th_certificate *claimed = &model->certificate;
  th_status rc = th_train(setting->plan, setting->store, setting->comm, NULL,
                          setting->profile, &again, err);
  if (rc == TH_OK) {
    bool reproduced = same_model(model, &again);
    verdict->unchecked[0] = '\0';
    if (reproduced)
      compare_numbers(verdict, claimed, &again.certificate);
    else
      th_verify_unchecked(verdict,
                          "support sizes and what screening counted: another "
                          "build or processor has made the model, with other "
                          "last bits");
    compare_paths(verdict, claimed, &again.certificate, reproduced);
    verdict->holds = verdict->holds && verdict->wrong[0] == '\0';
  }
  th_model_free(&again);
  return rc;
}
