/* wording.c - numbers as people read them
 * SPDX-License-Identifier: MIT */
#include "cli/wording.h"

#include "base/error.h"
#include "base/printable.h"
#include "math/loss.h"

const char *th_wording_bytes(int64_t bytes, char *text, size_t size)
{
  static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  double value = (double)bytes;
  size_t unit = 0;
  while (value >= 999.5 && unit + 1 < sizeof units / sizeof *units) {
    value /= 1000;
    unit++;
  }
  snprintf(text, size, "%.3g %s", value, units[unit]);
  return text;
}

const char *th_wording_loss(const char *loss)
{
  const struct th_loss *row = loss == NULL ? NULL : th_loss_find(loss);
  return row == NULL ? "mean loss" : row->mean;
}

void th_wording_print(FILE *out, const char *before, const char *text)
{
  char line[TH_ERROR_TEXT];
  snprintf(line, sizeof line, "%s", text);
  th_printable_drop_tail(line);
  th_printable(line);
  th_error_name_options(line, true);
  fprintf(out, "%s%s\n", before, line);
}
