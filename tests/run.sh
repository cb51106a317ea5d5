#!/bin/sh
# run.sh [long] [CTEST-OPTION...] - install what is missing, build, run the tests
# SPDX-License-Identifier: MIT
#
# long: instead of the ordinary suite, of some minutes, that of statistics over
# many seeds, of studies and of the widest sweeps.
set -eu
cd "$(dirname "$0")/.."
suite=release
if [ "${1:-}" = long ]; then
  suite=long
  shift
fi
sh jobs/packages.sh build test
cmake --preset release -DTHRESHER_TESTS=ON
cmake --build --preset release
# two for each processor: half of a start of ranks is waiting
ctest --preset "$suite" -j $(($(nproc) * 2)) "$@"
