/* selected.c - in which order a model's attributes were chosen
 * SPDX-License-Identifier: MIT */
#include "cli/selected.h"

#include "cli/shared/json.h"

void th_selected_json(json_t *object, const struct th_selected *s)
{
  if (s->size == 0 && !(s->cost_try_select > 0))
    return;
  json_t *selected = json_array();
  for (int64_t k = 0; k < s->size; k++)
    json_array_append_new(selected, json_integer(s->attribute[k]));
  json_object_set_new(object, "selected", selected);
  if (!(s->cost_try_select > 0))
    return;
  json_t *cost = json_object();
  json_t *law = json_object();
  th_json_real(cost, "try_select", s->cost_try_select);
  th_json_real(cost, "optim", s->cost_optim);
  th_json_real(law, "mu", s->mu);
  th_json_real(law, "rho", s->rho);
  th_json_real(law, "smoothness", s->smoothness);
  th_json_real(law, "bound", s->bound);
  th_json_real(object, "guarantee", s->guarantee);
  th_json_real(object, "remaining_bound", s->remaining_bound);
  th_json_int(object, "examples_to_select", s->examples);
  json_object_set_new(object, "complete", json_boolean(s->complete));
  json_object_set_new(object, "cost", cost);
  json_object_set_new(object, "assumed", law);
}

void th_selected_print(FILE *out, const char *label,
                       const struct th_selected *s)
{
  if (!(s->cost_try_select > 0) || s->size == 0)
    return;
  if (s->guarantee > 0)
    fprintf(out, "%sall attributes are true with probability %g", label,
            s->guarantee);
  else
    fprintf(out, "%sno guarantee, since examples were used again", label);
  if (s->remaining_bound > 0)
    fprintf(out, "; the others' coefficients have a mean square below %.3g^2",
            s->remaining_bound);
  fprintf(out, "\n");
  if (!s->complete)
    fprintf(out, "%snot complete: a limit ended the choice\n", label);
}
