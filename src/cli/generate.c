/* generate.c - the subcommand that makes synthetic data sets
 *
 * Every rank makes the shards that it owns; each value is a pure function of
 * seed, example and attribute, so nothing travels.
 * SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "cli/run.h"
#include "cli/tiles.h"
#include "core/memory.h"
#include "io/dataset.h"
#include "math/synthetic.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct job {
  const struct th_options *options;
  const struct th_family *family;
  struct th_truth truth;
  struct th_dataset_plan plan;
};

/* A parameter of another family is refused, not ignored. */
static th_status check_parameters(const struct th_options *options,
                                  const struct th_family *family,
                                  struct th_error *err)
{
  for (const struct th_family *f = th_family_table(); f->name != NULL; f++) {
    for (const char *const *o = f->options; *o != NULL; o++) {
      bool used = false;
      for (const char *const *own = family->options; *own != NULL; own++)
        used = used || strcmp(*own, *o) == 0;
      if (!used && th_option_given(options, *o))
        return th_fail(err, TH_EUSAGE,
                       "generate: family %s does not use --%s; leave it out",
                       family->name, *o);
    }
  }
  return TH_OK;
}

static th_status find_family(const char *name, const struct th_family **family,
                             struct th_error *err)
{
  char names[256] = "";
  size_t used = 0;
  *family = th_family_find(name);
  if (*family != NULL)
    return TH_OK;
  for (const struct th_family *f = th_family_table(); f->name != NULL; f++)
    used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                             used == 0 ? "" : ", ", f->name);
  return th_fail(err, TH_EUSAGE, "generate: %s is not a family; there are %s",
                 name, names);
}

static th_status plan_shape(struct job *job, struct th_error *err)
{
  const struct th_options *o = job->options;
  int64_t test = (int64_t)floor(o->test * (double)o->examples + 0.5);
  if (test >= o->examples)
    return th_fail(err, TH_EUSAGE,
                   "generate: --test %g of %lld examples leaves none to train "
                   "on",
                   o->test, (long long)o->examples);
  job->plan.shape = (struct th_shape){
      .examples = o->examples,
      .training = o->examples - test,
      .attributes = o->attributes,
      .row_group =
          o->row_group > 0 ? o->row_group : th_row_group_size(o->examples),
      .layout = job->family->layout,
      .type = (enum th_type)o->type,
  };
  if (o->shards > o->attributes)
    return th_fail(err, TH_EUSAGE,
                   "generate: --shards %lld: there are only %lld attributes",
                   (long long)o->shards, (long long)o->attributes);
  job->plan.shards = o->shards;
  if (job->family->layout == TH_SPARSE)
    job->plan.expected_entries =
        (int64_t)(o->density * (double)o->attributes * (double)o->examples);
  return TH_OK;
}

static th_status plan_job(struct job *job, struct th_error *err)
{
  const struct th_options *o = job->options;
  th_status rc;
  if (o->examples == 0 || o->attributes == 0)
    return th_fail(err, TH_EUSAGE, "generate: --%s is missing",
                   o->examples == 0 ? "examples" : "attributes");
  TH_TRY(find_family(o->argument[0], &job->family, err));
  TH_TRY(check_parameters(o, job->family, err));
  TH_TRY(plan_shape(job, err));
  struct th_truth *truth = &job->truth;
  snprintf(truth->family, sizeof truth->family, "%s", job->family->name);
  truth->seed = o->config.seed;
  truth->noise = o->noise;
  truth->support_size = o->support;
  for (const char *const *own = job->family->options; *own != NULL; own++) {
    truth->correlation =
        strcmp(*own, "correlation") == 0 ? o->correlation : truth->correlation;
    truth->density = strcmp(*own, "density") == 0 ? o->density : truth->density;
  }
  TH_TRY(th_truth_init(truth, o->attributes, err));
done:
  return rc;
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
  th_status rc =
      th_synthetic_dense(&job->truth, part, rows.first, (int32_t)rows.count,
                         type, values, stride, err);
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
                              th_range_meet(part, all), values, err));
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
    TH_TRY(th_synthetic_sparse(&job->truth, shape->attributes, j,
                               shape->examples, &column, err));
    TH_TRY(th_tiles_add(&tiles, j, column.example, column.value, column.count,
                        err));
  }
  TH_TRY(th_tiles_cut(&tiles, th_writer_groups(writer), err));
  for (int64_t group = 0; group < th_writer_groups(writer); group++) {
    struct th_slab tile;
    struct th_rows rows = th_writer_group(writer, group);
    TH_TRY(th_tiles_group(&tiles, group, (int32_t)rows.count, &tile, err));
    TH_TRY(th_writer_sparse(writer, shard, group, &tile, err));
  }
done:
  th_tiles_free(&tiles);
  th_column_free(&column);
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

static th_status fill_master(const struct job *job, double *target,
                             int64_t *row, char *provenance, size_t size,
                             struct th_error *err)
{
  const struct th_shape *shape = &job->plan.shape;
  const struct th_truth *truth = &job->truth;
  for (int64_t i = 0; i < shape->examples; i++)
    row[i] = i;
  snprintf(provenance, size,
           "thresher %s generate %s --examples %" PRId64
           " --attributes %" PRId64 " --support %" PRId64
           " --noise %.17g --seed %" PRIu64,
           THRESHER_VERSION, truth->family, shape->examples, shape->attributes,
           truth->support_size, truth->noise, truth->seed);
  for (const char *const *own = job->family->options; *own != NULL; own++) {
    size_t used = strlen(provenance);
    snprintf(provenance + used, size - used, " --%s %.17g", *own,
             strcmp(*own, "density") == 0 ? truth->density
                                          : truth->correlation);
  }
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
                             .truth = &job->truth,
                             .provenance = provenance};
  if (rc == TH_OK)
    rc = th_writer_commit(writer, &master, err);
  else
    th_writer_abort(writer);
  free(target);
  free(row);
  return rc;
}

static void print_summary(const struct job *job, double seconds)
{
  const struct th_shape *shape = &job->plan.shape;
  fprintf(stderr,
          "%s: %" PRId64 " examples (%" PRId64 " for testing), %" PRId64
          " attributes, %" PRId64 " of them true, in %.1f s\n",
          job->options->output, shape->examples,
          shape->examples - shape->training, shape->attributes,
          job->truth.support_size, seconds);
}

th_status th_run_generate(const struct th_options *options,
                          struct th_comm *comm, struct th_error *err)
{
  struct job job = {.options = options};
  struct th_writer *writer = NULL;
  double began = th_clock();
  th_status rc;
  TH_TRY(plan_job(&job, err));
  TH_TRY(th_writer_create(&writer, comm, options->output, &job.plan,
                          options->force, err));
  TH_TRY(write_all(&job, comm, writer, err));
  if (comm->rank == 0 && !options->quiet)
    print_summary(&job, th_clock() - began);
done:
  th_truth_free(&job.truth);
  return rc;
}
