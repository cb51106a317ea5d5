/* json.c - helpers for JSON output with jansson
 * SPDX-License-Identifier: MIT */
#include "cli/shared/json.h"

#include "base/printable.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of what stands for a byte: U+FFFD and two digits. */
enum { MOST = 5 };
static const char replaced[] = "\xef\xbf\xbd";

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
                      value != NULL ? th_json_string(value) : json_null());
}

/* True if U+FFFD and two hexadecimal digits begin a text, as they stand for a
 * byte. */
static bool stands_for_byte(const char *text)
{
  static const char digits[] = "0123456789abcdef";
  return strncmp(text, replaced, 3) == 0 && strspn(text + 3, digits) >= 2;
}

/* See the header; the room has MOST bytes for each byte of the text. */
static void to_characters(const char *from, char *to)
{
  uint32_t code;
  while (*from != '\0') {
    int length = th_printable_decode(from, &code);
    int bytes = stands_for_byte(from) ? 3 : length == 0;
    for (int k = 0; k < bytes; k++)
      to += snprintf(to, MOST + 1, "%s%02x", replaced,
                     (unsigned)(unsigned char)*from++);
    if (bytes > 0)
      continue;
    memcpy(to, from, (size_t)length);
    to += length;
    from += length;
  }
  *to = '\0';
}

json_t *th_json_string(const char *text)
{
  char *wide = malloc(MOST * strlen(text) + 1);
  if (wide == NULL)
    return NULL;
  to_characters(text, wide);
  json_t *string = json_string(wide);
  free(wide);
  return string;
}

void th_json_hex(json_t *object, const char *key, uint64_t value)
{
  char text[17];
  snprintf(text, sizeof text, "%016" PRIx64, value);
  th_json_text(object, key, text);
}

/* Write the text of JSON, which has such characters in its strings alone. */
static void put_escaped(FILE *out, const char *text)
{
  const char *from = text;
  while (*text != '\0') {
    uint32_t code = 0;
    int length = th_printable_decode(text, &code);
    if (code >= ' ' && !th_printable_code(code)) {
      fwrite(from, 1, (size_t)(text - from), out);
      fprintf(out, "\\u%04" PRIx32, code);
      from = text + length;
    }
    text += length > 0 ? length : 1;
  }
  fwrite(from, 1, (size_t)(text - from), out);
}

th_status th_json_print(FILE *out, json_t *object, size_t flags,
                        struct th_error *err)
{
  char *text = object == NULL
                   ? NULL
                   : json_dumps(object, flags | JSON_REAL_PRECISION(17));
  json_decref(object);
  if (text == NULL)
    return th_fail(err, TH_ENOMEM, "no memory for JSON output");
  put_escaped(out, text);
  free(text);
  if (fputc('\n', out) == EOF || ferror(out))
    return th_fail(err, TH_EIO, "cannot write JSON output");
  return TH_OK;
}

th_status th_json_write(const struct th_output *output, json_t *object,
                        size_t flags, struct th_error *err)
{
  struct th_error why = {0};
  th_status rc = th_json_print(output->text, object, flags, &why);
  int code = errno;
  if (rc == TH_EIO)
    return th_fail(err, rc, "cannot write %s: %s", th_output_name(output->path),
                   strerror(code));
  return rc == TH_OK ? TH_OK : th_fail(err, rc, "%s", why.text);
}
