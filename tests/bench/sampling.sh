#!/usr/bin/env bash
# sampling.sh [FOLDER] - examples per second of the solvers that sample attributes
# SPDX-License-Identifier: MIT
#
# One rank, 5 attributes of an example, 256 examples in a step, on data in memory: VALUES
# (2e8) bytes in all, of SIZES (10,000 to 1,000,000) attributes. The last line is the time of
# an example of the most attributes over that of the fewest. A random value of data that no
# cache holds costs a wait for memory; steps overlap these waits.
set -euo pipefail
. "$(dirname "$0")/bench.sh"
export THRESHER
"${PYTHON:-python3}" "$SOURCE/tests/bench/sampling.py" "${SIZES:-10000 100000 1000000}" \
  "${VALUES:-200000000}"
remove speed.h5
