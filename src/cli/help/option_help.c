/* option_help.c - an option as help and manual pages have it
 * SPDX-License-Identifier: MIT */
#include "cli/help/option_help.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void th_option_help_usage(const struct th_option *option, char *text,
                          size_t size)
{
  int used = 0;
  if (option->letter != 0)
    used = snprintf(text, size, "-%c, ", option->letter);
  bool negative = option->kind == TH_OPT_FLAG && option->section != NULL;
  used += snprintf(text + used, size - (size_t)used, "--%s%s",
                   negative ? "[no-]" : "", option->name);
  if (option->placeholder != NULL)
    used +=
        snprintf(text + used, size - (size_t)used, " %s", option->placeholder);
  for (int64_t k = 0; option->choices != NULL && option->choices(k) != NULL;
       k++)
    used += snprintf(text + used, size - (size_t)used, "%c%s",
                     k == 0 && option->placeholder == NULL ? ' ' : '|',
                     option->choices(k));
}

static bool has_range(const struct th_option *option)
{
  return option->kind == TH_OPT_INT || option->kind == TH_OPT_REAL ||
         option->kind == TH_OPT_SIZE || option->kind == TH_OPT_TIME ||
         option->kind == TH_OPT_PERIOD;
}

/* "At least 1, at most 1024.": nothing for options without a range. */
static int describe_range(const struct th_option *option, char *text,
                          size_t size)
{
  const struct th_limits *limits = &option->limits;
  if (!has_range(option))
    return 0;
  int used = 0;
  if (isfinite(limits->lowest))
    used = snprintf(text, size, " %s %g",
                    limits->lowest_open ? "Above" : "At least", limits->lowest);
  else if (isfinite(limits->highest))
    return snprintf(text, size, " %s %.10g.",
                    limits->highest_open ? "Below" : "At most",
                    limits->highest);
  if (isfinite(limits->highest))
    used +=
        snprintf(text + used, size - (size_t)used, ", %s %.10g",
                 limits->highest_open ? "below" : "at most", limits->highest);
  return used + snprintf(text + used, size - (size_t)used, ".");
}

void th_option_help_describe(const struct th_option *option, char *text,
                             size_t size)
{
  char initial[TH_OPTION_HELP_TEXT];
  th_option_initial(option, initial, sizeof initial);
  const char *shown = option->shown != NULL ? option->shown : initial;
  int used = snprintf(text, size, "%s.", option->help);
  used += describe_range(option, text + used, size - (size_t)used);
  if (strcmp(shown, "required") == 0)
    snprintf(text + used, size - (size_t)used, " Required.");
  else if (shown[0] != '\0')
    snprintf(text + used, size - (size_t)used, " Default: %s.", shown);
  th_error_name_options(text, true);
}

const char *const *th_option_help_sections(void)
{
  static const char *const sections[] = {"data", "model", "schedule", "run",
                                         NULL};
  return sections;
}

const struct th_option *th_option_help_next(int *row, const char *section,
                                            unsigned commands)
{
  int count = th_option_table_count();
  while (++*row < count) {
    const struct th_option *option = th_option_table_row(*row);
    const char *own = option->section;
    bool same = own == section ||
                (own != NULL && section != NULL && strcmp(own, section) == 0);
    if (same && (option->commands & commands) != 0)
      return option;
  }
  return NULL;
}
