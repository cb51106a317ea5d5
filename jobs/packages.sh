#!/bin/sh
# packages.sh [build] [test] [jobs] [ci] [peers] [arm64] - install missing Debian packages
# SPDX-License-Identifier: MIT
#
# The one list of what Thresher needs, for Debian 12 and 13 and Ubuntu 24.04 (ci:
# Debian 12). As root, or with sudo; otherwise it prints the line that installs
# what is missing, and ends with status 1, as on systems without dpkg.
# build: the program; test: its tests; jobs: scaling studies and their plots;
# ci: what continuous integration needs beyond these, a Slurm cluster on one
# machine included; peers: what tests/bench/peers.sh and solve.sh compare with;
# arm64: what tests/arm64.sh runs programs of that architecture with.
set -eu

build='gcc libc6-dev make cmake ninja-build pkg-config openmpi-bin
  libopenmpi-dev libhdf5-openmpi-dev libsleef-dev librandom123-dev
  libjansson-dev libinih-dev libxxhash-dev zlib1g-dev libbz2-dev
  liblzma-dev libzstd-dev liblz4-dev libscalapack-openmpi-dev libopenblas0'
test='python3 python3-numpy python3-h5py python3-scipy python3-sklearn hdf5-tools xz-utils bzip2
  gzip zstd lz4'
jobs='python3 gnuplot-nox'
ci='clang-14 libclang-rt-14-dev clang-tidy-14 clang-format-14 slurm-wlm munge
  iproute2 debootstrap shellcheck git python3-pandas python3-matplotlib python3-mpi4py chromium groff-base
  mpich libmpich-dev libhdf5-mpich-dev libscalapack-mpich-dev'
peers='python3-numpy python3-h5py python3-scipy python3-sklearn r-cran-glmnet
  liblinear-tools libopenblas-dev'
arm64='qemu-user-static debootstrap'

wanted=
[ $# -gt 0 ] || set -- build
for group in "$@"; do
  case $group in
  build) wanted="$wanted $build" ;;
  test) wanted="$wanted $test" ;;
  jobs) wanted="$wanted $jobs" ;;
  ci) wanted="$wanted $ci" ;;
  peers) wanted="$wanted $peers" ;;
  arm64) wanted="$wanted $arm64" ;;
  *)
    echo "packages.sh: $group is none of build, test, jobs, ci, peers, arm64" >&2
    exit 2
    ;;
  esac
done

# Elsewhere: what the build looks for, by the names that other systems use too.
check_without_dpkg()
{
  missing=
  for tool in cc cmake ninja pkg-config mpicc mpirun; do
    command -v "$tool" >/dev/null 2>&1 || missing="$missing $tool"
  done
  for module in jansson libxxhash zlib liblzma libzstd liblz4 sleef; do
    pkg-config --exists "$module" 2>/dev/null || missing="$missing $module"
  done
  if [ -n "$missing" ]; then
    echo "packages.sh: this is no Debian or Ubuntu system; please install:" \
      "$missing (and HDF5, ScaLAPACK, inih, bzip2 and Random123 with headers)" >&2
    exit 1
  fi
}

if ! command -v dpkg-query >/dev/null 2>&1; then
  check_without_dpkg
  exit 0
fi

missing=
for package in $wanted; do
  state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

# Without asking, or where somebody can be asked for a password.
may_sudo()
{
  command -v sudo >/dev/null 2>&1 &&
    { sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v; }; }
}

as_root=
if [ "$(id -u)" -ne 0 ]; then
  if ! may_sudo; then
    echo "packages.sh: packages are missing; have this line run as root:" >&2
    echo "apt-get update && apt-get install -y --no-install-recommends$missing" >&2
    exit 1
  fi
  as_root=sudo
fi
echo "installing:$missing"
apt()
{
  $as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -o DPkg::Lock::Timeout=900 "$@"
}
# shellcheck disable=SC2086 # a list of words
if ! apt update || ! apt install -y --no-install-recommends $missing; then
  echo "packages.sh: apt-get could not install$missing" >&2
  exit 1
fi
