#!/usr/bin/env bash
# oomp.sh [FOLDER] - online OMP on the problems of its paper
# SPDX-License-Identifier: MIT
#
# For every number of ATTRIBUTES (4 16 64) and both designs, over RUNS (20) seeds: in how
# many runs the true attributes are found whole, in how many a wrong one is among them, and
# log2 of what was read over what OMP would read on the examples that its theory asks for.
# Then the examples that OOMP took, those of the theory of OMP, and the power of 2 from which
# on OMP finds the true attributes in all runs.
set -euo pipefail
. "$(dirname "$0")/bench.sh"
export THRESHER
"${PYTHON:-python3}" "$SOURCE/tests/bench/oomp.py" "${RUNS:-20}" ${ATTRIBUTES:-4 16 64}
