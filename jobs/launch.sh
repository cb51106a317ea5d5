#!/bin/sh
# launch.sh RANKS COMMAND... - srun inside a Slurm job, mpirun elsewhere
# SPDX-License-Identifier: MIT
#
# THRESHER_LAUNCHER: srun or mpirun instead of that choice; mpirun inside a job
# finds the job's nodes by itself. THRESHER_SRUN_MPI: how srun and the MPI library
# talk to each other, pmix or what else `srun --mpi=list` has: pmi2 for MPICH.
# THRESHER_MPIRUN: an mpirun that is not in the PATH. THRESHER_LIMIT: seconds after
# which a run of mpirun is ended; 0, the default: never (a job has its own --time).
# THRESHER_CROWDED: see env.sh.
set -eu
if [ $# -lt 2 ]; then
  echo "launch.sh: wanted: sh jobs/launch.sh RANKS COMMAND..." >&2
  exit 2
fi
ranks=$1
shift
. "$(dirname "$0")/env.sh"
launcher=${THRESHER_LAUNCHER:-mpirun}
if [ -z "${THRESHER_LAUNCHER:-}" ] && [ -n "${SLURM_JOB_ID:-}" ] &&
  command -v srun >/dev/null 2>&1; then
  launcher=srun
fi
case $launcher in
srun) exec srun --mpi="${THRESHER_SRUN_MPI:-pmix}" --cpu-bind=cores -n "$ranks" "$@" ;;
mpirun)
  bind=
  if [ -z "${SLURM_JOB_ID:-}" ] && [ "${THRESHER_CROWDED:-no}" = no ] &&
    [ "$ranks" -le "$(nproc)" ]; then
    bind='--map-by core --bind-to core' # each rank its own
  fi
  # shellcheck disable=SC2086 # words
  set -- "${THRESHER_MPIRUN:-mpirun}" $bind -n "$ranks" "$@"
  [ "${THRESHER_LIMIT:-0}" -eq 0 ] || set -- timeout -k 5 "$THRESHER_LIMIT" "$@"
  exec "$@"
  ;;
*)
  echo "launch.sh: THRESHER_LAUNCHER=$launcher: wanted srun or mpirun" >&2
  exit 2
  ;;
esac
