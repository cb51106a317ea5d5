/* loop_log.c - costs and active attributes of each outer loop of a solver
 * SPDX-License-Identifier: MIT */
#include "cli/loop_log.h"

#include "core/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { SHOWN = 12, SUMS = 2 };

void th_loop_log_add(struct th_loop_log *log,
                     const struct th_progress *progress)
{
  const struct th_certificate *c = progress->certificate;
  struct th_error ignored = {0};
  if (c == NULL || log->lost)
    return;
  if (th_grow((void **)&log->items, &log->capacity, log->count + 1,
              sizeof *log->items, "the report", &ignored) != TH_OK) {
    log->lost = true;
    return;
  }
  log->items[log->count++] = (struct th_loop){
      .examples = progress->examples,
      .active = c->active,
      .lambda = c->lambda,
      .objective = c->objective,
      .gap = c->gap,
      .seconds = log->before.seconds + th_comm_clock() - log->began,
      .bytes_read = log->before.bytes_read + log->store->bytes_read,
      .bytes_sent = log->before.bytes_sent + log->comm->bytes_sent};
}

void th_loop_log_describe(struct th_loop_log *log, struct th_state *state)
{
  TH_STATE_ONE(state, log, count);
  th_state_grow(
      state,
      (struct th_state_growing){.name = "loops",
                                .type = TH_STATE_I64,
                                .items = sizeof *log->items / sizeof(int64_t),
                                .data = (void **)&log->items,
                                .capacity = &log->capacity},
      log->count);
}

void th_loop_log_go_on(struct th_loop_log *log,
                       const struct th_rank_total *total)
{
  bool first = log->comm->rank == 0;
  log->gathered = log->count;
  log->before =
      (struct th_loop){.seconds = total->most.seconds,
                       .bytes_read = first ? total->sum.bytes_read : 0,
                       .bytes_sent = first ? total->sum.bytes_sent : 0};
}

th_status th_loop_log_gather(struct th_loop_log *log, struct th_comm *comm,
                             struct th_error *err)
{
  struct th_loop *items = log->items + log->gathered;
  int64_t n = log->count - log->gathered;
  int64_t *sums = NULL;
  double *seconds = NULL;
  th_status rc =
      log->lost ? th_fail(err, TH_ENOMEM, "no memory for --report") : TH_OK;
  if (rc == TH_OK)
    rc = TH_NEW(&sums, SUMS * n, "the report", err);
  if (rc == TH_OK)
    rc = TH_NEW(&seconds, n, "the report", err);
  TH_TRY(th_agree(comm, rc, err));
  for (int64_t k = 0; k < n; k++) {
    sums[SUMS * k] = items[k].bytes_read;
    sums[SUMS * k + 1] = items[k].bytes_sent;
    seconds[k] = items[k].seconds;
  }
  comm->ops->sum_i64(comm, sums, (size_t)(SUMS * n));
  comm->ops->max_f64(comm, seconds, (size_t)n);
  for (int64_t k = 0; k < n; k++) {
    items[k].bytes_read = sums[SUMS * k];
    items[k].bytes_sent = sums[SUMS * k + 1];
    items[k].seconds = seconds[k];
  }
  log->gathered = log->count;
done:
  TH_FREE(sums, seconds);
  return rc;
}

json_t *th_loop_log_json(const struct th_loop_log *log)
{
  json_t *array = json_array();
  for (int64_t k = 0; k < log->count; k++) {
    const struct th_loop *loop = &log->items[k];
    json_t *o = json_object();
    th_json_int(o, "examples", loop->examples);
    th_json_int(o, "active", loop->active);
    th_json_real(o, "lambda", loop->lambda);
    th_json_real(o, "objective", loop->objective);
    th_json_real(o, "gap", loop->gap);
    th_json_real(o, "seconds", loop->seconds);
    th_json_int(o, "bytes_read", loop->bytes_read);
    th_json_int(o, "bytes_sent", loop->bytes_sent);
    json_array_append_new(array, o);
  }
  return array;
}

/* A number, or a dash where it was not computed. */
static void print_known(FILE *out, int width, int digits, double value)
{
  if (isnan(value))
    fprintf(out, " %*s", width, "-");
  else
    fprintf(out, " %*.*g", width, digits, value);
}

void th_loop_log_print(FILE *out, const struct th_loop_log *log)
{
  int64_t every = log->count / SHOWN + 1;
  if (log->count == 0)
    return;
  fprintf(out, "%6s %12s %10s %11s %14s %10s %9s %10s %10s\n", "loop",
          "examples", "active", "lambda", "objective", "gap", "s", "MB read",
          "MB sent");
  for (int64_t k = 0; k < log->count; k++) {
    const struct th_loop *loop = &log->items[k];
    if (k % every != 0 && k != log->count - 1)
      continue;
    fprintf(out, "%6" PRId64 " %12" PRId64 " %10" PRId64 " %11.4g", k + 1,
            loop->examples, loop->active, loop->lambda);
    print_known(out, 14, 8, loop->objective);
    print_known(out, 10, 3, loop->gap);
    fprintf(out, " %9.3f %10.4g %10.4g\n", loop->seconds,
            (double)loop->bytes_read / 1e6, (double)loop->bytes_sent / 1e6);
  }
}

void th_loop_log_free(struct th_loop_log *log)
{
  free(log->items);
  *log = (struct th_loop_log){0};
}
