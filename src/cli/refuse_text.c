/* refuse_text.c - text where a data set or a model is wanted: what to type
 * SPDX-License-Identifier: MIT */
#include "cli/refuse_text.h"

#include "io/dataset/format.h"
#include "io/import/text/quote.h"
#include "io/model/model_file.h"

#include <stdio.h>
#include <string.h>

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

static th_status say(const char *path, enum th_text_use use,
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

th_status th_refuse_text(struct th_comm *comm, const char *path,
                         enum th_text_use use, struct th_error *err)
{
  enum th_file_kind kind = TH_FILE_OTHER;
  th_status rc = TH_OK;
  if (comm->rank == 0)
    rc = th_format_kind(path, &kind, err);
  if (rc == TH_OK && kind == TH_FILE_TEXT)
    rc = say(path, use, err);
  return th_agree(comm, rc, err);
}
