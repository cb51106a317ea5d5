#!/usr/bin/env bash
# layouts.sh [FOLDER] - every solver on the same values in either layout, with means of any
# number of deviations: the support, and seconds of the sparse layout over those of the dense
# SPDX-License-Identifier: MIT
#
# EXAMPLES x ATTRIBUTES (2,000 x 60) normal values, of which 4 attributes are true, plus each
# mean of MEANS. SOME=yes: only every third attribute has that mean, and the others are 0 in
# nine of ten examples. SOLVERS: some of them. Times are user seconds of the whole run, the
# least of REPEATS (3) turns.
set -euo pipefail
RANKS=0
. "$(dirname "$0")/bench.sh"
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
export THRESHER RANKS LIMIT SOURCE
"$PYTHON" "$SOURCE/tests/bench/layouts.py" "${EXAMPLES:-2000}" "${ATTRIBUTES:-60}" \
  "${MEANS:-1 1e2 1e4 1e5 1e6}" "${SOME:-no}" "${REPEATS:-3}" \
  "${SOLVERS:-$("$THRESHER" solvers | grep '^[a-z]' | tr '\n' ' ')}"
for set in dense sparse; do
  remove "$set.h5"
done
