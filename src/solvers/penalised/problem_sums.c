/* problem_sums.c - sums over all examples for the attributes of this rank
 *
 * Every attribute's sum is formed by its owner in the order of the stored
 * examples: dense values by the kernels of math/kernels/kernels.h, most of them
 * in float.
 * SPDX-License-Identifier: MIT */
#include "core/integer.h"
#include "core/memory.h"
#include "math/kernels/column_kernels.h"
#include "math/kernels/kernels_sparse.h"
#include "solvers/penalised/problem_parts.h"

#include <stdlib.h>

/* Sums that a pass forms. */
struct task {
  enum th_sum_kind kind;
  float *room; /* of a row group */
};

/* Add entry after entry, so that the bits do not depend on the cut into slabs.
 */
static void add_sparse(struct th_problem *p,
                       const struct th_problem_piece *piece,
                       const double *factor, enum th_sum_kind kind)
{
  const struct th_slab *slab = &piece->slab;
  factor += piece->rows.first - slab->row;
  for (int64_t k = 0; k < slab->runs; k++) {
    struct th_range entries = th_kernels_sparse_entries(slab, k);
    int64_t at =
        piece->at + slab->base + slab->attribute[k] - slab->attributes.first;
    double sum = p->sums[at];
    for (int64_t e = entries.first; e < entries.last; e++) {
      double x = th_type_load(slab->type, slab->values, e);
      double term = factor[slab->row_in_group[e]] * x;
      sum += kind == TH_SUM_MOMENTS ? term * x : term;
    }
    p->sums[at] = sum;
  }
}

/* One attribute of a dense slab as a vector; room: of its rows. */
static struct th_vector vector_of(const struct th_problem_piece *piece,
                                  int64_t a, double centre, float *room)
{
  const struct th_slab *slab = &piece->slab;
  struct th_range one = {slab->attributes.first + a,
                         slab->attributes.first + a + 1};
  struct th_slab part = th_slab_part(slab, one);
  struct th_vector x = {.form = TH_VECTOR_SINGLE,
                        .items = slab->rows,
                        .centre = centre,
                        .scale = 1,
                        .values = part.values};
  if (slab->type == TH_F64)
    x.form = TH_VECTOR_DOUBLE;
  if (slab->type == TH_F64 || slab->type == TH_F32)
    return x;
  for (int32_t i = 0; i < slab->rows; i++)
    room[i] = (float)th_slab_load(&part, 0, i);
  x.values = room;
  return x;
}

static void add_dense(struct th_problem *p,
                      const struct th_problem_piece *piece,
                      const double *factor, enum th_sum_kind kind, float *room)
{
  const struct th_slab *slab = &piece->slab;
  int64_t count = slab->attributes.last - slab->attributes.first;
  for (int64_t a = 0; a < count; a++) {
    struct th_vector x = vector_of(piece, a, p->centre[piece->at + a], room);
    const double *with = factor + piece->rows.first;
    p->sums[piece->at + a] += kind == TH_SUM_MOMENTS
                                  ? th_column_square(&x, with)
                                  : th_column_dot(&x, with);
  }
}

static void add_piece(struct th_problem *p,
                      const struct th_problem_piece *piece, void *of)
{
  const struct task *task = of;
  enum th_sum_kind kind = task->kind;
  const double *factor = kind == TH_SUM_MOMENTS ? p->eta : p->multiplier;
  int64_t first = piece->rows.first;
  const struct th_row_weights m = {.residual = p->multiplier + first,
                                   .residual32 = p->multiplier32 + first,
                                   .weight = p->multiplier +
                                             first, /* not used by a gradient */
                                   .weight32 = p->multiplier32 + first};
  if (piece->slab.layout == TH_SPARSE)
    add_sparse(p, piece, factor, kind);
  else if (kind == TH_SUM_FAST)
    th_kernel_gradient(&piece->slab, &m, p->centre + piece->at,
                       p->sums + piece->at);
  else
    add_dense(p, piece, factor, kind, task->room);
}

/* The same for attributes that are kept whole. */
static void add_kept(struct th_problem *p, int64_t count, enum th_sum_kind kind)
{
  const struct th_csc_cache *csc = &p->csc;
  const double *factor = kind == TH_SUM_MOMENTS ? p->eta : p->multiplier;
  for (int64_t k = 0; k < count; k++) {
    double sum = 0;
    for (int64_t e = csc->start[p->place[k]]; e < csc->start[p->place[k] + 1];
         e++) {
      double term = factor[csc->row[e]] * csc->value[e];
      sum += kind == TH_SUM_MOMENTS ? term * csc->value[e] : term;
    }
    p->sums[k] = sum;
  }
}

/* One row group. Local. */
static th_status read_group(struct th_problem *p, struct th_rows rows,
                            int64_t count, th_problem_add *add, void *task,
                            struct th_error *err)
{
  struct th_source *source = p->context->source;
  struct th_draw draw = {.rows = {.items = &rows, .count = 1}, .active = true};
  struct th_problem_piece piece = {.rows = rows, .at = 0};
  th_status rc = th_source_draw(source, &draw, err);
  if (p->csc.start != NULL)
    return rc; /* counted; the values are in memory */
  while (rc == TH_OK && piece.at < count) {
    rc = th_source_active(source, &draw, rows, piece.at, &piece.slab, err);
    if (rc != TH_OK)
      break;
    add(p, &piece, task);
    piece.at += piece.slab.attributes.last - piece.slab.attributes.first;
  }
  return rc;
}

th_status th_problem_read(struct th_problem *p, int64_t count,
                          th_problem_add *add, void *task, struct th_error *err)
{
  const struct th_shape *shape = th_source_shape(p->context->source);
  bool drawn = p->csc.drawn;
  th_status rc = TH_OK;
  p->csc.drawn = false;
  for (int64_t first = 0; first < p->rows && rc == TH_OK && !drawn;) {
    struct th_rows rows = th_shape_rest(shape, first);
    rc = read_group(p, rows, count, add, task, err);
    first += rows.count;
  }
  return rc;
}

/* Sums over all examples for the listed attributes. Local. */
static th_status sum_all(struct th_problem *p, int64_t count,
                         enum th_sum_kind kind, struct th_error *err)
{
  const struct th_shape *shape = th_source_shape(p->context->source);
  struct task task = {.kind = kind};
  th_status rc =
      TH_NEW(&task.room, shape->row_group, "the examples of a row group", err);
  if (rc == TH_OK)
    rc = th_problem_read(p, count, add_piece, &task, err);
  free(task.room);
  if (rc == TH_OK && p->csc.start != NULL)
    add_kept(p, count, kind);
  return rc;
}

/* List the places of the groups marked. Local. */
static int64_t list_places(struct th_problem *p, const bool *marked)
{
  int64_t count = 0;
  for (int64_t g = 0; g < p->grouping.groups; g++)
    if (marked[g])
      for (int64_t m = th_problem_members(p, g).first;
           m < th_problem_members(p, g).last; m++)
        p->place[count++] = th_problem_place(p, m);
  return count;
}

/* The same for columns in memory, each of which has its centre and scale.
 * Local. */
static void sum_kept(const struct th_problem *p, int64_t count,
                     enum th_sum_kind kind, double factor, double *z)
{
  for (int64_t k = 0; k < count; k++) {
    const struct th_vector *x = &p->kept->column[p->place[k]];
    double sum = kind == TH_SUM_MOMENTS ? th_column_square(x, p->eta)
                                        : th_column_dot(x, p->multiplier);
    z[p->place[k]] = factor * sum;
  }
}

th_status th_problem_sums(struct th_problem *p, const bool *marked,
                          enum th_sum_kind kind, double factor, double *z,
                          struct th_error *err)
{
  struct th_comm *comm = p->context->comm;
  int64_t count = list_places(p, marked);
  if (p->grouping.place != NULL)
    qsort(p->place, (size_t)count, sizeof *p->place, th_integer_ascending);
  if (p->kept != NULL) {
    sum_kept(p, count, kind, factor, z);
    return TH_OK;
  }
  for (int64_t k = 0; k < count; k++) {
    p->listed[k] = p->active.attribute[p->place[k]];
    p->centre[k] = p->active.centre[p->place[k]];
    p->sums[k] = 0;
  }
  th_status rc =
      th_source_activate(p->context->source, comm, p->listed, count, err);
  if (rc != TH_OK)
    return rc;
  th_profile_begin(p->context->profile);
  rc = th_agree(comm, sum_all(p, count, kind, err), err);
  th_profile_end(p->context->profile, TH_PHASE_GRADIENT);
  for (int64_t k = 0; k < count && rc == TH_OK; k++) {
    double scale = p->active.scale[p->place[k]];
    double unit = kind == TH_SUM_MOMENTS ? scale * scale : scale;
    z[p->place[k]] = factor * unit * p->sums[k];
  }
  return rc;
}
