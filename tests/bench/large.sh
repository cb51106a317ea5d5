#!/usr/bin/env bash
# large.sh [FOLDER] - 20,000 attributes, 100 true ones; a data set of 12 GB
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$(dirname "$0")/bench.sh"

LIMIT=${LIMIT_LARGE:-20000}
for seed in ${SEEDS_LARGE:-1}; do
  must "$RANKS" generate murata -o large.h5 --examples 150000 \
    --attributes 20000 --support 100 --test 0.05 --seed "$seed" --force
  learn hybrid "$seed" large.h5 --solver hybrid -s 100 --budget 1000 --passes 1
  learn sift "$seed" large.h5 --select truth --budget 1000 --passes 1
  remove large.h5
done
"$PYTHON" "$SOURCE/tests/bench/curve.py" \
  --at 20000,40000,75000,100000,130000 hybrid sift
echo
echo "targets: 1.05 within 130k (hybrid) and 75k (sift) examples"
