#!/bin/sh
# launch.sh RANKS COMMAND... - srun inside a Slurm job, mpirun elsewhere
# SPDX-License-Identifier: MIT
#
# THRESHER_LIMIT: seconds after which the run is ended; 0, the default: never.
set -eu
if [ $# -lt 2 ]; then
  echo "launch.sh: wanted: sh jobs/launch.sh RANKS COMMAND..." >&2
  exit 2
fi
ranks=$1
shift
. "$(dirname "$0")/env.sh"
if [ -n "${SLURM_JOB_ID:-}" ] && command -v srun >/dev/null 2>&1; then
  exec srun --mpi=pmix -n "$ranks" "$@"
fi
exec timeout -k 5 "${THRESHER_LIMIT:-0}" mpirun -q -n "$ranks" "$@"
