/* generate.c - the command that makes synthetic data sets
 *
 * Every rank makes its own attributes of dense shards, and whole sparse shards.
 * A value is a pure function of seed, example and attribute: nothing travels.
 * SPDX-License-Identifier: MIT */
#include "base/integer.h"
#include "base/memory.h"
#include "base/printable.h"
#include "cli/commands.h"
#include "cli/shared/input.h"
#include "cli/shared/wording.h"
#include "io/dataset/writer/writer.h"
#include "ranks/comm.h"
#include "ranks/team.h"
#include "synthetic/families.h"
#include "synthetic/tiles.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What is generated, and with what; replicated but for memory. */
struct th_generation {
  struct th_synthetic_law law;
  struct th_dataset_plan plan;
  struct th_writer *writer; /* borrowed */
  int64_t memory;           /* of this rank, for values under way; bytes */
  int threads; /* of this rank at most, where there are values for them; below
                  0: so many in any case. No more than memory has room for */
};

/* --- Values of synthetic data sets, made on several threads
 *
 * Parts are made in any order and written in theirs, so that the files do not
 * depend on the threads. */

enum {
  TARGETS = 1 << 14,    /* of a part; whole strips of the families */
  VALUES_EACH = 1 << 18 /* that are worth a thread */
};

/* Targets of some examples; values of some attributes of a shard: of dense ones
 * on one row group, of sparse ones on all. */
struct part {
  int64_t shard; /* -1: targets */
  int64_t group;
  struct th_range range; /* of attributes, or examples */
};

/* Where a part is made. Attributes of a sparse one lie one behind the other. */
struct room {
  char *values; /* dense */
  struct th_column column;
  int64_t count[TH_CELL]; /* entries of each attribute */
  int64_t used;
  int64_t *example;
  double *value;
  int64_t capacity; /* of both */
};

static const struct th_array by_entry[] = {TH_ARRAY(struct room, example),
                                           TH_ARRAY(struct room, value)};

/* This rank's work. */
struct generating {
  const struct th_generation *job;
  double *target;
  struct part *part;
  int64_t parts;
  int64_t capacity;
  struct room *room;
  int rooms;
  struct th_tiles tiles; /* of the sparse shard that is under way */
};

static const struct th_shape *generated_shape(const struct generating *g)
{
  return &g->job->plan.shape;
}

/* Attributes of a part of a dense shard: whole chunks, as many as make a cell,
 * since a correlated cell is walked once. */
static int64_t dense_width(const struct th_generation *job)
{
  int64_t chunk = th_writer_chunk(job->writer);
  return chunk * th_integer_ceil_divide(TH_CELL, chunk);
}

static th_status make_dense(const struct generating *g, const struct part *part,
                            struct room *room, struct th_error *err)
{
  struct th_rows rows = th_writer_group(g->job->writer, part->group);
  enum th_type type = generated_shape(g)->type;
  struct th_synthetic_room values = {.attributes = part->range,
                                     .examples = rows,
                                     .type = type,
                                     .values = room->values,
                                     .stride = th_type_whole(type, rows.count)};
  return th_synthetic_dense(&g->job->law, &values, err);
}

static th_status write_dense(const struct generating *g,
                             const struct part *part, const struct room *room,
                             struct th_error *err)
{
  struct th_writer *writer = g->job->writer;
  struct th_rows rows = th_writer_group(writer, part->group);
  enum th_type type = generated_shape(g)->type;
  int64_t stride = th_type_whole(type, rows.count);
  int64_t chunk = th_writer_chunk(writer);
  th_status rc = TH_OK;
  for (int64_t first = part->range.first;
       first < part->range.last && rc == TH_OK; first += chunk) {
    struct th_range range = th_range_intersect(
        part->range, (struct th_range){first, first + chunk});
    size_t skip = th_type_bytes(type, (first - part->range.first) * stride);
    rc = th_writer_dense(writer, part->shard, part->group, range,
                         room->values + skip, stride, err);
  }
  return rc;
}

static th_status make_sparse(const struct generating *g,
                             const struct part *part, struct room *room,
                             struct th_error *err)
{
  const struct th_shape *shape = generated_shape(g);
  struct th_column *column = &room->column;
  th_status rc = TH_OK;
  room->used = 0;
  for (int64_t j = part->range.first; j < part->range.last; j++) {
    TH_TRY(th_families_sparse(g->job->law.truth, shape->attributes, j,
                              shape->examples, column, err));
    TH_TRY(th_memory_arrays_reserve(
        TH_ARRAYS(room, by_entry), &room->capacity,
        th_memory_roomier(room->capacity, room->used + column->count),
        "generated values", err));
    room->count[j - part->range.first] = column->count;
    size_t bytes = (size_t)column->count * sizeof(double);
    if (bytes > 0) {
      memcpy(room->example + room->used, column->example, bytes);
      memcpy(room->value + room->used, column->value, bytes);
    }
    room->used += column->count;
  }
done:
  return rc;
}

static th_status write_sparse_shard(struct generating *g, int64_t shard,
                                    struct th_error *err)
{
  struct th_writer *writer = g->job->writer;
  th_status rc = th_tiles_cut(&g->tiles, err);
  for (int64_t group = 0; rc == TH_OK && group < th_writer_groups(writer);
       group++) {
    struct th_slab tile = th_tiles_group(&g->tiles, group);
    rc = th_writer_sparse(writer, shard, group, &tile, err);
  }
  th_tiles_free(&g->tiles);
  return rc;
}

static th_status write_sparse(struct generating *g, const struct part *part,
                              const struct room *room, struct th_error *err)
{
  struct th_range all = th_writer_shard(g->job->writer, part->shard);
  th_status rc = TH_OK;
  int64_t at = 0;
  if (part->range.first == all.first)
    th_tiles_init(&g->tiles, generated_shape(g), all);
  for (int64_t j = part->range.first; j < part->range.last; j++) {
    int64_t count = room->count[j - part->range.first];
    if (count > 0)
      TH_TRY(th_tiles_add(&g->tiles, j, room->example + at, room->value + at,
                          count, err));
    at += count;
  }
  if (part->range.last == all.last)
    rc = write_sparse_shard(g, part->shard, err);
done:
  return rc;
}

static th_status make_part(void *self, int64_t piece, int place,
                           struct th_error *err)
{
  const struct generating *g = self;
  const struct part *part = &g->part[piece];
  const struct th_shape *shape = generated_shape(g);
  if (part->shard < 0)
    return th_synthetic_targets(g->job->law.truth, shape->attributes,
                                shape->examples, part->range.first,
                                th_range_count(part->range),
                                g->target + part->range.first, err);
  return shape->layout == TH_DENSE ? make_dense(g, part, &g->room[place], err)
                                   : make_sparse(g, part, &g->room[place], err);
}

static th_status use_part(void *self, int64_t piece, int place,
                          struct th_error *err)
{
  struct generating *g = self;
  const struct part *part = &g->part[piece];
  if (part->shard < 0)
    return TH_OK; /* it lies where it belongs */
  return generated_shape(g)->layout == TH_DENSE
             ? write_dense(g, part, &g->room[place], err)
             : write_sparse(g, part, &g->room[place], err);
}

/* Cut a range into parts. */
static th_status list_parts(struct generating *g, struct part part,
                            int64_t width, struct th_error *err)
{
  struct th_range all = part.range;
  int64_t more = th_integer_ceil_divide(th_range_count(all), width);
  th_status rc = TH_GROW(&g->part, &g->capacity, g->parts + more,
                         "the parts of the data", err);
  for (int64_t k = 0; rc == TH_OK && k < more; k++) {
    int64_t first = all.first + k * width;
    part.range =
        th_range_intersect(all, (struct th_range){first, first + width});
    g->part[g->parts++] = part;
  }
  return rc;
}

static th_status list_shard(struct generating *g, int64_t shard,
                            struct th_error *err)
{
  const struct th_generation *job = g->job;
  struct part part = {.shard = shard,
                      .range = th_writer_mine(job->writer, shard)};
  if (generated_shape(g)->layout == TH_SPARSE)
    return list_parts(g, part, TH_CELL, err);
  th_status rc = TH_OK;
  for (; rc == TH_OK && part.group < th_writer_groups(job->writer);
       part.group++)
    rc = list_parts(g, part, dense_width(job), err);
  return rc;
}

/* In the order in which they are written. Targets of sparse data take all
 * examples of the true attributes, so they are one part. */
static th_status list_all_parts(struct generating *g, bool targets,
                                struct th_error *err)
{
  const struct th_shape *shape = generated_shape(g);
  struct part part = {.shard = -1, .range = {0, shape->examples}};
  th_status rc = TH_OK;
  if (targets)
    TH_TRY(list_parts(
        g, part, shape->layout == TH_DENSE ? TARGETS : shape->examples, err));
  for (int64_t k = 0; k < th_writer_shards(g->job->writer); k++)
    if (th_writer_owns(g->job->writer, k))
      TH_TRY(list_shard(g, k, err));
done:
  return rc;
}

/* Bytes of the values that a place holds, about. */
static int64_t values_bytes(const struct th_generation *job)
{
  const struct th_shape *shape = &job->plan.shape;
  if (shape->layout == TH_DENSE)
    return dense_width(job) * shape->row_group *
           (int64_t)th_type_size(shape->type);
  const int64_t of_an_entry = 3 * sizeof(double); /* with reserve */
  int64_t cells = th_integer_ceil_divide(shape->attributes, TH_CELL);
  return (job->plan.expected_entries / cells + shape->examples) * of_an_entry;
}

/* One place more than threads, as one is being written from. */
static int writer_threads(const struct th_generation *job, int ranks)
{
  const struct th_shape *shape = &job->plan.shape;
  double values = shape->layout == TH_SPARSE
                      ? (double)job->plan.expected_entries
                      : (double)shape->examples * (double)shape->attributes;
  return th_team_size(job->threads, (int64_t)(values / ranks / VALUES_EACH) + 1,
                      job->memory / values_bytes(job) - 1);
}

static th_status make_rooms(struct generating *g, int rooms,
                            struct th_error *err)
{
  const struct th_shape *shape = generated_shape(g);
  th_status rc = TH_NEW(&g->room, rooms, "generated values", err);
  if (rc != TH_OK)
    return rc;
  g->rooms = rooms;
  for (int k = 0; rc == TH_OK && k < rooms && shape->layout == TH_DENSE; k++)
    rc = th_alloc((void **)&g->room[k].values, values_bytes(g->job), 1,
                  "generated values", err);
  return rc;
}

static void release(struct generating *g)
{
  for (int k = 0; k < g->rooms; k++) {
    struct room *room = &g->room[k];
    th_families_column_free(&room->column);
    TH_FREE(room->values, room->example, room->value);
  }
  th_tiles_free(&g->tiles);
  TH_FREE(g->room, g->part);
}

/* Make the values of this rank's shards and write them; on rank 0, fill in the
 * targets of all examples, too. Collective. */
static th_status generate_parts(const struct th_generation *generation,
                                struct th_comm *comm, double *target,
                                struct th_error *err)
{
  struct generating g = {.job = generation, .target = target};
  int threads = writer_threads(generation, comm->size);
  int rooms = threads > 1 ? threads + 1 : 1;
  th_status rc = list_all_parts(&g, comm->rank == 0, err);
  if (rc == TH_OK)
    rc = make_rooms(&g, rooms, err);
  TH_TRY(th_agree(comm, rc, err));
  struct th_relay relay = {.count = g.parts,
                           .places = rooms,
                           .make = make_part,
                           .use = use_part,
                           .self = &g};
  rc = th_team_relay_run(&relay, comm, threads, err);
done:
  release(&g);
  return rc;
}

/* --- The command ---------------------------------------------------------- */

struct job {
  const struct th_options *options;
  struct th_synthesis synthesis;
  struct th_generation generation; /* its truth is the synthesis's */
};

static th_status plan_job(struct job *job, struct th_error *err)
{
  const struct th_options *o = job->options;
  th_status rc = th_input_family_plan(&job->synthesis, o, o->argument[0],
                                      "generate", "--", err);
  if (rc != TH_OK)
    return rc;
  if (o->data.shards > o->data.attributes)
    return th_fail(err, TH_EUSAGE,
                   "generate: --shards %lld: there are only %lld attributes",
                   (long long)o->data.shards, (long long)o->data.attributes);
  job->generation = (struct th_generation){
      .law = th_synthetic_law_of(&job->synthesis.truth, o->data.attributes),
      .plan = {.shape = job->synthesis.shape, .shards = o->data.shards}};
  struct th_dataset_plan *plan = &job->generation.plan;
  if (plan->shape.layout == TH_SPARSE)
    plan->expected_entries =
        (int64_t)(o->synthetic.own.density * (double)o->data.attributes *
                  (double)o->data.examples);
  else
    plan->writers = th_integer_ceil_divide(o->data.attributes, TH_CELL);
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
  if (th_input_family_uses(job->synthesis.family, "support"))
    used += (size_t)snprintf(text + used, size - used, " --support %" PRId64,
                             truth->support_size);
  if (th_input_family_uses(job->synthesis.family, "noise"))
    used += (size_t)snprintf(text + used, size - used, " --noise %.17g",
                             truth->noise);
  used += (size_t)snprintf(text + used, size - used, " --seed %" PRIu64,
                           truth->seed);
  for (int k = 0; (row = th_origin_family_parameter(k)) != NULL; k++) {
    char value[32];
    if (!th_origin_family_of(row, truth->family))
      continue;
    th_origin_family_text(&truth->own, row, value, sizeof value);
    used += (size_t)snprintf(text + used, size - used, " --%s %s", row->name,
                             value);
  }
}

/* Collective. The writer is used up. */
static th_status write_dataset(struct job *job, struct th_comm *comm,
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
    rc = generate_parts(&job->generation, comm, target, err);
  struct th_master master = {.target = target,
                             .row = row,
                             .truth = &job->synthesis.truth,
                             .provenance = provenance};
  if (rc == TH_OK)
    rc = th_writer_commit(writer, &master, TH_OK, err);
  else
    th_writer_abort(writer);
  TH_FREE(target, row);
  return rc;
}

static void print_generated(const struct job *job, double seconds)
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

th_status th_generate_command(const struct th_options *options,
                              struct th_comm *comm, struct th_error *err)
{
  struct job job = {.options = options};
  struct th_writer *writer = NULL;
  double began = th_comm_clock();
  int64_t share = 0;
  char note[TH_LOCK_NOTE];
  th_status rc;
  TH_TRY(plan_job(&job, err));
  share = th_team_memory_share(comm);
  int cores = th_team_core_share(comm);
  job.generation.memory = th_options_memory_to_keep(options, share);
  job.generation.threads =
      options->data.threads > 0 ? -(int)options->data.threads : cores;
  TH_TRY(th_writer_create(&writer, comm, options->output, &job.generation.plan,
                          options->force, err));
  th_writer_note(writer, note);
  th_wording_note(options, note);
  TH_TRY(write_dataset(&job, comm, writer, err));
  if (comm->rank == 0 && !options->quiet)
    print_generated(&job, th_comm_clock() - began);
done:
  th_input_family_free(&job.synthesis);
  return rc;
}
