#!/bin/sh
# coverage.sh [CTEST-OPTION...] - lines that the tests reach, of each room
# SPDX-License-Identifier: MIT
#
# Builds preset coverage, forgets what was counted before, runs the tests (all of the
# ordinary suite, or those of the options, such as -R unit_), and prints a line for
# each folder. Processes that a test kills leave no count.
set -eu
cd "$(dirname "$0")/.."
sh jobs/packages.sh build test
cmake --preset coverage -DTHRESHER_TESTS=ON
cmake --build --preset coverage
find build/coverage -name '*.gcda' -delete
ctest --preset coverage -j "$(nproc)" "$@" || echo "some tests failed" >&2
python3 tests/support/coverage.py build/coverage src io mpi
