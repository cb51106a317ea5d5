/* frame.c - tables of AnnData: names of rows, and columns of numbers or words
 *
 * A table is a group with a data set for each column, or, as older versions
 * wrote it, one data set of records. Words are texts, or numbers of categories
 * that lie beside them.
 * SPDX-License-Identifier: MIT */
#include "io/import/arrays/frame.h"

#include "base/memory.h"
#include "io/hdf5/h5.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  LONGEST = 1000,
  ROOM = TH_FRAME_PATH + 256
}; /* bytes of a text, a path */

/* --- What is where -------------------------------------------------------- */

enum th_frame_kind th_frame_kind_of(const struct th_h5 *h5, const char *path)
{
  hid_t list = H5Pcreate(H5P_LINK_ACCESS);
  hid_t object = -1;
  if (list >= 0 && th_h5_stay_inside(list) >= 0)
    object = H5Oopen(h5->file, path, list);
  H5I_type_t type = object >= 0 ? H5Iget_type(object) : H5I_BADID;
  th_h5_drop(object);
  th_h5_drop(list);
  return type == H5I_GROUP     ? TH_FRAME_GROUP
         : type == H5I_DATASET ? TH_FRAME_SET
                               : TH_FRAME_NOTHING;
}

void th_frame_free(struct th_frame_column *column)
{
  TH_FREE_LIST(column->word, column->words);
  TH_FREE(column->number, column->code);
  *column = (struct th_frame_column){0};
}

/* --- Attributes ----------------------------------------------------------- */

static hid_t open_frame_attribute(const struct th_h5 *h5, const char *path,
                                  const char *name)
{
  hid_t list = H5Pcreate(H5P_LINK_ACCESS);
  hid_t id = -1;
  if (list >= 0 && th_h5_stay_inside(list) >= 0 &&
      H5Aexists_by_name(h5->file, path, name, list) > 0)
    id = H5Aopen_by_name(h5->file, path, name, H5P_DEFAULT, list);
  th_h5_drop(list);
  return id;
}

static hssize_t attribute_items(hid_t id)
{
  hid_t space = id < 0 ? -1 : H5Aget_space(id);
  hssize_t items = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
  th_h5_drop(space);
  return items;
}

/* A text that HDF5 has made. */
static bool take_attribute(hid_t id, char **text)
{
  hid_t type = H5Tcopy(H5T_C_S1);
  hid_t space = H5Aget_space(id);
  char *found = NULL;
  bool read = type >= 0 && space >= 0 && H5Tset_size(type, H5T_VARIABLE) >= 0 &&
              H5Tset_cset(type, H5T_CSET_UTF8) >= 0 &&
              H5Aread(id, type, &found) >= 0 && found != NULL;
  *text = read ? strdup(found) : NULL;
  if (read)
    (void)H5Dvlen_reclaim(type, space, H5P_DEFAULT, &found);
  th_h5_drop(space);
  th_h5_drop(type);
  return *text != NULL;
}

bool th_frame_attribute(const struct th_h5 *h5, const char *path,
                        const char *name, char **text, struct th_error *err)
{
  hid_t id = open_frame_attribute(h5, path, name);
  hid_t type = id < 0 ? -1 : H5Aget_type(id);
  bool found = false;
  if (type >= 0 && attribute_items(id) == 1 && H5Tget_class(type) == H5T_STRING)
    found = H5Tis_variable_str(type) > 0
                ? take_attribute(id, text)
                : th_h5_get_text(h5, path, name, text, err) == TH_OK;
  th_h5_drop(type);
  th_h5_drop(id);
  return found;
}

bool th_frame_pair(const struct th_h5 *h5, const char *path, const char *name,
                   int64_t pair[2])
{
  hid_t id = open_frame_attribute(h5, path, name);
  hid_t type = id < 0 ? -1 : H5Aget_type(id);
  bool found = type >= 0 && attribute_items(id) == 2 &&
               H5Tget_class(type) == H5T_INTEGER &&
               H5Aread(id, H5T_NATIVE_INT64, pair) >= 0;
  th_h5_drop(type);
  th_h5_drop(id);
  return found;
}

/* --- A data set, or a field of its records -------------------------------- */

/* What is read; zeroed: nothing. */
struct field {
  struct th_h5_set set;
  hid_t stored; /* type of the items, or of the field */
  int64_t count;
};

static void close_field(struct field *field)
{
  struct th_error ignored = {0};
  if (field->stored > 0)
    th_h5_drop(field->stored);
  th_h5_set_close(&field->set, &ignored);
  *field = (struct field){0};
}

static hid_t member_type(hid_t records, const char *name)
{
  int member = H5Tget_class(records) == H5T_COMPOUND
                   ? H5Tget_member_index(records, name)
                   : -1;
  return member < 0 ? -1 : H5Tget_member_type(records, (unsigned)member);
}

/* name: of a field, or NULL. count: of the items, or -1. */
static th_status open_field(struct field *field, const struct th_h5 *h5,
                            const char *path, const char *name, int64_t count,
                            struct th_error *err)
{
  hsize_t size[2] = {0};
  *field = (struct field){0};
  th_status rc =
      th_h5_set_open(&field->set, h5, path, H5T_NATIVE_INT8, 1, size, err);
  if (rc != TH_OK)
    return rc;
  if (count >= 0 && size[0] != (hsize_t)count)
    return th_fail(err, TH_EDATA,
                   "%s: %s has %llu rows, and the matrix %lld; the file is "
                   "damaged, make it again",
                   h5->name, path, (unsigned long long)size[0],
                   (long long)count);
  field->count = (int64_t)size[0];
  field->stored = H5Dget_type(field->set.id);
  if (name != NULL && field->stored >= 0) {
    hid_t records = field->stored;
    field->stored = member_type(records, name);
    th_h5_drop(records);
  }
  if (field->stored < 0)
    return th_h5_fail(h5, "cannot read", path, err);
  return TH_OK;
}

/* Read all items as those of a type, of `size` bytes. */
static th_status read_frame_field(struct field *field, const char *name,
                                  hid_t as, size_t size, void *to,
                                  struct th_error *err)
{
  hid_t records = -1;
  field->set.type = as;
  if (name != NULL) {
    records = H5Tcreate(H5T_COMPOUND, size);
    if (records < 0 || H5Tinsert(records, name, 0, as) < 0)
      return th_h5_fail(field->set.h5, "cannot read", field->set.name, err);
    field->set.type = records;
  }
  th_status rc = th_h5_set_range(&field->set, 0, field->count, to, err);
  th_h5_drop(records);
  return rc;
}

static th_status copy_text(const char *from, size_t length, char **to,
                           const struct field *field, struct th_error *err)
{
  if (length > LONGEST)
    return th_fail(err, TH_EDATA,
                   "%s: %s has a name of %zu bytes, expected at most %d; "
                   "shorten it",
                   field->set.h5->name, field->set.name, length, (int)LONGEST);
  th_status rc = TH_NEW(to, (int64_t)length + 1, "names", err);
  if (rc == TH_OK)
    memcpy(*to, from, length);
  return rc;
}

/* Texts of HDF5's own allocation. */
static th_status read_loose(struct field *field, const char *name, char **texts,
                            struct th_error *err)
{
  char **loose = NULL;
  hid_t type = H5Tcopy(H5T_C_S1);
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&loose, field->count + 1, "names", err));
  if (type < 0 || H5Tset_size(type, H5T_VARIABLE) < 0 ||
      H5Tset_cset(type, H5Tget_cset(field->stored)) < 0) {
    rc = th_h5_fail(field->set.h5, "cannot read", field->set.name, err);
    goto done;
  }
  TH_TRY(read_frame_field(field, name, type, sizeof *loose, loose, err));
  for (int64_t k = 0; rc == TH_OK && k < field->count; k++)
    rc = copy_text(loose[k] == NULL ? "" : loose[k],
                   loose[k] == NULL ? 0 : strlen(loose[k]), &texts[k], field,
                   err);
  for (int64_t k = 0; k < field->count; k++)
    (void)H5free_memory(loose[k]);
done:
  th_h5_drop(type);
  free(loose);
  return rc;
}

/* Texts of one width. */
static th_status read_fixed(struct field *field, const char *name, char **texts,
                            struct th_error *err)
{
  size_t width = H5Tget_size(field->stored);
  char *all = NULL;
  th_status rc = TH_OK;
  TH_TRY(th_alloc((void **)&all, field->count, width, "names", err));
  TH_TRY(read_frame_field(field, name, field->stored, width, all, err));
  for (int64_t k = 0; rc == TH_OK && k < field->count; k++) {
    const char *text = all + (size_t)k * width;
    rc = copy_text(text, strnlen(text, width), &texts[k], field, err);
  }
done:
  free(all);
  return rc;
}

th_status th_frame_texts(const struct th_h5 *h5, const char *path,
                         const char *field, int64_t count, char ***texts,
                         struct th_error *err)
{
  struct field open = {0};
  char **list = NULL;
  th_status rc = TH_OK;
  TH_TRY(open_field(&open, h5, path, field, count, err));
  if (H5Tget_class(open.stored) != H5T_STRING) {
    rc = th_fail(err, TH_EDATA, "%s: %s holds no texts; check the file",
                 h5->name, path);
    goto done;
  }
  TH_TRY(TH_NEW(&list, open.count, "names", err));
  rc = H5Tis_variable_str(open.stored) > 0
           ? read_loose(&open, field, list, err)
           : read_fixed(&open, field, list, err);
  if (rc == TH_OK)
    *texts = list;
  else
    TH_FREE_LIST(list, open.count);
done:
  close_field(&open);
  return rc;
}

/* --- Names of rows -------------------------------------------------------- */

th_status th_frame_names(const struct th_h5 *h5, const char *table,
                         int64_t count, char ***names, struct th_error *err)
{
  static const char *const usual[] = {"_index", "index"};
  struct th_error ignored = {0};
  struct field open = {0};
  char path[ROOM];
  char *index = NULL;
  th_status rc = TH_OK;
  if (th_frame_kind_of(h5, table) == TH_FRAME_GROUP) {
    bool told = th_frame_attribute(h5, table, usual[0], &index, &ignored);
    snprintf(path, sizeof path, "%s/%.200s", table, told ? index : usual[0]);
    free(index);
    if (!told && th_frame_kind_of(h5, path) == TH_FRAME_NOTHING)
      return TH_OK; /* rows without names */
    return th_frame_texts(h5, path, NULL, count, names, err);
  }
  TH_TRY(open_field(&open, h5, table, NULL, count, err));
  char *first = H5Tget_class(open.stored) == H5T_COMPOUND
                    ? H5Tget_member_name(open.stored, 0)
                    : NULL;
  bool named = first != NULL && H5Tget_class(open.stored) == H5T_COMPOUND;
  for (int k = 0; named && k < 2; k++)
    if (H5Tget_member_index(open.stored, usual[k]) >= 0)
      snprintf(path, sizeof path, "%s", usual[k]);
  if (named && H5Tget_member_index(open.stored, usual[0]) < 0 &&
      H5Tget_member_index(open.stored, usual[1]) < 0)
    snprintf(path, sizeof path, "%s", first);
  (void)H5free_memory(first);
  rc = th_frame_texts(h5, table, named ? path : NULL, count, names, err);
done:
  close_field(&open);
  return rc;
}

/* --- Columns -------------------------------------------------------------- */

bool th_frame_has(const struct th_h5 *h5, const char *table, const char *name)
{
  struct th_error ignored = {0};
  struct field open = {0};
  char path[ROOM];
  snprintf(path, sizeof path, "%s/%.200s", table, name);
  if (th_frame_kind_of(h5, table) == TH_FRAME_GROUP)
    return th_frame_kind_of(h5, path) != TH_FRAME_NOTHING;
  bool found = th_frame_kind_of(h5, table) == TH_FRAME_SET &&
               open_field(&open, h5, table, name, -1, &ignored) == TH_OK;
  close_field(&open);
  return found;
}

bool th_frame_has_words(const struct th_h5 *h5, const char *path)
{
  struct th_error ignored = {0};
  struct field open = {0};
  enum th_frame_kind kind = th_frame_kind_of(h5, path);
  bool found = kind == TH_FRAME_SET &&
               open_field(&open, h5, path, NULL, -1, &ignored) == TH_OK &&
               H5Tget_class(open.stored) == H5T_STRING;
  close_field(&open);
  return found || kind == TH_FRAME_GROUP;
}

/* Numbers of a data set, or texts, whichever they are. */
static th_status read_values(const struct th_h5 *h5, const char *path,
                             const char *field, int64_t count,
                             struct th_frame_column *column,
                             struct th_error *err)
{
  struct field open = {0};
  th_status rc = TH_OK;
  TH_TRY(open_field(&open, h5, path, field, count, err));
  H5T_class_t class = H5Tget_class(open.stored);
  column->count = open.count;
  if (class == H5T_STRING) {
    rc = th_frame_texts(h5, path, field, count, &column->word, err);
    column->words = rc == TH_OK ? open.count : 0;
  } else if (class == H5T_INTEGER || class == H5T_FLOAT || class == H5T_ENUM) {
    TH_TRY(TH_NEW(&column->number, open.count, "a column", err));
    rc = read_frame_field(&open, field, H5T_NATIVE_DOUBLE, sizeof(double),
                          column->number, err);
  } else {
    rc = th_fail(err, TH_EDATA,
                 "%s: %s%s%s holds neither numbers nor words; name another "
                 "column",
                 h5->name, path, field == NULL ? "" : "/",
                 field == NULL ? "" : field);
  }
done:
  close_field(&open);
  return rc;
}

/* Numbers of categories become what these are: words, or numbers. */
static th_status take_categories(const struct th_h5 *h5, const char *path,
                                 struct th_frame_column *column,
                                 struct th_error *err)
{
  struct th_frame_column known = {0};
  th_status rc = TH_OK;
  if (column->number == NULL)
    return TH_OK;
  TH_TRY(read_values(h5, path, NULL, -1, &known, err));
  TH_TRY(TH_NEW(&column->code, column->count, "a column", err));
  for (int64_t k = 0; k < column->count; k++) {
    double code = column->number[k];
    if (!(code >= -1 && code < (double)known.count)) {
      rc = th_fail(err, TH_EFORMAT,
                   "%s: row %lld has category %g, and %s has %lld; the file is "
                   "damaged, make it again",
                   h5->name, (long long)k, code, path, (long long)known.count);
      goto done;
    }
    column->code[k] = (int64_t)code;
    if (known.number != NULL)
      column->number[k] = code < 0 ? NAN : known.number[column->code[k]];
  }
  if (known.number != NULL)
    goto done;
  free(column->number);
  column->number = NULL;
  column->word = known.word;
  column->words = known.words;
  known.word = NULL;
  known.words = 0;
done:
  th_frame_free(&known);
  return rc;
}

/* Words without categories are their own. */
static th_status number_words(struct th_frame_column *column,
                              struct th_error *err)
{
  if (column->word == NULL || column->code != NULL)
    return TH_OK;
  th_status rc = TH_NEW(&column->code, column->count, "a column", err);
  for (int64_t k = 0; rc == TH_OK && k < column->count; k++)
    column->code[k] = k;
  return rc;
}

/* Values that a mask says are missing. */
static th_status apply_mask(const struct th_h5 *h5, const char *path,
                            struct th_frame_column *column,
                            struct th_error *err)
{
  struct th_frame_column mask = {0};
  th_status rc = read_values(h5, path, NULL, column->count, &mask, err);
  for (int64_t k = 0; rc == TH_OK && mask.number != NULL && k < column->count;
       k++)
    if (mask.number[k] != 0 && column->number != NULL)
      column->number[k] = NAN;
  th_frame_free(&mask);
  return rc;
}

/* A column that is a group: of categories, or with a mask. */
static th_status read_column_group(const struct th_h5 *h5, const char *path,
                                   int64_t count,
                                   struct th_frame_column *column,
                                   struct th_error *err)
{
  char whole[ROOM + 16];
  th_status rc = TH_OK;
  snprintf(whole, sizeof whole, "%s/codes", path);
  if (th_frame_kind_of(h5, whole) == TH_FRAME_SET) {
    TH_TRY(read_values(h5, whole, NULL, count, column, err));
    snprintf(whole, sizeof whole, "%s/categories", path);
    return take_categories(h5, whole, column, err);
  }
  snprintf(whole, sizeof whole, "%s/values", path);
  TH_TRY(read_values(h5, whole, NULL, count, column, err));
  snprintf(whole, sizeof whole, "%s/mask", path);
  rc = apply_mask(h5, whole, column, err);
done:
  return rc;
}

/* Where older versions kept the categories of a column. */
static bool find_categories(const struct th_h5 *h5, const char *table,
                            const char *name, char path[ROOM])
{
  snprintf(path, ROOM, "%s/__categories/%.200s", table, name);
  if (th_frame_kind_of(h5, path) == TH_FRAME_SET)
    return true;
  snprintf(path, ROOM, "/uns/%.200s_categories", name);
  return th_frame_kind_of(h5, path) == TH_FRAME_SET;
}

th_status th_frame_read(const struct th_h5 *h5, const char *table,
                        const char *name, int64_t count,
                        struct th_frame_column *column, struct th_error *err)
{
  char path[ROOM];
  bool records = th_frame_kind_of(h5, table) == TH_FRAME_SET;
  th_status rc = TH_OK;
  *column = (struct th_frame_column){0};
  snprintf(path, sizeof path, "%s/%.200s", table, name);
  if (!records && th_frame_kind_of(h5, path) == TH_FRAME_GROUP) {
    TH_TRY(read_column_group(h5, path, count, column, err));
  } else {
    TH_TRY(read_values(h5, records ? table : path, records ? name : NULL, count,
                       column, err));
    if (find_categories(h5, table, name, path))
      TH_TRY(take_categories(h5, path, column, err));
  }
  rc = number_words(column, err);
done:
  return rc;
}
