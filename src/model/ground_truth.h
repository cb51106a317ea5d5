/* ground_truth.h - what a generated data set knows about itself
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_GROUND_TRUTH_H
#define TH_GROUND_TRUTH_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TH_FAMILY_NAME = 32 };

/* One list: every parameter that one family alone has. Its name, also as an
 * option, in a data set's file and in JSON; the family; the default as text;
 * the limits of a number (lowest, highest, whether each is excluded) or the
 * choices; what the help says. The members below, the options, the file, the
 * fingerprint of computed data, `inspect` and the provenance follow from it:
 * append, since files know the first ones by place. */
#define TH_FAMILY_PARAMETERS(NUMBER, CHOICE)                                   \
  NUMBER(correlation, "toeplitz and oomp", "0.5", "R", -1.0, 1.0, true, true,  \
         "correlation of neighbouring attributes")                             \
  NUMBER(density, "sparse", "0.001", "P", 0.0, 0.5, true, false,               \
         "mean share of the values that are not zero")                         \
  NUMBER(alpha, "kukliansky", "-1", "A", -INFINITY, 0.0, true, false,          \
         "attribute i, counted from 1, is 1 with a probability proportional "  \
         "to i^A. 0 makes all attributes alike")                               \
  CHOICE(task, "kukliansky", "ridge", th_ground_truth_task,                    \
         "ridge scales the probabilities to norm 1 where their norm is "       \
         "larger, and has true coefficients 1 and -1. lasso leaves them, and " \
         "70 % of its true coefficients are 0")                                \
  CHOICE(design, "oomp", "orthogonal", th_ground_truth_design,                 \
         "orthogonal attributes do not depend on each other, and those of "    \
         "toeplitz have a {correlation}")

/* Files have so many parameters whatever the family, and the others only where
 * it is theirs. */
enum { TH_FAMILY_PARAMETERS_ALWAYS = 2 };

/* The number of each row, and their count. */
enum {
#define TH_ROW_NUMBER(name, ...) TH_FAMILY_PARAMETER_##name,
  TH_FAMILY_PARAMETERS(TH_ROW_NUMBER, TH_ROW_NUMBER)
#undef TH_ROW_NUMBER
      TH_FAMILY_PARAMETERS_COUNT
};

/* Zero in all families but the parameter's own ones. */
struct th_family_parameters {
#define TH_NUMBER_MEMBER(name, ...) double name;
#define TH_CHOICE_MEMBER(name, ...) int name;
  TH_FAMILY_PARAMETERS(TH_NUMBER_MEMBER, TH_CHOICE_MEMBER)
#undef TH_NUMBER_MEMBER
#undef TH_CHOICE_MEMBER
};

enum th_family_task { TH_FAMILY_RIDGE, TH_FAMILY_LASSO };
enum th_family_design { TH_FAMILY_ORTHOGONAL, TH_FAMILY_TOEPLITZ };

/* A row of the list. */
struct th_family_parameter {
  const char *name;
  const char *family; /* or two: "one and another" */
  size_t offset;      /* in struct th_family_parameters */
  double lowest;      /* of a number */
  double highest;
  bool lowest_open; /* the bound itself is excluded */
  bool highest_open;
  const char *(*choices)(int64_t k); /* NULL: a number */
};

/* Return a row, or NULL after the last. */
const struct th_family_parameter *th_ground_truth_parameter(int k);

/* Say whether a family has that parameter. */
bool th_ground_truth_of(const struct th_family_parameter *row,
                        const char *family);

/* Say whether files and fingerprints of data of a family have the row. */
bool th_ground_truth_has(const char *family, int k);

/* Return the k-th choice of `task` and of `design`, or NULL after the last. */
const char *th_ground_truth_task(int64_t k);
const char *th_ground_truth_design(int64_t k);

/* Say whether a parameter can have this value in its own family. */
bool th_ground_truth_allows(const struct th_family_parameter *row,
                            double value);

/* Get and set a parameter as a number; a choice is its index. */
double th_ground_truth_get(const struct th_family_parameters *own,
                           const struct th_family_parameter *row);
void th_ground_truth_set(struct th_family_parameters *own,
                         const struct th_family_parameter *row, double value);

/* Write the value as the option takes it. */
void th_ground_truth_text(const struct th_family_parameters *own,
                          const struct th_family_parameter *row, char *text,
                          size_t size);

/* Plain parameters plus the true coefficients; support and coef are owned by
 * whoever holds the record. family[0] == 0: the data were not generated. */
struct th_ground_truth {
  char family[TH_FAMILY_NAME];
  uint64_t seed;
  double noise; /* standard deviation of the target noise */
  struct th_family_parameters own;
  int64_t support_size;
  int64_t *support; /* ascending */
  double *coef;
};

/* What a family's law says of all sets of attributes, in their own units: a
 * bound of the irrepresentable constant of the true ones, and bounds of the
 * eigenvalues of the covariance. most 0: it says nothing. */
struct th_design {
  double mu;
  double least;
  double most;
};

#endif
