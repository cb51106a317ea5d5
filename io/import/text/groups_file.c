/* groups_file.c - groups of attributes from a text file
 * SPDX-License-Identifier: MIT */
#include "io/import/text/groups_file.h"

#include "base/integer.h"
#include "base/memory.h"
#include "io/import/text/index_set.h"
#include "io/import/text/text_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A line of a group of all attributes has its numbers, blanks between them and
 * a comment. */
enum { BYTES_EACH = 24, LEAST_LIMIT = 4 << 20 };

/* A line with attributes. */
struct group {
  int64_t line;
  int64_t lowest; /* attribute; -1: not known yet */
  int64_t size;
  double weight; /* 0: not given; TH_GROUPS_UNPENALISED: it is 0 */
};

/* What rank 0 has read; piece.group counts the groups of the file. */
struct groups_file {
  const char *name;
  int64_t attributes;
  const uint64_t *index; /* NULL: attributes are counted; borrowed */
  int64_t groups;
  int64_t group_capacity;
  struct group *group;
  int64_t pieces;
  int64_t piece_capacity;
  struct th_group_piece *piece;
};

static bool is_separator(char c)
{
  return c == ' ' || c == '\t' || c == ',';
}

static th_status expected(const struct th_line *line, const char *at,
                          struct th_error *err)
{
  char quoted[TH_QUOTED];
  return th_text_row_fail(line, at, err,
                          "%s found, expected an attribute, a range a-b or "
                          "weight=W; correct the line",
                          th_text_row_quote(line, at, ',', quoted));
}

/* What the file calls an attribute. */
static uint64_t called(const struct groups_file *file, int64_t attribute)
{
  return file->index == NULL ? (uint64_t)attribute : file->index[attribute];
}

/* The number of an attribute, or of one that does not occur. */
static th_status read_attribute(const struct groups_file *file,
                                const struct th_line *line, const char **cursor,
                                const char *end, uint64_t *number,
                                struct th_error *err)
{
  const char *at = *cursor;
  while (*cursor < end && **cursor >= '0' && **cursor <= '9')
    (*cursor)++;
  if (*cursor == at)
    return expected(line, at, err);
  bool fits = th_index_set_read(at, *cursor, number);
  if (fits && (file->index != NULL || *number < (uint64_t)file->attributes))
    return TH_OK;
  if (file->index != NULL)
    return expected(line, at, err);
  return th_text_row_fail(
      line, at, err,
      "attribute %.*s found, but the data have %lld; attributes "
      "are counted from 0",
      (int)(*cursor - at), at, (long long)file->attributes);
}

/* The attributes whose numbers are in a range with both ends. */
static struct th_range within(const struct groups_file *file, uint64_t first,
                              uint64_t last)
{
  int64_t count = file->attributes;
  if (file->index == NULL)
    return (struct th_range){(int64_t)first, (int64_t)last + 1};
  int64_t end = count;
  if (last < UINT64_MAX)
    end = th_index_set_from(file->index, count, last + 1);
  return (struct th_range){th_index_set_from(file->index, count, first), end};
}

/* An attribute or a range. */
static th_status read_span(struct groups_file *file, const struct th_line *line,
                           const char **cursor, const char *end,
                           struct th_error *err)
{
  const char *at = *cursor;
  uint64_t first = 0;
  uint64_t last;
  struct th_range range;
  th_status rc;
  TH_TRY(read_attribute(file, line, cursor, end, &first, err));
  last = first;
  if (*cursor < end && **cursor == '-') {
    (*cursor)++;
    TH_TRY(read_attribute(file, line, cursor, end, &last, err));
  }
  if (*cursor < end && !is_separator(**cursor))
    return expected(line, at, err);
  if (last < first)
    return th_text_row_fail(
        line, at, err,
        "the range %" PRIu64 "-%" PRIu64 " ends before it begins", first, last);
  range = within(file, first, last);
  if (range.first == range.last)
    goto done;
  TH_TRY(TH_GROW(&file->piece, &file->piece_capacity, file->pieces + 1,
                 "groups of attributes", err));
  file->piece[file->pieces++] =
      (struct th_group_piece){.range = range, .group = file->groups};
  file->group[file->groups].size += th_range_count(range);
done:
  return rc;
}

static th_status read_group_weight(const struct th_line *line,
                                   const char **cursor, const char *end,
                                   double *weight, struct th_error *err)
{
  const char *at = *cursor;
  bool twice = *weight != 0;
  th_status rc =
      th_text_row_number(line, cursor, end, ',', "the weight", weight, err);
  if (rc != TH_OK)
    return rc;
  if (*cursor < end && !is_separator(**cursor))
    return expected(line, at, err);
  if (twice)
    return th_text_row_fail(line, at, err, "a second weight; a group has one");
  if (!(*weight >= 0))
    return th_text_row_fail(line, at, err, "the weight must not be below 0");
  if (*weight == 0)
    *weight = TH_GROUPS_UNPENALISED;
  return TH_OK;
}

/* The group of a line, if there is one. */
static th_status read_line(struct groups_file *file, const struct th_line *line,
                           struct th_error *err)
{
  static const char key[] = "weight=";
  const size_t key_length = sizeof key - 1;
  const char *comment = memchr(line->text, '#', (size_t)line->length);
  const char *end = comment != NULL ? comment : line->text + line->length;
  const char *at = line->text;
  int64_t before = file->pieces;
  bool empty = true;
  struct group *group;
  th_status rc;
  TH_TRY(TH_GROW(&file->group, &file->group_capacity, file->groups + 1,
                 "groups of attributes", err));
  group = &file->group[file->groups];
  *group = (struct group){.line = line->number, .lowest = -1};
  while (at < end) {
    if (is_separator(*at)) {
      at++;
    } else if ((size_t)(end - at) > key_length &&
               memcmp(at, key, key_length) == 0) {
      at += key_length;
      TH_TRY(read_group_weight(line, &at, end, &group->weight, err));
    } else {
      TH_TRY(read_span(file, line, &at, end, err));
      empty = false;
    }
  }
  if (empty && group->weight != 0)
    return th_text_row_fail(line, line->text, err,
                            "a weight without attributes; give the group some");
  file->groups += file->pieces > before;
done:
  return rc;
}

static int64_t line_limit(int64_t attributes)
{
  return th_max_i64(LEAST_LIMIT, BYTES_EACH * attributes);
}

static th_status line_too_long(const struct groups_file *file,
                               const struct th_line *line, struct th_error *err)
{
  return th_text_row_fail(
      line, line->text, err,
      "the line is longer than %lld bytes, and the data have %lld attributes; "
      "shorten it, ranges a-b take less",
      (long long)line_limit(file->attributes), (long long)file->attributes);
}

static th_status take_group_line(void *self, struct th_line *line,
                                 struct th_error *err)
{
  return line->too_long ? line_too_long(self, line, err)
                        : read_line(self, line, err);
}

static th_status read_lines(void *self, struct th_text_file *text,
                            struct th_error *err)
{
  const struct groups_file *file = self;
  return th_text_lines_each(text, line_limit(file->attributes), 0,
                            take_group_line, self, err);
}

static int by_first(const void *a, const void *b)
{
  const struct th_group_piece *left = a;
  const struct th_group_piece *right = b;
  if (left->range.first != right->range.first)
    return left->range.first < right->range.first ? -1 : 1;
  return (left->group > right->group) - (left->group < right->group);
}

/* Pieces are sorted: where one does not begin where the last one ends. */
static th_status misplaced(const struct groups_file *file,
                           const struct th_group_piece *piece, int64_t reached,
                           int64_t line, struct th_error *err)
{
  int64_t here = piece == NULL ? 0 : file->group[piece->group].line;
  if (piece == NULL || piece->range.first > reached)
    return th_fail(err, TH_EDATA,
                   "%s: attribute %" PRIu64 " is in no group; give every "
                   "attribute of the data a group",
                   file->name, called(file, reached));
  if (here == line)
    return th_fail(
        err, TH_EDATA,
        "%s:%lld: attribute %" PRIu64 " is there twice; leave one of them out",
        file->name, (long long)here, called(file, piece->range.first));
  return th_fail(
      err, TH_EDATA,
      "%s:%lld: attribute %" PRIu64 " is in the groups of lines %lld "
      "and %lld; give each attribute one group",
      file->name, (long long)(here > line ? here : line),
      called(file, piece->range.first), (long long)(here < line ? here : line),
      (long long)(here > line ? here : line));
}

/* Sort the pieces, and see that they cover the data once. */
static th_status check_cover(struct groups_file *file, struct th_error *err)
{
  int64_t reached = 0;
  int64_t line = 0;
  if (file->pieces > 0)
    qsort(file->piece, (size_t)file->pieces, sizeof *file->piece, by_first);
  for (int64_t k = 0; k < file->pieces; k++) {
    const struct th_group_piece *piece = &file->piece[k];
    if (piece->range.first != reached)
      return misplaced(file, piece, reached, line, err);
    reached = piece->range.last;
    line = file->group[piece->group].line;
  }
  return reached == file->attributes
             ? TH_OK
             : misplaced(file, NULL, reached, line, err);
}

/* Groups get their names, sizes and weights; neighbours become one piece. */
static void finish_pieces(struct groups_file *file)
{
  int64_t kept = 0;
  for (int64_t k = 0; k < file->pieces; k++) {
    struct th_group_piece piece = file->piece[k];
    struct group *group = &file->group[piece.group];
    if (group->lowest < 0)
      group->lowest = piece.range.first;
    piece.group = group->lowest;
    piece.size = group->size;
    piece.weight = group->weight;
    if (kept > 0 && file->piece[kept - 1].group == piece.group)
      file->piece[kept - 1].range.last = piece.range.last;
    else
      file->piece[kept++] = piece;
  }
  file->pieces = kept;
}

th_status th_groups_file_whole(const char *name, const char *output,
                               int64_t attributes, const uint64_t *index,
                               struct th_group_piece **piece, int64_t *count,
                               struct th_error *err)
{
  struct groups_file file = {
      .name = name, .attributes = attributes, .index = index};
  th_status rc;
  TH_TRY(th_text_files_alone(name, output, read_lines, &file, err));
  TH_TRY(check_cover(&file, err));
  finish_pieces(&file);
  *piece = file.piece;
  *count = file.pieces;
  file.piece = NULL;
done:
  TH_FREE(file.group, file.piece);
  return rc;
}

th_status th_groups_file_read(struct th_groups *groups, struct th_comm *comm,
                              const char *name, const char *output,
                              int64_t attributes, const uint64_t *index,
                              struct th_error *err)
{
  struct th_group_piece *piece = NULL;
  int64_t count = 0;
  th_status rc = TH_OK;
  if (comm->rank == 0)
    rc = th_groups_file_whole(name, output, attributes, index, &piece, &count,
                              err);
  rc = th_groups_share(groups, comm, attributes, piece, count, rc, err);
  free(piece);
  return rc;
}
