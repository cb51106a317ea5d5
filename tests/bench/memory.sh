#!/usr/bin/env bash
# memory.sh [FOLDER] - data in memory through Python beside the program's own training on
# a file: seconds of the processor, user and system, and copies of the values
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$(dirname "$0")/bench.sh"
export PYTHONPATH=$SOURCE/src/api/python THRESHER_LIBRARY=${THRESHER_LIBRARY:-$(dirname "$THRESHER")}
export THRESHER OPENBLAS_NUM_THREADS=1
"$PYTHON" "$SOURCE/tests/bench/memory.py" "${EXAMPLES:-20000}" "${ATTRIBUTES:-10000}"
finish
