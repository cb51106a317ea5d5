/* json.h - helpers for JSON output with jansson
 * SPDX-License-Identifier: MIT */
#ifndef TH_JSON_H
#define TH_JSON_H

#include "base/error.h"
#include "io/files/output.h"

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

/* Add a member to an object; a number that is not finite, or a NULL string,
 * becomes null; other strings are as by th_json_string. Running out of memory
 * shows in th_json_print. Local. */
void th_json_real(json_t *object, const char *key, double value);
void th_json_int(json_t *object, const char *key, int64_t value);
void th_json_text(json_t *object, const char *key, const char *value);
/* A text that may not be UTF-8: a byte that belongs to no character becomes
 * U+FFFD and two hexadecimal digits. If a text has U+FFFD before two such
 * digits itself, its three bytes are written in the same way: different texts
 * stay different, and all can be told. Local. */
json_t *th_json_string(const char *text);
/* 16 hexadecimal digits. Local. */
void th_json_hex(json_t *object, const char *key, uint64_t value);

/* Write an object and a line end, and release it. What a terminal does not show
 * as it is (base/printable.h) is written as \u and four digits. flags are
 * jansson's. Local. An error when it could not be built, TH_EIO when it cannot
 * be written. */
th_status th_json_print(FILE *out, json_t *object, size_t flags,
                        struct th_error *err);

/* Write an object, which is released, to an output of text: a failure has its
 * name and the reason. Local. */
th_status th_json_write(const struct th_output *output, json_t *object,
                        size_t flags, struct th_error *err);

#endif
