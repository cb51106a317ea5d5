/* toy.c - solver `toy`: the mean of the targets, whatever the attributes
 *
 *     minimise E (b - y)^2
 *
 * It reads no attribute: the mean of the targets is what the driver subtracts
 * from them. A step does nothing but count.
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "solvers/access/support.h"
#include "solvers/algorithms.h"
#include "solvers/plan.h"

#include <stdlib.h>

enum { STEPS = 3 };

struct toy {
  struct th_head head;
  struct th_support support; /* empty */
  int64_t steps;
  double nothing; /* there is no loss */
};

static void free_state(void *state)
{
  struct toy *s = state;
  if (s == NULL)
    return;
  th_support_free(&s->support);
  free(s);
}

static th_status create(void **state, struct th_context *context,
                        struct th_error *err)
{
  struct toy *s = NULL;
  th_status rc = TH_NEW(&s, 1, "the solver", err);
  TH_TRY(th_agree(context->comm, rc, err));
  TH_TRY(th_support_assign(&s->support, context, NULL, 0, err));
  s->head = (struct th_head){.support = &s->support, .loss = &s->nothing};
  *state = s;
  s = NULL;
done:
  free_state(s);
  return rc;
}

static th_status step(void *state, struct th_context *context, bool *more,
                      struct th_error *err)
{
  struct toy *s = state;
  (void)context;
  (void)err;
  s->steps++;
  *more = s->steps < STEPS;
  return TH_OK;
}

static th_status finish(void *state, struct th_context *context,
                        struct th_error *err)
{
  (void)err;
  th_context_notice(context, "toy steps: %lld",
                    (long long)((const struct toy *)state)->steps);
  return TH_OK;
}

static void describe(void *state, struct th_context *context,
                     struct th_state *list)
{
  struct toy *s = state;
  (void)context;
  TH_STATE_ONE(list, s, steps);
  th_support_describe(&s->support, "support", list);
}

th_status th_toy_plan(struct th_plan *plan, const struct th_plan_size *size,
                      struct th_error *err)
{
  struct th_config *config = &plan->config;
  config->budget = 1;
  config->batch = 1;
  config->passes = 1;
  config->validation = 0;
  th_status rc = th_plan_sampled_check_loss(config, err);
  if (rc == TH_OK)
    th_plan_sampled_fill(plan, size);
  return rc;
}

static const char *const options[] = {
    NULL,
};

const struct th_algorithm th_toy_algorithm = {.options = options,
                                              .create = create,
                                              .step = step,
                                              .finish = finish,
                                              .describe = describe,
                                              .free = free_state};
