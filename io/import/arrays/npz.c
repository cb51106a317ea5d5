/* npz.c - matrices and vectors in files of NumPy and SciPy
 * SPDX-License-Identifier: MIT */
#include "io/import/arrays/npz.h"

#include "io/files/zip.h"
#include "io/import/arrays/npy.h"

#include <stdio.h>
#include <string.h>

static const char ending[] = ".npy";

enum { HEAD = 8, LIST = 200 };

static bool is_zip(const char *head, size_t bytes)
{
  return bytes >= 4 && memcmp(head, "PK\3\4", 4) == 0;
}

/* The name of the first member stands behind the first bytes. */
bool th_npz_begins(const char *head, size_t bytes)
{
  enum { NAME_AT = 30 };
  size_t tail = strlen(ending);
  if (!is_zip(head, bytes))
    return false;
  for (size_t k = NAME_AT; k + tail <= bytes; k++)
    if (memcmp(head + k, ending, tail) == 0)
      return true;
  return false;
}

static th_status read_first(const struct th_stretch_place *file,
                            char head[HEAD], struct th_error *err)
{
  struct th_stretch *bytes = NULL;
  th_status rc = TH_OK;
  memset(head, 0, HEAD);
  TH_TRY(th_stretch_open(&bytes, file, err));
  TH_TRY(th_stretch_read(bytes, 0, file->bytes < HEAD ? file->bytes : HEAD,
                         head, err));
done:
  th_stretch_close(bytes);
  return rc;
}

/* "a, b, c": the arrays of an archive. */
static void list_arrays(const struct th_zip *zip, char list[LIST])
{
  size_t used = 0;
  list[0] = '\0';
  for (int64_t k = 0; k < zip->members && used < LIST; k++) {
    const char *name = zip->member[k].name;
    size_t length = strlen(name);
    if (length > strlen(ending) &&
        strcmp(name + length - strlen(ending), ending) == 0)
      length -= strlen(ending);
    used += (size_t)snprintf(list + used, LIST - used, "%s%.*s",
                             k > 0 ? ", " : "", (int)length, name);
  }
}

static const struct th_zip_member *find_array(const struct th_zip *zip,
                                              const char *name)
{
  char whole[TH_ZIP_NAME];
  snprintf(whole, sizeof whole, "%.240s%s", name, ending);
  return th_zip_find(zip, whole);
}

static th_status open_member(const struct th_zip *zip, const char *file,
                             const char *name, struct th_npy *npy,
                             struct th_error *err)
{
  const struct th_zip_member *member = find_array(zip, name);
  char list[LIST];
  char called[TH_ITEMS_NAME];
  if (member == NULL) {
    list_arrays(zip, list);
    return th_fail(err, TH_EDATA,
                   "%s: there is no array '%.80s' in it, but %s; name one as "
                   "%s:NAME",
                   file, name, list[0] != '\0' ? list : "nothing", file);
  }
  struct th_stretch_place place = member->place;
  snprintf(called, sizeof called, "%.160s:%.100s", file, name);
  place.name = called;
  return th_npy_open(npy, &place, err);
}

/* --- SciPy's sparse matrices ---------------------------------------------- */

static bool is_sparse(const struct th_zip *zip)
{
  return find_array(zip, "format") != NULL &&
         find_array(zip, "shape") != NULL && find_array(zip, "data") != NULL;
}

static th_status read_scipy_shape(const struct th_zip *zip, const char *file,
                                  struct th_matrix *m, struct th_error *err)
{
  struct th_npy shape = {0};
  int64_t size[2] = {0};
  th_status rc = TH_OK;
  TH_TRY(open_member(zip, file, "shape", &shape, err));
  if (shape.is_text || shape.items.count != 2 ||
      !th_items_integer(shape.items.element))
    rc = th_fail(err, TH_EFORMAT,
                 "%s:shape: no two whole numbers; the file is damaged, make it "
                 "again",
                 file);
  else
    rc = th_items_whole(&shape.items, 0, 2, size, err);
  m->rows = size[0];
  m->columns = size[1];
done:
  th_npy_close(&shape);
  return rc;
}

/* Take the items of an array of one dimension. */
static th_status take_list(const struct th_zip *zip, const char *file,
                           const char *name, struct th_items *items,
                           struct th_error *err)
{
  struct th_npy npy = {0};
  th_status rc = open_member(zip, file, name, &npy, err);
  if (rc == TH_OK && (npy.items.read == NULL || npy.dimensions != 1))
    rc = th_fail(err, TH_EFORMAT,
                 "%s:%s: an array of %d dimensions, expected one; the file is "
                 "damaged, make it again",
                 file, name, npy.dimensions);
  if (rc == TH_OK) {
    *items = npy.items;
    npy.items = (struct th_items){0};
  }
  th_npy_close(&npy);
  return rc;
}

static th_status read_form(const struct th_zip *zip, const char *file,
                           struct th_matrix *m, struct th_error *err)
{
  struct th_npy format = {0};
  th_status rc = TH_OK;
  TH_TRY(open_member(zip, file, "format", &format, err));
  if (strcmp(format.text, "csr") == 0)
    m->form = TH_MATRIX_BY_ROWS;
  else if (strcmp(format.text, "csc") == 0)
    m->form = TH_MATRIX_BY_COLUMNS;
  else if (strcmp(format.text, "coo") == 0)
    m->form = TH_MATRIX_ENTRIES;
  else
    rc = th_fail(err, TH_EDATA,
                 "%s: a sparse matrix of format '%.20s', expected csr, csc or "
                 "coo; write it as scipy.sparse.save_npz(FILE, X.tocsr())",
                 file, format.text);
done:
  th_npy_close(&format);
  return rc;
}

static th_status open_scipy(const struct th_zip *zip, const char *file,
                            struct th_matrix *m, struct th_error *err)
{
  th_status rc = TH_OK;
  TH_TRY(read_form(zip, file, m, err));
  TH_TRY(read_scipy_shape(zip, file, m, err));
  TH_TRY(take_list(zip, file, "data", &m->data, err));
  bool entries = m->form == TH_MATRIX_ENTRIES;
  TH_TRY(take_list(zip, file, entries ? "col" : "indices", &m->index, err));
  TH_TRY(take_list(zip, file, entries ? "row" : "indptr", &m->start, err));
done:
  return rc;
}

/* --- One array of a file -------------------------------------------------- */

/* The only array of an archive. */
static th_status only_member(const struct th_zip *zip, const char *file,
                             char name[TH_ZIP_NAME], struct th_error *err)
{
  char list[LIST];
  const char *first = zip->members > 0 ? zip->member[0].name : "";
  size_t length = strlen(first);
  size_t tail = strlen(ending);
  list_arrays(zip, list);
  if (length <= tail || strcmp(first + length - tail, ending) != 0)
    return th_fail(err, TH_EFORMAT,
                   "%s: a zip archive of %s (%lld members), expected arrays of "
                   "NumPy; unpack it, and import what is in it",
                   file, list[0] != '\0' ? list : "nothing",
                   (long long)zip->members);
  snprintf(name, TH_ZIP_NAME, "%.*s", (int)(length - tail), first);
  if (zip->members == 1)
    return TH_OK;
  return th_fail(err, TH_EUSAGE,
                 "%s: which of its arrays, %s? Name one as %s:%s", file, list,
                 file, name);
}

/* Open an array of a file; of an archive, its sparse matrix where there is one
 * and no other array is named. */
static th_status open_named(const struct th_stretch_place *file,
                            const char *member, struct th_matrix *sparse,
                            struct th_npy *npy, struct th_error *err)
{
  char head[HEAD];
  char only[TH_ZIP_NAME];
  struct th_zip zip = {0};
  th_status rc = TH_OK;
  TH_TRY(read_first(file, head, err));
  if (!is_zip(head, HEAD)) {
    if (member != NULL)
      return th_fail(err, TH_EUSAGE,
                     "%s: one array, which has no '%.80s'; leave the name out",
                     file->name, member);
    return th_npy_open(npy, file, err);
  }
  TH_TRY(th_zip_open(&zip, file, err));
  if (member == NULL && sparse != NULL && is_sparse(&zip)) {
    rc = open_scipy(&zip, file->name, sparse, err);
    goto done;
  }
  if (member == NULL)
    TH_TRY(only_member(&zip, file->name, only, err));
  rc = open_member(&zip, file->name, member == NULL ? only : member, npy, err);
done:
  th_zip_free(&zip);
  return rc;
}

th_status th_npz_open(struct th_matrix *matrix,
                      const struct th_stretch_place *file, const char *member,
                      struct th_error *err)
{
  struct th_npy npy = {0};
  th_status rc = TH_OK;
  snprintf(matrix->name, sizeof matrix->name, "%.160s%s%.100s", file->name,
           member == NULL ? "" : ":", member == NULL ? "" : member);
  TH_TRY(open_named(file, member, matrix, &npy, err));
  if (npy.is_text || npy.word != NULL ||
      (npy.items.read != NULL && npy.dimensions != 2)) {
    rc = th_fail(err, TH_EDATA,
                 "%s: an array of %d dimension%s, expected 2: examples are "
                 "rows, attributes are columns; write it with X.reshape",
                 matrix->name, npy.dimensions, npy.dimensions == 1 ? "" : "s");
    goto done;
  }
  if (npy.items.read != NULL) {
    matrix->form = npy.by_columns ? TH_MATRIX_TURNED : TH_MATRIX_DENSE;
    matrix->rows = npy.shape[0];
    matrix->columns = npy.shape[1];
    matrix->data = npy.items;
    npy.items = (struct th_items){0};
  }
  rc = th_matrix_open(matrix, err);
done:
  th_npy_close(&npy);
  return rc;
}

th_status th_npz_vector(struct th_npy *npy, const struct th_stretch_place *file,
                        const char *member, struct th_error *err)
{
  th_status rc = open_named(file, member, NULL, npy, err);
  bool flat =
      npy->dimensions == 1 ||
      (npy->dimensions == 2 && (npy->shape[0] == 1 || npy->shape[1] == 1));
  if (rc == TH_OK && (npy->is_text || !flat))
    rc = th_fail(err, TH_EDATA,
                 "%s: an array of %d dimensions, expected one number for each "
                 "example",
                 file->name, npy->dimensions);
  return rc;
}
