/* family.c - a synthetic family with its parameters, as options give them
 * SPDX-License-Identifier: MIT */
#include "cli/shared/family.h"

#include "core/partition.h"

#include <math.h>
#include <string.h>

bool th_family_uses(const struct th_family *family, const char *option)
{
  const struct th_family_parameter *row;
  for (int k = 0; (row = th_ground_truth_parameter(k)) != NULL; k++)
    if (strcmp(row->name, option) == 0)
      return th_ground_truth_of(row, family->name);
  return family->default_support > 0 || strcmp(option, "support") != 0;
}

/* A parameter of another family is refused, not ignored. */
static th_status check_parameters(const struct th_options *options,
                                  const struct th_family *family,
                                  const char *where, const char *dashes,
                                  struct th_error *err)
{
  int count = th_option_count();
  for (int k = 0; k < count; k++)
    if ((th_option_row(k)->commands & TH_SOURCE) != 0 &&
        options->given[k] != TH_NOT_GIVEN &&
        !th_family_uses(family, th_option_row(k)->name))
      return th_fail(err, TH_EUSAGE,
                     "%s: family %s does not use %s%s; leave it out", where,
                     family->name, dashes, th_option_row(k)->name);
  bool correlated =
      options->given[th_option_find("correlation")] != TH_NOT_GIVEN;
  if (th_family_uses(family, "design") && correlated &&
      options->synthetic.own.design == TH_FAMILY_ORTHOGONAL)
    return th_fail(err, TH_EUSAGE,
                   "%s: %scorrelation is of %sdesign toeplitz; add it", where,
                   dashes, dashes);
  return TH_OK;
}

static th_status find_family(const char *name, const char *where,
                             const struct th_family **family,
                             struct th_error *err)
{
  char names[256] = "";
  size_t used = 0;
  *family = th_synthetic_family_find(name);
  if (*family != NULL)
    return TH_OK;
  for (const struct th_family *f = th_synthetic_family_table(); f->name != NULL;
       f++)
    used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                             used == 0 ? "" : ", ", f->name);
  return th_fail(err, TH_EUSAGE, "%s: %s is not a family; there are %s", where,
                 name, names);
}

static th_status plan_shape(struct th_synthesis *s, const struct th_options *o,
                            const char *where, const char *dashes,
                            struct th_error *err)
{
  int64_t test = (int64_t)floor(o->data.test * (double)o->data.examples + 0.5);
  if (test >= o->data.examples)
    return th_fail(err, TH_EUSAGE,
                   "%s: %stest %g of %lld examples leaves none to train on",
                   where, dashes, o->data.test, (long long)o->data.examples);
  s->shape = (struct th_shape){
      .examples = o->data.examples,
      .training = o->data.examples - test,
      .attributes = o->data.attributes,
      .row_group = o->data.row_group > 0
                       ? o->data.row_group
                       : th_partition_row_group_size(o->data.examples),
      .layout = s->family->layout,
      .type = (enum th_type)o->data.type,
  };
  return th_type_allows(s->shape.type, s->shape.layout, s->shape.row_group,
                        err);
}

/* Parameters of other families stay zero. */
static void set_own(struct th_ground_truth *truth,
                    const struct th_family_parameters *given)
{
  const struct th_family_parameter *row;
  for (int k = 0; (row = th_ground_truth_parameter(k)) != NULL; k++)
    if (th_ground_truth_of(row, truth->family))
      th_ground_truth_set(&truth->own, row, th_ground_truth_get(given, row));
}

th_status th_family_plan(struct th_synthesis *synthesis,
                         const struct th_options *options, const char *family,
                         const char *where, const char *dashes,
                         struct th_error *err)
{
  const struct th_options *o = options;
  th_status rc;
  *synthesis = (struct th_synthesis){0};
  TH_TRY(find_family(family, where, &synthesis->family, err));
  if (o->data.examples == 0 || o->data.attributes == 0)
    return th_fail(err, TH_EUSAGE, "%s: %s%s is missing", where, dashes,
                   o->data.examples == 0 ? "examples" : "attributes");
  TH_TRY(check_parameters(o, synthesis->family, where, dashes, err));
  TH_TRY(plan_shape(synthesis, o, where, dashes, err));
  struct th_ground_truth *truth = &synthesis->truth;
  *truth = (struct th_ground_truth){.seed = o->config.seed,
                                    .noise = o->synthetic.noise,
                                    .support_size = o->synthetic.support};
  if (o->given[th_option_find("noise")] == TH_NOT_GIVEN)
    truth->noise = synthesis->family->default_noise;
  snprintf(truth->family, sizeof truth->family, "%s", synthesis->family->name);
  set_own(truth, &o->synthetic.own);
  TH_TRY(th_synthetic_truth_init(truth, o->data.attributes, err));
done:
  return rc;
}

void th_family_free(struct th_synthesis *synthesis)
{
  th_synthetic_truth_free(&synthesis->truth);
}
