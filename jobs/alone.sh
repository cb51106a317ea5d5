#!/bin/sh
# alone.sh FOLDER COMMAND... - a run of its own in each rank that launch.sh starts
# SPDX-License-Identifier: MIT
#
# sh jobs/launch.sh 2 sh jobs/alone.sh FOLDER COMMAND...: the command twice at the
# same time, each as a job of one rank on its own core, in FOLDER/0 and FOLDER/1.
set -eu
if [ $# -lt 2 ]; then
  echo "alone.sh: wanted: sh jobs/alone.sh FOLDER COMMAND..." >&2
  exit 2
fi
folder=$1/${OMPI_COMM_WORLD_RANK:-${PMIX_RANK:-${SLURM_PROCID:-0}}}
shift
# What tells MPI that there are others
for name in $(env | sed -n 's/^\([A-Za-z0-9_]*\)=.*/\1/p'); do
  case $name in
  OMPI_MCA_orte_* | OMPI_MCA_ess_* | OMPI_MCA_pmix* | OMPI_MCA_shmem_* | \
    PMIX_* | PMI_* | ORTE_* | PRTE_* | SLURM_*) unset "$name" ;;
  OMPI_ALLOW_* | OMPI_MCA_*) ;;
  OMPI_*) unset "$name" ;;
  esac
done
. "$(dirname "$0")/env.sh"
mkdir -p "$folder"
cd "$folder"
exec "$@"
