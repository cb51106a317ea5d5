#!/usr/bin/env bash
# oomp.sh [FOLDER] - online OMP on the problems of its paper
# SPDX-License-Identifier: MIT
#
# For every number of ATTRIBUTES (4 16 64) and both designs, over RUNS (20) seeds: in how
# many runs the true attributes are found whole, in how many a wrong one is among them, and
# log2 of what was read over what OMP would read on the examples that its theory asks for.
set -euo pipefail
. "$(dirname "$0")/bench.sh"
export THRESHER
"${PYTHON:-python3}" "$SOURCE/tests/bench/oomp.py" "${RUNS:-20}" ${ATTRIBUTES:-4 16 64}
