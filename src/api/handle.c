/* handle.c - helpers of all functions of thresher.h, and its teams
 * SPDX-License-Identifier: MIT */
#include "api/handle.h"

#include "base/memory.h"
#include "mpi/mpi_comm.h"

#include <stdlib.h>
#include <string.h>

#define SAME(code) ((int)THRESHER_##code == (int)TH_##code)
_Static_assert(SAME(OK) && SAME(EARG) && SAME(ENOMEM) && SAME(EIO) &&
                   SAME(EFORMAT) && SAME(EDATA) && SAME(EBUDGET) &&
                   SAME(ENUMERIC) && SAME(EUSAGE),
               "one list of codes");
_Static_assert((int)THRESHER_ERROR_TEXT == (int)TH_ERROR_TEXT, "one length");

enum thresher_status th_handle_status(th_status rc, const struct th_error *err,
                                      struct thresher_error *error)
{
  if (rc == TH_OK || error == NULL)
    return (enum thresher_status)rc;
  error->status = (enum thresher_status)rc;
  error->rank = err->rank;
  memcpy(error->text, err->text, sizeof error->text);
  th_error_name_options(error->text, false);
  return error->status;
}

const char *thresher_status_text(enum thresher_status status)
{
  bool known = (int)status >= TH_OK && (int)status <= TH_ESTOPPED;
  return known ? th_error_status_text((th_status)status) : "unknown status";
}

const char *thresher_version(void)
{
  return THRESHER_VERSION;
}

th_status th_handle_given(const char *call,
                          const struct th_handle_argument *arguments,
                          struct th_error *err)
{
  for (; arguments->name != NULL; arguments++)
    if (arguments->value == NULL)
      return th_fail(err, TH_EARG, "%s: %s is NULL, and must not be", call,
                     arguments->name);
  return TH_OK;
}

th_status th_handle_which(const char *call, enum thresher_examples which,
                          struct th_error *err)
{
  if ((int)which >= THRESHER_AUTO && (int)which <= THRESHER_ALL)
    return TH_OK;
  return th_fail(err, TH_EARG,
                 "%s: which is %d, and must be %d (THRESHER_AUTO) to %d "
                 "(THRESHER_ALL)",
                 call, (int)which, THRESHER_AUTO, THRESHER_ALL);
}

th_status th_handle_alike(struct th_comm *comm, uint64_t hash, const char *what,
                          struct th_error *err)
{
  int64_t ends[] = {(int64_t)hash, ~(int64_t)hash}; /* largest, ~smallest */
  comm->ops->max_i64(comm, ends, 2);
  if (ends[0] == ~ends[1])
    return TH_OK;
  return th_fail(err, TH_EUSAGE,
                 "the ranks were given different %s; give all of them the same",
                 what);
}

/* --- Teams of ranks ------------------------------------------------------- */

enum thresher_status thresher_team_mpi(struct thresher_team **team, int comm,
                                       struct thresher_error *error)
{
  struct thresher_team *fresh = NULL;
  struct th_comm ranks;
  struct th_error err;
  th_error_clear(&err);
  if (team != NULL)
    *team = NULL;
  th_status rc = th_mpi_comm_join(&ranks, comm, &err);
  if (rc != TH_OK)
    return th_handle_status(rc, &err, error);
  TH_TRY(TH_HANDLE_GIVEN(&err, {team, "team"}));
  TH_TRY(TH_NEW(&fresh, 1, "a team", &err));
done:
  rc = th_agree(&ranks, rc, &err);
  if (rc == TH_OK && fresh != NULL) {
    *fresh = (struct thresher_team){ranks, th_mpi_comm_allows_threads()};
  } else {
    th_comm_free(&ranks);
    free(fresh);
    fresh = NULL;
  }
  if (team != NULL)
    *team = fresh;
  return th_handle_status(rc, &err, error);
}

enum thresher_status thresher_team_self(struct thresher_team **team,
                                        struct thresher_error *error)
{
  struct th_error err;
  th_status rc;
  th_error_clear(&err);
  TH_TRY(TH_HANDLE_GIVEN(&err, {team, "team"}));
  *team = NULL;
  TH_TRY(TH_NEW(team, 1, "a team", &err));
  th_comm_self(&(*team)->comm);
  (*team)->threaded = true;
done:
  return th_handle_status(rc, &err, error);
}

void thresher_team_free(struct thresher_team *team)
{
  if (team == NULL)
    return;
  th_comm_free(&team->comm);
  free(team);
}

int thresher_team_rank(const struct thresher_team *team)
{
  return team != NULL ? team->comm.rank : -1;
}

int thresher_team_size(const struct thresher_team *team)
{
  return team != NULL ? team->comm.size : 0;
}
