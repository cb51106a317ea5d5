/* ending_file.h - how a run ended, in its model's file; internal to io/
 * SPDX-License-Identifier: MIT */
#ifndef TH_ENDING_FILE_H
#define TH_ENDING_FILE_H

#include "core/model.h"
#include "io/hdf5/h5.h"

/* Write or read the group /ending. It has a checksum of its own, so programs
 * that do not know it can read the model, too. Models of runs that ended
 * without a choice do not have it. Local. TH_EFORMAT if it is damaged. Also
 * TH_EIO, TH_ENOMEM. */
th_status th_ending_put(const struct th_h5 *h5, const struct th_ending *ending,
                        struct th_error *err);
th_status th_ending_get(const struct th_h5 *h5, struct th_ending *ending,
                        struct th_error *err);

/* The same for the group /claims. Models of older programs do not have it.
 * Local. TH_EFORMAT if it is damaged. Also TH_EIO, TH_ENOMEM. */
th_status th_ending_put_claims(const struct th_h5 *h5,
                               const struct th_claims *claims,
                               struct th_error *err);
th_status th_ending_get_claims(const struct th_h5 *h5, struct th_claims *claims,
                               struct th_error *err);

#endif
