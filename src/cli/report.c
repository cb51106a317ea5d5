/* report.c - the command that makes a page of runs
 * SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "cli/options/options.h"
#include "cli/page/costs.h"
#include "cli/page/curves.h"
#include "cli/page/html.h"
#include "cli/page/learnt.h"
#include "cli/page/runs.h"
#include "io/files/output.h"

#include <stdio.h>

static void put_sources(FILE *out, const struct th_runs *runs)
{
  fputs("<section id=\"files\">\n<h2>Files</h2>\n<p>Made by thresher " //
        THRESHER_VERSION " of",
        out);
  const char *joint = " ";
  for (int64_t k = 0; k < runs->count; k++)
    for (int kind = 0; kind < TH_RUNS_KINDS; kind++) {
      if (runs->run[k].path[kind] == NULL)
        continue;
      fprintf(out, "%s<code>", joint);
      th_html_text(out, runs->run[k].path[kind]);
      fputs("</code>", out);
      joint = ", ";
    }
  fputs(".</p>\n</section>\n", out);
}

static void put_heading(FILE *out, const struct th_runs *runs)
{
  char title[TH_HTML_NUMBER + 400];
  if (runs->count == 1)
    snprintf(title, sizeof title, "Run %.380s", runs->run[0].title);
  else
    snprintf(title, sizeof title, "%lld runs", (long long)runs->count);
  th_html_begin(out, title);
}

/* The page; local. */
static th_status put_page(FILE *out, const struct th_runs *runs,
                          struct th_error *err)
{
  th_status rc;
  put_heading(out, runs);
  th_costs_put_summary(out, runs);
  TH_TRY(th_learnt_put_coefficients(out, runs, err));
  th_learnt_put_candidates(out, runs);
  TH_TRY(th_curves_put(out, runs, err));
  TH_TRY(th_learnt_put_paths(out, runs, err));
  th_costs_put_phases(out, runs);
  th_costs_put_ledger(out, runs);
  th_costs_put_settings(out, runs);
  put_sources(out, runs);
  th_html_end(out);
done:
  return rc;
}

/* Local: rank 0. */
static th_status make_page(const struct th_options *options,
                           struct th_error *err)
{
  struct th_output output = {.folder = -1, .file = -1};
  struct th_runs runs = {0};
  th_status rc;
  TH_TRY(th_output_begin_text(&output, options->output, options->force, err));
  TH_TRY(th_runs_read(&runs, options->argument, options->arguments, err));
  TH_TRY(th_output_text(&output, err));
  TH_TRY(put_page(output.text, &runs, err));
  TH_TRY(th_output_commit(&output, err));
done:
  th_output_abort(&output);
  th_runs_free(&runs);
  return rc;
}

th_status th_report_command(const struct th_options *options,
                            struct th_comm *comm, struct th_error *err)
{
  return th_agree(comm, comm->rank == 0 ? make_page(options, err) : TH_OK, err);
}
