/* mtx.c - Matrix Market: a matrix as text, entry after entry
 * SPDX-License-Identifier: MIT */
#include "io/import/arrays/mtx.h"

#include "base/memory.h"
#include "io/import/text/number.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char banner[] = "%%MatrixMarket";

enum { WORDS = 4, WORD = 24 };

/* What the first line says, by place: matrix, form, field, symmetry. */
struct head {
  char word[WORDS][WORD];
};

struct th_mtx {
  const struct th_text_file *file;
  struct th_text_lines lines;
  int64_t longest; /* line */
  struct th_line line;
  bool coordinates; /* each entry says where it is */
  bool pattern;     /* they have no values, and are 1 */
  bool mirrored;    /* entries below the diagonal stand for two */
  bool skew;        /* of opposite signs */
  int64_t rows;
  int64_t columns;
  int64_t entries; /* lines that hold one */
  int64_t read;
  int64_t at[2]; /* of an array: row and column of the next one */
  struct th_range body;
  int64_t header_lines;
};

/* Bytes of the mark of UTF-8, which some editors write. */
static size_t mark_of(const char *head, size_t bytes)
{
  static const char mark[] = "\xef\xbb\xbf";
  size_t length = sizeof mark - 1;
  return bytes >= length && memcmp(head, mark, length) == 0 ? length : 0;
}

bool th_mtx_begins(const char *head, size_t bytes)
{
  size_t length = sizeof banner - 1;
  size_t mark = mark_of(head, bytes);
  head += mark;
  bytes -= mark;
  return bytes >= length && strncasecmp(head, banner, length) == 0;
}

/* --- The head ------------------------------------------------------------- */

static th_status next_told_line(struct th_mtx *mtx, bool *more,
                                struct th_error *err)
{
  struct th_line *line = &mtx->line;
  th_status rc = TH_OK;
  do {
    TH_TRY(th_text_lines_next(&mtx->lines, line, more, err));
    if (!*more)
      return TH_OK;
    TH_TRY(th_text_row_check(line, err));
    if (line->too_long)
      return th_text_row_fail(line, line->text, err,
                              "the line is longer than %lld bytes; correct it",
                              (long long)mtx->longest);
  } while (mtx->lines.number > 1 &&
           (line->text[0] == '%' ||
            strspn(line->text, " \t\r") >= (size_t)line->length));
done:
  return rc;
}

static void split_banner(const struct th_line *line, struct head *head)
{
  const char *at = line->text + mark_of(line->text, (size_t)line->length) +
                   sizeof banner - 1;
  const char *end = line->text + line->length;
  for (int k = 0; k < WORDS; k++) {
    int length = 0;
    while (at < end && isspace((unsigned char)*at))
      at++;
    for (; at < end && !isspace((unsigned char)*at); at++)
      if (length < WORD - 1)
        head->word[k][length++] = (char)tolower((unsigned char)*at);
    head->word[k][length] = '\0';
  }
}

static bool is_one_of(const char *word, const char *const *list)
{
  while (*list != NULL && strcmp(*list, word) != 0)
    list++;
  return *list != NULL;
}

static th_status read_banner(struct th_mtx *mtx, struct th_error *err)
{
  static const char *const fields[] = {
      "real", "double", "integer", "unsigned-integer", "pattern", NULL};
  static const char *const symmetries[] = {"general", "symmetric",
                                           "skew-symmetric", NULL};
  struct head head;
  const struct th_line *line = &mtx->line;
  if (!th_mtx_begins(line->text, (size_t)line->length))
    return th_text_row_fail(line, line->text, err,
                            "no head of Matrix Market found, expected "
                            "%%%%MatrixMarket matrix ...; check {format}");
  split_banner(line, &head);
  mtx->coordinates = strcmp(head.word[1], "coordinate") == 0;
  mtx->pattern = strcmp(head.word[2], "pattern") == 0;
  mtx->skew = strcmp(head.word[3], "skew-symmetric") == 0;
  mtx->mirrored = strcmp(head.word[3], "general") != 0;
  if (strcmp(head.word[0], "matrix") == 0 &&
      (mtx->coordinates || strcmp(head.word[1], "array") == 0) &&
      is_one_of(head.word[2], fields) && is_one_of(head.word[3], symmetries) &&
      (mtx->coordinates || !mtx->pattern))
    return TH_OK;
  return th_text_row_fail(line, line->text, err,
                          "'%s %s %s %s' found, expected matrix, coordinate or "
                          "array, real, integer or pattern, and general, "
                          "symmetric or skew-symmetric; write it as real "
                          "numbers",
                          head.word[0], head.word[1], head.word[2],
                          head.word[3]);
}

/* A whole number from 0 on, and the blanks before it. */
static th_status parse_whole(const struct th_line *line, const char **at,
                             const char *what, int64_t *value,
                             struct th_error *err)
{
  const char *end = line->text + line->length;
  char quoted[TH_QUOTED];
  while (*at < end && (**at == ' ' || **at == '\t'))
    ++*at;
  const char *begin = *at;
  bool fits = true;
  *value = 0;
  for (; *at < end && **at >= '0' && **at <= '9'; ++*at)
    fits = fits && !__builtin_mul_overflow(*value, 10, value) &&
           !__builtin_add_overflow(*value, **at - '0', value);
  bool ends = *at == end || strchr(" \t\r", **at) != NULL;
  if (*at > begin && fits && ends)
    return TH_OK;
  return th_text_row_fail(
      line, begin, err,
      "%s found, expected a whole number as %s; correct "
      "the line",
      begin < end ? th_text_row_quote(line, begin, '\r', quoted) : "nothing",
      what);
}

static th_status end_line(const struct th_line *line, const char *at,
                          struct th_error *err)
{
  const char *end = line->text + line->length;
  char quoted[TH_QUOTED];
  while (at < end && isspace((unsigned char)*at))
    at++;
  if (at == end)
    return TH_OK;
  return th_text_row_fail(line, at, err,
                          "%s found, expected the end of the line; correct it",
                          th_text_row_quote(line, at, '\r', quoted));
}

/* Entries of an array of that shape, or -1. */
static int64_t array_entries(const struct th_mtx *mtx)
{
  int64_t all = 0;
  if (__builtin_mul_overflow(mtx->rows, mtx->columns, &all))
    return -1;
  if (!mtx->mirrored)
    return all;
  return (all - mtx->rows) / 2 + (mtx->skew ? 0 : mtx->rows);
}

static th_status read_sizes(struct th_mtx *mtx, struct th_error *err)
{
  const struct th_line *line = &mtx->line;
  const char *at = line->text;
  int64_t bytes = mtx->file->size;
  th_status rc = TH_OK;
  TH_TRY(parse_whole(line, &at, "the number of rows", &mtx->rows, err));
  TH_TRY(parse_whole(line, &at, "the number of columns", &mtx->columns, err));
  if (mtx->coordinates)
    TH_TRY(parse_whole(line, &at, "the number of entries", &mtx->entries, err));
  TH_TRY(end_line(line, at, err));
  if (mtx->mirrored && mtx->rows != mtx->columns)
    return th_text_row_fail(line, line->text, err,
                            "%lld x %lld found, expected a symmetric matrix to "
                            "be square; correct the first line",
                            (long long)mtx->rows, (long long)mtx->columns);
  if (!mtx->coordinates)
    mtx->entries = array_entries(mtx);
  /* each takes two bytes of text at least */
  if (mtx->entries < 0 || mtx->entries > bytes)
    return th_text_row_fail(line, line->text, err,
                            "more entries said than %lld bytes of text can "
                            "hold; the file is cut short or damaged",
                            (long long)bytes);
done:
  return rc;
}

static th_status read_banner_and_sizes(struct th_mtx *mtx, struct th_error *err)
{
  bool more = true;
  th_status rc = TH_OK;
  TH_TRY(next_told_line(mtx, &more, err));
  if (more)
    TH_TRY(read_banner(mtx, err));
  if (more)
    TH_TRY(next_told_line(mtx, &more, err));
  if (!more)
    return th_fail(err, TH_EFORMAT,
                   "%s:%lld:1: the file ends before its sizes; it is cut "
                   "short, copy it again",
                   mtx->file->name, (long long)mtx->lines.number + 1);
  TH_TRY(read_sizes(mtx, err));
  mtx->header_lines = mtx->lines.number;
  /* what has been read, less what has not been handed out */
  mtx->body.first = mtx->lines.next - (mtx->lines.end - mtx->lines.begin);
  mtx->body.last = mtx->file->size;
done:
  return rc;
}

th_status th_mtx_open(struct th_mtx **mtx, const struct th_text_file *file,
                      int64_t longest, int64_t shape[2], struct th_error *err)
{
  struct th_mtx *made = NULL;
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&made, 1, "a file", err));
  made->file = file;
  made->longest = longest;
  th_text_lines_begin(&made->lines, file,
                      (struct th_range){file->begin, file->size}, longest, 0);
  TH_TRY(read_banner_and_sizes(made, err));
  shape[0] = made->rows;
  shape[1] = made->columns;
  *mtx = made;
  made = NULL;
done:
  th_mtx_close(made);
  return rc;
}

void th_mtx_close(struct th_mtx *mtx)
{
  if (mtx == NULL)
    return;
  th_text_lines_free(&mtx->lines);
  free(mtx);
}

/* --- Entries -------------------------------------------------------------- */

static void begin_entries(struct th_mtx *mtx)
{
  th_text_lines_begin(&mtx->lines, mtx->file, mtx->body, mtx->longest,
                      mtx->header_lines);
  mtx->read = 0;
  mtx->at[0] = mtx->skew;
  mtx->at[1] = 0;
}

/* Where the entry of this line is, counted from 0. */
static th_status read_place(struct th_mtx *mtx, const char **at,
                            int64_t place[2], struct th_error *err)
{
  static const char *const what[] = {"row", "column"};
  const int64_t most[2] = {mtx->rows, mtx->columns};
  for (int k = 0; k < 2; k++) {
    const char *begin = *at;
    th_status rc = parse_whole(&mtx->line, at, what[k], &place[k], err);
    if (rc != TH_OK)
      return rc;
    if (place[k] < 1 || place[k] > most[k])
      return th_text_row_fail(&mtx->line, begin, err,
                              "%s %lld found, expected 1..%lld; correct the "
                              "line",
                              what[k], (long long)place[k], (long long)most[k]);
    place[k]--;
  }
  return TH_OK;
}

/* The places of an array go down the columns, in a symmetric one from the
 * diagonal on. */
static void step_place(struct th_mtx *mtx, int64_t place[2])
{
  place[0] = mtx->at[0];
  place[1] = mtx->at[1];
  if (++mtx->at[0] < mtx->rows)
    return;
  mtx->at[1]++;
  mtx->at[0] = mtx->mirrored ? mtx->at[1] + mtx->skew : 0;
}

static th_status parse_entry(struct th_mtx *mtx, int64_t place[2],
                             double *value, struct th_error *err)
{
  const struct th_line *line = &mtx->line;
  const char *at = line->text;
  const char *end = line->text + line->length;
  th_status rc = TH_OK;
  if (mtx->coordinates)
    TH_TRY(read_place(mtx, &at, place, err));
  else
    step_place(mtx, place);
  *value = 1;
  if (!mtx->pattern) {
    while (at < end && (*at == ' ' || *at == '\t'))
      at++;
    TH_TRY(th_text_row_number(line, &at, end, '\r', "value", value, err));
  }
  rc = end_line(line, at, err);
done:
  return rc;
}

static th_status wrong_count(const struct th_mtx *mtx, struct th_error *err)
{
  return th_fail(err, TH_EFORMAT,
                 "%s:%lld:1: %lld entries found, expected %lld; the file is "
                 "cut short or damaged, copy it again",
                 mtx->file->name, (long long)mtx->lines.number,
                 (long long)mtx->read, (long long)mtx->entries);
}

static void append_entry(struct th_mtx_part *part, int64_t row, int64_t column,
                         double value)
{
  part->row[part->count] = row;
  part->column[part->count] = column;
  part->value[part->count++] = value;
}

th_status th_mtx_part(struct th_mtx *mtx, bool first, int64_t most,
                      struct th_mtx_part *part, struct th_error *err)
{
  int64_t place[2] = {0};
  double value = 0;
  bool more = true;
  th_status rc = TH_OK;
  part->count = 0;
  if (first)
    begin_entries(mtx);
  while (part->count + 1 < most) {
    TH_TRY(next_told_line(mtx, &more, err));
    if (!more)
      return mtx->read == mtx->entries ? TH_OK : wrong_count(mtx, err);
    if (mtx->read == mtx->entries)
      return th_text_row_fail(&mtx->line, mtx->line.text, err,
                              "more than the %lld entries that were said; "
                              "correct the line of sizes",
                              (long long)mtx->entries);
    TH_TRY(parse_entry(mtx, place, &value, err));
    mtx->read++;
    append_entry(part, place[0], place[1], value);
    if (mtx->mirrored && place[0] != place[1])
      append_entry(part, place[1], place[0], mtx->skew ? -value : value);
  }
done:
  return rc;
}
