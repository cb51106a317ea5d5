#!/usr/bin/env bash
# mnist.sh [FOLDER] - MNIST 3 against 5: 40 attributes, budget 120, 3 and 10 passes
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$(dirname "$0")/bench.sh"

need_data mnist35.train.svm.xz
must "$RANKS" import "$DATA/mnist35.train.svm.xz" -o mnist.h5 --force \
  --test-file "$DATA/mnist35.test.svm.xz" --attributes 784
worst() # PASSES AUC: of all seeds
{
  for seed in ${SEEDS_REAL:-1 2 3 4 5 6 7 8 9 10}; do
    learn mnist "$seed" mnist.h5 -s 40 --select truth --budget 120 --passes "$1"
    compare "$1 passes, seed $seed: test AUC" "$(key "mnist.$seed.json" auc)" '>=' "$2"
  done
}
worst 3 0.987
worst 10 0.990
remove mnist.h5
finish
