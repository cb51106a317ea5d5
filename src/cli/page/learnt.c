/* learnt.c - pictures and tables of what models hold: coefficients, the path
 * they were chosen from, the candidates of the end
 * SPDX-License-Identifier: MIT */
#include "cli/page/learnt.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/search.h"
#include "cli/page/bars.h"
#include "cli/page/html.h"
#include "cli/page/plot.h"
#include "cli/shared/wording.h"
#include "math/loss.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER = TH_HTML_NUMBER, TITLE = 400 };

/* --- Coefficients --------------------------------------------------------- */

enum { BARS = 25, FEW_BARS = 15, ROWS = 60, NAMES = 22 };

/* A member of a support and the size of its coefficient. */
struct ranked {
  double size;
  int64_t member;
};

/* The larger one first, then the lower attribute. */
static int larger(const void *a, const void *b)
{
  const struct ranked *x = a;
  const struct ranked *y = b;
  if (x->size != y->size)
    return x->size > y->size ? -1 : 1;
  return (x->member > y->member) - (x->member < y->member);
}

static th_status rank_members(const struct th_model *model,
                              struct ranked **list, struct th_error *err)
{
  th_status rc = TH_NEW(list, model->support_size, "coefficients", err);
  for (int64_t k = 0; rc == TH_OK && k < model->support_size; k++)
    (*list)[k] = (struct ranked){fabs(model->coef[k]), k};
  if (rc == TH_OK)
    qsort(*list, (size_t)model->support_size, sizeof **list, larger);
  return rc;
}

/* What a member is called, or its number. */
static const char *member_name(const struct th_model *model, int64_t k,
                               char number[NUMBER])
{
  const char *name = th_model_name_of(model, k);
  snprintf(number, NUMBER, "%" PRId64, model->support[k]);
  return name != NULL ? name : number;
}

static void draw_bars(FILE *out, const struct th_model *model,
                      const struct ranked *list, int64_t shown, int64_t run)
{
  struct th_bars bars;
  char number[NUMBER];
  char value[NUMBER];
  char told[TITLE];
  char style[NUMBER];
  double low = 0;
  double high = 0;
  int widest = 4;
  for (int64_t k = 0; k < shown; k++) {
    const char *name = member_name(model, list[k].member, number);
    int columns = th_html_columns(name);
    low = fmin(low, model->coef[list[k].member]);
    high = fmax(high, model->coef[list[k].member]);
    widest = columns > widest ? columns : widest;
  }
  th_bars_begin(&bars, out, "Coefficients, the largest first", shown, low, high,
                widest < NAMES ? widest + 1 : NAMES);
  snprintf(style, sizeof style, "bar c%d", (int)(run % TH_HTML_COLOURS));
  for (int64_t k = 0; k < shown; k++) {
    double coef = model->coef[list[k].member];
    const char *name = member_name(model, list[k].member, number);
    snprintf(told, sizeof told, "%.300s: %.17g", name, coef);
    th_bars_row(&bars, name, th_html_real(coef, value), told);
    th_bars_part(&bars, 0, coef, style);
  }
  th_bars_end(&bars);
}

static void say_coefficients(FILE *out, const struct th_model *model,
                             const struct ranked *list, int64_t shown)
{
  char number[NUMBER];
  char value[NUMBER];
  int64_t positive = 0;
  for (int64_t k = 0; k < model->support_size; k++)
    positive += model->coef[k] > 0;
  fputs("A bar is the change of the prediction where the attribute grows by "
        "one of its own units. The largest is that of ",
        out);
  th_html_text(out, member_name(model, list[0].member, number));
  fprintf(out, ", %s; ", th_html_real(model->coef[list[0].member], value));
  fprintf(out,
          "%" PRId64 " of %" PRId64 " raise the prediction and %" PRId64
          " lower it.",
          positive, model->support_size, model->support_size - positive);
  if (shown < model->support_size)
    fprintf(out, " The largest %" PRId64 " are drawn.", shown);
}

static th_status put_bars(FILE *out, const struct th_runs *runs, int64_t k,
                          struct th_error *err)
{
  const struct th_model *model = &runs->run[k].model;
  struct ranked *list = NULL;
  int64_t shown =
      th_min_i64(model->support_size, runs->count > 1 ? FEW_BARS : BARS);
  th_status rc;
  if (model->support_size == 0)
    return TH_OK;
  TH_TRY(rank_members(model, &list, err));
  th_html_figure(out, "Coefficients", th_runs_title(runs, k));
  draw_bars(out, model, list, shown, k);
  th_html_sentence(out);
  say_coefficients(out, model, list, shown);
  th_html_figure_end(out);
done:
  free(list);
  return rc;
}

static void put_cell(FILE *out, double value, bool known)
{
  char number[NUMBER];
  fprintf(out, "<td>%s</td>", known ? th_html_real(value, number) : "");
}

static void put_row(FILE *out, const struct th_model *model, int64_t k)
{
  char number[NUMBER];
  bool deviation = model->deviation != NULL;
  fputs("<tr><th scope=\"row\">", out);
  th_html_text(out, member_name(model, k, number));
  fprintf(out, "</th><td>%" PRId64 "</td>", model->support[k]);
  put_cell(out, model->coef[k], true);
  put_cell(out, deviation ? model->coef[k] * model->deviation[k] : NAN,
           deviation);
  fputs("</tr>\n", out);
}

/* Rows of the members from..to of a list, below the names of the columns. */
static void put_coefficients(FILE *out, const struct th_model *model,
                             const struct ranked *list, int64_t from,
                             int64_t to)
{
  fputs("<thead><tr><th>attribute</th><th>number</th>"
        "<th>coefficient</th><th>per standard deviation</th></tr></thead>\n"
        "<tbody>\n",
        out);
  for (int64_t k = from; k < to; k++)
    put_row(out, model, list[k].member);
  fputs("</tbody>\n</table></div>\n", out);
}

/* What is behind the first rows of a table can be opened. */
static void begin_rest(FILE *out, int64_t rows)
{
  fprintf(out,
          "<details>\n<summary>%" PRId64
          " more</summary>\n<div class=\"wide\"><table>\n",
          rows);
}

/* A table of one run: what a deviation more of an attribute changes is beside
 * the coefficient. */
static th_status put_table(FILE *out, const struct th_runs_one *run,
                           struct th_error *err)
{
  const struct th_model *model = &run->model;
  struct ranked *list = NULL;
  int64_t shown = th_min_i64(model->support_size, ROWS);
  char number[NUMBER];
  th_status rc = rank_members(model, &list, err);
  if (rc != TH_OK)
    return rc;
  fputs("<div class=\"wide\"><table>\n<caption>", out);
  th_html_text(out, run->title);
  fprintf(out, ": intercept %s", th_html_real(model->intercept, number));
  if (shown < model->support_size)
    fprintf(out,
            ". The largest %" PRId64 " of %" PRId64
            "; <code>thresher export</code> lists all",
            shown, model->support_size);
  fputs("</caption>\n", out);
  put_coefficients(out, model, list, 0, th_min_i64(shown, BARS));
  if (shown > BARS) {
    begin_rest(out, shown - BARS);
    put_coefficients(out, model, list, BARS, shown);
    fputs("</details>\n", out);
  }
  free(list);
  return rc;
}

/* True if the numbers of attributes mean the same in both. */
static bool of_one_data(const struct th_runs_one *a,
                        const struct th_runs_one *b)
{
  return th_runs_has_model(a) && th_runs_has_model(b) &&
         a->model.fingerprint == b->model.fingerprint;
}

static void put_compared_head(FILE *out, const struct th_runs *runs,
                              const struct th_runs_one *first)
{
  fputs("<thead><tr><th>attribute</th>", out);
  for (int64_t k = 0; k < runs->count; k++) {
    if (!of_one_data(&runs->run[k], first))
      continue;
    fputs("<th>", out);
    th_html_key(out, k, runs->run[k].title);
    fputs("</th>", out);
  }
  fputs("</tr></thead>\n<tbody>\n", out);
}

static void put_compared_row(FILE *out, const struct th_runs *runs,
                             const struct th_runs_one *first, int64_t member)
{
  char number[NUMBER];
  int64_t attribute = first->model.support[member];
  fputs("<tr><th scope=\"row\">", out);
  th_html_text(out, member_name(&first->model, member, number));
  fputs("</th>", out);
  for (int64_t k = 0; k < runs->count; k++) {
    const struct th_model *m = &runs->run[k].model;
    int64_t at = th_search_i64(m->support, 0, m->support_size, attribute);
    bool there = at < m->support_size && m->support[at] == attribute;
    if (of_one_data(&runs->run[k], first))
      put_cell(out, there ? m->coef[at] : NAN, there);
  }
  fputs("</tr>\n", out);
}

/* The members from..to of a list, below the names of the runs. */
static void put_compared_rows(FILE *out, const struct th_runs *runs,
                              const struct th_runs_one *first,
                              const struct ranked *list, int64_t from,
                              int64_t to)
{
  put_compared_head(out, runs, first);
  for (int64_t i = from; i < to; i++)
    put_compared_row(out, runs, first, list[i].member);
  fputs("</tbody>\n</table></div>\n", out);
}

/* What several runs say of their attributes, side by side. */
static th_status put_compared(FILE *out, const struct th_runs *runs,
                              const struct th_runs_one *first,
                              struct th_error *err)
{
  struct ranked *list = NULL;
  int64_t shown = th_min_i64(first->model.support_size, ROWS);
  th_status rc = rank_members(&first->model, &list, err);
  if (rc != TH_OK)
    return rc;
  fputs("<div class=\"wide\"><table>\n<caption>The largest coefficients of ",
        out);
  th_html_text(out, first->title);
  fputs(", and what the others have there; empty: the attribute is not in the "
        "model</caption>\n",
        out);
  put_compared_rows(out, runs, first, list, 0, th_min_i64(shown, BARS));
  if (shown > BARS) {
    begin_rest(out, shown - BARS);
    put_compared_rows(out, runs, first, list, BARS, shown);
    fputs("</details>\n", out);
  }
  free(list);
  return rc;
}

/* One table for the runs on the same data, with the first of them. */
static th_status put_tables(FILE *out, const struct th_runs *runs, int64_t k,
                            struct th_error *err)
{
  const struct th_runs_one *run = &runs->run[k];
  bool alone = true;
  if (!th_runs_has_model(run) || run->model.support_size == 0)
    return TH_OK;
  for (int64_t j = 0; j < runs->count; j++) {
    bool other = j != k && of_one_data(&runs->run[j], run) &&
                 runs->run[j].model.support_size > 0;
    if (other && j < k)
      return TH_OK;
    alone = alone && !other;
  }
  return alone ? put_table(out, run, err) : put_compared(out, runs, run, err);
}

static bool any_model(const struct th_runs *runs)
{
  for (int64_t k = 0; k < runs->count; k++)
    if (th_runs_has_model(&runs->run[k]))
      return true;
  return false;
}

static void say_empty(FILE *out, const struct th_runs_one *run)
{
  char number[NUMBER];
  if (!th_runs_has_model(run) || run->model.support_size > 0)
    return;
  fputs("<p>The model of ", out);
  th_html_text(out, run->title);
  fprintf(out, " has no attribute: it predicts %s for every example.</p>\n",
          th_html_real(run->model.intercept, number));
}

th_status th_learnt_put_coefficients(FILE *out, const struct th_runs *runs,
                                     struct th_error *err)
{
  bool one = runs->count == 1;
  th_status rc = TH_OK;
  if (!any_model(runs))
    return TH_OK;
  th_html_section(out, "What was learnt", "learnt", one ? "flow" : "grid");
  for (int64_t k = 0; k < runs->count; k++)
    if (th_runs_has_model(&runs->run[k]))
      TH_TRY(put_bars(out, runs, k, err));
  if (!one)
    fputs("</div>\n<div class=\"flow under\">\n", out);
  for (int64_t k = 0; k < runs->count; k++)
    say_empty(out, &runs->run[k]);
  for (int64_t k = 0; k < runs->count; k++)
    TH_TRY(put_tables(out, runs, k, err));
  th_html_section_end(out);
done:
  return rc;
}

/* --- The path that a model was chosen from -------------------------------- */

enum { LINES = 400, NAMED = 12, NAME_COLUMNS = 13, PATH_ROWS = 40 };

/* The coefficients of one attribute along a path, per deviation. */
struct track {
  double *coef;   /* points */
  double last;    /* the size at the end of the path */
  int64_t member; /* of the model's members */
};

static int longer(const void *a, const void *b)
{
  const struct track *x = a;
  const struct track *y = b;
  if (x->last != y->last)
    return x->last > y->last ? -1 : 1;
  return (x->member > y->member) - (x->member < y->member);
}

static void free_tracks(struct track *track, int64_t count)
{
  for (int64_t k = 0; track != NULL && k < count; k++)
    free(track[k].coef);
  free(track);
}

/* All attributes of a path, the largest at its end first. */
static th_status make_tracks(const struct th_model *model, struct track **track,
                             struct th_error *err)
{
  const struct th_path *path = &model->path;
  const struct th_model *m = model->members;
  th_status rc;
  TH_TRY(TH_NEW(track, m->support_size, "the path", err));
  for (int64_t k = 0; k < m->support_size; k++) {
    (*track)[k].member = k;
    TH_TRY(TH_NEW(&(*track)[k].coef, path->points, "the path", err));
  }
  for (int64_t p = 0; p < path->points; p++)
    for (int64_t e = path->start[p]; e < path->start[p + 1]; e++) {
      int64_t at =
          th_search_i64(m->support, 0, m->support_size, path->attribute[e]);
      double unit = m->deviation != NULL ? m->deviation[at] : 1;
      (*track)[at].coef[p] = path->coef[e] * unit;
    }
  for (int64_t k = 0; k < m->support_size; k++)
    (*track)[k].last = fabs((*track)[k].coef[path->points - 1]);
  qsort(*track, (size_t)m->support_size, sizeof **track, longer);
done:
  return rc;
}

/* From the largest lambda at the left to the smallest at the right, as paths
 * are drawn: the axis has lambda over lambda_max from 1 down, so 1 / lambda. */
static void mark_lambdas(const struct th_plot *plot, const struct th_path *path)
{
  double largest = path->lambda[0];
  th_plot_mark(plot, largest / path->lambda[path->best],
               path->best == path->one_se ? "best, 1se" : "best", 0);
  if (path->best != path->one_se)
    th_plot_mark(plot, largest / path->lambda[path->one_se], "1se", 1);
}

static th_status inverse_lambdas(const struct th_path *path, double **x,
                                 struct th_error *err)
{
  th_status rc = TH_NEW(x, path->points, "the path", err);
  for (int64_t k = 0; rc == TH_OK && k < path->points; k++)
    (*x)[k] = path->lambda[0] / path->lambda[k];
  return rc;
}

static struct th_plot_axis lambda_axis(const double *x, int64_t points)
{
  struct th_plot_axis axis =
      th_plot_axis("lambda_max / lambda: weaker penalty to the right");
  th_plot_hold(&axis, x[0]);
  th_plot_hold(&axis, x[points - 1]);
  th_plot_by_span(&axis, 5);
  return axis;
}

static void draw_names(const struct th_plot *plot, const struct th_model *m,
                       const struct track *track, int64_t named, int64_t points)
{
  char text[NAMED][TITLE];
  char number[NUMBER];
  struct th_plot_name name[NAMED];
  for (int64_t k = 0; k < named; k++)
    name[k] = (struct th_plot_name){
        .y = track[k].coef[points - 1],
        .name = th_html_cut(member_name(m, track[k].member, number),
                            NAME_COLUMNS, text[k], sizeof text[k]),
        .colour = (int)(k % TH_HTML_COLOURS)};
  th_plot_names(plot, name, named);
}

static void draw_tracks(FILE *out, const struct th_model *model,
                        const struct track *track, const double *x)
{
  const struct th_path *path = &model->path;
  const struct th_model *m = model->members;
  int64_t lines = th_min_i64(m->support_size, LINES);
  int64_t named = th_min_i64(m->support_size, NAMED);
  struct th_plot plot;
  struct th_plot_axis axis = lambda_axis(x, path->points);
  struct th_plot_axis y =
      th_plot_axis(m->deviation != NULL ? "coefficient per standard deviation"
                                        : "coefficient");
  char number[NUMBER];
  char style[NUMBER];
  th_plot_hold(&y, 0);
  for (int64_t k = 0; k < lines; k++)
    for (int64_t p = 0; p < path->points; p++)
      th_plot_hold(&y, track[k].coef[p]);
  th_plot_begin(&plot, out, "Coefficients along the path", &axis, &y,
                NAME_COLUMNS);
  for (int64_t k = lines - 1; k >= 0; k--) {
    snprintf(style, sizeof style, k < named ? "thin c%d" : "raw grey",
             (int)(k % TH_HTML_COLOURS));
    th_plot_line(&plot, &(struct th_plot_line){
                            x, track[k].coef, path->points, style,
                            member_name(m, track[k].member, number), false});
  }
  mark_lambdas(&plot, path);
  draw_names(&plot, m, track, named, path->points);
  th_plot_end(&plot);
}

static void say_tracks(FILE *out, const struct th_model *model,
                       const struct track *track)
{
  const struct th_path *path = &model->path;
  const struct th_model *m = model->members;
  char number[NUMBER];
  char value[NUMBER];
  fprintf(out,
          "Each line is an attribute; it leaves 0 where the penalty gets weak "
          "enough for it. %" PRId64 " attribute%s enter%s in all; ",
          m->support_size, th_wording_s(m->support_size),
          m->support_size == 1 ? "s" : "");
  th_html_text(out, member_name(m, track[0].member, number));
  fprintf(out, " is the largest at the end, %s. ",
          th_html_real(track[0].coef[path->points - 1], value));
  fprintf(out, "The model is that at lambda %s, with %" PRId64 ".",
          th_html_real(path->lambda[path->chosen], value),
          th_path_size(path, path->chosen));
}

static th_status put_tracks(FILE *out, const struct th_runs *runs, int64_t k,
                            struct th_error *err)
{
  const struct th_model *model = &runs->run[k].model;
  int64_t count = model->members->support_size;
  struct track *track = NULL;
  double *x = NULL;
  th_status rc;
  if (count == 0)
    return TH_OK;
  TH_TRY(make_tracks(model, &track, err));
  TH_TRY(inverse_lambdas(&model->path, &x, err));
  th_html_figure(out, "The path: coefficients", th_runs_title(runs, k));
  draw_tracks(out, model, track, x);
  th_html_sentence(out);
  say_tracks(out, model, track);
  th_html_figure_end(out);
done:
  free_tracks(track, count);
  free(x);
  return rc;
}

static void draw_losses(FILE *out, const struct th_model *model,
                        const double *x)
{
  const struct th_path *path = &model->path;
  struct th_plot plot;
  struct th_plot_axis axis = lambda_axis(x, path->points);
  struct th_plot_axis y = th_plot_axis(th_wording_loss(model->loss));
  char told[TITLE];
  for (int64_t k = 0; k < path->points; k++) {
    th_plot_hold(&y, path->loss[k] - path->se[k]);
    th_plot_hold(&y, path->loss[k] + path->se[k]);
  }
  th_plot_by_span(&y, 30);
  th_plot_begin(&plot, out, "Losses on held-out examples along the path", &axis,
                &y, 0);
  for (int64_t k = 0; k < path->points; k++)
    th_plot_whisker(&plot, x[k], path->loss[k], path->se[k], "grey");
  th_plot_line(&plot, &(struct th_plot_line){x, path->loss, path->points,
                                             "raw c0", NULL, false});
  for (int64_t k = 0; k < path->points; k++) {
    snprintf(told, sizeof told,
             "lambda %.4g: %.5g (%.2g) with %" PRId64 " attributes",
             path->lambda[k], path->loss[k], path->se[k],
             th_path_size(path, k));
    th_plot_dot(&plot, x[k], path->loss[k], "c0", told);
  }
  mark_lambdas(&plot, path);
  th_plot_end(&plot);
}

static void say_losses(FILE *out, const struct th_model *model)
{
  const struct th_path *path = &model->path;
  char loss[NUMBER];
  char se[NUMBER];
  char lambda[NUMBER];
  fputs(path->folds == 1 ? "Losses are means over a fifth of the examples, "
                           "which was held out"
                         : "",
        out);
  if (path->folds > 1)
    fprintf(out, "Losses are means over %" PRId64 " folds, each held out once",
            path->folds);
  fprintf(out, ", and bars are one standard error. The least is %s (%s) ",
          th_html_real(path->loss[path->best], loss),
          th_html_real(path->se[path->best], se));
  fprintf(out, "with %" PRId64 " attributes", th_path_size(path, path->best));
  if (path->one_se != path->best)
    fprintf(out,
            "; within a standard error of it, %" PRId64
            " attributes do at lambda %s",
            th_path_size(path, path->one_se),
            th_html_real(path->lambda[path->one_se], lambda));
  fprintf(out, ".%s",
          path->best == path->points - 1
              ? " The best lambda is the last one: a longer path may predict "
                "better."
              : "");
}

static th_status put_loss_figure(FILE *out, const struct th_runs *runs,
                                 int64_t k, struct th_error *err)
{
  const struct th_model *model = &runs->run[k].model;
  double *x = NULL;
  th_status rc = inverse_lambdas(&model->path, &x, err);
  if (rc != TH_OK)
    return rc;
  th_html_figure(out, "The path: losses on held-out examples",
                 th_runs_title(runs, k));
  draw_losses(out, model, x);
  th_html_sentence(out);
  say_losses(out, model);
  th_html_figure_end(out);
  free(x);
  return rc;
}

static void put_point(FILE *out, const struct th_path *path, int64_t k)
{
  char a[NUMBER];
  char b[NUMBER];
  char c[NUMBER];
  fprintf(out,
          "<tr><th scope=\"row\">%s</th><td>%" PRId64
          "</td><td>%s</td><td>%s</td><td class=\"text\">%s%s%s</td></tr>\n",
          th_html_real(path->lambda[k], a), th_path_size(path, k),
          th_html_real(path->loss[k], b), th_html_real(path->se[k], c),
          k == path->best ? "best " : "", k == path->one_se ? "1se " : "",
          k == path->chosen ? "the model" : "");
}

/* At most some 40 lambdas, those that count among them. */
static void put_points(FILE *out, const struct th_runs_one *run)
{
  const struct th_path *path = &run->model.path;
  int64_t every = (path->points + PATH_ROWS - 1) / PATH_ROWS;
  fputs("<div class=\"wide\"><table>\n<caption>The path of ", out);
  th_html_text(out, run->title);
  if (every > 1)
    fprintf(out,
            ", each %s lambda; <code>thresher inspect --path</code> has all",
            every == 2   ? "second"
            : every == 3 ? "third"
                         : "few");
  fputs("</caption>\n<thead><tr><th>lambda</th><th>attributes</th>"
        "<th>loss</th><th>standard error</th><th></th></tr></thead>\n<tbody>\n",
        out);
  for (int64_t k = 0; k < path->points; k++)
    if (k % every == 0 || k == path->best || k == path->one_se ||
        k == path->chosen)
      put_point(out, path, k);
  fputs("</tbody>\n</table></div>\n", out);
}

static bool keeps_path(const struct th_runs_one *run)
{
  return th_runs_has_model(run) && run->model.path.points > 1 &&
         run->model.members != NULL;
}

th_status th_learnt_put_paths(FILE *out, const struct th_runs *runs,
                              struct th_error *err)
{
  bool any = false;
  th_status rc = TH_OK;
  for (int64_t k = 0; k < runs->count; k++)
    any = any || keeps_path(&runs->run[k]);
  if (!any)
    return TH_OK;
  th_html_section(out, "Path and folds", "path", "flow");
  for (int64_t k = 0; k < runs->count; k++)
    if (keeps_path(&runs->run[k])) {
      TH_TRY(put_tracks(out, runs, k, err));
      TH_TRY(put_loss_figure(out, runs, k, err));
    }
  for (int64_t k = 0; k < runs->count; k++)
    if (keeps_path(&runs->run[k]))
      put_points(out, &runs->run[k]);
  th_html_section_end(out);
done:
  return rc;
}

/* --- What the end of a run chose among ------------------------------------ */

struct candidate {
  const char *name;
  double loss;
  double se;
};

static bool has_candidates(const struct th_runs_one *run)
{
  int64_t kind = run->model.ending.kind;
  return th_runs_has_model(run) && kind != TH_ENDING_NONE &&
         kind != TH_ENDING_BLIND;
}

static const char *const chosen_words[TH_ENDING_KINDS] = {
    [TH_ENDING_NULL] = "the mean of the targets, since nothing predicts "
                       "beyond doubt",
    [TH_ENDING_STRICT] = "the strict support, the attributes that stand out "
                         "beyond doubt",
    [TH_ENDING_NET] = "an elastic net, which predicts best"};

/* Losses in the unit that evaluate prints. */
static void list_candidates(const struct th_model *model,
                            struct candidate candidate[3])
{
  const struct th_ending *e = &model->ending;
  const struct th_loss *loss =
      model->loss != NULL ? th_loss_find(model->loss) : NULL;
  double unit = loss != NULL ? 1 / loss->half : 1;
  candidate[0] =
      (struct candidate){"best of all", unit * e->best_loss, unit * e->best_se};
  candidate[1] = (struct candidate){"strict support", unit * e->strict_loss,
                                    unit * e->strict_se};
  candidate[2] = (struct candidate){"mean of targets", unit * e->null_loss,
                                    unit * e->null_se};
}

static void draw_candidates(FILE *out, const struct candidate candidate[3],
                            int64_t run)
{
  struct th_bars bars;
  char number[NUMBER];
  char told[TITLE];
  char style[NUMBER];
  double high = 0;
  for (int k = 0; k < 3; k++)
    high = fmax(high, candidate[k].loss + candidate[k].se);
  snprintf(style, sizeof style, "bar c%d", (int)(run % TH_HTML_COLOURS));
  th_bars_begin(&bars, out, "Losses of the candidates", 3, 0, high, 17);
  for (int k = 0; k < 3; k++) {
    const struct candidate *c = &candidate[k];
    snprintf(told, sizeof told, "%s: %.5g, standard error %.2g", c->name,
             c->loss, c->se);
    th_bars_row(&bars, c->name, th_html_real(c->loss, number), told);
    th_bars_part(&bars, 0, c->loss, style);
    th_bars_whisker(&bars, c->loss - c->se, c->loss + c->se, "axis");
  }
  th_bars_end(&bars);
}

static void put_candidates(FILE *out, const struct th_runs *runs, int64_t k)
{
  const struct th_model *model = &runs->run[k].model;
  struct candidate candidate[3];
  char a[NUMBER];
  char b[NUMBER];
  list_candidates(model, candidate);
  th_html_figure(out, "Candidates of the end", th_runs_title(runs, k));
  draw_candidates(out, candidate, k);
  th_html_sentence(out);
  fprintf(out, "The run chose %s. ", chosen_words[model->ending.kind]);
  fprintf(out,
          "On examples that the candidates had not seen, the best has a %s of "
          "%s, and the strict support %s; a line across a bar's end is one "
          "standard error to each side.",
          th_wording_loss(model->loss), th_html_real(candidate[0].loss, a),
          th_html_real(candidate[1].loss, b));
  th_html_figure_end(out);
}

void th_learnt_put_candidates(FILE *out, const struct th_runs *runs)
{
  bool any = false;
  for (int64_t k = 0; k < runs->count; k++)
    any = any || has_candidates(&runs->run[k]);
  if (!any)
    return;
  th_html_section(out, "How the model was chosen", "candidates", "flow");
  for (int64_t k = 0; k < runs->count; k++)
    if (has_candidates(&runs->run[k]))
      put_candidates(out, runs, k);
  th_html_section_end(out);
}
