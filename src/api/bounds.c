/* bounds.c - bounds of coefficients in options: a number for all attributes, or
 * a list or a file of some
 * SPDX-License-Identifier: MIT */
#include "api/bounds.h"

#include "base/memory.h"
#include "base/search.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The two sides of 0. */
static const struct side {
  const char *option;
  const char *name;
  const char *expected;
  double least;
  double most;
} sides[] = {
    {"{lower}", "lower", "a lower bound, 0 or below", -DBL_MAX, 0},
    {"{upper}", "upper", "an upper bound, 0 or above", 0, DBL_MAX},
};

void th_bounds_free(struct th_bounds *bounds)
{
  for (int k = 0; k < 2; k++) {
    free(bounds->attribute[k]);
    free(bounds->value[k]);
  }
  *bounds = (struct th_bounds){0};
}

/* One number for all attributes? */
static bool reads_as_number(const char *text, double *value)
{
  char *end = NULL;
  *value = strtod(text, &end);
  return end != text && *end == '\0';
}

static bool is_right(const struct side *side, double value)
{
  return value >= side->least && value <= side->most;
}

static th_status refuse_side(const struct side *side, const char *text,
                             struct th_error *err)
{
  return th_fail(err, TH_EUSAGE, "%s %.40s: must be %s, or a file of these",
                 side->option, text, side->expected);
}

/* Local, replicated. */
static th_status keep_list(struct th_bounds *bounds, int k,
                           const struct th_attribute_list *list,
                           struct th_config_bound *bound, struct th_error *err)
{
  const char *what = sides[k].option;
  th_status rc;
  TH_TRY(TH_NEW(&bounds->attribute[k], list->count, what, err));
  TH_TRY(TH_NEW(&bounds->value[k], list->count, what, err));
  for (int64_t m = 0; m < list->count && rc == TH_OK; m++) {
    bounds->attribute[k][m] = list->item[m].attribute;
    bounds->value[k][m] = list->item[m].coef;
    if (!list->has_coef || !is_right(&sides[k], list->item[m].coef))
      rc = refuse_side(&sides[k], bound->text, err);
  }
  bound->attribute = bounds->attribute[k];
  bound->value = bounds->value[k];
  bound->count = list->count;
done:
  return rc;
}

/* The text of the option, for one side. Collective. */
static th_status read_side(struct th_bounds *bounds, int k,
                           struct th_config_bound *bound, const char *output,
                           struct th_data *data, struct th_comm *comm,
                           struct th_error *err)
{
  const struct side *side = &sides[k];
  struct th_attribute_list list = {.option = side->option,
                                   .coefficients = true};
  const struct th_attribute_file file = {.name = bound->text,
                                         .output = output,
                                         .least = side->least,
                                         .most = side->most,
                                         .expected = side->expected};
  th_status rc = TH_OK;
  bound->given = true;
  if (reads_as_number(bound->text, &bound->all))
    return is_right(side, bound->all) ? rc
                                      : refuse_side(side, bound->text, err);
  bound->all = k == 0 ? -INFINITY : INFINITY;
  if (th_attribute_list_numbers(bound->text))
    TH_TRY(th_attribute_list_read(&list, bound->text, data, comm, err));
  else
    TH_TRY(th_attribute_list_file(&list, &file, data, comm, err));
  TH_TRY(th_agree(comm, keep_list(bounds, k, &list, bound, err), err));
done:
  th_attribute_list_free(&list);
  return rc;
}

th_status th_bounds_read(struct th_bounds *bounds,
                         struct th_config_group *group, const char *output,
                         struct th_data *data, struct th_comm *comm,
                         struct th_error *err)
{
  th_status rc = TH_OK;
  if (group->positive && group->lower.text != NULL)
    return th_fail(err, TH_EUSAGE,
                   "{positive} is {lower} 0; leave one of them out");
  if (group->positive)
    group->lower.given = true; /* at 0 */
  if (group->lower.text != NULL)
    TH_TRY(read_side(bounds, 0, &group->lower, output, data, comm, err));
  if (group->upper.text != NULL)
    TH_TRY(read_side(bounds, 1, &group->upper, output, data, comm, err));
done:
  return rc;
}

/* Local. */
static th_status put_side(const struct side *side,
                          const struct th_config_bound *bound,
                          struct th_model *model, struct th_error *err)
{
  enum { ITEM = 48 };
  char *text = NULL;
  int64_t at = 0;
  th_status rc = TH_NEW(&text, (bound->count + 1) * ITEM, side->option, err);
  TH_TRY(rc);
  if (!isinf(bound->all))
    snprintf(text, ITEM, "%.17g", bound->all);
  for (int64_t m = 0; m < bound->count; m++)
    at += snprintf(text + at, ITEM, "%s%" PRId64 ":%.17g", m == 0 ? "" : ",",
                   bound->attribute[m], bound->value[m]);
  rc = th_model_set(model, side->name, text, err);
done:
  free(text);
  return rc;
}

th_status th_bounds_put(const struct th_config_group *group,
                        struct th_model *model, struct th_error *err)
{
  th_status rc = TH_OK;
  if (group->positive)
    TH_TRY(th_model_set(model, "positive", "yes", err));
  else if (group->lower.given)
    TH_TRY(put_side(&sides[0], &group->lower, model, err));
  if (group->upper.given)
    TH_TRY(put_side(&sides[1], &group->upper, model, err));
done:
  return rc;
}
