/* html.h - the frame of a page, escaped texts, numbers as people read them
 *
 * A page is one file: its style is in it, and it asks for nothing else. Colours
 * follow the reader's system, light or dark, and print light. All functions are
 * local; all write to `out`.
 * SPDX-License-Identifier: MIT */
#ifndef TH_HTML_H
#define TH_HTML_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Colours of runs, which repeat after so many. */
enum { TH_HTML_COLOURS = 8 };

void th_html_begin(FILE *out, const char *title);
void th_html_end(FILE *out);

/* A text of others between tags, or in double quotes as the value of an
 * attribute. What a terminal does not show is a question mark
 * (base/printable.h). */
void th_html_text(FILE *out, const char *text);

/* A name cut to so many columns, dots in the place of what is left out; wide
 * characters count as two. Returns text. */
const char *th_html_cut(const char *name, int columns, char *text, size_t size);

/* Columns that a text takes. */
int th_html_columns(const char *text);

/* --- Numbers; the texts are returned -------------------------------------- */

enum { TH_HTML_NUMBER = 40 };

/* Four digits: "1.004", "0.00012", "1.2e-07". What is not finite is a dash. */
const char *th_html_real(double value, char text[TH_HTML_NUMBER]);

/* "162,080". */
const char *th_html_count(int64_t value, char text[TH_HTML_NUMBER]);

/* "162k", "1.6M": three digits. */
const char *th_html_short(double value, char text[TH_HTML_NUMBER]);

/* --- Figures and tables ---------------------------------------------------
 *
 * A figure is a picture with its title above and a sentence below. */

/* What stands side by side, as far as the page is wide. inside: "grid", figures
 * of one width, or "flow", figures and tables. */
void th_html_section(FILE *out, const char *heading, const char *id,
                     const char *inside);
void th_html_section_end(FILE *out);

/* The picture follows. of: the run that it is of; NULL: of all. */
void th_html_figure(FILE *out, const char *title, const char *of);

/* The end of the figure behind its sentence, which is written in between. */
void th_html_sentence(FILE *out);
void th_html_figure_end(FILE *out);

/* A name with the colour of run k before it. */
void th_html_key(FILE *out, int64_t k, const char *name);

#endif
