/* fold_groups.h - examples that stay together in folds: those that have one
 * value of a column, such as families, patients or sites
 *
 * The column, as {folds-by} names it, is the first of these that there is:
 *   1  an attribute, by its name or its number from 0: those with equal values.
 *      The mean stands for missing values, as elsewhere, so that these are one
 *      group
 *   2  a column of words: those of which the same attribute is 1; those with
 *      none of the words are one group
 *   3  the IDs: `id`, or what their column was called; or `FID` where IDs are
 *      FID and IID
 *   4  a column of the table of targets, or TABLE:COLUMN: by the words there,
 *      which are compared as they stand
 * In 3 and 4 an example without a value is a group for itself; family 0 is none
 * (PLINK). Groups are joined where examples of both are equal, unless too few
 * would be left. The column stays what else it is, and is read without being
 * counted as observed, as targets are.
 * SPDX-License-Identifier: MIT */
#ifndef TH_FOLD_GROUPS_H
#define TH_FOLD_GROUPS_H

#include "api/data.h"
#include "model/model.h"
#include "solvers/config.h"

/* What is asked for; all is borrowed. */
struct th_fold_column {
  const char *text;    /* as given */
  const char *targets; /* the table of targets; NULL: none */
  const char *ids;     /* column of the IDs in tables; NULL: as they have it */
  const char *output;  /* of the command, or NULL */
  int64_t folds;       /* 0: by rule */
};

/* Zeroed: none. Replicated. */
struct th_fold_groups {
  int64_t *first; /* as in struct th_config_together */
  int64_t count;
  uint64_t fingerprint; /* of first */
  char *column;         /* its name, without the table */
};

/* Find a column and read it. Says what it has found (th_data.note). Collective;
 * after the cells of the data's store are placed. An error where there is no
 * such column, with the nearest name. Release with th_fold_groups_free, also
 * after a failure. */
th_status th_fold_groups_read(struct th_fold_groups *groups,
                              struct th_data *data,
                              const struct th_fold_column *column,
                              struct th_comm *comm, struct th_error *err);
/* Local. */
void th_fold_groups_free(struct th_fold_groups *groups);

/* Let a choice have the groups, which stay those of the caller. Local. */
void th_fold_groups_give(const struct th_fold_groups *groups,
                         struct th_config_choice *choice);

/* Bytes that a rank keeps for the groups of so many examples, and takes to deal
 * them. Local. */
int64_t th_fold_groups_bytes(int64_t training);

/* Put the column into a model's deck. Local. */
th_status th_fold_groups_put(const struct th_fold_groups *groups,
                             struct th_model *model, struct th_error *err);

#endif
