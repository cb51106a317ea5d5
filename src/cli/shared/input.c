/* input.c - the data of a command: a data set's file, or --source
 * SPDX-License-Identifier: MIT */
#include "cli/shared/input.h"

#include "api/targets.h"
#include "base/nearest.h"
#include "cli/options/options.h"
#include "cli/shared/wording.h"
#include "data/source.h"
#include "io/dataset/format.h"
#include "io/files/decompress.h"
#include "io/import/text/text.h"
#include "io/model/model_file.h"
#include "model/origin.h"
#include "ranks/partition.h"
#include "ranks/team.h"
#include "synthetic/families.h"
#include "synthetic/synthetic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* --- A synthetic family with its parameters, as options give them --------- */

bool th_input_family_uses(const struct th_family *family, const char *option)
{
  const struct th_family_parameter *row;
  for (int k = 0; (row = th_origin_family_parameter(k)) != NULL; k++)
    if (strcmp(row->name, option) == 0)
      return th_origin_family_of(row, family->name);
  if (strcmp(option, "noise") == 0)
    return family->rules->noise == NULL;
  return family->default_support > 0 || strcmp(option, "support") != 0;
}

/* A parameter of another family is refused, not ignored. */
static th_status check_parameters(const struct th_options *options,
                                  const struct th_family *family,
                                  const char *where, const char *dashes,
                                  struct th_error *err)
{
  int count = th_option_table_count();
  for (int k = 0; k < count; k++)
    if ((th_option_table_row(k)->commands & TH_SOURCE) != 0 &&
        options->given[k] != TH_NOT_GIVEN &&
        !th_input_family_uses(family, th_option_table_row(k)->name))
      return th_fail(err, TH_EUSAGE,
                     "%s: family %s does not use %s%s; leave it out", where,
                     family->name, dashes, th_option_table_row(k)->name);
  bool correlated =
      options->given[th_option_table_find("correlation")] != TH_NOT_GIVEN;
  if (th_input_family_uses(family, "design") && correlated &&
      options->synthetic.own.design == TH_FAMILY_ORTHOGONAL)
    return th_fail(err, TH_EUSAGE,
                   "%s: %scorrelation is of %sdesign toeplitz; add it", where,
                   dashes, dashes);
  return TH_OK;
}

static const char *names_of_families(int64_t k)
{
  return th_synthetic_family_table()[k].name;
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
  const char *meant = th_nearest(name, names_of_families);
  return th_fail(err, TH_EUSAGE, "%s: %s is not a family; there are %s%s%s%s",
                 where, name, names, meant != NULL ? "; did you mean " : "",
                 meant != NULL ? meant : "", meant != NULL ? "?" : "");
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
  if (o->given[th_option_table_find("type")] == TH_NOT_GIVEN)
    s->shape.type = s->family->default_type;
  return th_type_allows(s->shape.type, s->shape.layout, s->shape.row_group,
                        err);
}

/* Parameters of other families stay zero. */
static void set_own(struct th_ground_truth *truth,
                    const struct th_family_parameters *given)
{
  const struct th_family_parameter *row;
  for (int k = 0; (row = th_origin_family_parameter(k)) != NULL; k++)
    if (th_origin_family_of(row, truth->family))
      th_origin_family_set(&truth->own, row, th_origin_family_get(given, row));
}

th_status th_input_family_plan(struct th_synthesis *synthesis,
                               const struct th_options *options,
                               const char *family, const char *where,
                               const char *dashes, struct th_error *err)
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
  if (o->given[th_option_table_find("noise")] == TH_NOT_GIVEN)
    truth->noise = synthesis->family->default_noise;
  snprintf(truth->family, sizeof truth->family, "%s", synthesis->family->name);
  set_own(truth, &o->synthetic.own);
  TH_TRY(th_synthetic_truth_init(truth, o->data.attributes, err));
done:
  return rc;
}

void th_input_family_free(struct th_synthesis *synthesis)
{
  th_synthetic_truth_free(&synthesis->truth);
}

/* The row of a key, by name or by letter, or -1. */
static int option_row(const char *key)
{
  int count = th_option_table_count();
  for (int k = 0; k < count; k++) {
    bool letter =
        key[0] == th_option_table_row(k)->letter && key[0] != 0 && key[1] == 0;
    if ((th_option_table_row(k)->commands & TH_SOURCE) != 0 &&
        (letter || strcmp(key, th_option_table_row(k)->name) == 0))
      return k;
  }
  return -1;
}

static th_status unknown_key(const char *where, const char *key,
                             struct th_error *err)
{
  const char *nearest = th_option_nearest(key, TH_SOURCE);
  if (nearest != NULL)
    return th_fail(err, TH_EUSAGE, "%s: %s is not a key; did you mean %s?",
                   where, key, nearest);
  return th_fail(err, TH_EUSAGE,
                 "%s: %s is not a key; they are options of generate such as "
                 "examples, attributes, support, noise and seed",
                 where, key);
}

/* One key=value; cut up in place. */
static th_status read_pair(struct th_options *options, char *pair,
                           const char *where, struct th_error *err)
{
  char place[96];
  char *value = strchr(pair, '=');
  if (value == NULL)
    return th_fail(err, TH_EUSAGE,
                   "%s: '%s' is not key=value; write it like "
                   "murata:examples=1000,attributes=500",
                   where, pair);
  *value++ = '\0';
  int row = option_row(pair);
  if (row < 0)
    return unknown_key(where, pair, err);
  if (options->given[row] != TH_NOT_GIVEN)
    return th_fail(err, TH_EUSAGE, "%s: %s is given twice", where, pair);
  options->given[row] = TH_GIVEN_ON_LINE;
  snprintf(place, sizeof place, "%s: %s", where, pair);
  return th_option_set(options, row, value, place, err);
}

/* The pairs behind the family's name; cut up in place. */
static th_status read_pairs(struct th_options *options, char *pairs,
                            const char *where, struct th_error *err)
{
  th_status rc = TH_OK;
  while (pairs != NULL && rc == TH_OK) {
    char *next = strchr(pairs, ',');
    if (next != NULL)
      *next++ = '\0';
    rc = read_pair(options, pairs, where, err);
    pairs = next;
  }
  return rc;
}

/* Every parameter as it is used; what follows from others by itself is left
 * out. */
static void write_parameters(const struct th_synthesis *synthesis,
                             const struct th_options *options, char *text)
{
  int count = th_option_table_count();
  struct th_options used = *options;
  used.synthetic.support = synthesis->truth.support_size;
  used.synthetic.noise = synthesis->truth.noise;
  used.data.type = (int)synthesis->shape.type;
  size_t length =
      (size_t)snprintf(text, TH_SOURCE_TEXT, "%s", synthesis->family->name);
  char joint = ':';
  for (int k = 0; k < count && length < TH_SOURCE_TEXT; k++) {
    char value[64];
    if ((th_option_table_row(k)->commands & TH_SOURCE) == 0 ||
        !th_input_family_uses(synthesis->family, th_option_table_row(k)->name))
      continue;
    th_option_text(&used, k, value, sizeof value);
    if (strcmp(value, "auto") == 0)
      continue;
    length +=
        (size_t)snprintf(text + length, TH_SOURCE_TEXT - length, "%c%s=%s",
                         joint, th_option_table_row(k)->name, value);
    joint = ',';
  }
}

th_status th_input_family_read(struct th_synthesis *synthesis,
                               const char *source, const char *command,
                               char text[TH_SOURCE_TEXT], struct th_error *err)
{
  struct th_options options = {0};
  char copy[TH_SOURCE_TEXT];
  char where[64];
  th_status rc;
  *synthesis = (struct th_synthesis){0};
  snprintf(where, sizeof where, "%s: --source", command);
  if (strlen(source) >= sizeof copy)
    return th_fail(err, TH_EUSAGE, "%s: longer than %d characters", where,
                   TH_SOURCE_TEXT - 1);
  memcpy(copy, source, strlen(source) + 1);
  char *pairs = strchr(copy, ':');
  if (pairs != NULL)
    *pairs++ = '\0';
  TH_TRY(th_options_init(&options, NULL, err));
  TH_TRY(read_pairs(&options, pairs, where, err));
  TH_TRY(th_input_family_plan(synthesis, &options, copy, where, "", err));
  write_parameters(synthesis, &options, text);
done:
  th_options_free(&options);
  return rc;
}

/* --- Text where a data set or a model is wanted: what to type ------------- */

enum { NAME = 1024, TYPED = 2 * NAME };

/* Length without an ending of the list, if it has one. */
static size_t without(const char *const *endings, const char *name,
                      size_t length)
{
  for (; *endings != NULL; endings++) {
    size_t tail = strlen(*endings);
    if (length > tail && strncmp(name + length - tail, *endings, tail) == 0 &&
        name[length - tail - 1] != '/')
      return length - tail;
  }
  return length;
}

/* mine.csv.gz becomes mine.h5. */
static void name_data_set(const char *path, char name[NAME])
{
  static const char *const text[] = {".csv",  ".tsv", ".svm", ".libsvm",
                                     ".data", ".dat", ".txt", NULL};
  size_t length = without(th_decompress_endings(), path, strlen(path));
  length = without(text, path, length);
  snprintf(name, NAME, "%.*s.h5", (int)length, path);
}

/* Has train kept beside the file what it made of it? */
static bool has_kept(const char *path)
{
  char folder[NAME];
  snprintf(folder, sizeof folder, "%s.thresher", path);
  return access(folder, F_OK) == 0;
}

/* Where train was given the file, it has kept what it made of it, to which the
 * certificate belongs; other data are fresh ones. */
static th_status refuse_to_verify(const char *path, const char *from,
                                  const char *to, struct th_error *err)
{
  char folder[NAME];
  char typed[TYPED];
  snprintf(folder, sizeof folder, "%s.thresher", path);
  th_text_shell_word(folder, typed, sizeof typed);
  return th_fail(err, TH_EFORMAT,
                 "%s is no data set; to verify a model of it, give what train "
                 "has made of it, one of %s/*.h5; import fresh data first: "
                 "thresher import %s --like TRAIN.h5 -o %s (TRAIN.h5: the data "
                 "set that the model was trained on)",
                 path, typed, from, to);
}

static th_status refuse_use(const char *path, enum th_text_use use,
                            struct th_error *err)
{
  char name[NAME];
  char from[TYPED];
  char to[TYPED];
  if (use == TH_TEXT_AS_MODEL)
    return th_fail(err, TH_EFORMAT,
                   "%s is text, not a model; give a model made by thresher "
                   "train",
                   path);
  name_data_set(path, name);
  th_text_shell_word(path, from, sizeof from);
  th_text_shell_word(name, to, sizeof to);
  if (use == TH_TEXT_TO_VERIFY && has_kept(path))
    return refuse_to_verify(path, from, to, err);
  if (use == TH_TEXT_TO_TRAIN)
    return th_fail(err, TH_EFORMAT,
                   "%s is text, not a data set; import it first: thresher "
                   "import %s -o %s",
                   path, from, to);
  return th_fail(err, TH_EFORMAT,
                 "%s is text, not a data set; import it first: thresher import "
                 "%s --like TRAIN.h5 -o %s (TRAIN.h5: the data set that the "
                 "model was trained on)",
                 path, from, to);
}

th_status th_input_refuse_text(struct th_comm *comm, const char *path,
                               enum th_text_use use, struct th_error *err)
{
  enum th_file_kind kind = TH_FILE_OTHER;
  th_status rc = TH_OK;
  if (comm->rank == 0)
    rc = th_format_kind(path, &kind, err);
  bool array = kind == TH_FILE_HDF5 || kind == TH_FILE_OTHER;
  bool kept =
      use == TH_TEXT_TO_VERIFY && comm->rank == 0 && array && has_kept(path);
  if (rc == TH_OK && (kind == TH_FILE_TEXT || kept))
    rc = refuse_use(path, use, err);
  return th_agree(comm, rc, err);
}

/* --- The data of a command: a data set's file, or --source ---------------- */

static void print_note(const char *text)
{
  th_wording_print(stderr, "note: ", text);
}

/* Local; the same on every rank unless memory is short. */
static th_status open_source(struct th_data *data, const char *source,
                             const char *command, int64_t memory,
                             struct th_error *err)
{
  struct th_synthesis synthesis;
  th_status rc =
      th_input_family_read(&synthesis, source, command, data->source, err);
  data->name = source;
  data->made = synthesis.truth; /* the data own its lists now */
  return rc == TH_OK ? th_data_compute(data, &synthesis.shape, memory, err)
                     : rc;
}

/* Local. An output among the shards would replace a shard or be taken for one.
 */
static th_status check_outputs(const struct th_dataset *dataset,
                               const struct th_options *options,
                               const char *command, struct th_error *err)
{
  const char *const outputs[] = {options->output, options->report,
                                 options->told.telemetry};
  for (size_t k = 0; k < sizeof outputs / sizeof *outputs; k++)
    if (outputs[k] != NULL && strcmp(outputs[k], "-") != 0 &&
        th_dataset_holds(dataset, outputs[k]))
      return th_fail(err, TH_EUSAGE,
                     "%s: output %s lies among the shards of the data; choose "
                     "another folder",
                     command, outputs[k]);
  return TH_OK;
}

/* Collective. */
static th_status open_dataset(struct th_data *data,
                              const struct th_options *options,
                              const char *command, const char *path,
                              int64_t memory, struct th_comm *comm,
                              struct th_error *err)
{
  enum th_text_use use = strcmp(command, "train") == 0    ? TH_TEXT_TO_TRAIN
                         : strcmp(command, "verify") == 0 ? TH_TEXT_TO_VERIFY
                                                          : TH_TEXT_TO_SCORE;
  th_status rc;
  TH_TRY(th_input_refuse_text(comm, path, use, err));
  TH_TRY(th_data_open(data, path, memory, comm, err));
  if (comm->rank == 0)
    rc = check_outputs(data->dataset, options, command, err);
  TH_TRY(th_agree(comm, rc, err));
done:
  return rc;
}

/* Options of a table count only with one. Local, replicated. */
static th_status check_table_options(const struct th_options *options,
                                     const char *command, struct th_error *err)
{
  const bool imports = strcmp(command, "verify") != 0;
  const struct {
    const char *name;
    const char *value;
  } of_table[] = {{"ids", options->text.ids},
                  {"missing", imports ? NULL : options->text.missing},
                  {"target", options->text.target},
                  {"weights-column", options->text.weights_column}};
  const int covers = options->text.covariates != NULL ? 2 : 0;
  for (size_t k = (size_t)covers; k < sizeof of_table / sizeof *of_table; k++)
    if (of_table[k].value != NULL)
      return th_fail(err, TH_EUSAGE,
                     "%s: --%s counts only with --targets TABLE; leave it out, "
                     "or give both",
                     command, of_table[k].name);
  return TH_OK;
}

/* Targets of a table, where one is given. Collective. */
static th_status join_targets(struct th_data *data,
                              const struct th_options *options, bool trains,
                              struct th_comm *comm, struct th_error *err)
{
  const struct th_target_choice choice = {
      .table = options->text.targets,
      .target = options->text.target,
      .ids = options->text.ids,
      .weights = options->text.weights_column,
      .class = options->text.positive_class,
      .likely = options->text.likely_class,
      .missing = options->text.missing != NULL ? options->text.missing
                                               : options->text.likely_missing,
      .known = data->dataset != NULL ? th_dataset_origin(data->dataset)->id_name
                                     : NULL,
      .decimal = data->dataset != NULL
                     ? th_dataset_origin(data->dataset)->decimal
                     : '\0',
      .output = options->output};
  return th_targets_join(data, &choice, trains, comm, err);
}

th_status th_input_open(struct th_data *data, const struct th_options *options,
                        const char *command, const char *path, int64_t memory,
                        struct th_comm *comm, struct th_error *err)
{
  bool prints = comm->rank == 0 && !options->quiet;
  th_status rc;
  *data = (struct th_data){.note = prints ? print_note : NULL};
  if (options->text.targets == NULL)
    TH_TRY(check_table_options(options, command, err));
  if (options->source != NULL)
    rc = th_agree(
        comm, open_source(data, options->source, command, memory, err), err);
  else
    rc = open_dataset(data, options, command, path, memory, comm, err);
  TH_TRY(rc);
  if (options->text.targets != NULL)
    data->room = th_options_memory_to_keep(options, th_team_memory_share(comm));
  if (options->text.targets != NULL)
    TH_TRY(
        join_targets(data, options, strcmp(command, "train") == 0, comm, err));
  rc = th_store_place(data->store, comm, err);
done:
  return rc;
}
