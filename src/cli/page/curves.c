/* curves.c - pictures of what telemetries hold: error, support, screening
 * SPDX-License-Identifier: MIT */
#include "cli/page/curves.h"

#include "base/integer.h"
#include "base/memory.h"
#include "cli/page/html.h"
#include "cli/page/plot.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- One line of a picture ------------------------------------------------ */

enum { NUMBER = TH_HTML_NUMBER, STYLE = 32 };

/* Some columns of a run's telemetry. Where lambda is chosen, a number that is
 * none stands between two paths. */
struct curve {
  const struct th_runs_one *run;
  int64_t colour;
  double *x;
  double *y;
  double *smooth; /* means of y over a thirtieth of the run; y: it is smooth */
  int64_t count;
};

static void free_curve(struct curve *curve)
{
  if (curve->smooth != curve->y)
    free(curve->smooth);
  TH_FREE(curve->x, curve->y);
  *curve = (struct curve){0};
}

/* Means over a window that moves along. Numbers that are none count for
 * nothing. */
static void smooth(const double *y, int64_t count, double *to)
{
  enum { WINDOWS = 30 };
  int64_t half = count / (2 * WINDOWS);
  double sum = 0;
  int64_t terms = 0;
  int64_t first = 0;
  int64_t last = 0; /* of the window, which ends before it */
  for (int64_t k = 0; k < count; k++) {
    for (; last < count && last <= k + half; last++)
      if (isfinite(y[last])) {
        sum += y[last];
        terms++;
      }
    for (; first < k - half; first++)
      if (isfinite(y[first])) {
        sum -= y[first];
        terms--;
      }
    to[k] = terms > 0 ? sum / (double)terms : NAN;
  }
}

/* True if the column jumps from one example to the next. */
static bool is_noisy(const struct th_runs_one *run, enum th_runs_column y)
{
  enum { MANY = 60 };
  bool objective = run->lines.loss_is != NULL &&
                   strcmp(run->lines.loss_is, "objective") == 0;
  return y == TH_RUNS_LOSS && !objective && run->lines.count >= MANY;
}

/* An objective is above 0 but where a path has not begun to be solved. */
static double known(double *const *column, enum th_runs_column y, int64_t k)
{
  bool begun = isnan(column[TH_RUNS_LAMBDA][k]) || column[TH_RUNS_LOSS][k] != 0;
  return begun ? column[y][k] : NAN;
}

static th_status make_curve(struct curve *curve, enum th_runs_column x,
                            enum th_runs_column y, struct th_error *err)
{
  const struct th_runs_lines *lines = &curve->run->lines;
  const double *fold = lines->column[TH_RUNS_FOLD];
  int64_t n = lines->count;
  th_status rc;
  TH_TRY(TH_NEW(&curve->x, 2 * n, "a curve", err));
  TH_TRY(TH_NEW(&curve->y, 2 * n, "a curve", err));
  for (int64_t k = 0; k < n; k++) {
    if (k > 0 && fold[k] != fold[k - 1] && isfinite(fold[k])) {
      curve->x[curve->count] = NAN;
      curve->y[curve->count++] = NAN;
    }
    curve->x[curve->count] = lines->column[x][k];
    curve->y[curve->count++] = known(lines->column, y, k);
  }
  curve->smooth = curve->y;
  if (is_noisy(curve->run, y)) {
    curve->smooth = NULL;
    TH_TRY(TH_NEW(&curve->smooth, curve->count, "a curve", err));
    smooth(curve->y, curve->count, curve->smooth);
  }
done:
  return rc;
}

static bool both(const struct curve *curve, int64_t k)
{
  return isfinite(curve->x[k]) && isfinite(curve->smooth[k]);
}

/* The first or the last point that has both numbers; -1: there is none. */
static int64_t first_point(const struct curve *curve)
{
  int64_t k = 0;
  while (k < curve->count && !both(curve, k))
    k++;
  return k < curve->count ? k : -1;
}

static int64_t last_point(const struct curve *curve)
{
  int64_t k = curve->count - 1;
  while (k >= 0 && !both(curve, k))
    k--;
  return k;
}

/* --- Sentences ------------------------------------------------------------ */

/* A kind of picture. */
struct kind {
  const char *title;
  enum th_runs_column x;
  enum th_runs_column y;
  const char *x_label;
  const char *of;   /* "after 12k examples": behind the number */
  const char *name; /* of y; NULL: what its loss is */
  const char *what; /* to read from it, a sentence */
};

static const struct kind kinds[] = {
    {"Error against examples", TH_RUNS_EXAMPLES, TH_RUNS_LOSS, "examples drawn",
     " examples", NULL, ""},
    {"Error against attributes observed", TH_RUNS_ATTRIBUTES, TH_RUNS_LOSS,
     "attributes observed, repeats counted", " attributes", NULL, ""},
    {"Error against time", TH_RUNS_SECONDS, TH_RUNS_LOSS, "seconds", " seconds",
     NULL, ""},
    {"Exact expected error", TH_RUNS_EXAMPLES, TH_RUNS_POPULATION,
     "examples drawn", " examples", "expected squared error",
     "The data are generated, so the error on all examples that there could "
     "be is known."},
    {"Distance to the reference", TH_RUNS_EXAMPLES, TH_RUNS_DISTANCE,
     "examples drawn", " examples", "distance of the coefficients", ""},
    {"Support over time", TH_RUNS_SECONDS, TH_RUNS_SUPPORT, "seconds",
     " seconds", "attributes in the model", ""},
    {"Screening: attributes left", TH_RUNS_SECONDS, TH_RUNS_ACTIVE, "seconds",
     " seconds", "attributes not screened",
     "What is screened is proved to be useless, or looks so, and is read no "
     "more."},
    {"Duality gap", TH_RUNS_SECONDS, TH_RUNS_GAP, "seconds", " seconds",
     "duality gap", "The objective is at most this far above the best one."},
};

/* Where nine tenths of the way from the first value to the last were made for
 * good. */
static double mostly_done(const struct curve *curve, int64_t first,
                          int64_t last)
{
  double begin = curve->smooth[first];
  double way = curve->smooth[last] - begin;
  int64_t at = last;
  while (at > first &&
         (!both(curve, at) ||
          fabs(curve->smooth[at] - curve->smooth[last]) <= fabs(way) / 10))
    at--;
  while (at < last && !both(curve, at + 1))
    at++;
  return curve->x[at < last ? at + 1 : last];
}

/* Where lambda is chosen, folds have a path each. */
static bool in_pieces(const struct curve *curve)
{
  const double *fold = curve->run->lines.column[TH_RUNS_FOLD];
  for (int64_t k = 0; k < curve->run->lines.count; k++)
    if (fold[k] >= 1)
      return true;
  return false;
}

/* "began at 26.1 and ended at 1.02 after 162k examples" */
static void say_course(FILE *out, const struct kind *kind, const char *name,
                       const struct curve *curve)
{
  char from[NUMBER];
  char to[NUMBER];
  char at[NUMBER];
  int64_t first = first_point(curve);
  int64_t last = last_point(curve);
  double begin = curve->smooth[first];
  double end = curve->smooth[last];
  fprintf(out, "The %s %s from %s to %s within %s%s", name,
          end < begin   ? "fell"
          : end > begin ? "rose"
                        : "stayed, going",
          th_html_short(begin, from), th_html_short(end, to),
          th_html_short(curve->x[last], at), kind->of);
  if (!in_pieces(curve) && end != begin)
    fprintf(out, "; nine tenths of the way were made after %s%s",
            th_html_short(mostly_done(curve, first, last), at), kind->of);
  fputs(in_pieces(curve)
            ? ". Each piece of the line is a path of lambdas: one on all "
              "examples, then one for each part that was held out. "
            : ". ",
        out);
}

static bool on_one_data(const struct curve *curve, int64_t count)
{
  static const char key[] = "dataset_fingerprint";
  const char *first = th_runs_text(curve[0].run->told, key);
  for (int64_t k = 1; k < count; k++) {
    const char *other = th_runs_text(curve[k].run->told, key);
    if (first == NULL || other == NULL || strcmp(first, other) != 0)
      return false;
  }
  return true;
}

/* The order at the end of the run, for several. */
static void say_order(FILE *out, const struct kind *kind, const char *name,
                      const struct curve *curve, int64_t count)
{
  enum { SAID = 4 };
  char number[NUMBER];
  const struct curve *least = NULL;
  for (int64_t k = 0; k < count; k++) {
    int64_t last = last_point(&curve[k]);
    if (last >= 0 && (least == NULL ||
                      curve[k].smooth[last] < least->smooth[last_point(least)]))
      least = &curve[k];
  }
  if (least == NULL)
    return;
  fputs("At the end ", out);
  th_html_text(out, least->run->title);
  fprintf(out, " has the %s %s, ",
          kind->y == TH_RUNS_SUPPORT || kind->y == TH_RUNS_ACTIVE ? "fewest"
                                                                  : "lowest",
          name);
  fprintf(out, "%s", th_html_short(least->smooth[last_point(least)], number));
  int said = 0;
  for (int64_t k = 0; k < count; k++) {
    int64_t last = last_point(&curve[k]);
    if (last < 0 || &curve[k] == least || said++ >= SAID)
      continue;
    fprintf(out, "; ");
    th_html_text(out, curve[k].run->title);
    fprintf(out, " has %s", th_html_short(curve[k].smooth[last], number));
  }
  fputs(said > SAID ? "; and so on. " : ". ", out);
  if (kind->y == TH_RUNS_LOSS && !on_one_data(curve, count))
    fputs("The runs are on different data, so their errors do not compare. ",
          out);
}

/* --- Pictures ------------------------------------------------------------- */

static void draw_curves(FILE *out, const struct kind *kind, const char *name,
                        const struct curve *curve, int64_t count)
{
  struct th_plot plot;
  struct th_plot_axis x = th_plot_axis(kind->x_label);
  struct th_plot_axis y = th_plot_axis(name);
  for (int64_t k = 0; k < count; k++)
    for (int64_t i = 0; i < curve[k].count; i++)
      if (both(&curve[k], i)) {
        th_plot_hold(&x, curve[k].x[i]);
        th_plot_hold(&y, curve[k].smooth[i]);
      }
  th_plot_hold(&x, 0);
  th_plot_by_span(&y, kind->y == TH_RUNS_SUPPORT ? 1e300 : 10);
  if (kind->y == TH_RUNS_SUPPORT || kind->y == TH_RUNS_ACTIVE)
    th_plot_hold(&y, y.log ? 1 : 0);
  th_plot_begin(&plot, out, kind->title, &x, &y, 0);
  for (int64_t k = 0; k < count; k++) {
    const struct curve *c = &curve[k];
    char style[STYLE];
    int hue = (int)(c->colour % TH_HTML_COLOURS);
    snprintf(style, sizeof style, "c%d d%d", hue, (int)(c->colour % 4));
    char raw[STYLE];
    snprintf(raw, sizeof raw, "raw c%d", hue);
    if (c->smooth != c->y)
      th_plot_line(&plot, &(struct th_plot_line){c->x, c->y, c->count, raw,
                                                 NULL, false});
    bool steps = kind->y == TH_RUNS_SUPPORT || kind->y == TH_RUNS_ACTIVE;
    th_plot_line(&plot, &(struct th_plot_line){c->x, c->smooth, c->count, style,
                                               c->run->title, steps});
  }
  th_plot_end(&plot);
}

static void put_keys(FILE *out, const struct curve *curve, int64_t count)
{
  if (count < 2)
    return;
  fputs("<div class=\"keys\">", out);
  for (int64_t k = 0; k < count; k++)
    th_html_key(out, curve[k].colour, curve[k].run->title);
  fputs("</div>\n", out);
}

static void put_figure(FILE *out, const struct kind *kind, const char *name,
                       const struct curve *curve, int64_t count)
{
  bool raw = false;
  for (int64_t k = 0; k < count; k++)
    raw = raw || curve[k].smooth != curve[k].y;
  th_html_figure(out, kind->title, NULL);
  put_keys(out, curve, count);
  draw_curves(out, kind, name, curve, count);
  th_html_sentence(out);
  if (count == 1)
    say_course(out, kind, name, curve);
  else
    say_order(out, kind, name, curve, count);
  if (raw)
    fputs("Pale: each update, on its own examples; strong: means of "
          "neighbouring updates. ",
          out);
  fputs(kind->what, out);
  th_html_figure_end(out);
}

/* True if a run has something of this kind, in a loss of that name. */
static bool has(const struct th_runs_one *run, const struct kind *kind,
                const char *loss_is)
{
  const struct th_runs_lines *lines = &run->lines;
  if (lines->count == 0)
    return false;
  if (kind->y == TH_RUNS_LOSS && strcmp(th_runs_loss_is(run), loss_is) != 0)
    return false;
  double most = 0; /* of an x that does not move there is no picture */
  int64_t found = 0;
  for (int64_t k = 0; k < lines->count; k++)
    if (isfinite(lines->column[kind->x][k]) &&
        isfinite(lines->column[kind->y][k])) {
      most = fmax(most, lines->column[kind->x][k]);
      found++;
    }
  return found > 1 && most > 0;
}

/* A picture of the runs that have what is in it. */
static th_status put_kind(FILE *out, const struct th_runs *runs,
                          const struct kind *kind, const char *loss_is,
                          struct th_error *err)
{
  struct curve *curve = NULL;
  int64_t count = 0;
  const char *name = kind->name != NULL ? kind->name : loss_is;
  th_status rc;
  TH_TRY(TH_NEW(&curve, runs->count, "curves", err));
  for (int64_t k = 0; k < runs->count; k++) {
    if (!has(&runs->run[k], kind, loss_is))
      continue;
    curve[count++] = (struct curve){.run = &runs->run[k], .colour = k};
    TH_TRY(make_curve(&curve[count - 1], kind->x, kind->y, err));
  }
  if (count > 0)
    put_figure(out, kind, name, curve, count);
done:
  for (int64_t k = 0; k < count; k++)
    free_curve(&curve[k]);
  free(curve);
  return rc;
}

/* Losses of other names have pictures of their own. */
static th_status put_losses(FILE *out, const struct th_runs *runs,
                            const struct kind *kind, struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t k = 0; k < runs->count; k++) {
    const char *loss_is = th_runs_loss_is(&runs->run[k]);
    bool before = runs->run[k].lines.count == 0;
    for (int64_t j = 0; j < k; j++)
      before = before || (runs->run[j].lines.count > 0 &&
                          strcmp(th_runs_loss_is(&runs->run[j]), loss_is) == 0);
    if (!before)
      TH_TRY(put_kind(out, runs, kind, loss_is, err));
  }
done:
  return rc;
}

static bool any_telemetry(const struct th_runs *runs)
{
  for (int64_t k = 0; k < runs->count; k++)
    if (runs->run[k].lines.count > 0)
      return true;
  return false;
}

static void say_torn(FILE *out, const struct th_runs *runs)
{
  for (int64_t k = 0; k < runs->count; k++) {
    if (!runs->run[k].lines.torn)
      continue;
    fputs("<p>The last line of ", out);
    th_html_text(out, runs->run[k].path[TH_RUNS_TELEMETRY]);
    fputs(" was cut off, as by the end of its run, and is left out.</p>\n",
          out);
  }
}

th_status th_curves_put(FILE *out, const struct th_runs *runs,
                        struct th_error *err)
{
  th_status rc = TH_OK;
  if (!any_telemetry(runs))
    return TH_OK;
  th_html_section(out, "While it ran", "curves", "grid");
  for (size_t k = 0; k < TH_COUNT(kinds); k++)
    if (kinds[k].y == TH_RUNS_LOSS)
      TH_TRY(put_losses(out, runs, &kinds[k], err));
    else
      TH_TRY(put_kind(out, runs, &kinds[k], "", err));
  say_torn(out, runs);
  th_html_section_end(out);
done:
  return rc;
}
