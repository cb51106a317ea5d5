/* certificate_text.h - the certificate of a penalised model as text and as JSON
 * SPDX-License-Identifier: MIT */
#ifndef TH_CERTIFICATE_TEXT_H
#define TH_CERTIFICATE_TEXT_H

#include "cli/shared/json.h"
#include "core/model.h"

/* Add its members under their own names, margin and path as arrays; nothing for
 * a model without a penalty. Local. */
void th_certificate_json(json_t *object,
                         const struct th_certificate *certificate);

/* The same as lines of text. Local. */
void th_certificate_print(FILE *out, const struct th_certificate *certificate);

#endif
