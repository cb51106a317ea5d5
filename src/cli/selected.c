/* selected.c - in which order a model's attributes were chosen
 * SPDX-License-Identifier: MIT */
#include "cli/selected.h"

#include "cli/shared/json.h"

#include <math.h>

enum { CONDITION = 160 };

/* 0 where examples served twice, NaN where it rests on what is assumed. */
static double guarantee_of(const struct th_model *model)
{
  bool assumed = model->claims.guarantee_if > 0;
  return assumed && !(model->selected.guarantee > 0)
             ? NAN
             : model->selected.guarantee;
}

static double known(double value)
{
  return value > 0 ? value : NAN;
}

static json_t *law_json(const struct th_selected *s)
{
  json_t *law = json_object();
  th_json_real(law, "mu", s->mu);
  th_json_real(law, "rho", s->rho);
  th_json_real(law, "smoothness", s->smoothness);
  th_json_real(law, "bound", s->bound);
  return law;
}

static json_t *origin_json(const struct th_claims *c)
{
  json_t *from = json_object();
  th_json_text(from, "mu", th_claims_from_word(c->mu_from));
  th_json_text(from, "rho", th_claims_from_word(c->rho_from));
  th_json_text(from, "smoothness", th_claims_from_word(c->smoothness_from));
  return from;
}

void th_selected_json(json_t *object, const struct th_model *model)
{
  const struct th_selected *s = &model->selected;
  if (s->size == 0 && !(s->cost_try_select > 0))
    return;
  json_t *selected = json_array();
  for (int64_t k = 0; k < s->size; k++)
    json_array_append_new(selected, json_integer(s->attribute[k]));
  json_object_set_new(object, "selected", selected);
  if (!(s->cost_try_select > 0))
    return;
  json_t *cost = json_object();
  json_t *condition = json_object();
  th_json_real(cost, "try_select", s->cost_try_select);
  th_json_real(cost, "optim", s->cost_optim);
  th_json_real(condition, "guarantee", model->claims.guarantee_if);
  th_json_real(condition, "remaining_bound", known(model->claims.remaining_if));
  th_json_real(object, "guarantee", guarantee_of(model));
  th_json_real(object, "remaining_bound", known(s->remaining_bound));
  json_object_set_new(object, "if_assumed", condition);
  th_json_int(object, "examples_to_select", s->examples);
  json_object_set_new(object, "complete", json_boolean(s->complete));
  json_object_set_new(object, "cost", cost);
  json_object_set_new(object, "assumed", law_json(s));
  json_object_set_new(object, "assumed_from", origin_json(&model->claims));
}

/* "if mu is at most 0.5 (assumed)", and so on: the constants that are not
 * known; "" where all are. */
static void write_condition(const struct th_model *model, bool bound,
                            char text[CONDITION])
{
  const struct th_claims *c = &model->claims;
  const struct th_selected *s = &model->selected;
  const struct {
    const char *name;
    double value;
    int64_t from;
    const char *side;
    bool counts;
  } constants[] = {
      {"mu", s->mu, c->mu_from, "most", true},
      {"rho", s->rho, c->rho_from, "least", bound},
      {"smoothness", s->smoothness, c->smoothness_from, "most", bound}};
  int used = 0;
  text[0] = '\0';
  for (size_t k = 0; k < sizeof constants / sizeof *constants; k++)
    if (constants[k].counts && !th_claims_holds(constants[k].from))
      used += snprintf(text + used, CONDITION - (size_t)used,
                       "%s%s is at %s %.4g (%s)", used > 0 ? " and " : "if ",
                       constants[k].name, constants[k].side, constants[k].value,
                       th_claims_from_word(constants[k].from));
  if (used > 0)
    snprintf(text + used, CONDITION - (size_t)used, ": ");
}

static void print_guarantee(FILE *out, const char *label,
                            const struct th_model *model)
{
  char condition[CONDITION];
  if (!(model->claims.guarantee_if > 0)) {
    fprintf(out, "%sno guarantee, since examples were used again\n", label);
    return;
  }
  write_condition(model,
                  !(model->selected.guarantee > 0) &&
                      th_claims_holds(model->claims.mu_from),
                  condition);
  fprintf(out, "%s%sall attributes are true with probability %g\n", label,
          condition, model->claims.guarantee_if);
}

void th_selected_print(FILE *out, const char *label,
                       const struct th_model *model)
{
  const struct th_selected *s = &model->selected;
  char condition[CONDITION];
  if (!(s->cost_try_select > 0))
    return;
  if (s->size > 0)
    print_guarantee(out, label, model);
  if (model->claims.remaining_if > 0) {
    write_condition(model, true, condition);
    fprintf(out,
            "%s%sthe coefficients of true attributes that are left out have a "
            "root mean square below %.3g, in the units of the data\n",
            label, condition, model->claims.remaining_if);
  }
  if (!s->complete)
    fprintf(out, "%snot complete: there may be other true attributes\n", label);
}
