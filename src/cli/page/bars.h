/* bars.h - pictures of bars, one below the other, as inline SVG
 *
 * Each has its name at the left and its number at the right; bars begin at 0.
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_BARS_H
#define TH_BARS_H

#include <stdint.h>
#include <stdio.h>

struct th_bars {
  FILE *out;
  double left, right; /* of the bars, in the box */
  double low, high;   /* of the values; 0 lies between them */
  double top;         /* of the row that is drawn */
};

/* Begin a picture of so many rows whose values lie between low and high; said:
 * what it shows, for those who cannot see it; names: columns of letters. */
void th_bars_begin(struct th_bars *bars, FILE *out, const char *said,
                   int64_t rows, double low, double high, int names);
void th_bars_end(struct th_bars *bars);

/* The next row: its name, which is cut where it is too long, and the text
 * beside the bar; told: the tooltip. */
void th_bars_row(struct th_bars *bars, const char *name, const char *number,
                 const char *told);

/* A bar of that row from one value to another; a line across its end. */
void th_bars_part(const struct th_bars *bars, double from, double to,
                  const char *style);
void th_bars_whisker(const struct th_bars *bars, double from, double to,
                     const char *style);

#endif
