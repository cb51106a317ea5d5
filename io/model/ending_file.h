/* ending_file.h - how a run ended, in its model's file; internal to io/
 * SPDX-License-Identifier: MIT */
#ifndef TH_ENDING_FILE_H
#define TH_ENDING_FILE_H

#include "core/model.h"
#include "io/hdf5/h5.h"

/* The group /ending with a checksum of its own: programs that do not know it
 * read the model as well. Models of runs that ended without a choice have none.
 * Local. TH_EFORMAT where it is not what was written. Also TH_EIO, TH_ENOMEM.
 */
th_status th_ending_put(const struct th_h5 *h5, const struct th_ending *ending,
                        struct th_error *err);
th_status th_ending_get(const struct th_h5 *h5, struct th_ending *ending,
                        struct th_error *err);

#endif
