/* origin_file.h - copies, stores and shares what is known of the text that data
 * were imported from; in masters and models
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_ORIGIN_FILE_H
#define TH_ORIGIN_FILE_H

#include "base/error.h"
#include "model/origin.h"

/* *to is released by th_origin_free, also on failure. */
th_status th_origin_file_copy(struct th_origin *to,
                              const struct th_origin *from,
                              struct th_error *err);

/* Write it to a file, and read it: rank 0. What is not known is not there, as
 * in files of older programs. An error for columns that cannot belong to that
 * many attributes, and for facts that cannot be. */
struct th_h5;
th_status th_origin_file_put(const struct th_h5 *h5,
                             const struct th_origin *origin,
                             struct th_error *err);
th_status th_origin_file_get(const struct th_h5 *h5, int64_t attributes,
                             struct th_origin *origin, struct th_error *err);

/* Pack it into a record of bytes, or unpack it. */
struct th_message;
th_status th_origin_file_pack(struct th_message *pack, struct th_origin *origin,
                              struct th_error *err);

#endif
