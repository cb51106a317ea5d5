#!/bin/sh
# env.sh - sourced: what Open MPI and OpenBLAS need to hear on any machine
# SPDX-License-Identifier: MIT
#
# Values that are set already stay as they are.

# Containers run as root; mpirun wants to be told that this is meant.
if [ "$(id -u)" -eq 0 ]; then
  export OMPI_ALLOW_RUN_AS_ROOT="${OMPI_ALLOW_RUN_AS_ROOT:-1}"
  export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="${OMPI_ALLOW_RUN_AS_ROOT_CONFIRM:-1}"
fi
# Two ranks on one core are slow, not an error.
export OMPI_MCA_rmaps_base_oversubscribe="${OMPI_MCA_rmaps_base_oversubscribe:-1}"
# Containers often forbid process_vm_readv: copy by way of shared memory.
export OMPI_MCA_btl_vader_single_copy_mechanism="${OMPI_MCA_btl_vader_single_copy_mechanism:-none}"
# One thread per rank: ranks are the parallelism, and the bits stay the same.
export OPENBLAS_NUM_THREADS="${OPENBLAS_NUM_THREADS:-1}"
