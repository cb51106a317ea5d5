/* result_print.c - what a run has found: the model, and what was observed for
 * it
 * SPDX-License-Identifier: MIT */
#include "api/name_text.h"
#include "cli/ending.h"
#include "cli/report.h"
#include "cli/selected.h"
#include "cli/wording.h"

#include <inttypes.h>
#include <string.h>

static void print_support(FILE *out, const struct th_model *model)
{
  enum { SHOWN = 12 };
  fprintf(out, "support: %" PRId64 " attribute%s", model->support_size,
          th_wording_s(model->support_size));
  for (int64_t k = 0; k < model->support_size && k < SHOWN; k++) {
    char text[TH_NAME_SHORT];
    snprintf(text, sizeof text, "%" PRId64, model->support[k]);
    if (model->name != NULL)
      th_name_text(model->name[k], text, sizeof text);
    fprintf(out, "%s %s (%.4g)", k == 0 ? ":" : ",", text, model->coef[k]);
  }
  fprintf(out, "%s\n", model->support_size > SHOWN ? ", ..." : "");
}

/* Solvers with a penalty. */
static void print_solution(FILE *out, const struct th_model *model)
{
  const struct th_certificate *c = &model->certificate;
  bool squared = strcmp(model->loss, "squared") == 0;
  fprintf(out, "lambda:  %.4g", c->lambda);
  if (c->lambda_max > 0)
    fprintf(out, ", %.3g of lambda_max", c->lambda / c->lambda_max);
  fprintf(out, "; objective %.8g (%s%s + penalty), duality gap %.2g\n",
          c->objective, squared ? "half the " : "",
          th_wording_loss(model->loss), c->gap);
}

static void print_ledger(FILE *out, const struct th_model *model,
                         const struct th_shape *shape)
{
  const struct th_ledger *ledger = &model->ledger;
  double draws = (double)ledger->examples;
  double mean = draws > 0 ? (double)ledger->attributes / draws : 0;
  fprintf(out, "ledger:  %" PRId64 " example%s drawn", ledger->examples,
          th_wording_s(ledger->examples));
  if (model->passes > 0)
    fprintf(out, " in %" PRId64 " pass%s", model->passes,
            th_wording_es(model->passes));
  fprintf(out,
          "; %" PRId64 " attribute%s observed, on average %.4g of %" PRId64
          " of an example and never more than %" PRId64 "\n",
          ledger->attributes, th_wording_s(ledger->attributes), mean,
          shape->attributes, ledger->max_attributes_per_example);
  if (ledger->distinct_attributes < ledger->attributes)
    fprintf(out, "         without repeats %" PRId64 " attribute%s\n",
            ledger->distinct_attributes,
            th_wording_s(ledger->distinct_attributes));
  fprintf(out, "         statistics from: %s",
          model->statistics != NULL ? model->statistics : "none");
  if (ledger->validation_examples > 0)
    fprintf(out,
            "; for validation %" PRId64 " attribute%s of %" PRId64 " example%s",
            ledger->validation_attributes,
            th_wording_s(ledger->validation_attributes),
            ledger->validation_examples,
            th_wording_s(ledger->validation_examples));
  fputc('\n', out);
}

void th_report_result(FILE *out, const struct th_model *model,
                      const struct th_shape *shape)
{
  print_support(out, model);
  if (model->certificate.lambda > 0)
    print_solution(out, model);
  th_ending_print(out, "end:     ", model);
  th_selected_print(out, "choice:  ", model);
  th_ending_by_print(out, "ended:   ", model);
  print_ledger(out, model, shape);
}
