#!/usr/bin/env bash
# oomp_speed.sh [FOLDER] - online OMP: values read per second, and how it speeds up
# SPDX-License-Identifier: MIT
#
# ATTRIBUTES (1,000,000), of which 20 are true, on EXAMPLES (1,500) in memory. They serve
# again and again, for PASSES (120): the bounds then say nothing, but the work is that of as
# many fresh ones. The table has a line for each halving of the candidates: how long a look at
# one example takes, and a value.
set -euo pipefail
. "$(dirname "$0")/bench.sh"
ranks 0 generate oomp -o speed.h5 --examples "${EXAMPLES:-1500}" \
  --attributes "${ATTRIBUTES:-1000000}" --support 20 --force -q
must "$RANKS" train speed.h5 -o model.h5 --force --solver oomp --no-intercept \
  --no-standardize --mu 0.5 -s 1 --passes "${PASSES:-120}" --memory 7G \
  --telemetry speed.jsonl --report speed.json
"${PYTHON:-python3}" "$SOURCE/tests/bench/oomp_speed.py" speed.jsonl speed.json
remove speed.h5
