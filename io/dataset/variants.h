/* variants.h - what a master says of attributes that are variants of a genome:
 * where they are, and which alleles they have; internal to io/
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_VARIANTS_H
#define TH_VARIANTS_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct th_h5;

/* One attribute; texts are borrowed. */
struct th_variant {
  const char *chromosome;
  int64_t position;
  const char *counted; /* the allele whose copies the values are */
  const char *other;
};

/* Those of a data set, as they were read. */
struct th_variants {
  int64_t count; /* 0: attributes are no variants */
  struct th_variant *variant;
  char *text[3]; /* that variants point into */
};

/* How the alleles of a variant fit those that another text has of it. An allele
 * that nobody there carries is written 0 or . and may be any. */
enum th_variants_fit {
  TH_VARIANTS_SAME,
  TH_VARIANTS_SWAPPED, /* what one counts is the other one's other allele */
  TH_VARIANTS_DIFFER
};
enum th_variants_fit th_variants_compare(const struct th_variant *here,
                                         const struct th_variant *there);

/* Let *there have the alleles of `here` where it does not know its own. */
void th_variants_learn(struct th_variant *there, const struct th_variant *here,
                       bool swapped);

/* Write those of all attributes. Without any, nothing is written. */
th_status th_variants_put(const struct th_h5 *h5, int64_t count,
                          const struct th_variant *variant,
                          struct th_error *err);

/* Read and verify them; count 0 where there are none. *variants is zero.
 * Release with th_variants_free, also after a failure. */
th_status th_variants_get(const struct th_h5 *h5, int64_t attributes,
                          struct th_variants *variants, struct th_error *err);
void th_variants_free(struct th_variants *variants);

#endif
