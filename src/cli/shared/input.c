/* input.c - the data of a command: a data set's file, or --source
 * SPDX-License-Identifier: MIT */
#include "cli/shared/input.h"

#include "cli/shared/source.h"
#include "cli/shared/wording.h"
#include "io/dataset/format.h"
#include "io/import/text/quote.h"
#include "io/model/model_file.h"

#include <stdio.h>
#include <string.h>

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
  static const char *const packed[] = {".gz", ".bz2", ".xz", NULL};
  static const char *const text[] = {".csv",  ".tsv", ".svm", ".libsvm",
                                     ".data", ".dat", ".txt", NULL};
  size_t length = without(packed, path, strlen(path));
  length = without(text, path, length);
  snprintf(name, NAME, "%.*s.h5", (int)length, path);
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
  th_quote_shell_word(path, from, sizeof from);
  th_quote_shell_word(name, to, sizeof to);
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
  if (rc == TH_OK && kind == TH_FILE_TEXT)
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
  th_status rc = th_source_read(&synthesis, source, command, data->source, err);
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
                                 options->telemetry};
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
  bool trains = strcmp(command, "train") == 0;
  th_status rc;
  TH_TRY(th_input_refuse_text(
      comm, path, trains ? TH_TEXT_TO_TRAIN : TH_TEXT_TO_SCORE, err));
  TH_TRY(th_data_open(data, path, memory, comm, err));
  if (comm->rank == 0)
    rc = check_outputs(data->dataset, options, command, err);
  TH_TRY(th_agree(comm, rc, err));
done:
  return rc;
}

th_status th_input_open(struct th_data *data, const struct th_options *options,
                        const char *command, const char *path, int64_t memory,
                        struct th_comm *comm, struct th_error *err)
{
  bool prints = comm->rank == 0 && !options->quiet;
  th_status rc;
  *data = (struct th_data){.note = prints ? print_note : NULL};
  if (options->source != NULL)
    rc = th_agree(
        comm, open_source(data, options->source, command, memory, err), err);
  else
    rc = open_dataset(data, options, command, path, memory, comm, err);
  return rc == TH_OK ? th_store_place(data->store, comm, err) : rc;
}
