/* import_array_columns.c - columns of arrays that are no attributes, since they
 * do not occur in a sparse array, or since too many examples lack them
 * SPDX-License-Identifier: MIT */
#include "io/import/import_job.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void th_import_array_columns_renumber(struct th_importing *im)
{
  struct th_array_files *a = th_import_job_arrays(im);
  if (a->dense || !a->plain || !im->text.indexed)
    return;
  a->in.matrix.numbers =
      (struct th_matrix_numbers){.set = a->numbers,
                                 .first = a->first,
                                 .unseen = &im->text.occur.unseen,
                                 .left_out = &im->text.occur.left_out};
}

/* --- Columns that occur ----------------------------------------------------
 */

/* The columns of sparse files may be indices of any size. */
static bool counts_columns(const struct th_importing *im)
{
  const struct th_array_files *a = th_import_job_arrays(im);
  return !a->dense && a->plain && im->job->like == NULL &&
         im->job->attributes == 0;
}

static th_status see_occurring(void *self, const int64_t *column, int64_t count,
                               bool *enough, struct th_error *err)
{
  struct th_importing *im = self;
  const uint64_t first = th_import_job_arrays(im)->first;
  th_status rc = TH_OK;
  for (int64_t k = 0; rc == TH_OK && !im->text.occur.dense && k < count; k++)
    rc = th_import_indices_add(im, (uint64_t)column[k] + first, err);
  *enough = im->text.occur.dense;
  return rc;
}

/* Each thread sees a part of each file. */
static th_status see_files(struct th_importing *im, struct th_error *err)
{
  struct th_array_files *a = th_import_job_arrays(im);
  const struct th_matrix_seer seer = {.see = see_occurring, .self = im};
  th_status rc = TH_OK;
  for (int64_t k = 0; rc == TH_OK && k < im->files && !im->text.occur.dense;
       k++) {
    rc = th_import_array_turn(im, k, err);
    if (rc == TH_OK)
      rc = th_matrix_columns(&a->in.matrix, im->comm->rank, im->comm->size,
                             &seer, err);
  }
  return rc;
}

/* Collective over threads where columns are counted; else the status is this
 * thread's own. */
static th_status collect_columns(struct th_importing *im, th_status rc,
                                 struct th_error *err)
{
  const struct th_array_files *a = th_import_job_arrays(im);
  bool wanted = false;
  if (!counts_columns(im))
    return rc;
  im->text.occur.largest = (uint64_t)(a->table.attributes - 1) + a->first;
  rc = th_import_indices_begin(im, &wanted, rc, err);
  if (!wanted)
    return rc;
  if (rc == TH_OK)
    rc = see_files(im, err);
  return th_import_indices_collected(im, rc, err);
}

/* A rank reads entries of columns that another one has seen: all ranks have all
 * numbers. Collective. */
static th_status share_numbers(struct th_importing *im, struct th_error *err)
{
  struct th_import_indices *occur = &im->text.occur;
  const int64_t count = im->attributes;
  uint64_t *all = NULL;
  th_status rc = TH_OK;
  if (im->comm->size == 1)
    return TH_OK;
  TH_TRY(th_agree(im->comm, TH_NEW(&all, count, "indices", err), err));
  if (im->comm->rank == 0)
    memcpy(all, occur->list, (size_t)count * sizeof *all);
  im->comm->ops->bcast(im->comm, all, (size_t)count * sizeof *all, 0);
  th_index_set_free(&occur->set);
  rc = th_index_set_fill(&occur->set, all, count, err);
  rc = th_agree(im->comm, rc, err);
done:
  free(all);
  return rc;
}

/* Collective. */
static th_status number_occurring(struct th_importing *im, struct th_error *err)
{
  struct th_array_files *a = th_import_job_arrays(im);
  if (!counts_columns(im))
    return TH_OK;
  th_status rc = th_import_indices_number(im, err);
  if (rc == TH_OK && im->text.indexed)
    rc = share_numbers(im, err);
  if (rc != TH_OK || !im->text.indexed)
    return rc;
  th_import_indices_tell(im, (uint64_t)a->table.attributes);
  a->numbers = &im->text.occur.set;
  th_import_array_columns_renumber(im);
  return TH_OK;
}

static void adopt_columns(struct th_importing *im,
                          const struct th_importing *first)
{
  if (!counts_columns(im))
    return;
  th_import_indices_adopt(im, first);
  th_import_job_arrays(im)->numbers = th_import_job_arrays(first)->numbers;
  th_import_array_columns_renumber(im);
}

const struct th_import_numbering th_import_array_columns_numbering = {
    .collect = collect_columns,
    .number = number_occurring,
    .adopt = adopt_columns};

/* --- Columns that too many examples lack -----------------------------------
 */

static void leave_out_of_list(struct th_importing *im)
{
  const struct th_lacking *lacking = &im->text.lacking;
  uint64_t *list = im->text.occur.list;
  for (int64_t k = 0; list != NULL && k < lacking->keeps; k++)
    list[k] = list[lacking->kept[k]];
}

th_status th_import_array_columns_leave_out(struct th_importing *im,
                                            struct th_error *err)
{
  struct th_csv *table = &th_import_job_arrays(im)->table;
  const uint32_t *number = im->text.lacking.number;
  if (im->text.indexed) {
    leave_out_of_list(im);
    return TH_OK;
  }
  if (table->role == NULL) {
    const int64_t attributes = table->attributes;
    th_status rc = TH_NEW(&table->role, table->columns, "columns", err);
    if (rc != TH_OK)
      return rc;
    for (int64_t k = 0; k < table->columns; k++)
      table->role[k] = k < attributes ? k : TH_COLUMN_TARGET;
  }
  th_csv_words_renumber(NULL, table, 1, number);
  table->attributes = im->attributes;
  return TH_OK;
}
