/* number.h - decimal text to the nearest double, fast and exact
 * SPDX-License-Identifier: MIT */
#ifndef TH_NUMBER_H
#define TH_NUMBER_H

enum th_number {
  TH_NUMBER_OK,
  TH_NUMBER_NONE, /* no decimal number begins here; nan, inf and hex are none */
  TH_NUMBER_HUGE  /* beyond the range of a double */
};

/* Read the decimal number at *cursor and move *cursor behind it: an optional
 * sign, digits with an optional point, an optional exponent. *value is the
 * nearest double, 0 where the number underflows; untouched unless TH_NUMBER_OK.
 * The byte at `end` must be readable and must not continue a number. Local. */
enum th_number th_number_parse(const char **cursor, const char *end,
                               double *value);

#endif
