/* predict.c - the command that writes predictions as CSV
 * SPDX-License-Identifier: MIT */
#include "api/evaluated.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/evaluator.h"
#include "cli/wording.h"
#include "core/integer.h"
#include "core/memory.h"
#include "core/printable.h"
#include "io/hdf5/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct line {
  int64_t row;
  double prediction;
};

static th_status sort_lines(const struct th_evaluated *evaluated, int64_t count,
                            struct line **lines, struct th_error *err)
{
  th_status rc = TH_NEW(lines, count, "sorting predictions", err);
  if (rc != TH_OK)
    return rc;
  for (int64_t i = 0; i < count; i++)
    (*lines)[i] = (struct line){evaluated->row[i], evaluated->prediction[i]};
  qsort(*lines, (size_t)count, sizeof **lines, th_integer_ascending);
  return TH_OK;
}

static void print_lines(FILE *file, const struct line *lines, int64_t count,
                        bool logistic)
{
  fprintf(file, "row,prediction%s\n", logistic ? ",probability" : "");
  for (int64_t i = 0; i < count; i++) {
    fprintf(file, "%" PRId64 ",%.17g", lines[i].row, lines[i].prediction);
    if (logistic)
      fprintf(file, ",%.17g", th_metrics_probability(lines[i].prediction));
    fputc('\n', file);
  }
}

/* Local: rank 0. */
static th_status write_csv(const struct th_evaluated *evaluated, int64_t count,
                           bool logistic, const struct th_options *options,
                           struct th_error *err)
{
  struct th_output output = {.file = -1};
  char note[TH_LOCK_NOTE];
  struct line *lines = NULL;
  th_status rc;
  TH_TRY(sort_lines(evaluated, count, &lines, err));
  TH_TRY(th_output_begin_text(&output, options->output, options->force, err));
  th_output_note(&output, note);
  th_common_note(options, note);
  TH_TRY(th_output_text(&output, err));
  print_lines(output.text, lines, count, logistic);
  TH_TRY(th_output_commit(&output, err));
done:
  th_output_abort(&output);
  free(lines);
  return rc;
}

static void print_summary(const struct th_options *options, int64_t count)
{
  th_printable_put(stderr, th_output_name(options->output));
  fprintf(stderr, ": predictions of %" PRId64 " example%s\n", count,
          th_wording_s(count));
}

th_status th_command_predict(const struct th_options *options,
                             struct th_comm *comm, struct th_error *err)
{
  struct th_evaluator evaluator = {0};
  struct th_evaluated evaluated = {0};
  th_status rc;
  TH_TRY(
      th_common_output_check(comm, options->output, true, options->force, err));
  TH_TRY(th_evaluator_open(&evaluator, options, "predict", TH_MATCH_SUPPORT,
                           comm, err));
  TH_TRY(th_evaluated_collect(&evaluated, &evaluator.model, &evaluator.data,
                              evaluator.rows, comm->rank == 0, comm, err));
  if (comm->rank == 0)
    rc = write_csv(&evaluated, evaluator.rows.count,
                   th_evaluated_predictor(&evaluator.model) == TH_PREDICTS_ODDS,
                   options, err);
  TH_TRY(th_agree(comm, rc, err));
  if (comm->rank == 0 && !options->quiet)
    print_summary(options, evaluator.rows.count);
done:
  th_evaluated_free(&evaluated);
  th_evaluator_close(&evaluator);
  return rc;
}
