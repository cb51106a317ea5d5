/* error.c - status codes and the one error record that travels across ranks
 * SPDX-License-Identifier: MIT */
#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct status_row {
  const char *text;
  int exit_status;
};

static const struct status_row status_table[] = {
#define TH_STATUS_ROW(code, text, exit_status) [code] = {text, exit_status},
    TH_STATUS_LIST(TH_STATUS_ROW)
#undef TH_STATUS_ROW
};

void th_error_one_line(char *text)
{
  for (unsigned char *c = (unsigned char *)text; *c != '\0'; c++)
    if (*c < ' ' || *c == 0x7f)
      *c = '?';
}

th_status th_fail(struct th_error *err, th_status code, const char *format, ...)
{
  if (err->code != TH_OK)
    return err->code;
  err->code = code;
  err->rank = -1;
  va_list args;
  va_start(args, format);
  vsnprintf(err->text, sizeof err->text, format, args);
  va_end(args);
  th_error_one_line(err->text);
  return code;
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
