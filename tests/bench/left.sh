#!/usr/bin/env bash
# left.sh [FOLDER [NAME...]] - the time that a run says is left, after a fifth of it, beside
# what was left: 30 runs, of every solver
# SPDX-License-Identifier: MIT
#
# One core. SCALE (1) times the examples and attributes of each run.
set -euo pipefail
. "$(dirname "$0")/bench.sh"
export THRESHER OPENBLAS_NUM_THREADS=1
"$PYTHON" "$SOURCE/tests/bench/left.py" "${SCALE:-1}" "${@:2}"
finish
