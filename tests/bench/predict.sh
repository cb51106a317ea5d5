#!/usr/bin/env bash
# predict.sh [FOLDER] - plain training, no option given: where a few attributes are
# true, where nothing is, and on real data with test examples of their own
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$(dirname "$0")/bench.sh"
export THRESHER

study()
{
  "$PYTHON" "$SOURCE/tests/bench/predict.py" "$@"
}

study murata "${MANY:-20}" 20000
study murata "${MANY:-20}" 90000
study noise "${RUNS:-100}" 200 2000
study noise "${RUNS:-100}" 2000 500
rm -f n.csv

# real NAME TRAIN TEST MEASURE
real()
{
  local began
  need_data "$2"
  must 0 import "$DATA/$2" --test-file "$DATA/$3" -o "$1.h5" --force
  began=$(date +%s%N)
  must 0 train "$1.h5" -o "$1.model.h5" --force
  printf '%s: %d ms, ' "$1" $((($(date +%s%N) - began) / 1000000))
  ranks 0 evaluate "$1.model.h5" "$1.h5" --json >"$1.json"
  ranks 0 inspect "$1.model.h5" --json >"$1.model.json"
  echo "$4 $(key "$1.json" "$4"), $(key "$1.model.json" chosen.size) attributes"
  remove "$1.h5"
}

real mnist35 mnist35.train.svm.xz mnist35.test.svm.xz auc
real rcv1 rcv1sub.train.svm.xz rcv1sub.test.svm.xz auc
real ujiindoor ujiindoor.train.svm.xz ujiindoor.test.svm.xz r2
real dorothea dorothea.train.svm.xz dorothea.valid.svm.xz auc
real dexter dexter.train.svm.xz dexter.valid.svm.xz auc
finish
