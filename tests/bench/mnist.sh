#!/usr/bin/env bash
# mnist.sh [FOLDER] - MNIST 3 against 5: 40 attributes, budget 120, three seeds
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$(dirname "$0")/bench.sh"

need_data mnist35.train.svm.xz
must "$RANKS" import "$DATA/mnist35.train.svm.xz" -o mnist.h5 --force \
  --test-file "$DATA/mnist35.test.svm.xz" --attributes 784
for seed in ${SEEDS_REAL:-1 2 3}; do
  learn mnist "$seed" mnist.h5 -s 40 --select truth --budget 120 --passes 10
  compare "seed $seed: test AUC" "$(key "mnist.$seed.json" auc)" '>=' 0.985
done
remove mnist.h5
finish
