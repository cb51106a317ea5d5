/* h5_matrix.c - matrices in HDF5 files: data sets, sparse groups, AnnData, 10x
 * SPDX-License-Identifier: MIT */
#include "io/import/arrays/h5_matrix.h"

#include "base/memory.h"
#include "io/hdf5/h5.h"
#include "io/import/arrays/lzf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- The filter lzf of h5py, which HDF5 itself does not have -------------- */

enum {
  LZF = 32000, /* its number at the HDF Group */
  CHUNK = 2,   /* which of its values is the size of a chunk */
  MOST_CHUNK = 1 << 30
};

/* HDF5 hands a chunk over, and takes what it becomes; both are malloc's. */
static size_t filter_chunk(unsigned flags, size_t values,
                           const unsigned value[], size_t bytes, size_t *size,
                           void **buffer)
{
  size_t room = values > CHUNK ? value[CHUNK] : 0;
  if ((flags & H5Z_FLAG_REVERSE) == 0 || room == 0 || room > MOST_CHUNK)
    return 0;
  unsigned char *to = malloc(room);
  size_t made = to == NULL ? 0 : th_lzf_expand(*buffer, bytes, to, room);
  if (made == 0) {
    free(to);
    return 0;
  }
  free(*buffer);
  *buffer = to;
  *size = room;
  return made;
}

static void register_lzf(void)
{
  static const H5Z_class2_t filter = {.version = H5Z_CLASS_T_VERS,
                                      .id = LZF,
                                      .encoder_present = 0,
                                      .decoder_present = 1,
                                      .name = "lzf",
                                      .filter = filter_chunk};
  if (H5Zfilter_avail(LZF) <= 0)
    (void)H5Zregister(&filter);
}

/* --- What is where -------------------------------------------------------- */

static enum th_frame_kind kind_below(const struct th_h5 *h5, const char *path,
                                     const char *name)
{
  char whole[TH_FRAME_PATH + 32];
  snprintf(whole, sizeof whole, "%s/%s", path, name);
  return th_frame_kind_of(h5, whole);
}

/* --- The items of a data set ---------------------------------------------- */

struct set_items {
  struct th_h5_set set;
  char name[TH_FRAME_PATH + 32];
  int64_t columns; /* of a matrix, else 1 */
};

static th_status read_set(struct th_items *items, int64_t first, int64_t count,
                          void *to, struct th_error *err)
{
  const struct set_items *self = items->self;
  hsize_t at[2] = {(hsize_t)(first / self->columns), 0};
  hsize_t box[2] = {(hsize_t)(count / self->columns), (hsize_t)self->columns};
  if (first < 0 || count < 0 || first > items->count - count ||
      first % self->columns != 0 || count % self->columns != 0)
    return th_fail(err, TH_EARG, "%s: items beyond the end", items->name);
  return count == 0 ? TH_OK : th_h5_set_read(&self->set, at, box, to, err);
}

static void close_set_items(struct th_items *items)
{
  struct th_error ignored = {0};
  struct set_items *self = items->self;
  th_h5_set_close(&self->set, &ignored);
  free(self);
}

/* The element that a type is read as; -1: it is none. */
static int element_of(hid_t type)
{
  size_t size = type < 0 ? 0 : H5Tget_size(type);
  switch (type < 0 ? H5T_NO_CLASS : H5Tget_class(type)) {
  case H5T_FLOAT:
    return size <= 4 ? TH_ELEMENT_F32 : TH_ELEMENT_F64;
  case H5T_INTEGER:
    return th_items_element(false, H5Tget_sign(type) == H5T_SGN_2, size);
  case H5T_ENUM: /* truth values of h5py */
    return size == 1 ? TH_ELEMENT_U8 : -1;
  default:
    return -1;
  }
}

static hid_t memory_type(int element)
{
  const hid_t types[TH_ELEMENT_COUNT] = {[TH_ELEMENT_F16] = -1,
                                         [TH_ELEMENT_F32] = H5T_NATIVE_FLOAT,
                                         [TH_ELEMENT_F64] = H5T_NATIVE_DOUBLE,
                                         [TH_ELEMENT_I8] = H5T_NATIVE_INT8,
                                         [TH_ELEMENT_I16] = H5T_NATIVE_INT16,
                                         [TH_ELEMENT_I32] = H5T_NATIVE_INT32,
                                         [TH_ELEMENT_I64] = H5T_NATIVE_INT64,
                                         [TH_ELEMENT_U8] = H5T_NATIVE_UINT8,
                                         [TH_ELEMENT_U16] = H5T_NATIVE_UINT16,
                                         [TH_ELEMENT_U32] = H5T_NATIVE_UINT32,
                                         [TH_ELEMENT_U64] = H5T_NATIVE_UINT64};
  return element >= 0 && element < TH_ELEMENT_COUNT ? types[element] : -1;
}

/* What a data set is, before it is opened for reading. */
static th_status look_at_set(const struct th_h5 *h5, const char *path,
                             int dimensions, int *element, struct th_error *err)
{
  hid_t list = H5Pcreate(H5P_DATASET_ACCESS);
  hid_t id = list >= 0 && th_h5_stay_inside(list) >= 0
                 ? H5Dopen2(h5->file, path, list)
                 : -1;
  hid_t type = id < 0 ? -1 : H5Dget_type(id);
  hid_t space = id < 0 ? -1 : H5Dget_space(id);
  int found = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
  *element = element_of(type);
  th_h5_drop(space);
  th_h5_drop(type);
  th_h5_drop(id);
  th_h5_drop(list);
  if (id < 0)
    return th_h5_fail(h5, "cannot read", path, err);
  if (*element < 0)
    return th_fail(err, TH_EDATA,
                   "%s: %s holds no numbers; name a data set of numbers, or "
                   "write it as numbers",
                   h5->name, path);
  if (found == dimensions)
    return TH_OK;
  return th_fail(err, TH_EDATA, "%s: %s has %d dimension%s, expected %d; %s",
                 h5->name, path, found, found == 1 ? "" : "s", dimensions,
                 dimensions == 2 ? "examples are rows, attributes are columns"
                                 : "write it as a list of numbers");
}

th_status th_h5_matrix_items(const struct th_h5 *h5, const char *path,
                             int dimensions, struct th_items *items,
                             int64_t shape[2], struct th_error *err)
{
  struct set_items *self = NULL;
  hsize_t size[2] = {0, 1};
  int element = -1;
  th_status rc = TH_OK;
  register_lzf();
  TH_TRY(look_at_set(h5, path, dimensions, &element, err));
  TH_TRY(TH_NEW(&self, 1, "a data set", err));
  snprintf(self->name, sizeof self->name, "%s", path);
  items->element = (enum th_element)element;
  items->self = self;
  items->read = read_set;
  items->close = close_set_items;
  snprintf(items->name, sizeof items->name, "%.110s:%s", h5->name, self->name);
  TH_TRY(th_h5_set_open(&self->set, h5, self->name, memory_type(element),
                        dimensions, size, err));
  if (size[0] > INT64_MAX / 2 || size[1] > INT64_MAX / 2 ||
      __builtin_mul_overflow((int64_t)size[0], (int64_t)size[1], &items->count))
    return th_fail(err, TH_EFORMAT, "%s: a size that no file can hold",
                   items->name);
  self->columns = size[1] > 0 ? (int64_t)size[1] : 1;
  shape[0] = (int64_t)size[0];
  shape[1] = (int64_t)size[1];
done:
  return rc;
}

/* --- Sparse groups -------------------------------------------------------- */

/* The form that the group's attributes say; -1: they do not. */
static int said_form(const struct th_h5 *h5, const char *path)
{
  static const char *const names[] = {"encoding-type", "h5sparse_format"};
  char *text = NULL;
  struct th_error ignored = {0};
  int form = -1;
  for (int k = 0; k < 2 && form < 0; k++) {
    if (!th_frame_attribute(h5, path, names[k], &text, &ignored))
      continue;
    form = strncmp(text, "csr", 3) == 0   ? TH_MATRIX_BY_ROWS
           : strncmp(text, "csc", 3) == 0 ? TH_MATRIX_BY_COLUMNS
                                          : -1;
    free(text);
  }
  return form;
}

/* Rows and columns, of an attribute or of a data set. */
static bool said_shape(const struct th_h5 *h5, const char *path,
                       int64_t shape[2])
{
  static const char *const names[] = {"shape", "h5sparse_shape"};
  char whole[TH_FRAME_PATH + 32];
  for (int k = 0; k < 2; k++)
    if (th_frame_pair(h5, path, names[k], shape))
      return true;
  struct th_items items = {0};
  struct th_error ignored = {0};
  int64_t size[2] = {0};
  snprintf(whole, sizeof whole, "%s/shape", path);
  bool found =
      th_frame_kind_of(h5, whole) == TH_FRAME_SET &&
      th_h5_matrix_items(h5, whole, 1, &items, size, &ignored) == TH_OK &&
      size[0] == 2 && th_items_integer(items.element) &&
      th_items_whole(&items, 0, 2, shape, &ignored) == TH_OK;
  th_items_close(&items);
  return found;
}

static bool is_sparse_group(const struct th_h5 *h5, const char *path)
{
  return kind_below(h5, path, "data") == TH_FRAME_SET &&
         kind_below(h5, path, "indices") == TH_FRAME_SET &&
         kind_below(h5, path, "indptr") == TH_FRAME_SET;
}

/* A group of 10x: its columns are cells, which are the examples, and its rows
 * genes. */
static bool is_10x(const struct th_h5 *h5, const char *path)
{
  return kind_below(h5, path, "barcodes") == TH_FRAME_SET;
}

static th_status open_group(struct th_matrix *m, const struct th_h5 *h5,
                            const char *path, struct th_error *err)
{
  static const char *const names[] = {"data", "indices", "indptr"};
  struct th_items *items[] = {&m->data, &m->index, &m->start};
  char whole[TH_FRAME_PATH + 32];
  int64_t shape[2] = {0};
  int64_t size[2] = {0};
  int form = said_form(h5, path);
  if (!is_sparse_group(h5, path) || !said_shape(h5, path, shape))
    return th_fail(err, TH_EDATA,
                   "%s: %s is a group without data, indices, indptr and a "
                   "shape, which make a sparse matrix; name a data set or "
                   "another group as %s:/PATH",
                   h5->name, path, h5->name);
  for (int k = 0; k < 3; k++) {
    snprintf(whole, sizeof whole, "%s/%s", path, names[k]);
    th_status rc = th_h5_matrix_items(h5, whole, 1, items[k], size, err);
    if (rc != TH_OK)
      return rc;
  }
  bool turned = form < 0 && is_10x(h5, path);
  m->rows = shape[turned ? 1 : 0];
  m->columns = shape[turned ? 0 : 1];
  if (form < 0)
    form = m->start.count == m->rows + 1 ? TH_MATRIX_BY_ROWS
                                         : TH_MATRIX_BY_COLUMNS;
  m->form = (enum th_matrix_form)form;
  return TH_OK;
}

/* --- The matrix of a file ------------------------------------------------- */

/* Things in the root that may be a matrix. */
struct candidates {
  const struct th_h5 *h5;
  int count;
  char list[TH_FRAME_PATH]; /* what to name, as far as there is room */
  char first[TH_FRAME_PATH];
};

static herr_t see_member(hid_t group, const char *name, const H5L_info_t *info,
                         void *data)
{
  struct candidates *seen = data;
  char path[TH_FRAME_PATH];
  (void)group;
  (void)info;
  if (strlen(name) + 2 > sizeof path)
    return 0;
  snprintf(path, sizeof path, "/%s", name);
  enum th_frame_kind kind = th_frame_kind_of(seen->h5, path);
  bool fits = kind == TH_FRAME_GROUP && is_sparse_group(seen->h5, path);
  if (kind == TH_FRAME_SET) {
    int element = -1;
    struct th_error ignored = {0};
    fits = look_at_set(seen->h5, path, 2, &element, &ignored) == TH_OK;
  }
  if (!fits)
    return 0;
  if (seen->count++ == 0)
    memcpy(seen->first, path, sizeof path);
  size_t used = strlen(seen->list);
  if (used + strlen(path) + 3 < sizeof seen->list)
    stpcpy(stpcpy(seen->list + used, used > 0 ? ", " : ""), path);
  return 0;
}

static th_status find_matrix(const struct th_h5 *h5, char found[TH_FRAME_PATH],
                             struct th_error *err)
{
  struct candidates seen = {.h5 = h5};
  static const char *const usual[] = {"/X", "/matrix"};
  for (int k = 0; k < 2; k++)
    if (th_frame_kind_of(h5, usual[k]) != TH_FRAME_NOTHING) {
      snprintf(found, TH_FRAME_PATH, "%s", usual[k]);
      return TH_OK;
    }
  (void)H5Literate(h5->file, H5_INDEX_NAME, H5_ITER_INC, NULL, see_member,
                   &seen);
  if (seen.count == 1) {
    snprintf(found, TH_FRAME_PATH, "%s", seen.first);
    return TH_OK;
  }
  if (seen.count == 0)
    return th_fail(err, TH_EDATA,
                   "%s: no matrix found in its root; name one as %s:/PATH",
                   h5->name, h5->name);
  return th_fail(err, TH_EUSAGE, "%s: which of %s? Name one as %s:%s", h5->name,
                 seen.list, h5->name, seen.first);
}

th_status th_h5_matrix_open(struct th_matrix *matrix, const struct th_h5 *h5,
                            const char *path, char found[TH_FRAME_PATH],
                            struct th_error *err)
{
  int64_t shape[2] = {0};
  th_status rc = TH_OK;
  if (path == NULL)
    TH_TRY(find_matrix(h5, found, err));
  else if (path[0] == '\0' || strlen(path) + 2 > TH_FRAME_PATH)
    return th_fail(err, TH_EUSAGE, "%s: '%.80s' is no path; name one as %s:/X",
                   h5->name, path, h5->name);
  else
    snprintf(found, TH_FRAME_PATH, "%s%s", path[0] == '/' ? "" : "/", path);
  snprintf(matrix->name, sizeof matrix->name, "%.110s:%s", h5->name, found);
  switch (th_frame_kind_of(h5, found)) {
  case TH_FRAME_NOTHING:
    return th_fail(err, TH_EDATA,
                   "%s: there is no %s in it; name what is there as %s:/PATH",
                   h5->name, found, h5->name);
  case TH_FRAME_GROUP:
    TH_TRY(open_group(matrix, h5, found, err));
    break;
  case TH_FRAME_SET:
    TH_TRY(th_h5_matrix_items(h5, found, 2, &matrix->data, shape, err));
    matrix->form = TH_MATRIX_DENSE;
    matrix->rows = shape[0];
    matrix->columns = shape[1];
  }
  rc = th_matrix_open(matrix, err);
done:
  return rc;
}

th_status th_h5_matrix_names(const struct th_h5 *h5, const char *path,
                             int64_t columns, char ***names,
                             struct th_error *err)
{
  const char *table = strcmp(path, "/raw/X") == 0   ? "/raw/var"
                      : strcmp(path, "/raw.X") == 0 ? "/raw.var"
                                                    : "/var";
  char genes[TH_FRAME_PATH + 32];
  static const char *const lists[] = {"features/id", "genes"};
  *names = NULL;
  for (int k = 0; is_10x(h5, path) && k < 2; k++) {
    snprintf(genes, sizeof genes, "%s/%s", path, lists[k]);
    if (th_frame_kind_of(h5, genes) == TH_FRAME_SET)
      return th_frame_texts(h5, genes, NULL, columns, names, err);
  }
  if (is_10x(h5, path) || strncmp(path, "/obsm/", 6) == 0 ||
      th_frame_kind_of(h5, table) == TH_FRAME_NOTHING)
    return TH_OK;
  return th_frame_names(h5, table, columns, names, err);
}

bool th_h5_matrix_begins(const char *head, size_t bytes)
{
  static const char signature[] = "\x89HDF\r\n\x1a\n";
  return bytes >= sizeof signature - 1 &&
         memcmp(head, signature, sizeof signature - 1) == 0;
}
