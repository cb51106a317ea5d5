/* plot.h - pictures with two axes, as inline SVG
 *
 * Ticks are round numbers; labels do not lie over each other. A picture is
 * drawn in a box of a fixed width, in which letters have their size: pages
 * scale it by little. Numbers that are not finite are left out. All functions
 * are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_PLOT_H
#define TH_PLOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The box of every picture, in units of the letters' 11. */
enum { TH_PLOT_WIDTH = 360, TH_PLOT_HEIGHT = 240, TH_PLOT_LETTER = 11 };

struct th_plot_axis {
  const char *label;
  double low; /* of the values; low > high: there are none */
  double high;
  bool log; /* all values are above 0 */
};

/* An axis without values. */
struct th_plot_axis th_plot_axis(const char *label);

/* Widen an axis to hold these values. */
void th_plot_hold(struct th_plot_axis *axis, double value);

/* Take a logarithmic axis where the values span more than `factor`. */
void th_plot_by_span(struct th_plot_axis *axis, double factor);

struct th_plot {
  FILE *out;
  double left, right, top, bottom; /* of the area of the values, in the box */
  struct th_plot_axis x, y;
};

/* Begin the picture, with its axes; said: what it shows, for those who cannot
 * see it. right: columns of letters to leave free at the right edge. */
void th_plot_begin(struct th_plot *plot, FILE *out, const char *said,
                   const struct th_plot_axis *x, const struct th_plot_axis *y,
                   int right);
void th_plot_end(struct th_plot *plot);

/* A line through points whose x do not fall. A long one is drawn by the least
 * and the largest value of each column. class: of the page's style. told: the
 * tooltip; NULL: none. steps: y stays until the next x. */
struct th_plot_line {
  const double *x;
  const double *y;
  int64_t count;
  const char *style;
  const char *told;
  bool steps;
};
void th_plot_line(const struct th_plot *plot, const struct th_plot_line *line);

/* A dot, and one with a bar from y - se to y + se; told: as above. */
void th_plot_dot(const struct th_plot *plot, double x, double y,
                 const char *style, const char *told);
void th_plot_whisker(const struct th_plot *plot, double x, double y, double se,
                     const char *style);

/* A dashed line at x with a word at its top; row: 0 is the highest place. */
void th_plot_mark(const struct th_plot *plot, double x, const char *word,
                  int row);

/* Names at the right edge, beside the values that they belong to, moved apart
 * where they would lie over each other. The order of items changes. */
struct th_plot_name {
  double y;
  const char *name; /* borrowed */
  int colour;
};
void th_plot_names(const struct th_plot *plot, struct th_plot_name *name,
                   int64_t count);

#endif
