/* thresher_team.c - teams of ranks
 * SPDX-License-Identifier: MIT */
#include "api/handle.h"
#include "core/memory.h"
#include "mpi/mpi_comm.h"

#include <stdlib.h>

enum thresher_status thresher_team_mpi(struct thresher_team **team, int comm,
                                       struct thresher_error *error)
{
  struct thresher_team *fresh = NULL;
  struct th_comm ranks;
  struct th_error err;
  th_error_clear(&err);
  if (team != NULL)
    *team = NULL;
  th_status rc = th_mpi_join(&ranks, comm, &err);
  if (rc != TH_OK)
    return th_handle_tell(rc, &err, error);
  TH_TRY(TH_HANDLE_GIVEN(&err, {team, "team"}));
  TH_TRY(TH_NEW(&fresh, 1, "a team", &err));
done:
  rc = th_agree(&ranks, rc, &err);
  if (rc == TH_OK && fresh != NULL) {
    *fresh = (struct thresher_team){ranks, th_mpi_allows_threads()};
  } else {
    th_comm_free(&ranks);
    free(fresh);
    fresh = NULL;
  }
  if (team != NULL)
    *team = fresh;
  return th_handle_tell(rc, &err, error);
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
  return th_handle_tell(rc, &err, error);
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
