/* meter.c - progress of long work: a bar on a terminal, else a line now and
 * then
 * SPDX-License-Identifier: MIT */
#include "cli/run/meter.h"

#include "ranks/comm.h"

#include <math.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const double bar_interval = 0.1; /* seconds */
static const double line_interval = 2;
static const double slow_interval = 5; /* of lines, after a minute */

/* With less done, the time left cannot be estimated. */
static const double least_fraction = 0.01;

/* Seconds are shown as whole ones. */
static const double rounding = 0.5;

enum { BAR = 24, LINE = 256, USUAL_COLUMNS = 80 };

const char *th_meter_duration_text(double seconds, char text[TH_DURATION_TEXT])
{
  enum { SECONDS = 60, MINUTES = 60 };
  double most = 1e9; /* so that all fits the text and the integers */
  long whole = lround(fmin(fmax(seconds, 0), most));
  long minutes = whole / SECONDS;
  if (whole < 2 * SECONDS)
    snprintf(text, TH_DURATION_TEXT, "%ld s", whole);
  else if (minutes < 2 * MINUTES)
    snprintf(text, TH_DURATION_TEXT, "%ld min %ld s", minutes, whole % SECONDS);
  else
    snprintf(text, TH_DURATION_TEXT, "%ld h %ld min", minutes / MINUTES,
             minutes % MINUTES);
  return text;
}

void th_meter_begin(struct th_meter *meter, bool shows)
{
  double now = th_comm_clock();
  *meter = (struct th_meter){.out = shows ? stderr : NULL,
                             .terminal = isatty(STDERR_FILENO) == 1,
                             .clock = th_comm_clock,
                             .began = now,
                             .shown = now,
                             .part_began = now,
                             .promised = INFINITY};
}

void th_meter_part(struct th_meter *meter)
{
  meter->part++;
  meter->broken = false;
  meter->promised = INFINITY;
  th_meter_go_on(meter, 0);
}

void th_meter_go_on(struct th_meter *meter, double fraction)
{
  meter->from = fraction;
  meter->part_began = meter->clock != NULL ? meter->clock() : 0;
}

bool th_meter_due(const struct th_meter *meter)
{
  if (meter->out == NULL)
    return false;
  double now = meter->clock();
  double interval = now - meter->began < 60 ? line_interval : slow_interval;
  return now - meter->shown >= (meter->terminal ? bar_interval : interval);
}

double th_meter_left(const struct th_meter *meter, double fraction)
{
  double now = meter->clock();
  double made = fraction - meter->from;
  double left = (now - meter->part_began) * (1 - fraction) / made;
  bool broken = meter->broken || now > meter->promised + rounding;
  return broken || !(made >= least_fraction) || left < 0 ? -1 : left;
}

/* As th_meter_left; what is shown is promised. */
static double time_left(struct th_meter *meter, double fraction, double now)
{
  double left = th_meter_left(meter, fraction);
  meter->broken = meter->broken || now > meter->promised + rounding;
  if (left < rounding)
    return -1;
  meter->promised = fmin(meter->promised, now + left);
  return left;
}

/* "35 %, 12 s elapsed, 22 s left" as far as it is known. */
static void time_text(const struct th_meter_times *times, char *text,
                      size_t size)
{
  char elapsed[TH_DURATION_TEXT];
  char duration[TH_DURATION_TEXT];
  char part[TH_DURATION_TEXT] = "";
  th_meter_duration_text(times->elapsed, elapsed);
  if (!(times->fraction >= 0)) {
    snprintf(text, size, "%s elapsed", elapsed);
    return;
  }
  if (times->part > 0)
    snprintf(part, sizeof part, " of part %d", times->part);
  int used =
      snprintf(text, size, "%3.0f %%%s, %s elapsed", 100 * times->fraction,
               times->left < 0 ? part : "", elapsed);
  if (times->left >= 0)
    snprintf(text + used, size - (size_t)used, ", %s%s left%s",
             times->at_most ? "at most " : "",
             th_meter_duration_text(times->left, duration), part);
}

/* One column less than the terminal has: a line that wraps cannot be taken
 * back. */
static int columns(FILE *out)
{
  struct winsize size;
  int found = ioctl(fileno(out), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
  return (found > 0 ? found : USUAL_COLUMNS) - 1;
}

static void show_bar(struct th_meter *meter, double fraction, const char *times,
                     const char *what)
{
  char bar[BAR + 1] = "";
  char line[LINE];
  for (int k = 0; k < BAR; k++)
    bar[k] = k < (int)(fraction * BAR) ? '#' : '.';
  snprintf(line, sizeof line, "[%s] %s  %s", bar, times, what);
  fprintf(meter->out, "\r\033[K%.*s", columns(meter->out), line);
  fflush(meter->out);
  meter->bar = true;
}

void th_meter_put(struct th_meter *meter, const struct th_meter_times *times,
                  const char *what)
{
  char text[4 * TH_DURATION_TEXT];
  meter->shown = meter->clock();
  time_text(times, text, sizeof text);
  if (meter->terminal)
    show_bar(meter, times->fraction, text, what);
  else
    fprintf(meter->out, "%s  %s\n", text, what);
}

void th_meter_show(struct th_meter *meter, double fraction, const char *what)
{
  if (!th_meter_due(meter))
    return;
  double now = meter->clock();
  fraction = fraction >= 0 ? fmin(fraction, 1) : -1;
  const struct th_meter_times times = {
      .fraction = fraction,
      .elapsed = now - meter->began,
      .left = fraction >= 0 ? time_left(meter, fraction, now) : -1,
      .part = meter->part,
      .at_most = meter->at_most};
  th_meter_put(meter, &times, what);
}

void th_meter_clear(struct th_meter *meter)
{
  if (meter->bar)
    fprintf(meter->out, "\r\033[K");
  meter->bar = false;
}
