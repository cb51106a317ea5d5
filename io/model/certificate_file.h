/* certificate_file.h - the certificate of a model in its file; internal to io/
 *
 * A status is one of TH_EFORMAT, TH_EIO, TH_ENOMEM.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CERTIFICATE_FILE_H
#define TH_CERTIFICATE_FILE_H

#include "core/model.h"
#include "io/hdf5/h5.h"
#include "io/hdf5/message.h"

/* Pack or unpack a certificate. Local. */
th_status th_certificate_walk(struct th_message *pack,
                              struct th_certificate *certificate,
                              struct th_error *err);

/* Write or read the group /certificate. A model without a penalty has none.
 * Local. */
th_status th_certificate_put(const struct th_h5 *h5,
                             const struct th_certificate *certificate,
                             struct th_error *err);
th_status th_certificate_get(const struct th_h5 *h5,
                             struct th_certificate *certificate,
                             struct th_error *err);

#endif
