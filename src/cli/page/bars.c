/* bars.c - pictures of bars, one below the other, as inline SVG
 * SPDX-License-Identifier: MIT */
#include "cli/page/bars.h"

#include "cli/page/html.h"
#include "cli/page/plot.h"

#include <math.h>

static const double letter_width = 6.8; /* rather wide, of the letters' 11 */
static const double row_height = 18;
static const double bar_height = 11;
enum { NUMBERS = 9, NAME = 256 }; /* columns; bytes */

static double at_value(const struct th_bars *bars, double value)
{
  return bars->left + (value - bars->low) / (bars->high - bars->low) *
                          (bars->right - bars->left);
}

void th_bars_begin(struct th_bars *bars, FILE *out, const char *said,
                   int64_t rows, double low, double high, int names)
{
  *bars = (struct th_bars){.out = out,
                           .left = 6 + letter_width * names,
                           .right = TH_PLOT_WIDTH - 4 - letter_width * NUMBERS,
                           .low = fmin(low, 0),
                           .high = fmax(high, 0),
                           .top = 4 - row_height};
  if (!(bars->high > bars->low))
    bars->high = bars->low + 1;
  double bottom = 4 + row_height * (double)rows;
  fprintf(out, "<svg viewBox=\"0 0 %d %.0f\" role=\"img\" aria-label=\"",
          TH_PLOT_WIDTH, bottom + 4);
  th_html_text(out, said);
  fprintf(out, "\">\n<path class=\"axis\" d=\"M%.1f 2V%.1f\"/>\n",
          at_value(bars, 0), bottom);
}

void th_bars_end(struct th_bars *bars)
{
  fputs("</svg>\n", bars->out);
}

void th_bars_row(struct th_bars *bars, const char *name, const char *number,
                 const char *told)
{
  char text[NAME];
  int columns = (int)((bars->left - 6) / letter_width);
  bars->top += row_height;
  fprintf(bars->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">",
          bars->left - 6, bars->top + 12.5);
  th_html_text(bars->out, th_html_cut(name, columns, text, sizeof text));
  fputs("<title>", bars->out);
  th_html_text(bars->out, told);
  fprintf(bars->out,
          "</title></text><text class=\"soft\" x=\"%.1f\" y=\"%.1f\">",
          bars->right + 6, bars->top + 12.5);
  th_html_text(bars->out, number);
  fputs("</text>\n", bars->out);
}

void th_bars_part(const struct th_bars *bars, double from, double to,
                  const char *style)
{
  double a = at_value(bars, fmin(from, to));
  double b = at_value(bars, fmax(from, to));
  if (isfinite(a) && isfinite(b))
    fprintf(bars->out,
            "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
            "height=\"%.0f\"/>\n",
            style, a, bars->top + 3, b - a, bar_height);
}

void th_bars_whisker(const struct th_bars *bars, double from, double to,
                     const char *style)
{
  double a = at_value(bars, from);
  double b = at_value(bars, to);
  double y = bars->top + 3 + bar_height / 2;
  if (isfinite(a) && isfinite(b))
    fprintf(bars->out,
            "<path class=\"%s\" d=\"M%.1f %.1fH%.1fM%.1f %.1fv6M%.1f "
            "%.1fv6\"/>\n",
            style, a, y, b, a, y - 3, b, y - 3);
}
