#!/usr/bin/env bash
# toeplitz.sh [FOLDER] - correlated attributes: sift on AR(1) with .5 and .8
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$(dirname "$0")/bench.sh"

for correlation in 0.5 0.8; do
  for seed in $SEEDS; do
    must "$RANKS" generate toeplitz -o toeplitz.h5 --examples 100000 \
      --attributes 500 --support 25 --correlation "$correlation" --test 0.1 \
      --seed "$seed" --force
    learn "sift-$correlation" "$seed" toeplitz.h5 --solver sift --budget 50 \
      --passes 1
    remove toeplitz.h5
  done
done
"$PYTHON" "$SOURCE/tests/bench/curve.py" sift-0.5 sift-0.8
echo
echo "targets, 5 of 5 seeds: 1.05 within 15k (0.5) and 35k (0.8) examples"
