/* model.h - a trained model: sparse coefficients and how they came about
 * SPDX-License-Identifier: MIT */
#ifndef TH_MODEL_H
#define TH_MODEL_H

#include "base/error.h"
#include "data/groups.h"
#include "data/source.h"
#include "model/claims.h"
#include "model/covariates.h"
#include "model/origin.h"
#include "model/path.h"

#include <stdbool.h>
#include <stdint.h>

/* One line of the deck: an option that can change the model, as it was used. */
struct th_setting {
  char *name;
  char *value;
};

/* Replicated but for the pieces of groups. Holds nothing that depends on ranks,
 * hosts, paths or clocks. All pointers are owned. */
struct th_model {
  char *solver;
  char *loss;
  int64_t attributes; /* d, with the covariates, which come last */
  int64_t support_size;
  int64_t *support;  /* 0-based, ascending */
  double *coef;      /* aligned with support, in the data's own units */
  double *deviation; /* aligned with support: over the training examples,
                        weighted if the solver weights them; NULL: not known */
  double *mean;      /* likewise, which stands for a value that is missing */
  char **name;   /* aligned with support; NULL: the data have no names. While
                    training, on rank 0 alone */
  char **allele; /* likewise: the one whose copies the values are; "" of an
                    attribute that is no variant of a genome; NULL: none is */
  char **other;  /* likewise: the allele of the other copies */
  struct th_name_print names; /* of all attributes */
  double intercept;
  struct th_ledger ledger;
  int64_t passes; /* begun */
  struct th_certificate certificate;
  struct th_ending ending;
  struct th_selected selected;
  struct th_path path;      /* that a choice was made on; points 0: none */
  struct th_model *members; /* its support are all attributes of the path, with
                               their means and names; no other member is set */
  struct th_claims claims;
  bool stopped; /* the run was told to end before its end; not in the file,
                   which is that of a run with a limit */
  struct th_groups groups;         /* of the penalty; attributes 0: none */
  struct th_covariates covariates; /* while training, on rank 0 alone */
  char *statistics; /* where means and deviations come from: "import", a family,
                       "weighted" passes of the solver, "none" */
  uint64_t fingerprint;    /* of the data set it was trained on */
  struct th_origin origin; /* of its text, without the names of what was left
                              out; while training, on rank 0 alone */
  char *type;              /* of its values; NULL: not known. Likewise */
  int64_t settings;
  struct th_setting *deck;
};

/* Give the model one more line of the deck; both strings are copied. Local. */
th_status th_model_set(struct th_model *model, const char *name,
                       const char *value, struct th_error *err);

/* Reserve room for a support of that size. Local. */
th_status th_model_reserve(struct th_model *model, int64_t support_size,
                           struct th_error *err);

/* Renumber the support for other data with so many attributes: member k is
 * attribute number[k] there, or leaves the model where that is below 0. The
 * support and the arrays aligned with it are sorted again; the order of
 * selection is forgotten. A failure leaves the model as it was. Local. */
th_status th_model_renumber(struct th_model *model, const int64_t *number,
                            int64_t attributes, struct th_error *err);

/* A copy of a string, owned by the caller; NULL when out of memory. Local. */
char *th_model_copy_string(const char *text);

/* What member k is called, or NULL: a covariate has a name also where the data
 * have none. The model has the numbers that it was trained with. Local. */
const char *th_model_name_of(const struct th_model *model, int64_t k);

/* How many members lie below an attribute: of those of the data, as covariates
 * come last. Local. */
int64_t th_model_members_below(const struct th_model *model, int64_t attribute);

/* True if any member is called by something. Local. */
bool th_model_has_names(const struct th_model *model);

void th_model_free(struct th_model *model);

/* List the attributes of the path as members. Local. */
th_status th_model_list_members(struct th_model *model, struct th_error *err);

/* Make the model that of another lambda of its path (th_path_at): its
 * coefficients, intercept and support change; its certificate is not that of
 * the model any more. Local. */
th_status th_model_set_lambda(struct th_model *model, double lambda,
                              struct th_error *err);

#endif
