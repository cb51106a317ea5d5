/* sample.c - columns of all forms and a target, for tests of local fits
 * SPDX-License-Identifier: MIT */
#include "sample.h"
#include "normal.h"

#include <stddef.h>

enum th_vector_form sample_form(int64_t k)
{
  static const enum th_vector_form forms[] = {
      TH_VECTOR_SINGLE, TH_VECTOR_DOUBLE, TH_VECTOR_ENTRIES};
  return forms[(k + k / 3) % 3];
}

double sample_value(const struct sample *s, int64_t k, int64_t i)
{
  const struct th_vector *v = &s->vector[k];
  return v->form == TH_VECTOR_ENTRIES ? s->x[k][i]
                                      : (s->x[k][i] - v->centre) * v->scale;
}

void sample_vector(struct sample *s, int64_t k, enum th_vector_form form)
{
  struct th_vector *v = &s->vector[k];
  *v = (struct th_vector){.form = form, .items = s->rows, .scale = 1};
  v->values = s->x[k];
  if (form == TH_VECTOR_SINGLE) {
    for (int64_t i = 0; i < s->rows; i++)
      s->x[k][i] = s->single[k][i] = (float)s->x[k][i];
    v->values = s->single[k];
    v->centre = 0.5;
    v->scale = 2;
  }
  if (form != TH_VECTOR_ENTRIES)
    return;
  v->items = 0;
  for (int64_t i = 0; i < s->rows; i++)
    if (s->x[k][i] != 0) {
      s->entry[k][v->items] = s->x[k][i];
      s->row[k][v->items++] = (int32_t)i;
    }
  v->values = s->entry[k];
  v->row = s->row[k];
}

void sample_fill(struct sample *s, int64_t rows, int64_t count, uint64_t seed)
{
  s->rows = rows;
  s->count = count;
  for (int64_t k = 0; k < count; k++) {
    for (int64_t i = 0; i < rows; i++)
      s->x[k][i] = sample_form(k) == TH_VECTOR_ENTRIES && (i + k) % 3 > 0
                       ? 0
                       : 0.3 + test_normal(11, seed, k * SAMPLE_ROWS + i);
    sample_vector(s, k, sample_form(k));
  }
  for (int64_t i = 0; i < rows; i++) {
    s->y[i] = 5 + test_normal(11, seed + 1000, i);
    s->weight[i] = 1;
  }
}

void sample_weigh(struct sample *s)
{
  for (int64_t i = 0; i < s->rows; i++)
    s->weight[i] = i % 4 == 1 ? 0 : 2 * (double)(i % 7 + 1) / 7;
}

bool sample_is_planted(int64_t k, int64_t members)
{
  return k % 3 == 1 && k / 3 < members;
}

void sample_plant(struct sample *s, int64_t members, double size)
{
  for (int64_t k = 0; k < s->count; k++)
    for (int64_t i = 0; i < s->rows && sample_is_planted(k, members); i++)
      s->y[i] += (k % 2 ? size : -size) * s->x[k][i];
}

void sample_label(struct sample *s, double cut)
{
  for (int64_t i = 0; i < s->rows; i++)
    s->y[i] = s->y[i] > cut ? 1 : -1;
}

struct th_strict_data sample_data(const struct sample *s, int64_t count,
                                  int64_t attributes, int64_t largest)
{
  return (struct th_strict_data){.rows = s->rows,
                                 .count = count,
                                 .column = s->vector,
                                 .target = s->y,
                                 .weight = s->weight,
                                 .attributes = attributes,
                                 .largest = largest,
                                 .intercept = true};
}

th_status sample_select(struct sample *s, int64_t attributes, int64_t largest)
{
  struct th_error err = {0};
  const struct th_strict_data data =
      sample_data(s, s->count, attributes, largest);
  return th_strict_select(&data, false, s->chosen, &s->size, &err);
}

th_status sample_fit(struct sample *s, const char *loss, bool intercept)
{
  struct th_error err = {0};
  struct th_strict_data data = sample_data(s, s->count, 0, 0);
  data.intercept = intercept;
  return th_strict_fit(NULL, &data, th_loss_find(loss), s->coef, &s->constant,
                       &err);
}

void sample_predict(struct sample *s)
{
  th_strict_predict(s->rows, s->count, s->vector, s->coef, s->constant,
                    s->prediction);
}

int64_t sample_count_planted(const struct sample *s, int64_t members)
{
  int64_t found = 0;
  for (int64_t k = 0; k < s->size; k++)
    found += sample_is_planted(s->chosen[k], members);
  return found;
}
