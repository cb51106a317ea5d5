/* sample.h - columns of all forms and a target, for tests of local fits
 * SPDX-License-Identifier: MIT */
#ifndef SAMPLE_H
#define SAMPLE_H

#include "solvers/predict/strict.h"

enum { SAMPLE_ROWS = 1500, SAMPLE_COLUMNS = 160 };

/* Columns as numbers, and as vectors of one form or of all in turns. */
struct sample {
  int64_t rows;
  int64_t count;
  double x[SAMPLE_COLUMNS][SAMPLE_ROWS];
  float single[SAMPLE_COLUMNS][SAMPLE_ROWS];
  double entry[SAMPLE_COLUMNS][SAMPLE_ROWS];
  int32_t row[SAMPLE_COLUMNS][SAMPLE_ROWS];
  struct th_vector vector[SAMPLE_COLUMNS];
  double y[SAMPLE_ROWS];
  double weight[SAMPLE_ROWS];
  int64_t chosen[SAMPLE_COLUMNS];
  int64_t size;
  double coef[SAMPLE_COLUMNS];
  double constant;
  double prediction[SAMPLE_ROWS];
};

/* The form of column k after sample_fill. */
enum th_vector_form sample_form(int64_t k);

/* As its vector says it: less its centre, times its scale. */
double sample_value(const struct sample *s, int64_t k, int64_t i);

/* Column k's vector from its numbers, which single precision rounds. */
void sample_vector(struct sample *s, int64_t k, enum th_vector_form form);

/* Independent columns, every third with a third of its values alone; noise is
 * the target. Means are not 0; weights 1. */
void sample_fill(struct sample *s, int64_t rows, int64_t count, uint64_t seed);

/* Weights from 0 to 2, a quarter of them 0. */
void sample_weigh(struct sample *s);

/* Every third column, of all forms. */
bool sample_is_planted(int64_t k, int64_t members);

/* These get coefficients of this size. */
void sample_plant(struct sample *s, int64_t members, double size);

/* Targets become -1, or +1 above `cut`. */
void sample_label(struct sample *s, double cut);

/* The first `count` columns and all rows, with a constant. */
struct th_strict_data sample_data(const struct sample *s, int64_t count,
                                  int64_t attributes, int64_t largest);

/* The functions of solvers/predict/strict.h on it. */
th_status sample_select(struct sample *s, int64_t attributes, int64_t largest);
th_status sample_fit(struct sample *s, const char *loss, bool intercept);
void sample_predict(struct sample *s);

/* How many of those that are planted have been chosen. */
int64_t sample_count_planted(const struct sample *s, int64_t members);

#endif
