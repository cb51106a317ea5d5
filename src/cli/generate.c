/* generate.c - the command that makes synthetic data sets
 *
 * Every rank makes the shards that it owns; each value is a pure function of
 * seed, example and attribute, so nothing travels.
 * SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "cli/common.h"

#include "cli/core_share.h"
#include "cli/generate_parts.h"
#include "cli/shared/family.h"
#include "cli/wording.h"
#include "core/memory.h"
#include "core/printable.h"

#include <inttypes.h>

struct job {
  const struct th_options *options;
  struct th_synthesis synthesis;
  struct th_generation generation; /* its truth is the synthesis's */
};

static th_status plan_job(struct job *job, struct th_error *err)
{
  const struct th_options *o = job->options;
  th_status rc =
      th_family_plan(&job->synthesis, o, o->argument[0], "generate", "--", err);
  if (rc != TH_OK)
    return rc;
  if (o->data.shards > o->data.attributes)
    return th_fail(err, TH_EUSAGE,
                   "generate: --shards %lld: there are only %lld attributes",
                   (long long)o->data.shards, (long long)o->data.attributes);
  job->generation = (struct th_generation){
      .law = th_synthetic_law(&job->synthesis.truth, o->data.attributes),
      .plan = {.shape = job->synthesis.shape, .shards = o->data.shards}};
  struct th_dataset_plan *plan = &job->generation.plan;
  if (plan->shape.layout == TH_SPARSE)
    plan->expected_entries =
        (int64_t)(o->synthetic.own.density * (double)o->data.attributes *
                  (double)o->data.examples);
  return TH_OK;
}

/* The command line that makes the same data. */
static void describe(const struct job *job, char *text, size_t size)
{
  const struct th_shape *shape = &job->generation.plan.shape;
  const struct th_ground_truth *truth = &job->synthesis.truth;
  const struct th_family_parameter *row;
  size_t used = (size_t)snprintf(
      text, size,
      "thresher %s generate %s --examples %" PRId64 " --attributes %" PRId64,
      THRESHER_VERSION, truth->family, shape->examples, shape->attributes);
  if (th_family_uses(job->synthesis.family, "support"))
    used += (size_t)snprintf(text + used, size - used, " --support %" PRId64,
                             truth->support_size);
  used += (size_t)snprintf(text + used, size - used,
                           " --noise %.17g --seed %" PRIu64, truth->noise,
                           truth->seed);
  for (int k = 0; (row = th_ground_truth_parameter(k)) != NULL; k++) {
    char value[32];
    if (!th_ground_truth_of(row, truth->family))
      continue;
    th_ground_truth_text(&truth->own, row, value, sizeof value);
    used += (size_t)snprintf(text + used, size - used, " --%s %s", row->name,
                             value);
  }
}

/* Collective. The writer is used up. */
static th_status write_all(struct job *job, struct th_comm *comm,
                           struct th_writer *writer, struct th_error *err)
{
  double *target = NULL;
  int64_t *row = NULL;
  char provenance[512] = "";
  int64_t examples = comm->rank == 0 ? job->generation.plan.shape.examples : 0;
  th_status rc = TH_NEW(&target, examples, "the targets", err);
  if (rc == TH_OK)
    rc = TH_NEW(&row, examples, "the row numbers", err);
  rc = th_agree(comm, rc, err);
  for (int64_t i = 0; rc == TH_OK && i < examples; i++)
    row[i] = i;
  describe(job, provenance, sizeof provenance);
  job->generation.writer = writer;
  if (rc == TH_OK)
    rc = th_generate_parts(&job->generation, comm, target, err);
  struct th_master master = {.target = target,
                             .row = row,
                             .truth = &job->synthesis.truth,
                             .provenance = provenance};
  if (rc == TH_OK)
    rc = th_writer_commit(writer, &master, err);
  else
    th_writer_abort(writer);
  TH_FREE(target, row);
  return rc;
}

static void print_summary(const struct job *job, double seconds)
{
  const struct th_shape *shape = &job->generation.plan.shape;
  th_printable_put(stderr, job->options->output);
  fprintf(stderr,
          ": %" PRId64 " example%s (%" PRId64 " for testing), %" PRId64
          " attribute%s, %" PRId64 " of them true, in %.1f s\n",
          shape->examples, th_wording_s(shape->examples),
          shape->examples - shape->training, shape->attributes,
          th_wording_s(shape->attributes), job->synthesis.truth.support_size,
          seconds);
}

th_status th_command_generate(const struct th_options *options,
                              struct th_comm *comm, struct th_error *err)
{
  struct job job = {.options = options};
  struct th_writer *writer = NULL;
  double began = th_comm_clock();
  int64_t share = 0;
  int cores = 1;
  char note[TH_LOCK_NOTE];
  th_status rc;
  TH_TRY(plan_job(&job, err));
  TH_TRY(th_memory_share(comm, &share, err));
  TH_TRY(th_core_share(comm, &cores, err));
  job.generation.memory = th_common_memory_to_keep(options, share);
  job.generation.threads =
      options->data.threads > 0 ? -(int)options->data.threads : cores;
  TH_TRY(th_writer_create(&writer, comm, options->output, &job.generation.plan,
                          options->force, err));
  th_writer_note(writer, note);
  th_common_note(options, note);
  TH_TRY(write_all(&job, comm, writer, err));
  if (comm->rank == 0 && !options->quiet)
    print_summary(&job, th_comm_clock() - began);
done:
  th_family_free(&job.synthesis);
  return rc;
}
