/* cohort.h - the people and the variants of a cohort: .fam and .bim of PLINK 1
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_COHORT_H
#define TH_COHORT_H

#include "base/error.h"
#include "io/dataset/variants.h"

#include <stdbool.h>
#include <stdint.h>

/* Texts lie in pieces of memory that are kept until the end. */
struct th_cohort_texts {
  char **piece;
  int64_t pieces;
  int64_t capacity;
  int64_t left; /* bytes of the last piece */
  char *next;
};

/* A line of .fam. */
struct th_person {
  const char *family; /* FID */
  const char *id;     /* IID */
  double phenotype;   /* NaN: not known */
};

/* Zeroed: nothing. Lists are owned. */
struct th_cohort {
  struct th_cohort_texts texts;
  int64_t people;
  int64_t people_capacity;
  struct th_person *person;
  /* the variants, in the order of the file */
  int64_t variants;
  int64_t variant_capacity;
  const char **name; /* unique, after th_cohort_name */
  struct th_variant *variant;
  int64_t renamed; /* variants whose ID is not their name */
  uint64_t print;  /* a hash of both files */
};

/* How files are read. */
struct th_cohort_files {
  const char *variants; /* .bim */
  const char *people;   /* .fam */
  const char *output;   /* temporary files lie beside it */
};

/* Read both files. Release with th_cohort_free, also on failure. */
th_status th_cohort_read(struct th_cohort *cohort,
                         const struct th_cohort_files *files,
                         struct th_error *err);
void th_cohort_free(struct th_cohort *cohort);

/* Variants by name. */
struct th_cohort_index {
  int64_t slots; /* a power of two */
  int64_t *slot; /* 1 + a variant; 0: none */
};

/* An index of all names, which must be unique. Release with free(slot). */
th_status th_cohort_index(struct th_cohort_index *index,
                          const struct th_cohort *cohort, struct th_error *err);

/* The variant of that name, or -1. */
int64_t th_cohort_find(const struct th_cohort_index *index,
                       const struct th_cohort *cohort, const char *name);

#endif
