/* covariates.h - attributes that a model has from a table beside its data
 *
 * They are the last ones of its attributes. Other examples get theirs from
 * another table, by the names of its columns and by what is said here.
 * SPDX-License-Identifier: MIT */
#ifndef TH_COVARIATES_H
#define TH_COVARIATES_H

#include <stdbool.h>
#include <stdint.h>

/* Zeroed: none. All is owned. */
struct th_covariates {
  int64_t count;
  char **name;         /* a column, or column=word */
  double *mean;        /* what stands for a value that is missing: the mean of
                          the training examples */
  char *missing_words; /* how the table writes these, beside the usual words;
                          NULL: only so */
  char decimal;        /* the table's mark before decimals */
  int64_t words;       /* columns of words, */
  char **word;         /* and their names */
};

/* Local. */
void th_covariates_free(struct th_covariates *covariates);

/* True if both are called the same, in the same order. Local. */
bool th_covariates_alike(const struct th_covariates *a,
                         const struct th_covariates *b);

#endif
