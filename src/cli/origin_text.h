/* origin_text.h - what is known of the text that data were imported from, for
 * people and as JSON
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_ORIGIN_TEXT_H
#define TH_ORIGIN_TEXT_H

#include "model/origin.h"

#include <jansson.h>

/* Lines, each with a label that is padded to `width`; none where nothing is
 * known. */
void th_origin_text_print(int width, const struct th_origin *origin);

/* The member "text" of an object: null where nothing is known. */
void th_origin_text_json(json_t *object, const struct th_origin *origin);

#endif
