/* json.c - helpers for JSON output with jansson
 * SPDX-License-Identifier: MIT */
#include "cli/shared/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void th_json_real(json_t *object, const char *key, double value)
{
  json_object_set_new(object, key,
                      isfinite(value) ? json_real(value) : json_null());
}

void th_json_int(json_t *object, const char *key, int64_t value)
{
  json_object_set_new(object, key, json_integer(value));
}

void th_json_text(json_t *object, const char *key, const char *value)
{
  json_object_set_new(object, key,
                      value != NULL ? json_string(value) : json_null());
}

/* Convert Latin-1 to UTF-8, which has two bytes for characters outside of
 * ASCII. */
static void to_latin(const char *from, char *to)
{
  for (; *from != '\0'; from++) {
    unsigned byte = (unsigned char)*from;
    if (byte >= 0x80U) {
      *to++ = (char)(0xc0U | byte >> 6);
      byte = 0x80U | (byte & 0x3fU);
    }
    *to++ = (char)byte;
  }
  *to = '\0';
}

json_t *th_json_string(const char *text)
{
  json_t *string = json_string(text);
  char *wide = string != NULL ? NULL : malloc(2 * strlen(text) + 1);
  if (wide == NULL)
    return string;
  to_latin(text, wide);
  string = json_string(wide);
  free(wide);
  return string;
}

void th_json_hex(json_t *object, const char *key, uint64_t value)
{
  char text[17];
  snprintf(text, sizeof text, "%016" PRIx64, value);
  th_json_text(object, key, text);
}

th_status th_json_print(FILE *out, json_t *object, size_t flags,
                        struct th_error *err)
{
  if (object == NULL)
    return th_fail(err, TH_ENOMEM, "no memory for JSON output");
  int failed = json_dumpf(object, out, flags | JSON_REAL_PRECISION(17));
  json_decref(object);
  if (failed != 0 || fputc('\n', out) == EOF)
    return th_fail(err, TH_EIO, "cannot write JSON output");
  return TH_OK;
}
