/* export_c.h - a model as a function in C
 * SPDX-License-Identifier: MIT */
#ifndef TH_EXPORT_C_H
#define TH_EXPORT_C_H

#include "model/model.h"

#include <stdio.h>

/* Write a file of C99 that computes the model's predictions: for values of the
 * data, the bits of th_predict. Names stand in comments. Local. */
void th_export_c_write(FILE *out, const struct th_model *model);

#endif
