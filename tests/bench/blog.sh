#!/usr/bin/env bash
# blog.sh [FOLDER] - BlogFeedback, target log(1 + y), budget 60, three seeds
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$(dirname "$0")/bench.sh"

need_data blogfeedback.train.svm.xz
for part in train test; do
  xz -dc "$DATA/blogfeedback.$part.svm.xz" |
    awk '{ $1 = sprintf("%.17g", log(1 + $1)); print }' >"blog.$part.svm"
done
must "$RANKS" import blog.train.svm -o blog.h5 --test-file blog.test.svm --force
for seed in ${SEEDS_REAL:-1 2 3}; do
  learn blog "$seed" blog.h5 --select truth --budget 60 --passes 10
  compare "seed $seed: test R2" "$(key "blog.$seed.json" r2)" '>=' 0.39
done
rm -f blog.train.svm blog.test.svm
remove blog.h5
finish
