#!/usr/bin/env bash
# omp.sh [FOLDER] - solver omp beside scikit-learn's, and beside reading
# SPDX-License-Identifier: MIT
#
# Dense data of EXAMPLES x ATTRIBUTES (20,000 x 10,000), SPARSITY (50) attributes: the
# supports, the largest difference of a coefficient, seconds on one core of
# OrthogonalMatchingPursuit on data in memory and of the program from the file to the model;
# passes over the data, what they take over the time in which the machine reads as many bytes;
# two ranks. Then the default, which chooses the number of attributes by five folds, on
# 4,000 x 2,000, beside OrthogonalMatchingPursuitCV. Then TEXT_ROWS (200,000) rows of
# TEXT_ATTRIBUTES (1,000,000) counts like those of text, TEXT_SPARSITY (100) attributes.
set -euo pipefail
. "$(dirname "$0")/bench.sh"
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
export THRESHER RANKS LIMIT SOURCE
"${PYTHON:-python3}" "$SOURCE/tests/bench/omp.py" "${EXAMPLES:-20000}" \
  "${ATTRIBUTES:-10000}" "${SPARSITY:-50}"
must 0 generate sparse -o text.h5 --examples "${TEXT_ROWS:-200000}" \
  --attributes "${TEXT_ATTRIBUTES:-1000000}" --support 100 --force
for ranks in 1 2; do
  must "$ranks" train text.h5 -o model.h5 --force --solver omp --report run.json \
    -s "${TEXT_SPARSITY:-100}"
  echo "text, $ranks ranks: $(key run.json seconds) s, passes: $(key run.json \
    phases.gradient.calls)"
done
for set in dense folds text; do
  remove "$set.h5"
done
