/* wording.c - numbers as people read them
 * SPDX-License-Identifier: MIT */
#include "cli/shared/wording.h"

#include "base/error.h"
#include "base/printable.h"
#include "math/loss.h"

#include <string.h>

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

void th_wording_note(const struct th_options *options, const char *note)
{
  if (note[0] != '\0' && !options->quiet)
    th_wording_print(stderr, "note: ", note);
}

void th_wording_unwritten(const char *what, const char *path, const char *why)
{
  fprintf(stderr, "note: no %s: ", what);
  th_wording_print(stderr, "", why);
  if (strcmp(path, "-") == 0 && freopen("/dev/null", "w", stdout) == NULL)
    fprintf(stderr, "note: the standard output is closed\n");
}
