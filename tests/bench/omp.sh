#!/usr/bin/env bash
# omp.sh [FOLDER] - solver omp: seconds and passes, beside scikit-learn's
# SPDX-License-Identifier: MIT
#
# DENSE, TEXT and FOLDS are EXAMPLESxATTRIBUTESxSUPPORT: dense data with a given number of
# attributes (20000x10000x50), sparse data like text (200000x1000000x100), and dense data with
# as many as predict best (5000x4000x30). Seconds are the least of ROUNDS (3), in turn with the
# peers: Thresher's those of a whole process that reads the file, scikit-learn's those of the
# fit alone. What follows the first attribute is compared with its reading: the bytes of its
# passes over the bandwidth of the memory (thresher bench memory). One thread for each rank.
set -euo pipefail
. "$(dirname "$0")/bench.sh"
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
export THRESHER RANKS LIMIT SOURCE
"${PYTHON:-python3}" "$SOURCE/tests/bench/omp.py" "${DENSE:-20000x10000x50}" \
  "${TEXT:-200000x1000000x100}" "${FOLDS:-5000x4000x30}" "${ROUNDS:-3}"
for set in dense text folds; do
  remove "$set.h5"
done
