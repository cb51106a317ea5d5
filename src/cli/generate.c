/* generate.c - the command that makes synthetic data sets
 *
 * Every rank makes the shards that it owns; each value is a pure function of
 * seed, example and attribute, so nothing travels.
 * SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "cli/common.h"

#include "cli/shared/family.h"
#include "cli/wording.h"
#include "core/memory.h"
#include "core/partition.h"
#include "core/printable.h"
#include "io/dataset/dataset.h"
#include "io/dataset/writer.h"
#include "synthetic/tiles.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct job {
  const struct th_options *options;
  struct th_synthesis synthesis;
  struct th_synthetic_law law; /* its truth is the synthesis's */
  struct th_dataset_plan plan;
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
  job->law = th_synthetic_law(&job->synthesis.truth, o->data.attributes);
  job->plan.shape = job->synthesis.shape;
  job->plan.shards = o->data.shards;
  if (job->plan.shape.layout == TH_SPARSE)
    job->plan.expected_entries =
        (int64_t)(o->synthetic.own.density * (double)o->data.attributes *
                  (double)o->data.examples);
  return TH_OK;
}

/* Whole chunks, as many as make a cell: a correlated cell is walked once. */
static th_status write_dense_part(const struct job *job,
                                  struct th_writer *writer, int64_t shard,
                                  int64_t group, struct th_range part,
                                  char *values, struct th_error *err)
{
  struct th_rows rows = th_writer_group(writer, group);
  enum th_type type = job->plan.shape.type;
  int64_t chunk = th_writer_chunk(writer);
  int64_t stride = th_type_whole(type, rows.count);
  struct th_synthetic_room room = {.attributes = part,
                                   .examples = rows,
                                   .type = type,
                                   .values = values,
                                   .stride = stride};
  th_status rc = th_synthetic_dense(&job->law, &room, err);
  for (int64_t first = part.first; first < part.last && rc == TH_OK;
       first += chunk) {
    int64_t last = first + chunk < part.last ? first + chunk : part.last;
    struct th_range range = {first, last};
    size_t skip = th_type_bytes(type, (first - part.first) * stride);
    rc = th_writer_dense(writer, shard, group, range, values + skip, stride,
                         err);
  }
  return rc;
}

static th_status write_dense_shard(const struct job *job,
                                   struct th_writer *writer, int64_t shard,
                                   struct th_error *err)
{
  const struct th_shape *shape = &job->plan.shape;
  struct th_range all = th_writer_shard(writer, shard);
  int64_t chunk = th_writer_chunk(writer);
  int64_t width = chunk * ((TH_CELL + chunk - 1) / chunk);
  char *values = NULL;
  th_status rc;
  TH_TRY(th_alloc((void **)&values, width * shape->row_group,
                  th_type_size(shape->type), "generated values", err));
  for (int64_t group = 0; group < th_writer_groups(writer); group++) {
    for (int64_t first = all.first; first < all.last; first += width) {
      struct th_range part = {first, first + width};
      TH_TRY(write_dense_part(job, writer, shard, group,
                              th_range_intersect(part, all), values, err));
    }
  }
done:
  free(values);
  return rc;
}

static th_status write_sparse_shard(const struct job *job,
                                    struct th_writer *writer, int64_t shard,
                                    struct th_error *err)
{
  const struct th_shape *shape = &job->plan.shape;
  struct th_range all = th_writer_shard(writer, shard);
  struct th_column column = {0};
  struct th_tiles tiles;
  th_status rc;
  th_tiles_init(&tiles, shape, all);
  for (int64_t j = all.first; j < all.last; j++) {
    TH_TRY(th_synthetic_sparse(&job->synthesis.truth, shape->attributes, j,
                               shape->examples, &column, err));
    TH_TRY(th_tiles_add(&tiles, j, column.example, column.value, column.count,
                        err));
  }
  TH_TRY(th_tiles_cut(&tiles, err));
  for (int64_t group = 0; group < th_writer_groups(writer); group++) {
    struct th_slab tile = th_tiles_group(&tiles, group);
    TH_TRY(th_writer_sparse(writer, shard, group, &tile, err));
  }
done:
  th_tiles_free(&tiles);
  th_synthetic_column_free(&column);
  return rc;
}

static th_status write_shards(const struct job *job, struct th_writer *writer,
                              struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t k = 0; k < th_writer_shards(writer) && rc == TH_OK; k++) {
    if (!th_writer_owns(writer, k))
      continue;
    rc = job->plan.shape.layout == TH_DENSE
             ? write_dense_shard(job, writer, k, err)
             : write_sparse_shard(job, writer, k, err);
  }
  return rc;
}

/* The command line that makes the same data. */
static void describe(const struct job *job, char *text, size_t size)
{
  const struct th_shape *shape = &job->plan.shape;
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

static th_status fill_master(const struct job *job, double *target,
                             int64_t *row, char *provenance, size_t size,
                             struct th_error *err)
{
  const struct th_shape *shape = &job->plan.shape;
  const struct th_ground_truth *truth = &job->synthesis.truth;
  for (int64_t i = 0; i < shape->examples; i++)
    row[i] = i;
  describe(job, provenance, size);
  return th_synthetic_targets(truth, shape->attributes, shape->examples, 0,
                              shape->examples, target, err);
}

/* Collective. The writer is used up. */
static th_status write_all(const struct job *job, struct th_comm *comm,
                           struct th_writer *writer, struct th_error *err)
{
  double *target = NULL;
  int64_t *row = NULL;
  char provenance[512] = "";
  int64_t examples = comm->rank == 0 ? job->plan.shape.examples : 0;
  th_status rc = TH_NEW(&target, examples, "the targets", err);
  if (rc == TH_OK)
    rc = TH_NEW(&row, examples, "the row numbers", err);
  if (rc == TH_OK && comm->rank == 0)
    rc = fill_master(job, target, row, provenance, sizeof provenance, err);
  if (rc == TH_OK)
    rc = write_shards(job, writer, err);
  rc = th_agree(comm, rc, err);
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
  const struct th_shape *shape = &job->plan.shape;
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
  th_status rc;
  TH_TRY(plan_job(&job, err));
  TH_TRY(th_writer_create(&writer, comm, options->output, &job.plan,
                          options->force, err));
  TH_TRY(write_all(&job, comm, writer, err));
  if (comm->rank == 0 && !options->quiet)
    print_summary(&job, th_comm_clock() - began);
done:
  th_family_free(&job.synthesis);
  return rc;
}
