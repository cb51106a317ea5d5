#!/usr/bin/env bash
# competitors.sh [FOLDER] - methods of the literature on Murata and Suzuki's problem
# SPDX-License-Identifier: MIT
#
# 500 attributes, 25 of them true, 50 observed of an example, 90,000 examples, over RUNS (5)
# seeds: the population mean squared error of the model, mean and worst, beside those of
# simulations that were made before the program was written.
set -euo pipefail
. "$(dirname "$0")/bench.sh"

for seed in $(seq "${RUNS:-5}"); do
  must "$RANKS" generate murata -o murata.h5 --examples 100000 \
    --attributes 500 --test 0.1 --seed "$seed" --force
  for solver in rda-ito dantzig ssr; do
    learn $solver "$seed" murata.h5 --solver $solver -s 25 --budget 50
  done
  learn ssr-whole "$seed" murata.h5 --solver ssr
  remove murata.h5
done
"$PYTHON" "$SOURCE/tests/bench/competitors.py"
