/* ending.c - how a run ended, as text and as JSON
 * SPDX-License-Identifier: MIT */
#include "cli/ending.h"

#include "cli/shared/json.h"
#include "cli/wording.h"
#include "math/loss.h"
#include "solvers/solver_table.h"

#include <string.h>

static const char *const kinds[] = {[TH_ENDING_NULL] = "null",
                                    [TH_ENDING_STRICT] = "strict",
                                    [TH_ENDING_NET] = "net",
                                    [TH_ENDING_BLIND] = "null"};

/* The loss of an ending in the unit that evaluate prints. */
static double unit_of(const char *loss)
{
  const struct th_loss *row = loss != NULL ? th_loss_find(loss) : NULL;
  return row != NULL ? 1 / row->half : 1;
}

static json_t *candidate(double unit, double loss, double se)
{
  json_t *o = json_object();
  th_json_real(o, "loss", unit * loss);
  th_json_real(o, "se", unit * se);
  return o;
}

void th_ending_json(json_t *object, const struct th_ending *e, const char *loss)
{
  double unit = unit_of(loss);
  if (e->kind == TH_ENDING_NONE)
    return;
  json_t *chosen = json_object();
  json_t *passes = json_object();
  th_json_text(chosen, "kind", kinds[e->kind]);
  th_json_real(chosen, "mix", e->mix);
  th_json_real(chosen, "lambda", e->lambda);
  th_json_int(chosen, "size", e->size);
  if (e->kind != TH_ENDING_BLIND) { /* no losses are known */
    json_t *candidates = json_object();
    json_object_set_new(candidates, "null",
                        candidate(unit, e->null_loss, e->null_se));
    json_object_set_new(candidates, "strict",
                        candidate(unit, e->strict_loss, e->strict_se));
    json_object_set_new(candidates, "best",
                        candidate(unit, e->best_loss, e->best_se));
    json_object_set_new(object, "candidates", candidates);
    th_json_text(object, "candidates_loss", th_wording_loss(loss));
  }
  th_json_real(passes, "screen", e->screen_passes);
  th_json_real(passes, "end", e->end_passes);
  json_object_set_new(object, "chosen", chosen);
  json_object_set_new(object, "passes", passes);
}

void th_ending_json_model(json_t *object, const struct th_model *model)
{
  bool chose = model->ending.kind != TH_ENDING_NONE;
  const struct th_solver_row *row =
      model->solver != NULL ? th_solver_find(model->solver) : NULL;
  if (row != NULL && row->why_truth != NULL)
    th_json_text(object, "select", chose ? "predict" : "truth");
  th_ending_json(object, &model->ending, model->loss);
}

static int64_t ended_by(const struct th_model *model)
{
  return model->stopped ? TH_ENDED_TIME : model->claims.ended_by;
}

void th_ending_by_json(json_t *object, const struct th_model *model)
{
  int64_t end = ended_by(model);
  json_object_set_new(object, "ended_by",
                      end == TH_ENDED_UNKNOWN
                          ? json_null()
                          : json_string(th_claims_end_word(end)));
}

void th_ending_by_print(FILE *out, const char *label,
                        const struct th_model *model)
{
  int64_t end = ended_by(model);
  if (end != TH_ENDED_UNKNOWN)
    fprintf(out, "%s%s: %s\n", label, th_claims_end_word(end),
            th_claims_end_meaning(end));
}

static void print_loss(FILE *out, const char *name, double loss, double se)
{
  fprintf(out, "%s %.5g (%.2g)", name, loss, se);
}

void th_ending_print(FILE *out, const char *label, const struct th_model *model)
{
  const struct th_ending *e = &model->ending;
  double unit = unit_of(model->loss);
  if (e->kind == TH_ENDING_NONE)
    return;
  fprintf(out, "%s", label);
  if (e->kind == TH_ENDING_BLIND) {
    fprintf(out, "the mean of the targets, since too few examples could choose "
                 "a model\n");
    return;
  }
  if (e->kind == TH_ENDING_NULL)
    fprintf(out,
            "the mean of the targets, since nothing predicts beyond doubt");
  else if (e->kind == TH_ENDING_STRICT)
    fprintf(out, "the strict support");
  else
    fprintf(out, "an elastic net, mix %g, lambda %.3g", e->mix, e->lambda);
  fprintf(out,
          "\n%*s%s on unseen examples (standard error):", (int)strlen(label),
          "", th_wording_loss(model->loss));
  print_loss(out, " best", unit * e->best_loss, unit * e->best_se);
  print_loss(out, ", strict support", unit * e->strict_loss,
             unit * e->strict_se);
  print_loss(out, ", mean", unit * e->null_loss, unit * e->null_se);
  fprintf(out, "\n");
}
