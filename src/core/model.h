/* model.h - a trained model: sparse coefficients and how they came about
 * SPDX-License-Identifier: MIT */
#ifndef TH_MODEL_H
#define TH_MODEL_H

#include "core/error.h"
#include "core/source.h"

#include <stdint.h>

/* One line of the deck: an option that can change the model, as it was used. */
struct th_setting {
  char *name;
  char *value;
};

/* Replicated. Holds nothing that depends on ranks, hosts, paths or clocks. All
 * pointers are owned. */
struct th_model {
  char *solver;
  char *loss;
  int64_t attributes; /* d */
  int64_t support_size;
  int64_t *support; /* 0-based, ascending */
  double *coef;     /* aligned with support, in the data's own units */
  double intercept;
  struct th_ledger ledger;
  int64_t passes;       /* begun */
  char *statistics;     /* where means and deviations come from, or "none" */
  uint64_t fingerprint; /* of the data set it was trained on */
  int64_t settings;
  struct th_setting *deck;
};

/* Give the model one more line of the deck; both strings are copied. Local. */
th_status th_model_set(struct th_model *model, const char *name,
                       const char *value, struct th_error *err);

/* Room for a support of that size. Local. */
th_status th_model_reserve(struct th_model *model, int64_t support_size,
                           struct th_error *err);

/* A copy of a string, owned by the caller; NULL when out of memory. Local. */
char *th_copy_string(const char *text);

void th_model_free(struct th_model *model);

#endif
