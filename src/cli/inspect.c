/* inspect.c - the command that describes a data set or a model
 * SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "cli/improvement.h"
#include "cli/inspect_model.h"
#include "cli/origin_text.h"
#include "cli/refuse_text.h"
#include "cli/shared/json.h"
#include "cli/wording.h"
#include "core/printable.h"
#include "io/dataset/dataset.h"
#include "io/dataset/file_kind.h"
#include "io/dataset/format.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
  INSPECT_MEMORY = 1 << 26, /* bytes; nothing is read twice */
  TEXT_AT = 14              /* width of the labels of lines */
};

/* A number or a choice, where the family's data have it. */
static void add_own(json_t *o, const struct th_ground_truth *truth, int k)
{
  const struct th_family_parameter *row = th_ground_truth_parameter(k);
  char text[32];
  th_ground_truth_text(&truth->own, row, text, sizeof text);
  if (th_ground_truth_has(truth->family, k) && row->choices != NULL)
    th_json_text(o, row->name, text);
  else if (th_ground_truth_has(truth->family, k))
    th_json_real(o, row->name, th_ground_truth_get(&truth->own, row));
}

static json_t *truth_json(const struct th_ground_truth *truth)
{
  if (truth == NULL || truth->family[0] == '\0')
    return json_null();
  json_t *o = json_object();
  json_t *support = json_array();
  json_t *coef = json_array();
  for (int64_t k = 0; k < truth->support_size; k++) {
    json_array_append_new(support, json_integer(truth->support[k]));
    json_array_append_new(coef, json_real(truth->coef[k]));
  }
  th_json_text(o, "family", truth->family);
  th_json_int(o, "seed", (int64_t)truth->seed);
  th_json_real(o, "noise", truth->noise);
  for (int k = 0; k < TH_FAMILY_PARAMETERS_COUNT; k++)
    add_own(o, truth, k);
  json_object_set_new(o, "support", support);
  json_object_set_new(o, "coef", coef);
  return o;
}

static json_t *groups_json(const struct th_groups *groups)
{
  if (groups->groups == 0)
    return json_null();
  json_t *o = json_object();
  th_json_int(o, "count", groups->groups);
  th_json_hex(o, "fingerprint", groups->fingerprint);
  return o;
}

/* What is known of a data set beyond its master. */
struct findings {
  struct th_groups groups;
  struct th_improvement improvement;
  bool checked;
};

static json_t *dataset_json(struct th_dataset *dataset,
                            const struct findings *findings)
{
  const struct th_store *store = th_dataset_store(dataset);
  const struct th_shape *shape = &store->shape;
  json_t *o = json_object();
  th_json_text(o, "kind", "dataset");
  th_json_int(o, "examples", shape->examples);
  th_json_int(o, "training", shape->training);
  th_json_int(o, "test", th_shape_tests(shape));
  th_json_int(o, "weightless", shape->weightless);
  th_json_int(o, "attributes", shape->attributes);
  th_json_int(o, "nonzeros", shape->nonzeros);
  th_json_text(o, "layout", th_type_layout_name(shape->layout));
  th_json_text(o, "type", th_type_name(shape->type));
  json_object_set_new(o, "weighted", json_boolean(shape->weighted));
  json_object_set_new(o, "labelled", json_boolean(!shape->unlabelled));
  th_json_text(o, "target",
               shape->unlabelled ? NULL : th_dataset_target_name(dataset));
  th_json_text(o, "positive_class",
               shape->unlabelled ? NULL : th_dataset_positive_class(dataset));
  th_json_int(o, "shards", th_dataset_shards(dataset));
  th_json_int(o, "row_group", shape->row_group);
  th_json_int(o, "bytes", th_dataset_bytes(dataset));
  th_json_hex(o, "fingerprint", store->fingerprint);
  th_json_text(o, "provenance", th_dataset_provenance(dataset));
  th_origin_text_json(o, th_dataset_origin(dataset));
  json_object_set_new(o, "attribute_groups", groups_json(&findings->groups));
  th_json_real(o, "rho_ridge", findings->improvement.ridge);
  th_json_real(o, "rho_lasso", findings->improvement.lasso);
  json_object_set_new(o, "truth", truth_json(th_dataset_truth(dataset)));
  if (findings->checked)
    json_object_set_new(o, "checked", json_true());
  return o;
}

/* A line with a name or a text from the file. */
static void print_named(const char *before, const char *name, const char *after)
{
  fputs(before, stdout);
  th_printable_put(stdout, name);
  puts(after);
}

static void print_targets(struct th_dataset *dataset)
{
  const struct th_origin *origin = th_dataset_origin(dataset);
  const char *target = th_dataset_target_name(dataset);
  const char *class = th_dataset_positive_class(dataset);
  if (th_dataset_store(dataset)->shape.unlabelled)
    printf("target:       no target; for predict alone\n");
  else if (target != NULL)
    print_named("target:       ", target, "");
  else if (origin->target > 0)
    printf("target:       column %" PRId64 " of %" PRId64 " of the text\n",
           origin->target, origin->columns);
  if (class != NULL)
    print_named("classes:      1 is '", class, "', -1 all others");
}

static void print_improvement(const struct th_improvement *improvement)
{
  if (isnan(improvement->ridge) || isnan(improvement->lasso))
    printf("moments:      not known\n");
  else
    printf("moments:      rho_ridge %.3g, rho_lasso %.3g; 1 means attributes "
           "alike, and the smaller they are, the more it helps to draw "
           "attributes by their moments\n",
           improvement->ridge, improvement->lasso);
}

static void print_truth(const struct th_ground_truth *truth)
{
  printf("truth:        ");
  th_printable_put(stdout, truth->family); /* the beginning of a text */
  printf(", %" PRId64 " true attributes, noise %g\n", truth->support_size,
         truth->noise);
}

static void print_dataset(struct th_dataset *dataset,
                          const struct findings *findings)
{
  const struct th_groups *groups = &findings->groups;
  const struct th_store *store = th_dataset_store(dataset);
  const struct th_shape *shape = &store->shape;
  const struct th_ground_truth *truth = th_dataset_truth(dataset);
  double cells = (double)shape->examples * (double)shape->attributes;
  printf("data set:     %s %s%s\n", th_type_layout_name(shape->layout),
         th_type_name(shape->type), shape->weighted ? ", weighted" : "");
  printf("examples:     %" PRId64 " (%" PRId64 " training, %" PRId64 " test",
         shape->examples, shape->training, th_shape_tests(shape));
  if (shape->weightless > 0)
    printf(", %" PRId64 " of weight 0", shape->weightless);
  printf(")\n");
  printf("attributes:   %" PRId64 "\n", shape->attributes);
  print_targets(dataset);
  printf("nonzeros:     %" PRId64 " (%.4g %%)\n", shape->nonzeros,
         100 * (double)shape->nonzeros / cells);
  printf("shards:       %" PRId64 "\n", th_dataset_shards(dataset));
  printf("row group:    %" PRId64 " example%s\n", shape->row_group,
         th_wording_s(shape->row_group));
  printf("bytes:        %" PRId64 "\n", th_dataset_bytes(dataset));
  printf("fingerprint:  %016" PRIx64 "\n", store->fingerprint);
  const char *provenance = th_dataset_provenance(dataset);
  print_named("provenance:   ", provenance == NULL ? "unknown" : provenance,
              "");
  th_origin_text_print(TEXT_AT, th_dataset_origin(dataset));
  if (groups->groups > 0)
    printf("groups:       %" PRId64 " of attributes, %016" PRIx64 "\n",
           groups->groups, groups->fingerprint);
  if (truth != NULL && truth->family[0] != '\0')
    print_truth(truth);
  print_improvement(&findings->improvement);
  if (findings->checked)
    printf("check:        every checksum and index is right\n");
}

/* Data whose shards are not all there are described, too, but not as right.
 * Local: rank 0. */
static th_status look_at_moments(struct th_dataset *dataset,
                                 const struct th_options *options,
                                 struct th_improvement *improvement,
                                 struct th_error *err)
{
  struct th_error missing = {0};
  th_status rc = th_improvement_compute(improvement, th_dataset_store(dataset),
                                        options->check ? err : &missing);
  if (rc != TH_OK && !options->check && !options->quiet)
    th_wording_print(stderr, "note: no moments: ", missing.text);
  return options->check ? rc : TH_OK;
}

static th_status inspect_dataset(const struct th_options *options,
                                 struct th_comm *comm, struct th_error *err)
{
  struct th_dataset *dataset = NULL;
  struct findings findings = {.checked = options->check};
  th_status rc;
  TH_TRY(th_dataset_open(&dataset, comm, options->argument[0], INSPECT_MEMORY,
                         err));
  if (options->check)
    TH_TRY(th_dataset_check(dataset, comm, err));
  if (options->check && comm->rank == 0)
    rc = th_format_check_bytes(options->argument[0], err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(th_dataset_groups(dataset, comm, &findings.groups, err));
  if (comm->rank == 0)
    rc = look_at_moments(dataset, options, &findings.improvement, err);
  TH_TRY(th_agree(comm, rc, err));
  if (comm->rank == 0 && options->json)
    rc = th_json_print(stdout, dataset_json(dataset, &findings), JSON_INDENT(2),
                       err);
  else if (comm->rank == 0)
    print_dataset(dataset, &findings);
  TH_TRY(th_agree(comm, rc, err));
done:
  th_groups_free(&findings.groups);
  if (dataset != NULL)
    th_dataset_close(dataset);
  return rc;
}

th_status th_command_inspect(const struct th_options *options,
                             struct th_comm *comm, struct th_error *err)
{
  enum th_file_kind kind = TH_FILE_OTHER;
  th_status rc = TH_OK;
  if (comm->rank == 0)
    rc = th_file_kind(options->argument[0], &kind, err);
  TH_TRY(th_agree(comm, rc, err));
  comm->ops->bcast(comm, &kind, sizeof kind, 0);
  TH_TRY(th_refuse_text(comm, options->argument[0], TH_TEXT_TO_TRAIN, err));
  if (options->data_of_model != NULL && kind != TH_FILE_MODEL)
    return th_fail(err, TH_EUSAGE,
                   "inspect: --data goes with a model, and %s is none",
                   options->argument[0]);
  if (kind != TH_FILE_MODEL && kind != TH_FILE_DATASET)
    return th_fail(err, TH_EFORMAT,
                   "%s: neither a data set nor a model; `thresher import` "
                   "makes data sets of text files",
                   options->argument[0]);
  rc = kind == TH_FILE_MODEL ? th_inspect_model(options, comm, err)
                             : inspect_dataset(options, comm, err);
done:
  return rc;
}
