/* path_text.c - the path of a model with a penalty, as text and as JSON
 * SPDX-License-Identifier: MIT */
#include "cli/shared/path_text.h"

#include "base/memory.h"
#include "base/printable.h"
#include "base/search.h"
#include "cli/shared/json.h"
#include "cli/shared/wording.h"

#include <inttypes.h>
#include <stdlib.h>

/* --- In which order attributes enter -------------------------------------- */

/* An attribute of a path: where it enters. */
struct entered {
  int64_t member;
  int64_t point;
  double coef; /* there, per deviation of the attribute, as a magnitude */
  int sign;
};

/* By lambda, then by the size of the coefficient, then by the attribute. */
static int earlier(const void *a, const void *b)
{
  const struct entered *x = a;
  const struct entered *y = b;
  if (x->point != y->point)
    return x->point < y->point ? -1 : 1;
  if (x->coef != y->coef)
    return x->coef > y->coef ? -1 : 1;
  return (x->member > y->member) - (x->member < y->member);
}

/* All attributes of a path in that order; the caller frees *list. */
static th_status list_entered(const struct th_model *model,
                              struct entered **list, struct th_error *err)
{
  const struct th_path *path = &model->path;
  const struct th_model *m = model->members;
  th_status rc = TH_NEW(list, m->support_size, "the path", err);
  if (rc != TH_OK)
    return rc;
  for (int64_t k = path->points - 1; k >= 0; k--)
    for (int64_t e = path->start[k]; e < path->start[k + 1]; e++) {
      int64_t at =
          th_search_i64(m->support, 0, m->support_size, path->attribute[e]);
      double unit = m->deviation != NULL ? m->deviation[at] : 1;
      double coef = path->coef[e] * unit;
      (*list)[at] =
          (struct entered){at, k, coef < 0 ? -coef : coef, coef < 0 ? -1 : 1};
    }
  qsort(*list, (size_t)m->support_size, sizeof **list, earlier);
  return rc;
}

/* --- As JSON -------------------------------------------------------------- */

static void add_reals(json_t *object, const char *key, const double *value,
                      int64_t count)
{
  json_t *list = json_array();
  for (int64_t k = 0; k < count; k++)
    json_array_append_new(list, json_real(value[k]));
  json_object_set_new(object, key, list);
}

static void add_certified(json_t *object, const struct th_certificate *c)
{
  json_t *lambda = json_array();
  json_t *size = json_array();
  json_t *objective = json_array();
  json_t *gap = json_array();
  for (int64_t k = 0; k < c->path_size; k++) {
    const struct th_path_point *point = &c->path[k];
    json_array_append_new(lambda, json_real(point->lambda));
    json_array_append_new(size, json_integer(point->support_size));
    json_array_append_new(objective, json_real(point->objective));
    json_array_append_new(gap, json_real(point->gap));
  }
  json_object_set_new(object, "lambda", lambda);
  json_object_set_new(object, "size", size);
  json_object_set_new(object, "objective", objective);
  json_object_set_new(object, "gap", gap);
}

void th_path_text_json(json_t *object, const struct th_model *model)
{
  const struct th_path *path = &model->path;
  json_t *all = json_object();
  json_t *chosen = json_object();
  add_certified(all, &model->certificate);
  if (path->points > 0) {
    add_reals(all, "loss", path->loss, path->points);
    add_reals(all, "se", path->se, path->points);
    th_json_real(chosen, "best", path->lambda[path->best]);
    th_json_real(chosen, "1se", path->lambda[path->one_se]);
    json_object_set(object, "chosen_lambda", chosen);
    th_json_int(object, "folds", path->folds);
  }
  json_object_set_new(object, "path", all);
  json_decref(chosen);
}

void th_path_text_json_entered(json_t *object, const struct th_model *model)
{
  const struct th_path *path = &model->path;
  const struct th_model *m = model->members;
  struct entered *list = NULL;
  struct th_error ignored = {0};
  json_t *all = json_array();
  if (list_entered(model, &list, &ignored) != TH_OK) {
    json_decref(all);
    return;
  }
  for (int64_t k = 0; k < m->support_size; k++) {
    json_t *o = json_object();
    int64_t at = list[k].member;
    th_json_int(o, "attribute", m->support[at]);
    json_object_set_new(
        o, "name", m->name != NULL ? th_json_string(m->name[at]) : json_null());
    th_json_real(o, "lambda", path->lambda[list[k].point]);
    th_json_int(o, "sign", list[k].sign);
    json_array_append_new(all, o);
  }
  json_object_set_new(object, "entered", all);
  free(list);
}

/* --- As text -------------------------------------------------------------- */

static const char *choice_mark(const struct th_path *path, int64_t k)
{
  if (k == path->best)
    return k == path->one_se ? "  best, 1se" : "  best";
  return k == path->one_se ? "  1se" : "";
}

void th_path_text_print(FILE *out, const struct th_model *model)
{
  const struct th_certificate *c = &model->certificate;
  const struct th_path *path = &model->path;
  for (int64_t k = 0; k < c->path_size; k++) {
    fprintf(out,
            "%s lambda %-12.6g objective %-18.12g gap %-10.3g support %" PRId64,
            k == 0 ? "path:" : "     ", c->path[k].lambda, c->path[k].objective,
            c->path[k].gap, c->path[k].support_size);
    if (k < path->points)
      fprintf(out, "  loss %.6g (%.2g)%s", path->loss[k], path->se[k],
              choice_mark(path, k));
    fputc('\n', out);
  }
}

th_status th_path_text_print_entered(FILE *out, const struct th_model *model,
                                     struct th_error *err)
{
  const struct th_path *path = &model->path;
  const struct th_model *m = model->members;
  struct entered *list = NULL;
  char text[TH_NAME_LONG];
  th_status rc = list_entered(model, &list, err);
  if (rc != TH_OK)
    return rc;
  fprintf(out, "entered: %12s  %-12s sign%s\n", "attribute", "lambda",
          m->name != NULL ? "  name" : "");
  for (int64_t k = 0; k < m->support_size; k++) {
    int64_t at = list[k].member;
    fprintf(out, "         %12" PRId64 "  %-12.6g %s", m->support[at],
            path->lambda[list[k].point], list[k].sign < 0 ? "-" : "+");
    if (m->name != NULL)
      fprintf(out, "     %s",
              th_printable_name(m->name[at], text, sizeof text));
    fputc('\n', out);
  }
  free(list);
  return rc;
}

static void print_candidate(FILE *out, const struct th_path *path, int64_t k)
{
  fprintf(out, "%.5g (%.2g) at lambda %.4g with %" PRId64 " attribute%s",
          path->loss[k], path->se[k], path->lambda[k], th_path_size(path, k),
          th_wording_s(th_path_size(path, k)));
}

void th_path_text_chosen(FILE *out, const char *label,
                         const struct th_model *model)
{
  const struct th_path *path = &model->path;
  if (path->points == 0)
    return;
  fprintf(out, "%s%s on held-out examples (standard error), %s", label,
          th_wording_loss(model->loss),
          path->folds == 1 ? "a fifth of all" : "");
  if (path->folds > 1)
    fprintf(out, "%" PRId64 " folds", path->folds);
  fprintf(out, ": best ");
  print_candidate(out, path, path->best);
  fprintf(out, "; 1se ");
  print_candidate(out, path, path->one_se);
  fputc('\n', out);
}
