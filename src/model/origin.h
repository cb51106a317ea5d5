/* origin.h - where data come from: the text that they were imported from, or
 * the family that generated them
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_ORIGIN_H
#define TH_ORIGIN_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- The text: what the import was told, and what it found -----------------
 *
 * Data sets and models keep it, so that other text is read like it. */

/* An answer; unknown also where the question has no meaning in the format. */
enum th_fact { TH_FACT_UNKNOWN, TH_FACT_NO, TH_FACT_YES };

/* Words for missing values beside the usual ones, between commas; NULL: only
 * those. */
struct th_origin_missing {
  char *words;
  char *targets; /* of a table of targets beside the data */
};

/* Zeroed: nothing is known. Columns count from 1. All texts and lists are
 * owned; NULL: not known. */
struct th_origin {
  char *format;         /* name in the importer table; NULL: no text, or one
                           that an older program has read */
  char *target_name;    /* of the column of the targets */
  char *positive_class; /* its targets are 1, all others -1; NULL: targets are
                           numbers */
  enum th_fact zero_based; /* of LIBSVM: the first index is 0, not 1 */
  enum th_fact indexed; /* attributes are the indices that occurred, and called
                           by them; else not known */
  enum th_fact label_weights; /* of LIBSVM: labels are label:weight */
  enum th_fact header;        /* of CSV: the first row names the columns */
  char separator;             /* of CSV; 0: not known */
  char decimal;               /* the mark before decimals; 0: not known */
  struct th_origin_missing missing; /* how values are missing */
  int64_t columns;                  /* of CSV; 0: not known, or no CSV */
  int64_t target;                   /* its column; 0: there was none */
  int64_t weight;    /* column of the weights; 0: there was none */
  char *weight_name; /* its name */
  int64_t id;        /* column of the IDs of examples; 0: none */
  char *id_name;     /* its name, which may be empty */
  int64_t others;    /* columns that are neither attributes nor the target;
                        those of the weights and of the IDs are some */
  int64_t *other;    /* ascending */
  char **name;       /* of the others; NULL: the text had no header, or the
                        names are not kept */
  int64_t words;     /* columns of words, */
  char **word;       /* their names, */
  int64_t levels;    /* and how many attributes they have */
  char **level;      /* of a model: what these are called; NULL: not known, or
                        the names of the data set's attributes say it */
  int64_t kinds;     /* columns of CSV with other fields than plain numbers and
                        words: */
  int64_t *kind;     /* attribute and kind of each (enum th_kind), ascending;
                        TH_KIND_OF_WEIGHT and _TARGET for those of no attribute
                      */
  int64_t classes;   /* other classes than the positive one; 0: not known */
  char **class_name; /* ascending */
  int64_t labels;    /* distinct targets, where they are few; 0: they are
                        not, or classes have names */
  double *label;     /* ascending */
  enum th_fact whole_targets; /* all targets are whole numbers */
};

/* In the place of an attribute. */
enum { TH_KIND_OF_WEIGHT = -2, TH_KIND_OF_TARGET = -1 };

/* Bytes of an example's ID, and of two with a blank between them. */
enum { TH_ID_LONGEST = 255, TH_ID_PAIR = 2 * TH_ID_LONGEST + 1 };

enum {
  TH_ORIGIN_CLASSES = 32, /* at most; more are not remembered */
  TH_ORIGIN_LABELS = 32   /* likewise */
};

/* Afterwards nothing is known. */
void th_origin_free(struct th_origin *origin);

/* The column of words that an attribute of that name is one of the words of, or
 * NULL; *level is then the word, in the name. */
const char *th_origin_word_column(const struct th_origin *origin,
                                  const char *name, const char **level);

/* --- What a generated data set knows about itself -------------------------
 *
 * All functions are local. */

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
  CHOICE(task, "kukliansky", "ridge", th_origin_family_task,                   \
         "ridge scales the probabilities to norm 1 where their norm is "       \
         "larger, and has true coefficients 1 and -1. lasso leaves them, and " \
         "70 % of its true coefficients are 0")                                \
  CHOICE(design, "oomp", "orthogonal", th_origin_family_design,                \
         "orthogonal attributes do not depend on each other, and those of "    \
         "toeplitz have a {correlation}")                                      \
  NUMBER(decay, "oomp", "1", "G", 0.0, INFINITY, false, true,                  \
         "true coefficient k of s, counted from 0, is (1 - k / s)^G / "        \
         "sqrt(s): 0 makes all alike, 1 lets them fall linearly")              \
  NUMBER(linkage, "genotypes", "0.9", "P", 0.0, 1.0, false, true,              \
         "probability that a haplotype goes on from a variant to the next")    \
  NUMBER(heritability, "genotypes", "0.5", "H", 0.0, 1.0, true, false,         \
         "share of the targets' variance, which is 1, that the true variants " \
         "explain. The rest is noise")

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
  const char *family;   /* or two: "one and another" */
  size_t offset;        /* in struct th_family_parameters */
  const char *standard; /* the default, as text */
  double lowest;        /* of a number */
  double highest;
  bool lowest_open; /* the bound itself is excluded */
  bool highest_open;
  const char *(*choices)(int64_t k); /* NULL: a number */
};

/* Return a row, or NULL after the last. */
const struct th_family_parameter *th_origin_family_parameter(int k);

/* Say whether a family has that parameter. */
bool th_origin_family_of(const struct th_family_parameter *row,
                         const char *family);

/* Say whether files and fingerprints of data of a family have the row. */
bool th_origin_family_has(const char *family, int k);

/* Return the k-th choice of `task` and of `design`, or NULL after the last. */
const char *th_origin_family_task(int64_t k);
const char *th_origin_family_design(int64_t k);

/* Say whether a parameter can have this value in its own family. */
bool th_origin_family_allows(const struct th_family_parameter *row,
                             double value);

/* Get and set a parameter as a number; a choice is its index. */
double th_origin_family_get(const struct th_family_parameters *own,
                            const struct th_family_parameter *row);
void th_origin_family_set(struct th_family_parameters *own,
                          const struct th_family_parameter *row, double value);

/* Write the value as the option takes it. */
void th_origin_family_text(const struct th_family_parameters *own,
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
