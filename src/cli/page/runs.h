/* runs.h - what files of training hold, run by run
 *
 * A run has up to three files: its model, its telemetry and the report that
 * `train --report` has written. They are of one run where two of them say the
 * same of data and options, and where the run lacks a file of that kind: the
 * one whose name is alike goes first. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_RUNS_H
#define TH_RUNS_H

#include "base/error.h"
#include "model/model.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* What a line of telemetry holds; NaN: it does not. */
enum th_runs_column {
  TH_RUNS_UPDATE,
  TH_RUNS_EXAMPLES,
  TH_RUNS_ATTRIBUTES,
  TH_RUNS_SUPPORT,
  TH_RUNS_LOSS,
  TH_RUNS_SECONDS,
  TH_RUNS_POPULATION,
  TH_RUNS_DISTANCE,
  TH_RUNS_GAP,
  TH_RUNS_LAMBDA,
  TH_RUNS_ACTIVE,
  TH_RUNS_FOLD,
  TH_RUNS_COLUMNS
};

/* Lines, column by column; the arrays are owned. */
struct th_runs_lines {
  double *column[TH_RUNS_COLUMNS];
  int64_t count;
  int64_t capacity[TH_RUNS_COLUMNS];
  char *loss_is; /* of the last line; NULL: it does not say */
  bool torn;     /* the last line was not whole, and is left out */
};

enum th_runs_kind {
  TH_RUNS_MODEL,
  TH_RUNS_TELEMETRY,
  TH_RUNS_REPORT,
  TH_RUNS_KINDS
};

/* All is owned, but the paths. */
struct th_runs_one {
  char *title;
  const char *path[TH_RUNS_KINDS]; /* NULL: there is none */
  struct th_model model;
  struct th_runs_lines lines;
  json_t *report;
  json_t *told; /* what its files say of data and options: solver, loss, deck,
                   dataset_fingerprint; NULL: nothing */
};

struct th_runs {
  struct th_runs_one *run;
  int64_t count;
};

/* Read the files. An error of one line for a file that is of no such kind,
 * damaged, or cut off elsewhere than in the last line of a telemetry. */
th_status th_runs_read(struct th_runs *runs, const char *const *path,
                       int64_t paths, struct th_error *err);
void th_runs_free(struct th_runs *runs);

/* Numbers and texts of a report or of what is told; NaN and NULL where there is
 * none. */
double th_runs_number(const json_t *object, const char *key);
const char *th_runs_text(const json_t *object, const char *key);

static inline bool th_runs_has_model(const struct th_runs_one *run)
{
  return run->path[TH_RUNS_MODEL] != NULL;
}

/* The title of run k where there are several, else NULL. */
static inline const char *th_runs_title(const struct th_runs *runs, int64_t k)
{
  return runs->count > 1 ? runs->run[k].title : NULL;
}

/* What the loss of a run is called, by its telemetry or its model. */
const char *th_runs_loss_is(const struct th_runs_one *run);

#endif
