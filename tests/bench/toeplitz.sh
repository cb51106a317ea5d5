#!/usr/bin/env bash
# toeplitz.sh [FOLDER] - correlated attributes: sift on AR(1) with .5 and .8
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$(dirname "$0")/bench.sh"

# The curve of a long run, and runs of just as many examples as the target
# grants: batches grow with what is left, so a short run spends its rows better.
for setting in 0.5:15000 0.8:35000; do
  correlation=${setting%:*}
  granted=${setting#*:}
  for seed in $SEEDS; do
    for examples in "$granted" 100000; do
      must "$RANKS" generate toeplitz -o toeplitz.h5 --examples "$examples" \
        --attributes 500 --support 25 --correlation "$correlation" \
        --seed "$seed" --force
      learn "sift-$correlation-of-$examples" "$seed" toeplitz.h5 \
        --select truth --budget 50 --passes 1
      remove toeplitz.h5
    done
  done
done
"$PYTHON" "$SOURCE/tests/bench/curve.py" sift-0.5-of-15000 sift-0.5-of-100000 \
  sift-0.8-of-35000 sift-0.8-of-100000
echo
echo "targets, 5 of 5 seeds: 1.05 within 15k (0.5) and 35k (0.8) examples"
