#!/bin/sh
# run.sh [long] [CTEST-OPTION...] - install what is missing, build, run the tests
# SPDX-License-Identifier: MIT
#
# long: instead of the ordinary suite, of some minutes, that of statistics over
# many seeds and of the widest sweeps.
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
# more at once take longer altogether: half of the work is the kernel's, at starts
ctest --preset "$suite" -j "$(nproc)" "$@"
