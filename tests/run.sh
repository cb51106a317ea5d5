#!/bin/sh
# run.sh [CTEST-OPTION...] - install what is missing, build, run all tests
# SPDX-License-Identifier: MIT
set -eu
cd "$(dirname "$0")/.."
. jobs/env.sh
sh jobs/packages.sh build test
cmake --preset release -DTHRESHER_TESTS=ON
cmake --build --preset release
ctest --preset release -j 2 "$@"
