/* costs.c - what runs cost and observed: a table at a glance, settings, phases
 * and ranks, the ledger in words
 * SPDX-License-Identifier: MIT */
#include "cli/page/costs.h"

#include "base/integer.h"
#include "base/printable.h"
#include "cli/page/bars.h"
#include "cli/page/html.h"
#include "cli/shared/wording.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { NUMBER = TH_HTML_NUMBER, TEXT = 400 };

/* --- At a glance ---------------------------------------------------------- */

/* One line of the table: what it is called and what a run has there; "" where
 * it has nothing. */
struct glance {
  const char *name;
  void (*write)(const struct th_runs_one *run, char text[TEXT]);
};

static void set_text(char text[TEXT], const char *value)
{
  snprintf(text, TEXT, "%.300s", value != NULL ? value : "");
}

static void write_count(double value, char text[TEXT])
{
  char number[NUMBER];
  const double exact = 9e15;
  if (isfinite(value) && fabs(value) < exact)
    set_text(text, th_html_count((int64_t)value, number));
}

static double last_of(const struct th_runs_one *run, enum th_runs_column column)
{
  const struct th_runs_lines *lines = &run->lines;
  return lines->count > 0 ? lines->column[column][lines->count - 1] : NAN;
}

static void write_solver(const struct th_runs_one *run, char text[TEXT])
{
  set_text(text, th_runs_text(run->told, "solver"));
}

static void write_loss(const struct th_runs_one *run, char text[TEXT])
{
  set_text(text, th_runs_text(run->told, "loss"));
}

static void write_data(const struct th_runs_one *run, char text[TEXT])
{
  set_text(text, th_runs_text(run->told, "dataset_fingerprint"));
}

static void write_attributes(const struct th_runs_one *run, char text[TEXT])
{
  write_count(th_runs_number(run->told, "attributes"), text);
}

static void write_support(const struct th_runs_one *run, char text[TEXT])
{
  double size = th_runs_has_model(run)
                    ? (double)run->model.support_size
                    : th_runs_number(run->report, "support_size");
  write_count(isfinite(size) ? size : last_of(run, TH_RUNS_SUPPORT), text);
}

static void write_drawn(const struct th_runs_one *run, char text[TEXT])
{
  double drawn = th_runs_has_model(run)
                     ? (double)run->model.ledger.examples
                     : th_runs_number(run->report, "examples");
  write_count(isfinite(drawn) ? drawn : last_of(run, TH_RUNS_EXAMPLES), text);
}

static void write_observed(const struct th_runs_one *run, char text[TEXT])
{
  double seen = th_runs_has_model(run)
                    ? (double)run->model.ledger.attributes
                    : th_runs_number(run->report, "attributes_observed");
  write_count(isfinite(seen) ? seen : last_of(run, TH_RUNS_ATTRIBUTES), text);
}

static void write_last(const struct th_runs_one *run, char text[TEXT])
{
  char number[NUMBER];
  double loss = last_of(run, TH_RUNS_LOSS);
  if (isfinite(loss))
    snprintf(text, TEXT, "%s (%.100s)", th_html_real(loss, number),
             th_runs_loss_is(run));
}

static void write_gap(const struct th_runs_one *run, char text[TEXT])
{
  if (th_runs_has_model(run) && run->model.certificate.lambda > 0)
    snprintf(text, TEXT, "%.2g at lambda %.4g", run->model.certificate.gap,
             run->model.certificate.lambda);
}

static void write_end(const struct th_runs_one *run, char text[TEXT])
{
  const char *word = th_runs_has_model(run)
                         ? th_claims_end_meaning(run->model.claims.ended_by)
                         : th_runs_text(run->report, "ended_by");
  set_text(text, word);
}

static void write_seconds(const struct th_runs_one *run, char text[TEXT])
{
  char number[NUMBER];
  double seconds = th_runs_number(run->report, "seconds");
  if (!isfinite(seconds))
    seconds = last_of(run, TH_RUNS_SECONDS);
  if (isfinite(seconds))
    set_text(text, th_html_real(seconds, number));
}

static void write_ranks(const struct th_runs_one *run, char text[TEXT])
{
  write_count(th_runs_number(run->report, "ranks"), text);
}

static void write_size(const struct th_runs_one *run, const char *key,
                       char text[TEXT])
{
  char size[TH_SIZE_TEXT];
  double bytes = th_runs_number(run->report, key);
  if (bytes >= 0 && bytes < 9e18)
    set_text(text, th_printable_size((int64_t)bytes, size));
}

static void write_read(const struct th_runs_one *run, char text[TEXT])
{
  write_size(run, "bytes_read", text);
}

static void write_memory(const struct th_runs_one *run, char text[TEXT])
{
  write_size(run, "peak_memory_per_rank", text);
}

static const struct glance glances[] = {
    {"solver", write_solver},
    {"loss", write_loss},
    {"data set", write_data},
    {"attributes of the data", write_attributes},
    {"attributes of the model", write_support},
    {"examples drawn", write_drawn},
    {"attributes observed", write_observed},
    {"last loss of an update", write_last},
    {"duality gap", write_gap},
    {"ended, since", write_end},
    {"seconds", write_seconds},
    {"ranks", write_ranks},
    {"read from files", write_read},
    {"most memory of a rank", write_memory},
};

/* A row of names of runs, each with its colour. */
static void put_heads(FILE *out, const struct th_runs *runs, const char *first)
{
  fprintf(out, "<thead><tr><th>%s</th>", first);
  for (int64_t k = 0; k < runs->count; k++) {
    fputs("<th class=\"text\">", out);
    th_html_key(out, k, runs->run[k].title);
    fputs("</th>", out);
  }
  fputs("</tr></thead>\n<tbody>\n", out);
}

static void put_glance(FILE *out, const struct th_runs *runs,
                       const struct glance *glance)
{
  char text[TEXT];
  bool any = false;
  for (int64_t k = 0; k < runs->count; k++) {
    text[0] = '\0';
    glance->write(&runs->run[k], text);
    any = any || text[0] != '\0';
  }
  if (!any)
    return;
  fprintf(out, "<tr><th scope=\"row\">%s</th>", glance->name);
  for (int64_t k = 0; k < runs->count; k++) {
    text[0] = '\0';
    glance->write(&runs->run[k], text);
    fputs("<td class=\"text\">", out);
    th_html_text(out, text);
    fputs("</td>", out);
  }
  fputs("</tr>\n", out);
}

void th_costs_put_summary(FILE *out, const struct th_runs *runs)
{
  fputs("<section id=\"glance\">\n<h2>At a glance</h2>\n<div class=\"wide\">"
        "<table>\n",
        out);
  put_heads(out, runs, "");
  for (size_t k = 0; k < sizeof glances / sizeof *glances; k++)
    put_glance(out, runs, &glances[k]);
  fputs("</tbody>\n</table></div>\n</section>\n", out);
}

/* --- Settings ------------------------------------------------------------- */

static void setting_text(const json_t *value, char text[TEXT])
{
  if (json_is_string(value))
    snprintf(text, TEXT, "%.300s", json_string_value(value));
  else if (json_is_integer(value))
    snprintf(text, TEXT, "%" PRId64, (int64_t)json_integer_value(value));
  else if (json_is_real(value))
    snprintf(text, TEXT, "%.6g", json_real_value(value));
  else if (json_is_boolean(value))
    snprintf(text, TEXT, "%s", json_is_true(value) ? "yes" : "no");
  else
    text[0] = '\0';
}

static json_t *told_deck(const struct th_runs_one *run)
{
  return json_object_get(run->told, "deck");
}

static bool runs_alike(const struct th_runs *runs, const char *key)
{
  const json_t *first = json_object_get(told_deck(&runs->run[0]), key);
  for (int64_t k = 1; k < runs->count; k++) {
    const json_t *other = json_object_get(told_deck(&runs->run[k]), key);
    if (first == NULL ? other != NULL : !json_equal(first, other))
      return false;
  }
  return true;
}

static void put_setting(FILE *out, const struct th_runs *runs, const char *key)
{
  char text[TEXT];
  bool alike = runs_alike(runs, key);
  fputs("<tr><th scope=\"row\">", out);
  th_html_text(out, key);
  fputs("</th>", out);
  for (int64_t k = 0; k < runs->count; k++) {
    setting_text(json_object_get(told_deck(&runs->run[k]), key), text);
    fprintf(out, "<td class=\"text%s\">", alike ? "" : " other");
    th_html_text(out, text);
    fputs("</td>", out);
  }
  fputs("</tr>\n", out);
}

/* True if a run before this one has the setting. */
static bool put_before(const struct th_runs *runs, int64_t k, const char *key)
{
  for (int64_t j = 0; j < k; j++)
    if (json_object_get(told_deck(&runs->run[j]), key) != NULL)
      return true;
  return false;
}

void th_costs_put_settings(FILE *out, const struct th_runs *runs)
{
  const char *key;
  json_t *value;
  bool any = false;
  for (int64_t k = 0; k < runs->count; k++)
    any = any || json_object_size(told_deck(&runs->run[k])) > 0;
  if (!any)
    return;
  fputs("<section id=\"settings\">\n<h2>Settings</h2>\n<details open>\n"
        "<summary>The options as they were used, also those that the program "
        "chose",
        out);
  fputs(runs->count > 1 ? "; bold: runs differ" : "", out);
  fputs("</summary>\n<p></p>\n<div class=\"wide\"><table>\n", out);
  put_heads(out, runs, "option");
  for (int64_t k = 0; k < runs->count; k++)
    json_object_foreach(told_deck(&runs->run[k]), key,
                        value) if (!put_before(runs, k, key))
        put_setting(out, runs, key);
  fputs("</tbody>\n</table></div>\n</details>\n</section>\n", out);
}

/* --- Where the time went -------------------------------------------------- */

struct phase {
  const char *name;
  double mean;    /* seconds of a rank */
  double waiting; /* of them for others */
  double imbalance;
};

enum { PHASES = 32, RANKS = 64 };

/* The phases that took time, the longest first. */
static int64_t list_phases(json_t *report, struct phase phase[PHASES])
{
  const char *key;
  json_t *value;
  int64_t count = 0;
  json_object_foreach(json_object_get(report, "phases"), key, value)
  {
    double mean = th_runs_number(value, "seconds_mean");
    int64_t at = count;
    if (!(mean > 0) || count == PHASES)
      continue;
    for (; at > 0 && phase[at - 1].mean < mean; at--)
      phase[at] = phase[at - 1];
    phase[at] = (struct phase){key, mean, th_runs_number(value, "waiting_mean"),
                               th_runs_number(value, "imbalance")};
    count++;
  }
  return count;
}

static void put_work_keys(FILE *out)
{
  fputs("<div class=\"keys\"><span class=\"key\" style=\"color:var(--fill)\">"
        "<span>work</span></span>\n<span class=\"key\" "
        "style=\"color:var(--wait)\"><span>waiting for other ranks</span>"
        "</span></div>\n",
        out);
}

static void draw_phases(FILE *out, const struct phase *phase, int64_t count)
{
  struct th_bars bars;
  char number[NUMBER];
  char told[TEXT];
  th_bars_begin(&bars, out, "Seconds of each phase", count, 0, phase[0].mean,
                10);
  for (int64_t k = 0; k < count; k++) {
    const struct phase *p = &phase[k];
    double waits = isfinite(p->waiting) ? fmin(p->waiting, p->mean) : 0;
    snprintf(told, sizeof told,
             "%.100s: %.4g s, %.4g s of them waiting; the busiest rank worked "
             "%.3g times as long as the mean",
             p->name, p->mean, waits, p->imbalance);
    th_bars_row(&bars, p->name, th_html_real(p->mean, number), told);
    th_bars_part(&bars, 0, p->mean - waits, "fill");
    th_bars_part(&bars, p->mean - waits, p->mean, "wait");
  }
  th_bars_end(&bars);
}

static void say_phases(FILE *out, const struct phase *phase, int64_t count,
                       double imbalance)
{
  double all = 0;
  double waits = 0;
  for (int64_t k = 0; k < count; k++) {
    all += phase[k].mean;
    waits += isfinite(phase[k].waiting) ? phase[k].waiting : 0;
  }
  fputs("Seconds of a rank, on average. Most time went to ", out);
  th_html_text(out, phase[0].name);
  fprintf(out, ", %.0f %% of it", 100 * phase[0].mean / all);
  if (waits > 0)
    fprintf(out, "; %.0f %% were spent waiting for other ranks",
            100 * waits / all);
  if (isfinite(imbalance) && waits > 0)
    fprintf(
        out, ". The busiest rank worked %.3g times as long as the mean one%s",
        imbalance, imbalance < 1.1 ? ", so the work was spread evenly" : "");
  fputs(".", out);
}

static void put_phases(FILE *out, const struct th_runs *runs, int64_t k)
{
  json_t *report = runs->run[k].report;
  struct phase phase[PHASES];
  int64_t count = list_phases(report, phase);
  if (count == 0)
    return;
  th_html_figure(out, "Phases", th_runs_title(runs, k));
  put_work_keys(out);
  draw_phases(out, phase, count);
  th_html_sentence(out);
  say_phases(out, phase, count, th_runs_number(report, "imbalance"));
  th_html_figure_end(out);
}

/* Seconds of a rank, and those of them in which it waited. */
static double waits_of(const json_t *rank, double *seconds)
{
  double waits = th_runs_number(rank, "communication_seconds");
  *seconds = th_runs_number(rank, "seconds");
  return isfinite(waits) ? fmin(waits, *seconds) : 0;
}

static void draw_ranks(FILE *out, json_t *ranks, int64_t shown)
{
  struct th_bars bars;
  char name[NUMBER];
  char number[NUMBER];
  char told[TEXT];
  double high = 0;
  double seconds;
  for (int64_t k = 0; k < shown; k++) {
    waits_of(json_array_get(ranks, (size_t)k), &seconds);
    high = fmax(high, seconds);
  }
  th_bars_begin(&bars, out, "Seconds of each rank", shown, 0, high, 9);
  for (int64_t k = 0; k < shown; k++) {
    double waits = waits_of(json_array_get(ranks, (size_t)k), &seconds);
    snprintf(name, sizeof name, "rank %" PRId64, k);
    snprintf(told, sizeof told, "%s: %.4g s, %.4g s of them waiting", name,
             seconds, waits);
    th_bars_row(&bars, name, th_html_real(seconds, number), told);
    th_bars_part(&bars, 0, seconds - waits, "fill");
    th_bars_part(&bars, seconds - waits, seconds, "wait");
  }
  th_bars_end(&bars);
}

static void say_ranks(FILE *out, json_t *ranks, int64_t shown)
{
  int64_t least = 0; /* who waits least lets others wait */
  int64_t most = 0;
  double seconds;
  char number[NUMBER];
  for (int64_t k = 1; k < shown; k++) {
    double waits = waits_of(json_array_get(ranks, (size_t)k), &seconds);
    if (waits < waits_of(json_array_get(ranks, (size_t)least), &seconds))
      least = k;
    if (waits > waits_of(json_array_get(ranks, (size_t)most), &seconds))
      most = k;
  }
  double longest = waits_of(json_array_get(ranks, (size_t)most), &seconds);
  fprintf(out,
          "Rank %" PRId64 " waits longest, %s seconds; rank %" PRId64
          " waits least, so the others wait for it.",
          most, th_html_real(longest, number), least);
  if (shown < (int64_t)json_array_size(ranks))
    fprintf(out, " The first %" PRId64 " of %" PRId64 " ranks are drawn.",
            shown, (int64_t)json_array_size(ranks));
}

static void put_ranks(FILE *out, const struct th_runs *runs, int64_t k)
{
  json_t *ranks = json_object_get(runs->run[k].report, "per_rank");
  int64_t shown = th_min_i64((int64_t)json_array_size(ranks), RANKS);
  if (shown < 2)
    return;
  th_html_figure(out, "Ranks", th_runs_title(runs, k));
  put_work_keys(out);
  draw_ranks(out, ranks, shown);
  th_html_sentence(out);
  say_ranks(out, ranks, shown);
  th_html_figure_end(out);
}

void th_costs_put_phases(FILE *out, const struct th_runs *runs)
{
  bool any = false;
  for (int64_t k = 0; k < runs->count; k++)
    any = any || runs->run[k].report != NULL;
  if (!any)
    return;
  th_html_section(out, "Where the time went", "phases", "grid");
  for (int64_t k = 0; k < runs->count; k++) {
    if (runs->run[k].report == NULL)
      continue;
    put_phases(out, runs, k);
    put_ranks(out, runs, k);
  }
  th_html_section_end(out);
}

/* --- The ledger in words -------------------------------------------------- */

static void say_observed(FILE *out, const struct th_model *model)
{
  const struct th_ledger *ledger = &model->ledger;
  char a[NUMBER];
  char b[NUMBER];
  double share = ledger->examples > 0
                     ? (double)ledger->attributes / (double)ledger->examples
                     : 0;
  fprintf(out, "To learn this model, %s example%s %s drawn",
          th_html_count(ledger->examples, a), th_wording_s(ledger->examples),
          ledger->examples == 1 ? "was" : "were");
  if (model->passes > 0)
    fprintf(out, " in %" PRId64 " pass%s over the data", model->passes,
            th_wording_es(model->passes));
  fprintf(out,
          ". An example showed %s of its %s attributes on average, and never "
          "more than ",
          th_html_real(share, a), th_html_count(model->attributes, b));
  fprintf(out, "%s. ", th_html_count(ledger->max_attributes_per_example, a));
  fprintf(out, "That makes %s values that were looked at",
          th_html_count(ledger->attributes, a));
  double all = (double)ledger->examples * (double)model->attributes;
  if (all > 0)
    fprintf(out, ", %.3g %% of those that the drawn examples have",
            100 * (double)ledger->attributes / all);
  fputs(". ", out);
}

static void say_rest(FILE *out, const struct th_model *model)
{
  const struct th_ledger *ledger = &model->ledger;
  char a[NUMBER];
  char b[NUMBER];
  if (ledger->distinct_attributes < ledger->attributes)
    fprintf(out, "Without repeats within an example they are %s. ",
            th_html_count(ledger->distinct_attributes, a));
  if (ledger->unpenalised_attributes > 0)
    fprintf(out, "%s more were of attributes without a penalty. ",
            th_html_count(ledger->unpenalised_attributes, a));
  if (ledger->validation_examples > 0)
    fprintf(out,
            "To judge it, %s values of %s examples that were held back were "
            "looked at, too. ",
            th_html_count(ledger->validation_attributes, a),
            th_html_count(ledger->validation_examples, b));
  const char *from = model->statistics;
  if (from == NULL || strcmp(from, "none") == 0) {
    fputs("No statistics of the data were used.", out);
    return;
  }
  fputs("Means and standard deviations of the attributes come from: ", out);
  th_html_text(out, from);
  fputs(strcmp(from, "import") == 0
            ? ", which has seen every value; they are not counted here."
            : ".",
        out);
}

void th_costs_put_ledger(FILE *out, const struct th_runs *runs)
{
  bool any = false;
  for (int64_t k = 0; k < runs->count; k++)
    any = any || th_runs_has_model(&runs->run[k]);
  if (!any)
    return;
  fputs("<section id=\"ledger\">\n<h2>The ledger: what was observed</h2>\n",
        out);
  for (int64_t k = 0; k < runs->count; k++) {
    if (!th_runs_has_model(&runs->run[k]))
      continue;
    fputs("<p>", out);
    if (runs->count > 1) {
      fputs("<b>", out);
      th_html_text(out, runs->run[k].title);
      fputs(".</b> ", out);
    }
    say_observed(out, &runs->run[k].model);
    say_rest(out, &runs->run[k].model);
    fputs("</p>\n", out);
  }
  fputs("</section>\n", out);
}
