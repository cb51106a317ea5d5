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
# one more than there are processors, since tests of queues and of signals mostly wait
ctest --preset "$suite" -j "$(($(nproc) + 1))" "$@"
