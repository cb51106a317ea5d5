#!/usr/bin/env bash
# targets.sh [FOLDER] - the paper's synthetic problem: how fast each solver learns
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$(dirname "$0")/bench.sh"

for seed in $SEEDS; do
  must "$RANKS" generate murata -o murata.h5 --examples 100000 \
    --attributes 500 --test 0.1 --seed "$seed" --force
  learn exploration "$seed" murata.h5 --solver exploration -s 25 --budget 50 \
    --passes 1 --eta 0.25 --batch-explore 160 --growth 1.1
  learn hybrid-by-hand "$seed" murata.h5 --solver hybrid -s 25 --budget 50 \
    --passes 1 --eta 0.25 --batch-explore 80 --batch-exploit 320 \
    --updates-explore 1 --updates-exploit 3 --growth 1.4
  learn hybrid "$seed" murata.h5 --solver hybrid -s 25 --budget 50 --passes 1
  learn sift "$seed" murata.h5 --select truth --budget 50 --passes 1
  remove murata.h5
  # runs of 20,000 examples in all, in which rules know that it ends there
  must "$RANKS" generate murata -o short.h5 --examples 20000 \
    --attributes 500 --seed "$seed" --force
  learn hybrid-of-20000 "$seed" short.h5 --solver hybrid -s 25 --budget 50 \
    --passes 1
  learn sift-of-20000 "$seed" short.h5 --select truth --budget 50 --passes 1
  remove short.h5
done
"$PYTHON" "$SOURCE/tests/bench/curve.py" exploration hybrid-by-hand \
  hybrid sift hybrid-of-20000 sift-of-20000
cat <<'END'

targets, mean of 5 seeds   at 20k    at 90k   examples to 1.05
exploration                <= 1.4    <= 1.02  <= 45k
hybrid-by-hand             <= 1.03   <= 1.004 <= 18k
hybrid (automatic)         <= 1.04   <= 1.003 <= 18k
sift                       <= 1.004  <= 1.002 <= 9k
END
