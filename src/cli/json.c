/* json.c - the little that JSON output needs beyond jansson
 * SPDX-License-Identifier: MIT */
#include "cli/json.h"

#include <inttypes.h>
#include <math.h>

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
