/* columns.h - what became of each column of a table, as JSON
 * SPDX-License-Identifier: MIT */
#ifndef TH_COLUMNS_H
#define TH_COLUMNS_H

#include "model/origin.h"

#include <jansson.h>

/* An item for each column of the text that the attributes were read from, in
 * their order: its number, its name, what it was read as, and of a column of
 * words the words; null where the text was no table. name: of each of the
 * attributes; NULL: they have none. Owned by the caller. Local. */
json_t *th_columns_json(const struct th_origin *origin, char **name,
                        int64_t attributes);

#endif
