/* selected_file.h - the order of selection, in a model's file; internal to io/
 * SPDX-License-Identifier: MIT */
#ifndef TH_SELECTED_FILE_H
#define TH_SELECTED_FILE_H

#include "core/selected.h"
#include "io/hdf5/h5.h"

/* Write or read the group /selection. It has a checksum of its own. Models of
 * solvers that choose in no order do not have it. attributes: d. Local.
 * TH_EFORMAT if it is damaged. Also TH_EIO, TH_ENOMEM. */
th_status th_selected_put(const struct th_h5 *h5,
                          const struct th_selected *selection,
                          struct th_error *err);
th_status th_selected_get(const struct th_h5 *h5, int64_t attributes,
                          struct th_selected *selection, struct th_error *err);

#endif
