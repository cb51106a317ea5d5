/* attributes.c - what a file says of attributes: their names, and groups of
 * them; and the IDs of examples
 * SPDX-License-Identifier: MIT */
#include "io/dataset/attributes.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/search.h"
#include "data/groups.h"
#include "io/dataset/fingerprint.h"
#include "io/dataset/format.h"
#include "io/files/hash.h"
#include "io/hdf5/h5.h"
#include "model/origin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct th_named th_attribute_names = {TH_D_NAMES, TH_D_NAMES_CHECKSUM,
                                            "names of attribute"};
const struct th_named th_attribute_ids = {TH_D_IDS, TH_D_IDS_CHECKSUM,
                                          "IDs of stored row"};

static int64_t in_piece(int64_t count, int64_t piece)
{
  return th_min_i64(TH_NAMES_PIECE, count - piece * TH_NAMES_PIECE);
}

/* Write the checksums of all pieces of names as stored, with `width` bytes
 * each. */
static th_status put_pieces(const struct th_h5 *h5,
                            const struct th_named *named, int64_t count,
                            const char *const *names, size_t width,
                            struct th_error *err)
{
  int64_t pieces = th_integer_ceil_divide(count, TH_NAMES_PIECE);
  uint64_t *checksum = NULL;
  char *room = NULL;
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&checksum, pieces, "checksums", err));
  TH_TRY(th_alloc((void **)&room, TH_NAMES_PIECE, width, "names", err));
  for (int64_t p = 0; p < pieces; p++) {
    size_t some = (size_t)in_piece(count, p);
    for (size_t k = 0; k < some; k++) /* which pads with zeros */
      strncpy(room + k * width, names[p * TH_NAMES_PIECE + (int64_t)k], width);
    checksum[p] = th_hash(room, some * width);
  }
  TH_TRY(th_h5_set_put(h5, named->checksum, H5T_NATIVE_UINT64, pieces, checksum,
                       err));
done:
  TH_FREE(checksum, room);
  return rc;
}

th_status th_attribute_texts_put(const struct th_h5 *h5,
                                 const struct th_named *named, int64_t count,
                                 const char *const *texts, struct th_error *err)
{
  size_t width = 1;
  for (int64_t a = 0; a < count; a++) {
    size_t length = strlen(texts[a]);
    width = length > width ? length : width;
  }
  th_status rc = th_h5_set_put_texts(h5, named->set, count, texts, err);
  return rc == TH_OK ? put_pieces(h5, named, count, texts, width, err) : rc;
}

th_status th_attribute_names_put(const struct th_h5 *h5, int64_t count,
                                 const char *const *names,
                                 struct th_name_print *print,
                                 struct th_error *err)
{
  th_status rc = TH_OK;
  *print = (struct th_name_print){0};
  for (int64_t a = 0; a < count; a++)
    th_fingerprint_name(print, names[a], strlen(names[a]));
  TH_TRY(th_attribute_texts_put(h5, &th_attribute_names, count, names, err));
  TH_TRY(th_h5_put_u64(h5, "/", TH_A_NAMES_LIST, print->list, err));
  TH_TRY(th_h5_put_u64(h5, "/", TH_A_NAMES_SET, print->set, err));
done:
  return rc;
}

/* --- Names that are indices, which are stored as such --------------------- */

enum { INDEX_WIDTH = 20 }; /* bytes of the largest as a name */

static bool are_indices(const struct th_h5 *h5, const char *set)
{
  struct th_h5_set open = {0};
  struct th_error ignored = {0};
  hsize_t items[2] = {0};
  hid_t type = -1;
  if (th_h5_set_exists(h5, set) &&
      th_h5_set_open(&open, h5, set, H5T_NATIVE_UINT64, 1, items, &ignored) ==
          TH_OK)
    type = H5Dget_type(open.id);
  bool are = type >= 0 && H5Tget_class(type) == H5T_INTEGER;
  th_h5_drop(type);
  th_h5_set_close(&open, &ignored);
  return are;
}

/* The name of an index, of INDEX_WIDTH bytes, padded with zeros; its length. */
static size_t index_to_name(uint64_t index, char name[INDEX_WIDTH])
{
  char digits[INDEX_WIDTH];
  size_t length = 0;
  do {
    digits[length++] = (char)('0' + index % 10);
    index /= 10;
  } while (index > 0);
  for (size_t k = 0; k < length; k++)
    name[k] = digits[length - 1 - k];
  memset(name + length, 0, INDEX_WIDTH - length);
  return length;
}

th_status th_attribute_indices_put(const struct th_h5 *h5, int64_t count,
                                   const uint64_t *index,
                                   struct th_name_print *print,
                                   struct th_error *err)
{
  int64_t pieces = th_integer_ceil_divide(count, TH_NAMES_PIECE);
  char name[INDEX_WIDTH];
  uint64_t *checksum = NULL;
  th_status rc = TH_OK;
  *print = (struct th_name_print){0};
  for (int64_t a = 0; a < count; a++)
    th_fingerprint_name(print, name, index_to_name(index[a], name));
  TH_TRY(TH_NEW(&checksum, pieces, "checksums", err));
  for (int64_t p = 0; p < pieces; p++)
    checksum[p] = th_hash(index + p * TH_NAMES_PIECE,
                          (size_t)in_piece(count, p) * sizeof *index);
  TH_TRY(th_h5_set_put(h5, TH_D_NAMES, H5T_NATIVE_UINT64, count, index, err));
  TH_TRY(th_h5_set_put(h5, TH_D_NAMES_CHECKSUM, H5T_NATIVE_UINT64, pieces,
                       checksum, err));
  TH_TRY(th_h5_put_u64(h5, "/", TH_A_NAMES_LIST, print->list, err));
  TH_TRY(th_h5_put_u64(h5, "/", TH_A_NAMES_SET, print->set, err));
done:
  free(checksum);
  return rc;
}

th_status th_attribute_indices_get(const struct th_h5 *h5, int64_t count,
                                   uint64_t **index, struct th_error *err)
{
  th_status rc = TH_OK;
  *index = NULL;
  if (!are_indices(h5, TH_D_NAMES))
    return TH_OK;
  TH_TRY(th_h5_set_expect(h5, TH_D_NAMES, count, err));
  TH_TRY(TH_NEW(index, count, "indices", err));
  TH_TRY(th_h5_set_get(h5, TH_D_NAMES, H5T_NATIVE_UINT64, count, *index, err));
done:
  if (rc != TH_OK) {
    free(*index);
    *index = NULL;
  }
  return rc;
}

th_status th_attribute_names_get(const struct th_h5 *h5, int64_t count,
                                 char ***names, struct th_error *err)
{
  uint64_t *index = NULL;
  char *room = NULL;
  th_status rc = th_attribute_indices_get(h5, count, &index, err);
  if (rc == TH_OK && index == NULL)
    return th_h5_set_get_texts(h5, TH_D_NAMES, count, names, err);
  if (rc == TH_OK)
    rc = th_alloc((void **)&room, count, sizeof(char *) + INDEX_WIDTH + 1,
                  "names of attributes", err);
  for (int64_t a = 0; rc == TH_OK && a < count; a++) {
    char *text =
        room + (size_t)count * sizeof(char *) + (size_t)a * (INDEX_WIDTH + 1);
    ((char **)(void *)room)[a] = text;
    text[index_to_name(index[a], text)] = '\0';
  }
  *names = (char **)(void *)room;
  free(index);
  return rc;
}

/* --- Names of any kind ---------------------------------------------------- */

th_status th_attribute_texts_open(struct th_names *names,
                                  const struct th_named *named,
                                  const struct th_h5 *h5, int64_t count,
                                  struct th_error *err)
{
  int64_t pieces = th_integer_ceil_divide(count, TH_NAMES_PIECE);
  hsize_t size[2] = {0};
  th_status rc = TH_OK;
  *names = (struct th_names){.named = named,
                             .h5 = h5,
                             .width = th_h5_set_text_width(h5, named->set),
                             .count = count,
                             .piece = -1};
  bool indices = named == &th_attribute_names && names->width == 0 &&
                 are_indices(h5, named->set);
  if (named == &th_attribute_ids && names->width > TH_ID_PAIR)
    names->width = 0;
  if (indices)
    names->width = INDEX_WIDTH;
  names->type = names->width == 0 ? -1
                : indices         ? H5Tcopy(H5T_NATIVE_UINT64)
                                  : th_h5_text_type(names->width);
  if (names->type < 0)
    return TH_DAMAGED(err, "%s: %s is not stored as it was written", h5->name,
                      named->set);
  TH_TRY(
      th_h5_set_open(&names->set, h5, named->set, names->type, 1, size, err));
  if (size[0] != (hsize_t)count)
    TH_TRY(TH_DAMAGED(err, "%s: %s has the wrong size", h5->name, named->set));
  TH_TRY(th_alloc((void **)&names->room, in_piece(count, 0), names->width,
                  "names", err));
  if (indices)
    TH_TRY(TH_NEW(&names->index, in_piece(count, 0), "names", err));
  if (named == &th_attribute_names && !th_h5_set_exists(h5, named->checksum))
    goto done; /* th_attribute_names_print has verified all of them */
  TH_TRY(TH_NEW(&names->checksum, pieces, "checksums", err));
  TH_TRY(th_h5_set_get(h5, named->checksum, H5T_NATIVE_UINT64, pieces,
                       names->checksum, err));
done:
  return rc;
}

th_status th_attribute_names_open(struct th_names *names,
                                  const struct th_h5 *h5, int64_t count,
                                  struct th_error *err)
{
  return th_attribute_texts_open(names, &th_attribute_names, h5, count, err);
}

void th_attribute_names_close(struct th_names *names)
{
  struct th_error ignored = {0};
  th_h5_set_close(&names->set, &ignored);
  if (names->width > 0)
    H5Tclose(names->type);
  TH_FREE(names->checksum, names->room, names->index);
  *names = (struct th_names){0};
}

static th_status read_names_piece(struct th_names *names, int64_t piece,
                                  struct th_error *err)
{
  int64_t some = in_piece(names->count, piece);
  void *read = names->index != NULL ? (void *)names->index : names->room;
  size_t size = names->index != NULL ? sizeof *names->index : names->width;
  names->piece = -1;
  th_status rc =
      th_h5_set_range(&names->set, piece * TH_NAMES_PIECE, some, read, err);
  if (rc != TH_OK)
    return rc;
  if (names->checksum != NULL &&
      th_hash(read, (size_t)some * size) != names->checksum[piece])
    return TH_DAMAGED(err, "%s: %s %lld and following: checksum mismatch",
                      names->h5->name, names->named->what,
                      (long long)(piece * TH_NAMES_PIECE));
  for (int64_t k = 0; names->index != NULL && k < some; k++)
    index_to_name(names->index[k], names->room + (size_t)k * INDEX_WIDTH);
  names->piece = piece;
  return TH_OK;
}

const char *th_attribute_names_at(struct th_names *names, int64_t attribute,
                                  struct th_error *err)
{
  int64_t piece = attribute / TH_NAMES_PIECE;
  if (piece != names->piece && read_names_piece(names, piece, err) != TH_OK)
    return NULL;
  return names->room + (size_t)(attribute % TH_NAMES_PIECE) * names->width;
}

static th_status check_all_names(const struct th_h5 *h5, int64_t count,
                                 struct th_error *err)
{
  char **names = NULL;
  th_status rc = th_attribute_names_get(h5, count, &names, err);
  free(names);
  return rc;
}

/* What the master says of its names has no say over the names themselves. */
static th_status compare(const struct th_h5 *h5,
                         const struct th_name_print *print,
                         struct th_error *err)
{
  struct th_name_print said = {0};
  th_status rc = TH_OK;
  if (!th_h5_has(h5, "/", TH_A_NAMES_LIST))
    return TH_OK;
  TH_TRY(th_h5_get_u64(h5, "/", TH_A_NAMES_LIST, &said.list, err));
  TH_TRY(th_h5_get_u64(h5, "/", TH_A_NAMES_SET, &said.set, err));
  if (said.list != print->list || said.set != print->set)
    rc = TH_DAMAGED(err, "%s: %s and %s are not those of its names", h5->name,
                    TH_A_NAMES_LIST, TH_A_NAMES_SET);
done:
  return rc;
}

static th_status print_all(const struct th_h5 *h5, int64_t count,
                           struct th_name_print *print, struct th_error *err)
{
  struct th_names names = {0};
  const char *at = NULL;
  uint64_t before = 0;
  th_status rc = th_attribute_names_open(&names, h5, count, err);
  for (int64_t a = 0; a < count && rc == TH_OK; a++) {
    at = th_attribute_names_at(&names, a, err);
    if (at == NULL) {
      rc = err->code;
      break;
    }
    th_fingerprint_name(print, at, strnlen(at, names.width));
    if (names.index == NULL)
      continue;
    uint64_t index = names.index[a % TH_NAMES_PIECE];
    if (a > 0 && index <= before)
      rc = TH_DAMAGED(err, "%s: the indices of %s do not ascend", h5->name,
                      TH_D_NAMES);
    before = index;
  }
  th_attribute_names_close(&names);
  return rc;
}

th_status th_attribute_names_print(const struct th_h5 *h5, int64_t count,
                                   struct th_name_print *print,
                                   struct th_error *err)
{
  th_status rc = TH_OK;
  *print = (struct th_name_print){0};
  if (!th_h5_set_exists(h5, TH_D_NAMES))
    return TH_OK;
  /* of an older minor version: all of them have one checksum */
  if (!th_h5_set_exists(h5, TH_D_NAMES_CHECKSUM))
    TH_TRY(check_all_names(h5, count, err));
  TH_TRY(print_all(h5, count, print, err));
  TH_TRY(compare(h5, print, err));
done:
  return rc;
}

/* --- Groups of attributes ------------------------------------------------- */

/* The table, column by column. */
struct columns {
  int64_t *first;
  int64_t *count;
  int64_t *group;
  double *weight;
};

static void columns_free(struct columns *columns)
{
  TH_FREE(columns->first, columns->count, columns->group, columns->weight);
}

static th_status columns_alloc(struct columns *columns, int64_t count,
                               struct th_error *err)
{
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&columns->first, count, "groups of attributes", err));
  TH_TRY(TH_NEW(&columns->count, count, "groups of attributes", err));
  TH_TRY(TH_NEW(&columns->group, count, "groups of attributes", err));
  TH_TRY(TH_NEW(&columns->weight, count, "groups of attributes", err));
done:
  return rc;
}

th_status th_attribute_groups_put(const struct th_h5 *h5,
                                  const struct th_group_piece *piece,
                                  int64_t count, struct th_error *err)
{
  struct columns c = {0};
  th_status rc = TH_OK;
  if (count == 0)
    return TH_OK;
  TH_TRY(columns_alloc(&c, count, err));
  for (int64_t k = 0; k < count; k++) {
    c.first[k] = piece[k].range.first;
    c.count[k] = th_range_count(piece[k].range);
    c.group[k] = piece[k].group;
    c.weight[k] = piece[k].weight;
  }
  hid_t type = H5T_NATIVE_INT64;
  TH_TRY(th_h5_group(h5, TH_G_TOGETHER, err));
  TH_TRY(th_h5_put_i64(h5, TH_G_TOGETHER, TH_A_COUNT, count, err));
  TH_TRY(th_h5_set_put(h5, TH_D_TOGETHER_FIRST, type, count, c.first, err));
  TH_TRY(th_h5_set_put(h5, TH_D_TOGETHER_COUNT, type, count, c.count, err));
  TH_TRY(th_h5_set_put(h5, TH_D_TOGETHER_GROUP, type, count, c.group, err));
  TH_TRY(th_h5_set_put(h5, TH_D_TOGETHER_WEIGHT, H5T_NATIVE_DOUBLE, count,
                       c.weight, err));
done:
  columns_free(&c);
  return rc;
}

static th_status get_pieces(const struct th_h5 *h5, int64_t count,
                            struct columns *c, struct th_error *err)
{
  hid_t type = H5T_NATIVE_INT64;
  th_status rc = TH_OK;
  TH_TRY(th_h5_set_expect(h5, TH_D_TOGETHER_FIRST, count, err));
  TH_TRY(columns_alloc(c, count, err));
  TH_TRY(th_h5_set_get(h5, TH_D_TOGETHER_FIRST, type, count, c->first, err));
  TH_TRY(th_h5_set_get(h5, TH_D_TOGETHER_COUNT, type, count, c->count, err));
  TH_TRY(th_h5_set_get(h5, TH_D_TOGETHER_GROUP, type, count, c->group, err));
  TH_TRY(th_h5_set_get(h5, TH_D_TOGETHER_WEIGHT, H5T_NATIVE_DOUBLE, count,
                       c->weight, err));
done:
  return rc;
}

/* The piece that a group begins with, or NULL. */
static struct th_group_piece *leading_piece(struct th_group_piece *piece,
                                            int64_t count, int64_t group)
{
  int64_t k = th_search_member(piece, sizeof *piece,
                               offsetof(struct th_group_piece, range.first),
                               count, group);
  bool found =
      k < count && piece[k].range.first == group && piece[k].group == group;
  return found ? &piece[k] : NULL;
}

/* Check that the pieces cover each attribute once and that each group has one
 * weight, and fill in sizes. False if the check fails. */
static bool complete_pieces(struct th_group_piece *piece, int64_t count,
                            int64_t attributes)
{
  int64_t reached = 0;
  for (int64_t k = 0; k < count; k++) {
    struct th_range range = piece[k].range;
    struct th_group_piece *lead = leading_piece(piece, count, piece[k].group);
    if (range.first != reached || range.last <= range.first ||
        range.last > attributes || lead == NULL || lead > &piece[k] ||
        !(lead->weight == piece[k].weight &&
          (lead->weight >= 0 || lead->weight == TH_GROUPS_UNPENALISED) &&
          isfinite(lead->weight)))
      return false;
    lead->size += th_range_count(range);
    reached = range.last;
  }
  for (int64_t k = 0; k < count; k++)
    piece[k].size = leading_piece(piece, count, piece[k].group)->size;
  return reached == attributes;
}

static void fill_pieces(const struct columns *c, int64_t count,
                        int64_t attributes, struct th_group_piece *piece)
{
  for (int64_t k = 0; k < count; k++) {
    bool in_range = c->first[k] >= 0 && c->first[k] < attributes &&
                    c->count[k] > 0 && c->count[k] <= attributes;
    piece[k] = (struct th_group_piece){.range = {c->first[k], c->first[k]},
                                       .group = c->group[k],
                                       .weight = c->weight[k]};
    piece[k].range.last += in_range ? c->count[k] : 0;
  }
}

th_status th_attribute_groups_get(const struct th_h5 *h5, int64_t attributes,
                                  struct th_group_piece **piece, int64_t *count,
                                  struct th_error *err)
{
  struct columns c = {0};
  struct th_group_piece *found = NULL;
  int64_t pieces = 0;
  th_status rc = TH_OK;
  *piece = NULL;
  *count = 0;
  if (!th_h5_set_exists(h5, TH_G_TOGETHER))
    return TH_OK;
  TH_TRY(th_h5_get_i64(h5, TH_G_TOGETHER, TH_A_COUNT, &pieces, err));
  if (pieces >= 1 && pieces <= attributes) {
    TH_TRY(get_pieces(h5, pieces, &c, err));
    TH_TRY(TH_NEW(&found, pieces, "groups of attributes", err));
    fill_pieces(&c, pieces, attributes, found);
  }
  if (found == NULL || !complete_pieces(found, pieces, attributes)) {
    rc = TH_DAMAGED(err, "%s: groups of attributes that do not fit the data",
                    h5->name);
    goto done;
  }
  *piece = found;
  *count = pieces;
  found = NULL;
done:
  columns_free(&c);
  free(found);
  return rc;
}
