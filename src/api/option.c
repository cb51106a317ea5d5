/* option.c - an option: one row of a table that describes it completely
 * SPDX-License-Identifier: MIT */
#include "api/option.h"

#include "api/handle.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "solvers/config.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Converts option values from and to text ------------------------------ */

const char th_option_by_config[] = "";

static bool within_limits(const struct th_limits *limits, double value)
{
  bool low =
      limits->lowest_open ? value > limits->lowest : value >= limits->lowest;
  bool high =
      limits->highest_open ? value < limits->highest : value <= limits->highest;
  return low && high;
}

/* "at least 1", "above 0 and below 1": what a range demands. */
static void range_text(const struct th_limits *limits, char *text, size_t size)
{
  int used = 0;
  if (isfinite(limits->lowest))
    used = snprintf(text, size, "%s %g",
                    limits->lowest_open ? "above" : "at least", limits->lowest);
  if (isfinite(limits->highest))
    snprintf(text + used, size - (size_t)used, "%s%s %.10g",
             used > 0 ? " and " : "",
             limits->highest_open ? "below" : "at most", limits->highest);
}

static th_status out_of_range(const struct th_option *option, const char *value,
                              const char *where, struct th_error *err)
{
  char range[64];
  range_text(&option->limits, range, sizeof range);
  return th_fail(err, TH_EUSAGE, "%s %s: must be %s", where, value, range);
}

/* Behind a whole number: 10k, 2M, 3G, powers of 1000. 0: it is none. */
static int64_t count_unit(const char *suffix)
{
  static const struct {
    char letter;
    int64_t unit;
  } units[] = {{'k', 1000}, {'M', 1000000}, {'G', 1000000000}};
  for (size_t k = 0; k < TH_COUNT(units); k++)
    if (suffix[0] == units[k].letter ||
        (k == 0 && suffix[0] == 'K')) /* as sizes have it */
      return suffix[1] == '\0' ? units[k].unit : 0;
  return 0;
}

/* A whole number that is written with an exponent, a fraction or a unit: 1e3,
 * 2.5e6, 1.5M. Below 2^53, where doubles are exact. */
static bool parse_count(const char *value, int64_t *out)
{
  const double exact = 9007199254740992.0;
  char *end;
  double number = strtod(value, &end);
  bool plain = strpbrk(value, "xXpPnN") == NULL; /* no hexadecimal, no nan */
  int64_t unit = *end == '\0' ? 1 : count_unit(end);
  number *= (double)unit;
  if (end == value || !plain || unit == 0 || !(fabs(number) < exact) ||
      number != floor(number))
    return false;
  *out = (int64_t)number;
  return true;
}

static th_status set_int(const struct th_option *option, int64_t *out,
                         const char *value, const char *where,
                         struct th_error *err)
{
  char *end;
  errno = 0;
  int64_t number = strtoll(value, &end, 10);
  bool whole = end != value && *end == '\0';
  if (!whole && !parse_count(value, &number))
    return th_fail(err, TH_EUSAGE,
                   "%s %s: not a whole number such as 1000, 1e3 or 10k", where,
                   value);
  if (errno == ERANGE && number > 0 && isinf(option->limits.highest))
    return th_fail(err, TH_EUSAGE, "%s %s: must be at most %" PRId64, where,
                   value, INT64_MAX);
  if (errno == ERANGE || !within_limits(&option->limits, (double)number))
    return out_of_range(option, value, where, err);
  *out = number;
  return TH_OK;
}

/* Whole numbers with commas between them. */
static th_status set_rows(const struct th_option *option, void *member,
                          const char *value, const char *where,
                          struct th_error *err)
{
  enum { LONGEST = 32 };
  struct th_schedule_rows *out = member;
  struct th_schedule_rows rows = {0};
  th_status rc = TH_OK;
  for (const char *at = value; at != NULL && rc == TH_OK; rows.count++) {
    char one[LONGEST];
    const char *comma = strchr(at, ',');
    int length = (int)(comma != NULL ? (size_t)(comma - at) : strlen(at));
    if (rows.count == TH_SCHEDULE_MOST)
      return th_fail(err, TH_EUSAGE, "%s: at most %d numbers", where,
                     TH_SCHEDULE_MOST);
    snprintf(one, sizeof one, "%.*s", length, at);
    rc = set_int(option, &rows.rows[rows.count], one, where, err);
    at = comma != NULL ? comma + 1 : NULL;
  }
  if (rc == TH_OK)
    *out = rows;
  return rc;
}

static void print_rows(const struct th_schedule_rows *rows, char *text,
                       size_t size)
{
  size_t used = 0;
  for (int64_t k = 0; k < rows->count && used < size; k++)
    used += (size_t)snprintf(text + used, size - used, "%s%" PRId64,
                             k == 0 ? "" : ",", rows->rows[k]);
}

static int size_shift(const char *suffix)
{
  static const char units[] = "KMGT";
  if (suffix[0] == '\0')
    return 0;
  const char *unit = strchr(units, toupper((unsigned char)suffix[0]));
  bool rest = suffix[1] == '\0' || strcmp(suffix + 1, "B") == 0 ||
              strcmp(suffix + 1, "iB") == 0;
  return unit == NULL || !rest ? -1 : 10 * (int)(unit - units + 1);
}

static th_status set_size(const struct th_option *option, int64_t *out,
                          const char *value, const char *where,
                          struct th_error *err)
{
  char *end;
  errno = 0;
  long long number = strtoll(value, &end, 10);
  int shift = end == value ? -1 : size_shift(end);
  if (shift < 0)
    return th_fail(err, TH_EUSAGE,
                   "%s %s: not a size in bytes such as 512M or 4G", where,
                   value);
  if (errno == ERANGE || number < 0 || number > INT64_MAX >> shift ||
      !within_limits(&option->limits, (double)number))
    return out_of_range(option, value, where, err);
  *out = (int64_t)number << shift;
  return TH_OK;
}

/* A number and what comes after it; -1: there is no number below 2^31. */
static int64_t take_number(const char **text)
{
  char *end;
  bool digit = isdigit((unsigned char)**text);
  long long number = digit ? strtoll(*text, &end, 10) : -1;
  *text = digit ? end : *text;
  return number <= INT32_MAX ? number : -1;
}

/* Seconds of a unit of time, or 0. */
static int64_t time_unit(const char *suffix)
{
  static const struct {
    char name;
    int64_t seconds;
  } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
  for (size_t k = 0; k < sizeof units / sizeof *units; k++)
    if (suffix[0] == units[k].name && suffix[1] == '\0')
      return units[k].seconds;
  return 0;
}

/* [D-][HH:][MM:]SS, or a number and its unit, or -1. */
static int64_t parse_time(const char *text)
{
  int64_t seconds = take_number(&text);
  int colons = 0;
  if (seconds >= 0 && time_unit(text) > 0)
    return seconds * time_unit(text);
  if (seconds >= 0 && *text == '-') {
    text++;
    int64_t hours = take_number(&text);
    seconds = hours < 0 || *text != ':' ? -1 : 24 * seconds + hours;
  }
  for (; seconds >= 0 && *text == ':' && colons < 2; colons++) {
    text++;
    int64_t next = take_number(&text);
    seconds = next < 0 ? -1 : 60 * seconds + next;
  }
  return *text == '\0' ? seconds : -1;
}

static th_status set_time(const struct th_option *option, int64_t *out,
                          const char *value, const char *where,
                          struct th_error *err)
{
  int64_t seconds = parse_time(value);
  if (seconds < 0)
    return th_fail(err, TH_EUSAGE,
                   "%s %s: not a time in seconds, or such as 55m, 90:00 or "
                   "1-12:00:00",
                   where, value);
  if (!within_limits(&option->limits, (double)seconds))
    return out_of_range(option, value, where, err);
  *out = seconds;
  return TH_OK;
}

static th_status set_period(const struct th_option *option, int64_t *out,
                            const char *value, const char *where,
                            struct th_error *err)
{
  const char *rest = value;
  int64_t updates = take_number(&rest);
  if (updates < 0 || strcmp(rest, "u") != 0)
    return set_time(option, out, value, where, err);
  if (!within_limits(&option->limits, (double)updates))
    return out_of_range(option, value, where, err);
  *out = -updates;
  return TH_OK;
}

static th_status set_real(const struct th_option *option, double *out,
                          const char *value, const char *where,
                          struct th_error *err)
{
  char *end;
  double number = strtod(value, &end);
  if (end == value || *end != '\0' || !isfinite(number))
    return th_fail(err, TH_EUSAGE, "%s %s: not a number", where, value);
  if (!within_limits(&option->limits, number))
    return out_of_range(option, value, where, err);
  *out = number;
  return TH_OK;
}

static th_status set_flag(bool *out, const char *value, const char *where,
                          struct th_error *err)
{
  static const char *const yes[] = {"yes", "true", "on", "1"};
  static const char *const no[] = {"no", "false", "off", "0"};
  for (size_t k = 0; k < sizeof yes / sizeof *yes; k++) {
    if (strcmp(value, yes[k]) == 0 || strcmp(value, no[k]) == 0) {
      *out = strcmp(value, yes[k]) == 0;
      return TH_OK;
    }
  }
  return th_fail(err, TH_EUSAGE, "%s %s: must be yes or no", where, value);
}

static int64_t find_choice(const struct th_option *option, const char *value)
{
  for (int64_t k = 0; option->choices(k) != NULL; k++)
    if (strcmp(option->choices(k), value) == 0)
      return k;
  return -1;
}

static th_status bad_choice(const struct th_option *option, const char *value,
                            const char *where, struct th_error *err)
{
  char list[512] = "";
  size_t used = 0;
  for (int64_t k = 0; option->choices(k) != NULL && used < sizeof list; k++) {
    const char *joint = k == 0                           ? ""
                        : option->choices(k + 1) == NULL ? " or "
                                                         : ", ";
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", joint,
                             option->choices(k));
  }
  const char *meant = th_nearest(value, option->choices);
  return th_fail(err, TH_EUSAGE, "%s %s: must be %s%s%s%s", where, value, list,
                 meant != NULL ? "; did you mean " : "",
                 meant != NULL ? meant : "", meant != NULL ? "?" : "");
}

static double number_at(const struct th_option *option, const void *in)
{
  return option->kind == TH_OPT_REAL ? *(const double *)in
                                     : (double)*(const int64_t *)in;
}

/* The value of a number before it is set. */
static double initial_of(const struct th_option *option)
{
  struct th_config config = th_config_default();
  if (option->start == th_option_by_config)
    return number_at(option, (const char *)&config + option->offset);
  return option->start == NULL ? 0 : strtod(option->start, NULL);
}

/* Can a number be "auto", chosen by a rule unless it is given? */
static bool can_be_auto(const struct th_option *option)
{
  bool number = option->kind == TH_OPT_INT || option->kind == TH_OPT_ROWS ||
                option->kind == TH_OPT_SIZE || option->kind == TH_OPT_TIME ||
                option->kind == TH_OPT_REAL;
  return number && !within_limits(&option->limits, initial_of(option));
}

static void set_auto(const struct th_option *option, void *out)
{
  if (option->kind == TH_OPT_REAL)
    *(double *)out = initial_of(option);
  else
    *(int64_t *)out = 0;
}

th_status th_option_put(const struct th_option *option, void *record,
                        const char *value, const char *where,
                        struct th_error *err)
{
  void *out = (char *)record + option->offset;
  if (value[0] == '\0')
    return th_fail(err, TH_EUSAGE, "%s: has no value", where);
  if (can_be_auto(option) && strcmp(value, "auto") == 0) {
    set_auto(option, out);
    return TH_OK;
  }
  const char *name = NULL;
  int64_t choice = 0;
  if (option->choices != NULL) {
    choice = find_choice(option, value);
    if (choice < 0 && option->kind == TH_OPT_REAL)
      return set_real(option, out, value, where, err);
    if (choice < 0)
      return bad_choice(option, value, where, err);
    name = option->choices(choice);
  }
  switch (option->kind) {
  case TH_OPT_FLAG:
    return set_flag(out, value, where, err);
  case TH_OPT_INT:
    return set_int(option, out, value, where, err);
  case TH_OPT_ROWS:
    return set_rows(option, out, value, where, err);
  case TH_OPT_REAL:
    if (option->choices == NULL)
      return set_real(option, out, value, where, err);
    *(double *)out = -1.0 - (double)choice;
    return TH_OK;
  case TH_OPT_SIZE:
    return set_size(option, out, value, where, err);
  case TH_OPT_TIME:
    return set_time(option, out, value, where, err);
  case TH_OPT_PERIOD:
    return set_period(option, out, value, where, err);
  case TH_OPT_TEXT:
    *(const char **)out = value;
    return TH_OK;
  case TH_OPT_NAME:
    *(const char **)out = name;
    return TH_OK;
  case TH_OPT_CHOICE:
    *(int *)out = (int)choice;
    return TH_OK;
  }
  return TH_OK;
}

static bool is_auto(const struct th_option *option, const void *in)
{
  if (!can_be_auto(option))
    return false;
  return !within_limits(&option->limits, number_at(option, in));
}

/* Does a word stand in the place of a number? */
static bool is_word(const struct th_option *option, const void *in)
{
  return option->kind == TH_OPT_REAL && option->choices != NULL &&
         *(const double *)in <= -1;
}

void th_option_get(const struct th_option *option, const void *record,
                   char *text, size_t size)
{
  const void *in = (const char *)record + option->offset;
  const char *name = NULL;
  if (is_word(option, in)) {
    snprintf(text, size, "%s",
             option->choices((int64_t)(-1 - *(const double *)in)));
    return;
  }
  if (is_auto(option, in)) {
    snprintf(text, size, "auto");
    return;
  }
  switch (option->kind) {
  case TH_OPT_FLAG:
    name = *(const bool *)in ? "yes" : "no";
    break;
  case TH_OPT_INT:
  case TH_OPT_SIZE:
  case TH_OPT_TIME:
    snprintf(text, size, "%" PRId64, *(const int64_t *)in);
    return;
  case TH_OPT_ROWS:
    print_rows(in, text, size);
    return;
  case TH_OPT_PERIOD:
    snprintf(text, size, "%lld%s", llabs(*(const int64_t *)in),
             *(const int64_t *)in < 0 ? "u" : "");
    return;
  case TH_OPT_REAL:
    snprintf(text, size, "%.17g", *(const double *)in);
    return;
  case TH_OPT_TEXT:
  case TH_OPT_NAME:
    name = *(const char *const *)in;
    break;
  case TH_OPT_CHOICE:
    name = option->choices(*(const int *)in);
    break;
  }
  snprintf(text, size, "%s", name == NULL ? "" : name);
}

void th_option_initial(const struct th_option *option, char *text, size_t size)
{
  struct th_config config = th_config_default();
  if (option->start != th_option_by_config)
    snprintf(text, size, "%s", option->start == NULL ? "" : option->start);
  else if (option->kind == TH_OPT_REAL)
    snprintf(text, size, "%g", initial_of(option));
  else
    th_option_get(option, &config, text, size);
}

/* --- Configurations of thresher.h ----------------------------------------- */

enum thresher_status thresher_config_create(struct thresher_config **config,
                                            struct thresher_error *error)
{
  struct th_error err;
  th_status rc;
  th_error_clear(&err);
  TH_TRY(TH_HANDLE_GIVEN(&err, {config, "config"}));
  *config = NULL;
  TH_TRY(TH_NEW(config, 1, "a configuration", &err));
  (*config)->config = th_config_default();
done:
  return th_handle_status(rc, &err, error);
}

void thresher_config_free(struct thresher_config *config)
{
  if (config == NULL)
    return;
  for (int k = 0; k < TH_TRAINING_OPTIONS_MOST; k++)
    free(config->text[k]);
  free(config);
}

static th_status find_option(const char *name, int *row, struct th_error *err)
{
  *row = th_training_options_find(name);
  if (*row >= 0)
    return TH_OK;
  return th_fail(err, TH_EUSAGE, "%s is not an option of training", name);
}

/* A text outlives the caller's. */
static th_status set_option(struct thresher_config *config, const char *name,
                            const char *value, struct th_error *err)
{
  char *copy = NULL;
  char where[64];
  int row;
  th_status rc;
  TH_TRY(find_option(name, &row, err));
  copy = th_model_copy_string(value);
  if (copy == NULL)
    return th_fail(err, TH_ENOMEM, "no memory for an option");
  snprintf(where, sizeof where, "{%s}", name);
  TH_TRY(th_option_put(th_training_options_row(row), &config->config, copy,
                       where, err));
  free(config->text[row]);
  config->text[row] = copy;
  config->given[row] = TH_GIVEN_ON_LINE;
  copy = NULL;
done:
  free(copy);
  return rc;
}

enum thresher_status thresher_config_set(struct thresher_config *config,
                                         const char *name, const char *value,
                                         struct thresher_error *error)
{
  struct th_error err;
  th_status rc;
  th_error_clear(&err);
  TH_TRY(TH_HANDLE_GIVEN(&err, {config, "config"}, {name, "name"},
                         {value, "value"}));
  TH_TRY(set_option(config, name, value, &err));
done:
  return th_handle_status(rc, &err, error);
}

static th_status get(const struct thresher_config *config, const char *name,
                     char *text, size_t size, struct th_error *err)
{
  char value[1024];
  int row;
  th_status rc = find_option(name, &row, err);
  if (rc != TH_OK)
    return rc;
  th_option_get(th_training_options_row(row), &config->config, value,
                sizeof value);
  if (strlen(value) >= size)
    return th_fail(err, TH_EARG, "{%s}: its value needs room for %zu bytes",
                   name, strlen(value) + 1);
  memcpy(text, value, strlen(value) + 1);
  return TH_OK;
}

enum thresher_status thresher_config_get(const struct thresher_config *config,
                                         const char *name, char *text,
                                         size_t size,
                                         struct thresher_error *error)
{
  struct th_error err;
  th_status rc;
  th_error_clear(&err);
  TH_TRY(TH_HANDLE_GIVEN(&err, {config, "config"}, {name, "name"},
                         {text, "text"}));
  TH_TRY(get(config, name, text, size, &err));
done:
  return th_handle_status(rc, &err, error);
}

const char *thresher_config_name(int k)
{
  bool there = k >= 0 && k < th_training_options_count();
  return there ? th_training_options_row(k)->name : NULL;
}

const char *thresher_config_help(int k, char *text, size_t size)
{
  if (thresher_config_name(k) == NULL || text == NULL || size == 0)
    return NULL;
  snprintf(text, size, "%s", th_training_options_row(k)->help);
  th_error_name_options(text, false);
  return text;
}
