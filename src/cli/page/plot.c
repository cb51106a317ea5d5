/* plot.c - pictures with two axes, as inline SVG
 * SPDX-License-Identifier: MIT */
#include "cli/page/plot.h"

#include "base/elementary.h"
#include "cli/page/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double letter_width = 6.3; /* mean, of the letters' 11 */
static const double huge = 1e300;       /* beyond it differences overflow */
enum { TICKS = 64, TEXT = TH_HTML_NUMBER };

/* --- Axes ----------------------------------------------------------------- */

struct th_plot_axis th_plot_axis(const char *label)
{
  return (struct th_plot_axis){
      .label = label, .low = INFINITY, .high = -INFINITY};
}

static double clamp(double value)
{
  return fmax(-huge, fmin(huge, value));
}

void th_plot_hold(struct th_plot_axis *axis, double value)
{
  if (!isfinite(value))
    return;
  axis->low = fmin(axis->low, clamp(value));
  axis->high = fmax(axis->high, clamp(value));
}

void th_plot_by_span(struct th_plot_axis *axis, double factor)
{
  axis->log = axis->low > 0 && axis->high / axis->low > factor;
}

static double log10_of(double value)
{
  static const double log2_10 = 3.321928094887362;
  return th_log2(value) / log2_10;
}

/* The round number 1, 2 or 5 times a power of ten that is at least as large. */
static double round_up(double least)
{
  static const double round[] = {1, 2, 5, 10};
  double power = th_pow(10, floor(log10_of(least)));
  int k = 0;
  while (k < 3 && round[k] * power < least * (1 - 1e-9))
    k++;
  return round[k] * power;
}

/* Values that are all one have some room around them. */
static void widen_axis(struct th_plot_axis *axis)
{
  double room = fmax(fabs(axis->high) * 1e-3, 1e-300);
  if (axis->high - axis->low >= room * 1e-6)
    return;
  if (axis->log) {
    axis->low /= 2;
    axis->high *= 2;
    return;
  }
  room = axis->high == 0 ? 1 : fabs(axis->high) / 2;
  axis->low -= room;
  axis->high += room;
}

struct ticks {
  double at[TICKS];
  int count;
  double step; /* of a linear axis */
};

static void add_tick(struct ticks *ticks, const struct th_plot_axis *axis,
                     double value)
{
  double slack = axis->log ? 0 : (axis->high - axis->low) * 1e-9;
  bool inside =
      axis->log
          ? value >= axis->low * (1 - 1e-9) && value <= axis->high * (1 + 1e-9)
          : value >= axis->low - slack && value <= axis->high + slack;
  if (inside && ticks->count < TICKS)
    ticks->at[ticks->count++] = value;
}

static void linear_ticks(struct ticks *ticks, const struct th_plot_axis *axis,
                         int most)
{
  *ticks = (struct ticks){.step = round_up((axis->high - axis->low) / most)};
  double first = ceil(axis->low / ticks->step - 1e-9);
  for (int k = 0; k <= most; k++) {
    double value = (first + k) * ticks->step;
    add_tick(ticks, axis, value == 0 ? 0 : value); /* no -0 */
  }
}

/* Powers of ten, every `every`-th; with 2 and 5 times them, if there is room.
 */
static void log_ticks(struct ticks *ticks, const struct th_plot_axis *axis,
                      int most)
{
  static const double between[] = {1, 2, 5};
  int first = (int)floor(log10_of(axis->low));
  double decades = log10_of(axis->high) - log10_of(axis->low);
  int every = (int)fmax(1, ceil(decades / most));
  int parts = 3 * decades + 1 <= most + 1 ? 3 : 1;
  *ticks = (struct ticks){.step = 0};
  for (int k = first; k <= log10_of(axis->high) + 1e-9; k++)
    for (int part = 0; part < parts; part++)
      if (k % every == 0)
        add_tick(ticks, axis, between[part] * th_pow(10, k));
  if (ticks->count < 2) { /* less than a decade without its ends */
    linear_ticks(ticks, axis, most);
    ticks->step = 0;
  }
}

static void find_ticks(struct ticks *ticks, const struct th_plot_axis *axis,
                       int most)
{
  (axis->log ? log_ticks : linear_ticks)(ticks, axis, most);
}

/* As many digits as tell neighbours apart. */
static void tick_text(const struct ticks *ticks, double value, char text[TEXT])
{
  static const char *const units[] = {"", "k", "M", "G", "T"};
  double size = 0;
  int unit = 0;
  for (int k = 0; k < ticks->count; k++)
    size = fmax(size, fabs(ticks->at[k]));
  if (ticks->step == 0)
    size = fabs(value);
  for (double of = size; size >= 1e4 && of >= 1000 && unit < 4; of /= 1000)
    unit++;
  double scale = th_pow(10, 3 * unit);
  if (size >= 1e17 || (size < 1e-4 && size > 0))
    snprintf(text, TEXT, "%.3g", value);
  else
    snprintf(text, TEXT, "%.6g%s", value / scale,
             value == 0 ? "" : units[unit]);
}

static double text_width(const char *text)
{
  return letter_width * th_html_columns(text);
}

static double widest(const struct ticks *ticks)
{
  char text[TEXT];
  double width = 0;
  for (int k = 0; k < ticks->count; k++) {
    tick_text(ticks, ticks->at[k], text);
    width = fmax(width, text_width(text));
  }
  return width;
}

/* --- The area of the values ----------------------------------------------- */

/* 0 to 1 along an axis. */
static double along(const struct th_plot_axis *axis, double value)
{
  value = clamp(value);
  if (axis->log)
    return (th_log2(fmax(value, axis->low * 1e-3)) - th_log2(axis->low)) /
           (th_log2(axis->high) - th_log2(axis->low));
  return (value - axis->low) / (axis->high - axis->low);
}

static double place_x(const struct th_plot *plot, double value)
{
  return plot->left + along(&plot->x, value) * (plot->right - plot->left);
}

static double place_y(const struct th_plot *plot, double value)
{
  return plot->bottom - along(&plot->y, value) * (plot->bottom - plot->top);
}

/* Some room beyond the values, but none beyond 0. */
static void add_room(struct th_plot_axis *axis)
{
  const double share = 0.05;
  double room = (axis->high - axis->low) * share;
  if (axis->log) {
    axis->low *= 1 - share;
    axis->high *= 1 + share;
    return;
  }
  axis->low = axis->low >= 0 && axis->low < room ? 0 : axis->low - room;
  axis->high = axis->high <= 0 && axis->high > -room ? 0 : axis->high + room;
}

static void draw_y_axis(const struct th_plot *plot, const struct ticks *ticks)
{
  char text[TEXT];
  for (int k = 0; k < ticks->count; k++) {
    double y = place_y(plot, ticks->at[k]);
    tick_text(ticks, ticks->at[k], text);
    fprintf(plot->out,
            "<path class=\"grid-line\" d=\"M%.1f %.1fH%.1f\"/><text "
            "class=\"soft\" x=\"%.1f\" y=\"%.1f\" "
            "text-anchor=\"end\">%s</text>\n",
            plot->left, y, plot->right, plot->left - 5, y + 3.8, text);
  }
  fprintf(plot->out, "<text class=\"soft\" x=\"2\" y=\"11\">");
  th_html_text(plot->out, plot->y.label);
  fprintf(plot->out, "</text>\n");
}

/* As many ticks as have room for their labels. */
static void fit_x_ticks(const struct th_plot *plot, struct ticks *ticks)
{
  const double gap = 12;
  double room = plot->right - plot->left;
  int most = 8;
  bool fits = false;
  while (!fits && most > 1) {
    most--;
    find_ticks(ticks, &plot->x, most);
    fits = true;
    for (int k = 1; k < ticks->count; k++)
      fits = fits &&
             place_x(plot, ticks->at[k]) - place_x(plot, ticks->at[k - 1]) >=
                 widest(ticks) + gap;
    fits = fits && widest(ticks) * ticks->count <= room;
  }
}

static void draw_x_axis(const struct th_plot *plot)
{
  struct ticks ticks;
  char text[TEXT];
  fit_x_ticks(plot, &ticks);
  for (int k = 0; k < ticks.count; k++) {
    double x = place_x(plot, ticks.at[k]);
    tick_text(&ticks, ticks.at[k], text);
    fprintf(plot->out,
            "<path class=\"axis\" d=\"M%.1f %.1fv4\"/><text class=\"soft\" "
            "x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n",
            x, plot->bottom, x, plot->bottom + 16, text);
  }
  fprintf(plot->out,
          "<path class=\"axis\" d=\"M%.1f %.1fH%.1f\"/><text class=\"soft\" "
          "x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
          plot->left, plot->bottom, plot->right, (plot->left + plot->right) / 2,
          plot->bottom + 32);
  th_html_text(plot->out, plot->x.label);
  fprintf(plot->out, "</text>\n");
}

void th_plot_begin(struct th_plot *plot, FILE *out, const char *said,
                   const struct th_plot_axis *x, const struct th_plot_axis *y,
                   int right)
{
  enum { Y_TICKS = 5 };
  const double above = 24;
  const double below = 40;
  const double beside = 14;
  struct ticks ticks;
  *plot =
      (struct th_plot){.out = out,
                       .x = *x,
                       .y = *y,
                       .top = above,
                       .bottom = TH_PLOT_HEIGHT - below,
                       .right = TH_PLOT_WIDTH - beside - letter_width * right};
  widen_axis(&plot->x);
  widen_axis(&plot->y);
  add_room(&plot->y);
  find_ticks(&ticks, &plot->y, Y_TICKS);
  plot->left = widest(&ticks) + 8;
  fprintf(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"",
          TH_PLOT_WIDTH, TH_PLOT_HEIGHT);
  th_html_text(out, said);
  fputs("\">\n", out);
  draw_y_axis(plot, &ticks);
  draw_x_axis(plot);
}

void th_plot_end(struct th_plot *plot)
{
  fputs("</svg>\n", plot->out);
}

/* --- What is drawn in it -------------------------------------------------- */

static void put_title(FILE *out, const char *told)
{
  if (told == NULL)
    return;
  fputs("<title>", out);
  th_html_text(out, told);
  fputs("</title>", out);
}

/* A path of points as it is written: where the pen is, and whether it is down.
 */
struct pen {
  FILE *out;
  bool down;
};

static void move_pen(struct pen *pen, double x, double y)
{
  fprintf(pen->out, "%s%.1f %.1f", pen->down ? "L" : "M", x, y);
  pen->down = true;
}

/* The values of one column of the picture: the first, the extremes in their
 * order, and the last. */
static void draw_column(const struct th_plot *plot,
                        const struct th_plot_line *line, int64_t first,
                        int64_t last, struct pen *pen)
{
  int64_t least = first;
  int64_t most = first;
  for (int64_t k = first; k <= last; k++) {
    least = line->y[k] < line->y[least] ? k : least;
    most = line->y[k] > line->y[most] ? k : most;
  }
  const int64_t order[] = {first, least < most ? least : most,
                           least < most ? most : least, last};
  for (int k = 0; k < 4; k++)
    if (k == 0 || order[k] != order[k - 1])
      move_pen(pen, place_x(plot, line->x[order[k]]),
               place_y(plot, line->y[order[k]]));
}

static bool is_finite(const struct th_plot_line *line, int64_t k)
{
  return isfinite(line->x[k]) && isfinite(line->y[k]);
}

static void draw_steps(const struct th_plot *plot,
                       const struct th_plot_line *line, int64_t k,
                       struct pen *pen)
{
  if (pen->down)
    fprintf(pen->out, "H%.1f", place_x(plot, line->x[k]));
  if (pen->down)
    fprintf(pen->out, "V%.1f", place_y(plot, line->y[k]));
  else
    move_pen(pen, place_x(plot, line->x[k]), place_y(plot, line->y[k]));
}

void th_plot_line(const struct th_plot *plot, const struct th_plot_line *line)
{
  struct pen pen = {.out = plot->out};
  fprintf(plot->out, "<path class=\"s %s\" d=\"", line->style);
  for (int64_t k = 0; k < line->count;) {
    int64_t last = k;
    if (!is_finite(line, k)) {
      pen.down = false;
      k++;
      continue;
    }
    double column = floor(place_x(plot, line->x[k]));
    while (last + 1 < line->count && is_finite(line, last + 1) &&
           floor(place_x(plot, line->x[last + 1])) == column)
      last++;
    if (line->steps)
      draw_steps(plot, line, last, &pen);
    else
      draw_column(plot, line, k, last, &pen);
    k = last + 1;
  }
  fputs(pen.down ? "\">" : "M0 0\">", plot->out);
  put_title(plot->out, line->told);
  fputs("</path>\n", plot->out);
}

void th_plot_dot(const struct th_plot *plot, double x, double y,
                 const char *style, const char *told)
{
  if (!isfinite(x) || !isfinite(y))
    return;
  fprintf(plot->out,
          "<circle class=\"dot %s\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\">", style,
          place_x(plot, x), place_y(plot, y));
  put_title(plot->out, told);
  fputs("</circle>\n", plot->out);
}

void th_plot_whisker(const struct th_plot *plot, double x, double y, double se,
                     const char *style)
{
  if (!isfinite(x) || !isfinite(y) || !isfinite(se))
    return;
  fprintf(plot->out, "<path class=\"whisker %s\" d=\"M%.1f %.1fV%.1f\"/>\n",
          style, place_x(plot, x), place_y(plot, y - se),
          place_y(plot, y + se));
}

void th_plot_mark(const struct th_plot *plot, double x, const char *word,
                  int row)
{
  double at = place_x(plot, x);
  double width = text_width(word);
  bool turned = at + 4 + width > plot->right;
  fprintf(plot->out,
          "<path class=\"mark\" d=\"M%.1f %.1fV%.1f\"/><text class=\"soft\" "
          "x=\"%.1f\" y=\"%.1f\"%s>",
          at, plot->top, plot->bottom, turned ? at - 4 : at + 4,
          plot->top + 10 + 13 * row, turned ? " text-anchor=\"end\"" : "");
  th_html_text(plot->out, word);
  fputs("</text>\n", plot->out);
}

/* From the top of the picture to its bottom. */
static int above(const void *a, const void *b)
{
  const struct th_plot_name *x = a;
  const struct th_plot_name *y = b;
  return (x->y < y->y) - (x->y > y->y);
}

void th_plot_names(const struct th_plot *plot, struct th_plot_name *name,
                   int64_t count)
{
  const double apart = TH_PLOT_LETTER + 1.5;
  double lowest = plot->bottom - apart * (double)(count - 1);
  double place = plot->top - apart;
  qsort(name, (size_t)count, sizeof *name, above);
  for (int64_t k = 0; k < count; k++) {
    double wanted = place_y(plot, name[k].y);
    place = fmax(place + apart, fmin(wanted, lowest + apart * (double)k));
    fprintf(plot->out,
            "<path class=\"whisker thin c%d\" "
            "d=\"M%.1f %.1fL%.1f %.1f\"/><text x=\"%.1f\" y=\"%.1f\">",
            name[k].colour, plot->right + 1, wanted, plot->right + 8, place,
            plot->right + 11, place + 3.8);
    th_html_text(plot->out, name[k].name);
    fputs("</text>\n", plot->out);
  }
}
