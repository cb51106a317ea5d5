#!/usr/bin/env bash
# ridge.sh [FOLDER] - solver ridge: exactness, seconds beside scikit-learn's, two ranks
# SPDX-License-Identifier: MIT
#
# For every size of SIZES (200 .. 8000 attributes) and way of --factor: the largest error of
# a coefficient over the largest coefficient, beside NumPy's dense solution. Then EXAMPLES x
# ATTRIBUTES (20,000 x 4,000): user seconds and wall of one rank, of all and of the Gram
# matrix and the factor alone, beside Ridge(solver="cholesky") on data in memory, and what it
# takes to read them; and the efficiency of two ranks. Everything runs on one thread.
set -euo pipefail
. "$(dirname "$0")/bench.sh"
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
export THRESHER RANKS LIMIT SOURCE
"${PYTHON:-python3}" "$SOURCE/tests/bench/ridge.py" "${SIZES:-200 500 1000 2000 4000 8000}" \
  "${EXAMPLES:-20000}" "${ATTRIBUTES:-4000}"
for set in exact fast; do
  remove "$set.h5"
done
