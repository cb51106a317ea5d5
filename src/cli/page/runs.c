/* runs.c - what files of training hold, run by run
 * SPDX-License-Identifier: MIT */
#include "cli/page/runs.h"

#include "base/memory.h"
#include "cli/shared/json.h"
#include "cli/shared/model_text.h"
#include "cli/shared/wording.h"
#include "io/dataset/format.h"
#include "io/files/file.h"
#include "io/model/model_file.h"
#include "ranks/comm.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Numbers and texts of JSON -------------------------------------------- */

double th_runs_number(const json_t *object, const char *key)
{
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : NAN;
}

const char *th_runs_text(const json_t *object, const char *key)
{
  return json_string_value(json_object_get(object, key));
}

/* --- What a file says of its run ------------------------------------------ */

/* The members that tell runs apart; NULL where there is no deck. */
static json_t *told_of(const json_t *object)
{
  static const char *const keys[] = {"solver", "loss", "attributes",
                                     "dataset_fingerprint", "deck"};
  if (!json_is_object(json_object_get(object, "deck")))
    return NULL;
  json_t *told = json_object();
  for (size_t k = 0; k < TH_COUNT(keys); k++) {
    json_t *value = json_object_get(object, keys[k]);
    if (value != NULL)
      json_object_set(told, keys[k], value);
  }
  return told;
}

static json_t *told_of_model(const struct th_model *model)
{
  json_t *o = json_object();
  th_json_text(o, "solver", model->solver);
  th_json_text(o, "loss", model->loss);
  th_json_int(o, "attributes", model->attributes);
  th_json_hex(o, "dataset_fingerprint", model->fingerprint);
  json_object_set_new(o, "deck", th_model_text_deck_json(model));
  return o;
}

/* --- A telemetry ---------------------------------------------------------- */

static const char *const keys[TH_RUNS_COLUMNS] = {
    [TH_RUNS_UPDATE] = "update",
    [TH_RUNS_EXAMPLES] = "examples",
    [TH_RUNS_ATTRIBUTES] = "attributes",
    [TH_RUNS_SUPPORT] = "support_size",
    [TH_RUNS_LOSS] = "loss",
    [TH_RUNS_SECONDS] = "seconds",
    [TH_RUNS_POPULATION] = "population_mse",
    [TH_RUNS_DISTANCE] = "distance",
    [TH_RUNS_GAP] = "gap",
    [TH_RUNS_LAMBDA] = "lambda",
    [TH_RUNS_ACTIVE] = "active",
    [TH_RUNS_FOLD] = "fold"};

static th_status keep_line(struct th_runs_lines *lines, const json_t *line,
                           struct th_error *err)
{
  const char *loss_is = th_runs_text(line, "loss_is");
  th_status rc = TH_OK;
  for (int k = 0; k < TH_RUNS_COLUMNS; k++) {
    TH_TRY(TH_GROW(&lines->column[k], &lines->capacity[k], lines->count + 1,
                   "the telemetry", err));
    lines->column[k][lines->count] = th_runs_number(line, keys[k]);
  }
  lines->count++;
  if (loss_is != NULL &&
      (lines->loss_is == NULL || strcmp(lines->loss_is, loss_is) != 0)) {
    free(lines->loss_is);
    lines->loss_is = NULL;
    TH_TRY(th_file_text(&lines->loss_is, err, "%s", loss_is));
  }
done:
  return rc;
}

/* A line of a telemetry, or NULL. */
static json_t *parse_line(const char *text, ssize_t length)
{
  json_t *line = json_loadb(text, (size_t)length, 0, NULL);
  if (json_is_number(json_object_get(line, "update")))
    return line;
  json_decref(line);
  return NULL;
}

/* Take one line. What is no line may only be the last one: nothing follows it,
 * not even the end of a line. */
static th_status take_line(struct th_runs_one *run, const char *path,
                           const char *text, ssize_t length,
                           struct th_error *err)
{
  struct th_runs_lines *lines = &run->lines;
  json_t *line = parse_line(text, length);
  if (line == NULL && text[length - 1] != '\n') {
    lines->torn = true;
    return TH_OK;
  }
  if (line == NULL)
    return th_fail(err, TH_EFORMAT,
                   "%s:%lld: not a line of a telemetry; remove the line, or "
                   "write the file anew by train --telemetry",
                   path, (long long)lines->count + 1);
  if (lines->count == 0)
    run->told = told_of(json_object_get(line, "run"));
  th_status rc = keep_line(lines, line, err);
  json_decref(line);
  return rc;
}

static th_status read_telemetry(struct th_runs_one *run, const char *path,
                                FILE *file, struct th_error *err)
{
  char *text = NULL;
  size_t room = 0;
  ssize_t length;
  th_status rc = TH_OK;
  errno = 0;
  while (rc == TH_OK && (length = getline(&text, &room, file)) > 0)
    rc = take_line(run, path, text, length, err);
  if (rc == TH_OK && !feof(file))
    rc = th_fail(err, TH_EIO, "cannot read %s: %s", path, strerror(errno));
  free(text);
  return rc;
}

/* --- Files ---------------------------------------------------------------- */

static th_status is_nothing(const char *path, struct th_error *err)
{
  return th_fail(err, TH_EFORMAT,
                 "%s: neither a model, nor a telemetry, nor a report of train; "
                 "report takes files that train has written",
                 path);
}

static th_status read_report(struct th_runs_one *run, const char *path,
                             FILE *file, struct th_error *err)
{
  rewind(file);
  run->report = json_loadf(file, 0, NULL);
  if (!json_is_object(json_object_get(run->report, "phases")) ||
      th_runs_text(run->report, "solver") == NULL) /* that of an import */
    return is_nothing(path, err);
  run->told = told_of(run->report);
  return TH_OK;
}

/* True if the first line is one of a telemetry, be it torn. */
static bool begins_lines(FILE *file)
{
  static const char first[] = "{\"update\":";
  char text[sizeof first] = "";
  size_t bytes = fread(text, 1, sizeof first - 1, file);
  return bytes > 0 && strncmp(text, first, bytes) == 0 &&
         (bytes == sizeof first - 1 || feof(file));
}

static th_status read_written(struct th_runs_one *run, const char *path,
                              enum th_runs_kind *kind, struct th_error *err)
{
  FILE *file = fopen(path, "r");
  th_status rc;
  if (file == NULL)
    return th_fail(err, TH_EIO, "%s: %s", path, strerror(errno));
  bool lines = begins_lines(file);
  *kind = lines ? TH_RUNS_TELEMETRY : TH_RUNS_REPORT;
  rewind(file);
  rc = (lines ? read_telemetry : read_report)(run, path, file, err);
  fclose(file);
  if (rc == TH_OK && lines && run->lines.count == 0)
    rc = th_fail(err, TH_EFORMAT,
                 "%s: the telemetry has no whole line yet; wait for the first "
                 "update",
                 path);
  return rc;
}

static th_status read_own_model(struct th_runs_one *run, const char *path,
                                struct th_error *err)
{
  struct th_comm self;
  th_comm_self(&self);
  th_status rc = th_model_file_read(&run->model, &self, path, err);
  th_comm_free(&self);
  if (rc == TH_OK)
    run->told = told_of_model(&run->model);
  return rc;
}

static th_status read_listed(struct th_runs_one *run, const char *path,
                             enum th_runs_kind *kind, struct th_error *err)
{
  enum th_file_kind file = TH_FILE_OTHER;
  struct th_identity what;
  th_status rc;
  TH_TRY(th_format_kind(path, &file, err));
  *kind = TH_RUNS_MODEL;
  if (th_file_identity_of(path, &what) && !S_ISREG(what.mode))
    return is_nothing(path, err);
  if (file == TH_FILE_DATASET)
    return th_fail(err, TH_EFORMAT,
                   "%s: a data set; report takes models, telemetries and "
                   "reports that train has written",
                   path);
  rc = file == TH_FILE_MODEL ? read_own_model(run, path, err)
                             : read_written(run, path, kind, err);
  run->path[*kind] = path;
done:
  return rc;
}

/* --- Which files are of one run ------------------------------------------- */

/* The name of a file without its folder and its end; of one that is being
 * written, .NAME.partial, that of NAME. */
static const char *stem_of(const char *path, int *length)
{
  static const char partial[] = ".partial";
  const char *name = th_file_name(path);
  size_t bytes = strlen(name);
  if (name[0] == '.' && bytes > sizeof partial &&
      strcmp(name + bytes - (sizeof partial - 1), partial) == 0) {
    name++;
    bytes -= sizeof partial;
  }
  size_t stem = bytes > 0 ? bytes - 1 : 0;
  while (stem > 0 && name[stem] != '.')
    stem--;
  *length = (int)(stem > 0 ? stem : bytes);
  return name;
}

static const char *any_path(const struct th_runs_one *run)
{
  for (int k = 0; k < TH_RUNS_KINDS; k++)
    if (run->path[k] != NULL)
      return run->path[k];
  return "";
}

static bool alike_in_name(const char *a, const char *b)
{
  int one;
  int two;
  const char *first = stem_of(a, &one);
  const char *second = stem_of(b, &two);
  return one == two && strncmp(first, second, (size_t)one) == 0;
}

/* True if solver and data are alike. */
static bool may_be_one(const json_t *a, const json_t *b)
{
  return a == NULL || b == NULL ||
         (json_equal(json_object_get(a, "solver"),
                     json_object_get(b, "solver")) &&
          json_equal(json_object_get(a, "dataset_fingerprint"),
                     json_object_get(b, "dataset_fingerprint")));
}

/* Alike but for what only the end of a run tells. */
static bool tell_alike(const json_t *a, const json_t *b)
{
  static const char *const late[] = {"groups", "max-examples"};
  if (a == NULL || b == NULL)
    return false;
  json_t *one = json_deep_copy(a);
  json_t *two = json_deep_copy(b);
  for (size_t k = 0; k < TH_COUNT(late); k++) {
    json_object_del(json_object_get(one, "deck"), late[k]);
    json_object_del(json_object_get(two, "deck"), late[k]);
  }
  bool alike = json_equal(one, two);
  json_decref(one);
  json_decref(two);
  return alike;
}

/* The run that a file joins, or NULL. */
static struct th_runs_one *run_of_file(const struct th_runs *runs,
                                       const struct th_runs_one *found,
                                       enum th_runs_kind kind)
{
  const char *path = found->path[kind];
  for (int64_t k = 0; k < runs->count; k++) {
    struct th_runs_one *run = &runs->run[k];
    if (run->path[kind] == NULL && alike_in_name(any_path(run), path) &&
        may_be_one(run->told, found->told))
      return run;
  }
  for (int64_t k = 0; k < runs->count; k++) {
    struct th_runs_one *run = &runs->run[k];
    if (run->path[kind] == NULL && tell_alike(run->told, found->told))
      return run;
  }
  return NULL;
}

/* Hand over what a file holds. */
static void join(struct th_runs_one *run, struct th_runs_one *found,
                 enum th_runs_kind kind)
{
  run->path[kind] = found->path[kind];
  if (kind == TH_RUNS_MODEL)
    run->model = found->model;
  else if (kind == TH_RUNS_TELEMETRY)
    run->lines = found->lines;
  else
    run->report = found->report;
  if (run->told == NULL)
    run->told = found->told;
  else
    json_decref(found->told);
  *found = (struct th_runs_one){0};
}

static void free_run(struct th_runs_one *run)
{
  th_model_free(&run->model);
  for (int k = 0; k < TH_RUNS_COLUMNS; k++)
    free(run->lines.column[k]);
  free(run->lines.loss_is);
  json_decref(run->report);
  json_decref(run->told);
  free(run->title);
  *run = (struct th_runs_one){0};
}

static th_status take_file(struct th_runs *runs, const char *path,
                           struct th_error *err)
{
  struct th_runs_one found = {0};
  enum th_runs_kind kind = TH_RUNS_MODEL;
  th_status rc = read_listed(&found, path, &kind, err);
  if (rc != TH_OK) {
    free_run(&found);
    return rc;
  }
  struct th_runs_one *run = run_of_file(runs, &found, kind);
  if (run == NULL)
    run = &runs->run[runs->count++];
  join(run, &found, kind);
  return TH_OK;
}

/* Names without their ends, where these are all different. */
static th_status name_runs(struct th_runs *runs, struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t k = 0; k < runs->count; k++) {
    int length;
    bool alone = true;
    const char *path = any_path(&runs->run[k]);
    for (int64_t j = 0; j < runs->count; j++)
      alone =
          alone && (j == k || !alike_in_name(path, any_path(&runs->run[j])));
    const char *stem = stem_of(path, &length);
    TH_TRY(alone ? th_file_text(&runs->run[k].title, err, "%.*s", length, stem)
                 : th_file_text(&runs->run[k].title, err, "%s", path));
  }
done:
  return rc;
}

th_status th_runs_read(struct th_runs *runs, const char *const *path,
                       int64_t paths, struct th_error *err)
{
  th_status rc;
  *runs = (struct th_runs){0};
  TH_TRY(TH_NEW(&runs->run, paths, "runs", err));
  for (int64_t k = 0; k < paths; k++)
    TH_TRY(take_file(runs, path[k], err));
  rc = name_runs(runs, err);
done:
  return rc;
}

void th_runs_free(struct th_runs *runs)
{
  for (int64_t k = 0; k < runs->count; k++)
    free_run(&runs->run[k]);
  free(runs->run);
  *runs = (struct th_runs){0};
}

const char *th_runs_loss_is(const struct th_runs_one *run)
{
  if (run->lines.loss_is != NULL)
    return run->lines.loss_is;
  return th_wording_loss(th_runs_text(run->told, "loss"));
}
