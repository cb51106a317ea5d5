/* problem_gradients.c - gradients of sixteen residuals and more, by one pass
 * SPDX-License-Identifier: MIT */
#include "core/integer.h"
#include "math/kernels/gradients.h"
#include "solvers/penalised/problem_parts.h"

#include <string.h>

enum {
  RIGHT = TH_GRADIENTS,
  NEAR = 1 << 16 /* bytes of a slab that stay in a near cache */
};

/* What is formed, block by block. */
struct task {
  const struct th_problem_block *block;
  int64_t blocks;
};

/* Some attributes at a time, which one block after another finds near. */
static void add_piece(struct th_problem *p,
                      const struct th_problem_piece *piece, void *of)
{
  const struct task *task = of;
  const struct th_slab *slab = &piece->slab;
  int64_t count = slab->attributes.last - slab->attributes.first;
  int64_t bytes = slab->rows * (int64_t)th_type_size(slab->type);
  int64_t many = task->blocks > 1 && slab->layout == TH_DENSE
                     ? th_max_i64(RIGHT, NEAR / bytes)
                     : count;
  for (int64_t a = 0; a < count; a += many) {
    int64_t first = slab->attributes.first + a;
    struct th_range range = {first, first + th_min_i64(many, count - a)};
    struct th_slab part = th_slab_part(slab, range);
    for (int64_t b = 0; b < task->blocks; b++)
      th_gradients_add(&part, task->block[b].right + piece->rows.first * RIGHT,
                       p->active.centre + piece->at + a,
                       task->block[b].gradient + (piece->at + a) * RIGHT);
  }
}

/* The same for sparse attributes that are kept whole. */
static void add_kept(const struct th_problem *p,
                     const struct th_problem_block *block)
{
  const struct th_csc_cache *csc = &p->csc;
  const struct th_gradients_entries entries = {p->active.count, csc->start,
                                               csc->row, csc->value};
  th_gradients_add_entries(&entries, block->right, block->gradient);
}

static void scale(const struct th_problem *p, double *gradient)
{
  for (int64_t k = 0; k < p->active.count; k++)
    for (int64_t l = 0; l < RIGHT; l++)
      gradient[k * RIGHT + l] *= p->active.scale[k];
}

/* Local. */
static th_status form(struct th_problem *p, struct task *task,
                      struct th_error *err)
{
  size_t bytes = (size_t)p->active.count * RIGHT * sizeof(double);
  for (int64_t b = 0; b < task->blocks; b++)
    memset(task->block[b].gradient, 0, bytes);
  th_status rc = th_problem_read(p, p->active.count, add_piece, task, err);
  for (int64_t b = 0; b < task->blocks && rc == TH_OK; b++) {
    if (p->csc.start != NULL)
      add_kept(p, &task->block[b]);
    scale(p, task->block[b].gradient);
  }
  return rc;
}

th_status th_problem_gradients(struct th_problem *p,
                               const struct th_problem_block *block,
                               int64_t blocks, struct th_error *err)
{
  struct th_context *context = p->context;
  struct task task = {block, blocks};
  th_status rc = th_source_activate(context->source, context->comm,
                                    p->active.attribute, p->active.count, err);
  if (rc != TH_OK)
    return rc;
  th_profile_begin(context->profile);
  rc = th_agree(context->comm, form(p, &task, err), err);
  th_profile_end(context->profile, TH_PHASE_GRADIENT);
  return rc;
}
