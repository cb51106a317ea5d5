#!/bin/sh
# env.sh - sourced: what Open MPI needs to hear on any machine
# SPDX-License-Identifier: MIT
#
# Values that are set already stay as they are. Up to version 4, mpirun is told by
# OMPI_MCA_ names; from version 5 on by PRTE_MCA_ names, and cannot be quieted.
# THRESHER_CROWDED=yes: other runs share this machine, as in the tests.

# Containers run as root; mpirun wants to be told that this is meant.
if [ "$(id -u)" -eq 0 ]; then
  export OMPI_ALLOW_RUN_AS_ROOT="${OMPI_ALLOW_RUN_AS_ROOT:-1}"
  export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="${OMPI_ALLOW_RUN_AS_ROOT_CONFIRM:-1}"
fi
# A failed run is told by our one line, not by mpirun's page.
export OMPI_MCA_orte_execute_quiet="${OMPI_MCA_orte_execute_quiet:-1}"
# Two ranks on one core are slow, not an error.
export OMPI_MCA_rmaps_base_oversubscribe="${OMPI_MCA_rmaps_base_oversubscribe:-1}"
export PRTE_MCA_rmaps_default_mapping_policy="${PRTE_MCA_rmaps_default_mapping_policy:-:oversubscribe}"
# Where calls of the system are filtered, as in many containers, process_vm_readv may be
# refused, which ends a run: copy by way of shared memory. Elsewhere ranks of a node read
# each other's memory, as Open MPI means them to.
if [ "${THRESHER_CROWDED:-no}" = yes ] || ! grep -qs '^Seccomp:[[:blank:]]*0' /proc/self/status; then
  export OMPI_MCA_btl_vader_single_copy_mechanism="${OMPI_MCA_btl_vader_single_copy_mechanism:-none}"
  export OMPI_MCA_smsc="${OMPI_MCA_smsc:-^cma}"
fi
# UCX has a use of its own for SIGHUP, which nohup means to be ignored.
export UCX_DEBUG_SIGNO="${UCX_DEBUG_SIGNO:-0}"
# Judge networks by their addresses: routes to oneself are often missing.
export OMPI_MCA_reachable="${OMPI_MCA_reachable:-weighted}"
# A network that is gone is noticed within half a minute, not after eight.
export OMPI_MCA_oob_tcp_keepalive_time="${OMPI_MCA_oob_tcp_keepalive_time:-15}"
export OMPI_MCA_oob_tcp_keepalive_intvl="${OMPI_MCA_oob_tcp_keepalive_intvl:-5}"
export OMPI_MCA_oob_tcp_keepalive_probes="${OMPI_MCA_oob_tcp_keepalive_probes:-3}"

# No core is a rank's own, and who waits lets others work; no network is looked
# for; a failed run ends at once instead of after two seconds. Parts of Open MPI,
# PMIx and hwloc that ranks on one machine have no use for are not opened, which is
# almost half of what a start costs.
if [ "${THRESHER_CROWDED:-no}" = yes ]; then
  export OMPI_MCA_hwloc_base_binding_policy="${OMPI_MCA_hwloc_base_binding_policy:-none}"
  export PRTE_MCA_hwloc_default_binding_policy="${PRTE_MCA_hwloc_default_binding_policy:-none}"
  export OMPI_MCA_mpi_yield_when_idle="${OMPI_MCA_mpi_yield_when_idle:-1}"
  export OMPI_MCA_pml="${OMPI_MCA_pml:-ob1}"
  export OMPI_MCA_btl="${OMPI_MCA_btl:-^tcp,openib,ofi,uct,usnic}"
  export OMPI_MCA_mtl="${OMPI_MCA_mtl:-^ofi,psm,psm2,portals4}"
  export OMPI_MCA_osc="${OMPI_MCA_osc:-^ucx,rdma,portals4,monitoring}"
  export OMPI_MCA_coll="${OMPI_MCA_coll:-^sm,sync,monitoring,portals4,hcoll,ucc,cuda,han,adapt,ftagree,accelerator}"
  export OMPI_MCA_io="${OMPI_MCA_io:-^romio314,romio321,romio341}"
  export PMIX_MCA_gds="${PMIX_MCA_gds:-hash}"
  export HWLOC_PLUGINS_PATH="${HWLOC_PLUGINS_PATH:-/nonexistent}"
  export HWLOC_COMPONENTS="${HWLOC_COMPONENTS:--pci,-linuxio,-opencl,-gl}"
  export OMPI_MCA_odls_base_sigkill_timeout="${OMPI_MCA_odls_base_sigkill_timeout:-0}"
  export PRTE_MCA_odls_base_sigkill_timeout="${PRTE_MCA_odls_base_sigkill_timeout:-0}"
  # An mpirun of version 4 that ends takes away the folder in which another one
  # begins, unless something is in it.
  mkdir -p "${TMPDIR:-/tmp}/ompi.$(uname -n | sed 's/[.].*//').$(id -u)/held" || true
fi
