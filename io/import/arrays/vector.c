/* vector.c - a number or a word for each example, from a file of its own; names
 * of files with names of what is in them
 * SPDX-License-Identifier: MIT */
#include "io/import/arrays/vector.h"

#include "base/memory.h"
#include "io/hdf5/h5.h"
#include "io/import/arrays/h5_matrix.h"
#include "io/import/arrays/npz.h"
#include "io/import/text/text_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const several[] = {".npz", ".h5", ".hdf5", ".hdf", ".h5ad"};

enum { LONGEST_LINE = 1 << 20 };

/* --- FILE:NAME ------------------------------------------------------------ */

size_t th_vector_file(const char *name)
{
  size_t whole = strlen(name);
  for (const char *at = name; (at = strchr(at, ':')) != NULL; at++)
    for (size_t k = 0; k < TH_COUNT(several); k++) {
      size_t tail = strlen(several[k]);
      size_t length = (size_t)(at - name);
      if (length > tail && memcmp(at - tail, several[k], tail) == 0)
        return length;
    }
  return whole;
}

static bool ends_in(const char *name, size_t length, const char *ending)
{
  size_t tail = strlen(ending);
  return length > tail && memcmp(name + length - tail, ending, tail) == 0;
}

bool th_vector_named(const char *name)
{
  size_t length = th_vector_file(name);
  bool found = ends_in(name, length, ".npy");
  for (size_t k = 0; k < TH_COUNT(several); k++)
    found = found || ends_in(name, length, several[k]);
  return found;
}

/* --- Numbers -------------------------------------------------------------- */

static th_status read_whole_vector(struct th_items *items,
                                   struct th_frame_column *column,
                                   struct th_error *err)
{
  th_status rc = TH_NEW(&column->number, items->count, "targets", err);
  column->count = items->count;
  if (rc == TH_OK)
    rc = th_items_numbers(items, 0, items->count, column->number, err);
  return rc;
}

/* Each example has a word of its own. */
static th_status give_words(struct th_npy *npy, struct th_frame_column *column,
                            struct th_error *err)
{
  th_status rc = TH_NEW(&column->code, npy->words, "targets", err);
  for (int64_t k = 0; rc == TH_OK && k < npy->words; k++)
    column->code[k] = k;
  column->count = npy->words;
  column->words = npy->words;
  column->word = npy->word;
  npy->word = NULL;
  npy->words = 0;
  return rc;
}

static th_status read_numpy(const char *path, const char *member,
                            struct th_frame_column *column,
                            struct th_error *err)
{
  struct th_stretch_place place = {.path = path, .name = path, .verify = true};
  struct th_npy npy = {0};
  struct th_identity file;
  th_status rc = TH_OK;
  if (!th_file_identity_of(path, &file))
    return th_fail(err, TH_EIO, "%s: no such file; check the name", path);
  place.stored = (int64_t)file.size;
  place.bytes = place.stored;
  TH_TRY(th_npz_vector(&npy, &place, member, err));
  rc = npy.word != NULL ? give_words(&npy, column, err)
                        : read_whole_vector(&npy.items, column, err);
done:
  th_npy_close(&npy);
  return rc;
}

/* Words or categories, as those of a table. */
static th_status read_h5_words(const struct th_h5 *h5, const char *member,
                               struct th_frame_column *column,
                               struct th_error *err)
{
  char table[TH_FRAME_PATH];
  const char *last = strrchr(member, '/');
  snprintf(table, sizeof table, "/%.*s",
           last == NULL ? 0 : (int)(last - member), member);
  return th_frame_read(h5, table, last == NULL ? member : last + 1, -1, column,
                       err);
}

static th_status read_hdf5(const char *path, const char *member,
                           struct th_frame_column *column, struct th_error *err)
{
  struct th_error ignored = {0};
  struct th_h5 h5 = {0};
  struct th_items items = {0};
  int64_t shape[2] = {0};
  th_status rc = TH_OK;
  if (member == NULL)
    return th_fail(err, TH_EUSAGE, "%s: name a data set in it as %s:/PATH",
                   path, path);
  TH_TRY(th_h5_open(&h5, path, path, err));
  if (th_frame_has_words(&h5, member)) {
    rc = read_h5_words(&h5, member, column, err);
    goto done;
  }
  TH_TRY(th_h5_matrix_items(&h5, member, 1, &items, shape, err));
  rc = read_whole_vector(&items, column, err);
done:
  th_items_close(&items);
  th_h5_close(&h5, &ignored);
  return rc;
}

th_status th_vector_read(const char *name, struct th_frame_column *column,
                         struct th_error *err)
{
  char *path = NULL;
  size_t length = th_vector_file(name);
  const char *member = name[length] == ':' ? name + length + 1 : NULL;
  th_status rc = TH_OK;
  *column = (struct th_frame_column){0};
  TH_TRY(TH_NEW(&path, (int64_t)length + 1, "a name", err));
  memcpy(path, name, length);
  bool numpy = ends_in(path, length, ".npy") || ends_in(path, length, ".npz");
  rc = numpy ? read_numpy(path, member, column, err)
             : read_hdf5(path, member, column, err);
done:
  free(path);
  return rc;
}

/* --- Lines ---------------------------------------------------------------- */

static th_status trim_name(const struct th_line *line, char **name,
                           struct th_error *err)
{
  const char *begin = line->text;
  const char *end = line->text + line->length;
  while (begin < end && strchr(" \t\r", *begin) != NULL)
    begin++;
  while (begin < end && strchr(" \t\r", end[-1]) != NULL)
    end--;
  if (begin == end)
    return th_text_row_fail(line, line->text, err,
                            "an empty line found, expected the name of a "
                            "column; write one name a line");
  th_status rc = TH_NEW(name, end - begin + 1, "names of columns", err);
  if (rc == TH_OK)
    memcpy(*name, begin, (size_t)(end - begin));
  return rc;
}

/* A list that is read, of so many names. */
struct name_list {
  char **name;
  int64_t count;
};

static th_status read_name_list(const struct name_list *list,
                                struct th_text_lines *lines, const char *path,
                                struct th_error *err)
{
  struct th_line line = {0};
  bool more = true;
  th_status rc = TH_OK;
  for (int64_t k = 0; k < list->count; k++) {
    TH_TRY(th_text_lines_next(lines, &line, &more, err));
    if (!more)
      return th_fail(err, TH_EDATA,
                     "%s: %lld names found, expected %lld, one for each "
                     "column; add what is missing",
                     path, (long long)k, (long long)list->count);
    TH_TRY(th_text_row_check(&line, err));
    TH_TRY(trim_name(&line, &list->name[k], err));
  }
  TH_TRY(th_text_lines_next(lines, &line, &more, err));
  if (more)
    rc = th_text_row_fail(&line, line.text, err,
                          "more than %lld names, one for each column; remove "
                          "what is too much",
                          (long long)list->count);
done:
  return rc;
}

static th_status read_name_lines(void *self, struct th_text_file *file,
                                 struct th_error *err)
{
  struct th_text_lines lines = {0};
  th_text_lines_begin(&lines, file, (struct th_range){file->body, file->size},
                      LONGEST_LINE, 0);
  th_status rc = read_name_list(self, &lines, file->name, err);
  th_text_lines_free(&lines);
  return rc;
}

th_status th_vector_lines(const char *path, const char *output, int64_t count,
                          char ***lines, struct th_error *err)
{
  struct name_list list = {.count = count};
  th_status rc = TH_NEW(&list.name, count, "names of columns", err);
  if (rc == TH_OK)
    rc = th_text_files_alone(path, output, read_name_lines, &list, err);
  if (rc == TH_OK)
    *lines = list.name;
  else if (list.name != NULL)
    TH_FREE_LIST(list.name, count);
  return rc;
}
