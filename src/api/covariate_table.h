/* covariate_table.h - a table of covariates: its columns as import makes
 * attributes of them, and whose rows they are
 * SPDX-License-Identifier: MIT */
#ifndef TH_COVARIATE_TABLE_H
#define TH_COVARIATE_TABLE_H

#include "api/data.h"
#include "io/import/import.h"
#include "io/targets/id_join.h"
#include "model/model.h"

/* Where covariates come from; all is borrowed. */
struct th_covering {
  const char *table;   /* the file, or FILE:COLUMN,COLUMN */
  const char *targets; /* the table of targets, or NULL: where it is the same
                          file, these columns are no covariates: */
  const char *target;
  const char *weights;
  const char *ids;      /* the column of the IDs; NULL: see th_target_choice */
  const char *missing;  /* how missing values are written, or NULL */
  const char *folder;   /* where the import is kept; NULL: beside the table */
  const char *output;   /* of the command, or NULL */
  struct th_import job; /* its memory, threads and longest line count */
  const struct th_model *model; /* they are applied; NULL: training */
  char *const *path;            /* of each model */
  int64_t models;
};

/* Zeroed: empty. */
struct th_covariate_table {
  char *file;                 /* without the columns; on every rank */
  struct th_covariates found; /* what the attributes are, without means; on
                                 every rank */
  struct th_id_join join;     /* on rank 0, */
  double *value;              /* and the values, row by row; NaN: missing */
};

/* Import a table, or find what was imported, and read it. Collective. Release
 * with th_covariate_table_free, also after a failure. */
th_status th_covariate_table_open(struct th_covariate_table *table,
                                  struct th_data *data,
                                  const struct th_covering *how,
                                  struct th_comm *comm, struct th_error *err);
/* Local. */
void th_covariate_table_free(struct th_covariate_table *table);

#endif
