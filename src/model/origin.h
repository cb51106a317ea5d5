/* origin.h - what is known of the text that data were imported from: what the
 * import was told, and what it found
 *
 * Data sets and models keep it, so that other text is read like it.
 * SPDX-License-Identifier: MIT */
#ifndef TH_ORIGIN_H
#define TH_ORIGIN_H

#include <stdint.h>

/* An answer; unknown also where the question has no meaning in the format. */
enum th_fact { TH_FACT_UNKNOWN, TH_FACT_NO, TH_FACT_YES };

/* Zeroed: nothing is known. Columns count from 1. All texts and lists are
 * owned; NULL: not known. */
struct th_origin {
  char *format;         /* name in the importer table; NULL: no text, or one
                           that an older program has read */
  char *target_name;    /* of the column of the targets */
  char *positive_class; /* its targets are 1, all others -1; NULL: targets are
                           numbers */
  enum th_fact zero_based;    /* of LIBSVM: the first index is 0, not 1 */
  enum th_fact label_weights; /* of LIBSVM: labels are label:weight */
  enum th_fact header;        /* of CSV: the first row names the columns */
  char separator;             /* of CSV; 0: not known */
  char decimal;               /* the mark before decimals; 0: not known */
  int64_t columns;            /* of CSV; 0: not known, or no CSV */
  int64_t target;             /* its column; 0: there was none */
  int64_t weight;             /* column of the weights; 0: there was none */
  char *weight_name;          /* its name */
  int64_t others;    /* columns that are neither attributes nor the target;
                        that of the weights is one */
  int64_t *other;    /* ascending */
  char **name;       /* of the others; NULL: the text had no header, or the
                        names are not kept */
  int64_t classes;   /* other classes than the positive one; 0: not known */
  char **class_name; /* ascending */
  int64_t labels;    /* distinct targets, where they are few; 0: they are
                        not, or classes have names */
  double *label;     /* ascending */
  enum th_fact whole_targets; /* all targets are whole numbers */
};

enum {
  TH_ORIGIN_CLASSES = 32, /* at most; more are not remembered */
  TH_ORIGIN_LABELS = 32   /* likewise */
};

/* Local. Afterwards nothing is known. */
void th_origin_free(struct th_origin *origin);

#endif
