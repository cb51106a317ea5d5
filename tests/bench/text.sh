#!/usr/bin/env bash
# text.sh [FOLDER] - an exact path of 100 lambdas for labels on sparse text, one
# core, and what a scalar exp takes behind the checksums that it reads with
# SPDX-License-Identifier: MIT
#
# rcv1 (20,000 x 47,236, LIBSVM text, THRESHER_DATA); the least of REPEATS (3)
# runs, in seconds of the process on its core.
set -euo pipefail
RANKS=0
. "$(dirname "$0")/bench.sh"
repeats=${REPEATS:-3}
need_data rcv1sub.train.svm.xz

[ -e rcv1.h5 ] || must 0 import "$DATA/rcv1sub.train.svm.xz" -o rcv1.h5

TIMEFORMAT=%U
least=
for ((turn = 1; turn <= repeats; turn++)); do
  seconds=$({ time must 0 train rcv1.h5 -o rcv1.model.h5 --force --quiet \
    --solver lasso --no-standardize --loss logistic --path 100 --path-min 0.01 --choose last; } 2>&1)
  least=$(printf '%s\n' $least "$seconds" | sort -g | head -n 1)
done
compare "rcv1, logistic, path of 100: seconds" "$least" '<=' 4

ranks 0 bench scalar --json >scalar.json
compare "scalar exp behind a checksum over one before it" \
  "$(key scalar.json exp_after_hash_ns) / $(key scalar.json exp_ns)" '<=' 1.5
remove rcv1.h5
finish
