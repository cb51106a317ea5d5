/* error.c - status codes and the one error record that travels across ranks
 * SPDX-License-Identifier: MIT */
#include "base/error.h"

#include "base/printable.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct status_row {
  const char *text;
  int exit_status;
};

static const char name_letters[] = "abcdefghijklmnopqrstuvwxyz-";

static const struct status_row status_table[] = {
#define TH_STATUS_ROW(code, text, exit_status) [code] = {text, exit_status},
    TH_STATUS_LIST(TH_STATUS_ROW)
#undef TH_STATUS_ROW
};

void th_error_one_line(char *text)
{
  th_printable(text);
}

/* A text of this length may have been cut. */
static void trim_text(char text[TH_ERROR_TEXT], int length)
{
  if (length >= TH_ERROR_TEXT)
    th_printable_drop_tail(text);
  th_error_one_line(text);
}

th_status th_fail(struct th_error *err, th_status code, const char *format, ...)
{
  if (err->code != TH_OK)
    return err->code;
  err->code = code;
  err->rank = -1;
  va_list args;
  va_start(args, format);
  int length = vsnprintf(err->text, sizeof err->text, format, args);
  va_end(args);
  trim_text(err->text, length);
  return code;
}

void th_error_name(struct th_error *err, const char *name)
{
  char text[TH_ERROR_TEXT];
  memcpy(text, err->text, sizeof text);
  snprintf(err->text, sizeof err->text, "%.300s: %.650s", name, text);
  th_error_one_line(err->text);
}

/* Length of a name in braces at the beginning of a text, without the braces; 0:
 * there is none. */
static size_t braced(const char *text)
{
  size_t length = text[0] != '{' ? 0 : strspn(text + 1, name_letters);
  return length > 0 && text[1 + length] == '}' ? length : 0;
}

void th_error_name_options(char *text, bool dashes)
{
  char *to = text;
  while (*text != '\0') {
    size_t length = braced(text);
    size_t room = dashes ? 2 : 0; /* for the dashes, which replace the braces */
    if (length == 0) {
      *to++ = *text++;
      continue;
    }
    memmove(to + room, text + 1, length);
    memset(to, '-', room);
    to += room + length;
    text += length + 2;
  }
  *to = '\0';
}

void th_error_clear(struct th_error *err)
{
  memset(err, 0, sizeof *err);
  err->rank = -1;
}

const char *th_error_status_text(th_status code)
{
  return status_table[code].text;
}

int th_error_status_exit(th_status code)
{
  return status_table[code].exit_status;
}
