/* useful.c - the useful attributes of all ranks as one list
 * SPDX-License-Identifier: MIT */
#include "solvers/ridge/useful.h"

#include "base/memory.h"
#include "solvers/penalised/problem.h"

#include <stdlib.h>
#include <string.h>

/* Every rank's attributes, one after the other. Collective. */
static th_status gather(struct th_useful *places, struct th_error *err)
{
  struct th_comm *comm = places->problem->context->comm;
  const struct th_active *active = &places->problem->active;
  int64_t *bytes = NULL;
  void *all = NULL;
  th_status rc = TH_NEW(&bytes, comm->size, "attributes", err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(th_comm_gather(comm, active->attribute,
                        active->count * (int64_t)sizeof *active->attribute,
                        bytes, &all, err));
  places->attribute = all;
done:
  free(bytes);
  return rc;
}

th_status th_useful_init(struct th_useful *places, struct th_problem *problem,
                         struct th_error *err)
{
  struct th_comm *comm = problem->context->comm;
  int64_t count = problem->active.count;
  *places = (struct th_useful){.problem = problem};
  places->mine.first = th_comm_prefix(comm, count, &places->count);
  places->mine.last = places->mine.first + count;
  th_status rc = TH_NEW(&places->all, problem->grouping.groups, "places", err);
  if (rc == TH_OK)
    rc = TH_NEW(&places->here, count, "sums over examples", err);
  if (rc == TH_OK)
    rc = TH_NEW(&places->mean, places->count, "means of attributes", err);
  TH_TRY(th_agree(comm, rc, err));
  memset(places->all, true,
         (size_t)problem->grouping.groups * sizeof *places->all);
  TH_TRY(gather(places, err));
done:
  return rc;
}

void th_useful_free(struct th_useful *places)
{
  TH_FREE(places->attribute, places->all, places->here, places->mean);
  *places = (struct th_useful){0};
}

th_status th_useful_sums(struct th_useful *places, double *out,
                         struct th_error *err)
{
  struct th_problem *p = places->problem;
  th_status rc;
  TH_TRY(th_problem_sums(p, places->all, TH_SUM_DOUBLE, 1, places->here, err));
  if (p->active.count > 0)
    memcpy(out + places->mine.first, places->here,
           (size_t)p->active.count * sizeof *out);
  TH_TRY(th_comm_join(p->context->comm, out, places->count, places->mine.first,
                      places->mine.last, err));
done:
  return rc;
}

th_status th_useful_centre(struct th_useful *places, struct th_error *err)
{
  if (!places->problem->intercept)
    return TH_OK;
  th_useful_weigh(places, NULL);
  return th_useful_sums(places, places->mean, err);
}

void th_useful_weigh(const struct th_useful *places, const double *value)
{
  const struct th_problem *p = places->problem;
  for (int64_t i = 0; i < p->rows; i++)
    p->multiplier[i] = value == NULL ? p->eta[i] : p->eta[i] * value[i];
}

double th_useful_mean(const struct th_useful *places, const double *value)
{
  const struct th_problem *p = places->problem;
  return th_column_dot_plain(p->eta, value, p->rows);
}
