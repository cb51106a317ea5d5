/* origin.h - what a data set remembers of the text that it was imported from,
 * so that other text can be imported like it
 * SPDX-License-Identifier: MIT */
#ifndef TH_ORIGIN_H
#define TH_ORIGIN_H

#include "core/error.h"

#include <stdint.h>

/* Columns count from 1. All of it is owned. */
struct th_origin {
  int64_t columns;   /* of CSV; 0: not known, or no CSV */
  int64_t target;    /* its column; 0: there was none */
  int64_t others;    /* columns that are neither attributes nor the target */
  int64_t *other;    /* ascending */
  char **name;       /* of the others; NULL: the text had no header */
  int64_t classes;   /* other classes than the positive one; 0: not known */
  char **class_name; /* ascending */
};

enum { TH_ORIGIN_CLASSES = 32 }; /* at most; more are not remembered */

/* Local. */
void th_origin_free(struct th_origin *origin);

/* *to is released by th_origin_free, also on failure. Local. TH_EFORMAT,
 * TH_ENOMEM. */
th_status th_origin_copy(struct th_origin *to, const struct th_origin *from,
                         struct th_error *err);

/* Write it to a master file, and read it. Local: rank 0. TH_EFORMAT for
 * columns that cannot belong to that many attributes. Also TH_EIO, TH_ENOMEM.
 * */
struct th_h5;
th_status th_origin_put(const struct th_h5 *h5, const struct th_origin *origin,
                        struct th_error *err);
th_status th_origin_get(const struct th_h5 *h5, int64_t attributes,
                        struct th_origin *origin, struct th_error *err);

struct th_message;

/* Pack it into a record of bytes, or unpack it. Local. TH_EFORMAT, TH_ENOMEM.
 */
th_status th_origin_pack(struct th_message *pack, struct th_origin *origin,
                         struct th_error *err);

#endif
