/* matrix_file.c - a matrix in a file of any kind that has some
 * SPDX-License-Identifier: MIT */
#include "io/import/arrays/matrix_file.h"

#include "base/memory.h"
#include "io/hdf5/h5.h"
#include "io/import/arrays/h5_matrix.h"
#include "io/import/arrays/npz.h"
#include "model/origin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void th_matrix_file_close(struct th_matrix_file *open)
{
  struct th_error ignored = {0};
  th_matrix_close(&open->matrix);
  if (open->h5 != NULL)
    th_h5_close(open->h5, &ignored);
  free(open->h5);
  *open = (struct th_matrix_file){0};
}

static th_status open_hdf5(struct th_matrix_file *open,
                           const struct th_text_file *file, const char *member,
                           struct th_error *err)
{
  if (file->base >= 0)
    return th_fail(err, TH_EFORMAT,
                   "%s: HDF5 in a compressed file, whose parts cannot be read; "
                   "decompress it first",
                   file->name);
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&open->h5, 1, "a file", err));
  TH_TRY(th_h5_open(open->h5, file->path, file->name, err));
  rc = th_h5_matrix_open(&open->matrix, open->h5, member, open->path, err);
done:
  return rc;
}

static th_status open_numpy(struct th_matrix_file *open,
                            const struct th_text_file *file, const char *member,
                            struct th_error *err)
{
  struct th_stretch_place place = {.path = file->path,
                                   .name = file->name,
                                   .verify = open->verify,
                                   .offset = file->base < 0 ? 0 : file->base,
                                   .stored = file->size,
                                   .bytes = file->size};
  return th_npz_open(&open->matrix, &place, member, err);
}

static th_status open_market(struct th_matrix_file *open,
                             const struct th_text_file *file, int64_t longest,
                             struct th_error *err)
{
  struct th_matrix *m = &open->matrix;
  int64_t shape[2] = {0};
  th_status rc = th_mtx_open(&m->text, file, longest, shape, err);
  if (rc != TH_OK)
    return rc;
  snprintf(m->name, sizeof m->name, "%s", file->name);
  m->form = TH_MATRIX_TEXT;
  m->rows = shape[0];
  m->columns = shape[1];
  return th_matrix_open(m, err);
}

th_status th_matrix_file_open(struct th_matrix_file *open,
                              enum th_matrix_kind kind,
                              const struct th_text_file *file,
                              const char *member, int64_t longest,
                              struct th_error *err)
{
  if (open->given != NULL)
    return th_given_open(&open->matrix, open->given, err);
  switch (kind) {
  case TH_MATRIX_HDF5:
    return open_hdf5(open, file, member, err);
  case TH_MATRIX_MARKET:
    return open_market(open, file, longest, err);
  case TH_MATRIX_NUMPY:
    break;
  }
  return open_numpy(open, file, member, err);
}

const char *th_matrix_file_table(const struct th_matrix_file *open)
{
  bool found = open->h5 != NULL &&
               th_frame_kind_of(open->h5, "/obs") != TH_FRAME_NOTHING;
  return found ? "/obs" : NULL;
}

th_status th_matrix_file_names(const struct th_matrix_file *open, char ***names,
                               struct th_error *err)
{
  *names = NULL;
  if (open->given != NULL)
    return th_given_texts(open->given->names, open->matrix.columns, names, err);
  if (open->h5 == NULL)
    return TH_OK;
  return th_h5_matrix_names(open->h5, open->path, open->matrix.columns, names,
                            err);
}

th_status th_matrix_file_ids(const struct th_matrix_file *open, char ***ids,
                             struct th_error *err)
{
  const char *table = th_matrix_file_table(open);
  const int64_t rows = open->matrix.rows;
  th_status rc = TH_OK;
  *ids = NULL;
  if (open->given != NULL)
    rc = th_given_texts(open->given->ids, rows, ids, err);
  else if (table != NULL)
    rc = th_frame_names(open->h5, table, rows, ids, err);
  for (int64_t k = 0; rc == TH_OK && *ids != NULL && k < rows; k++)
    if (strlen((*ids)[k]) > TH_ID_LONGEST)
      rc = th_fail(err, TH_EDATA,
                   "%s: the name of row %lld, counted from 1, has more than %d "
                   "bytes; shorten it, or read IDs from a file by {ids}",
                   open->matrix.name, (long long)k + 1, TH_ID_LONGEST);
  return rc;
}
