#!/usr/bin/env bash
# weights.sh - every solver of the table: an example of weight 0 is not there, one of
# weight k is k examples, and a common factor changes nothing
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
if ! "$PYTHON" -c 'import numpy' 2>/dev/null; then
  echo "skipped: $PYTHON has no numpy"
  exit 77
fi
rm -rf ./*
"$PYTHON" "$SOURCE/tests/program/weights.py" "$THRESHER" || fail "weights of solvers"

# what is said of weights
must 0 import small-weighted.csv -o said.h5 --target y --weights w --ignore label
grep -q 'weights: *133 of 400 examples have weight 0' must.err ||
  fail "said of weights: $(cat must.err)"
ranks 0 inspect said.h5 --json >said.json
compare "of weight 0" "$(key said.json weightless)" == 133
must 0 import small-kept.csv -o none.h5 --target y --weights w --ignore label
# a program that knows of none does not take them for tests
"$PYTHON" -c 'import h5py, sys
for name, major in (("said", 3), ("none", 2)):
    assert h5py.File(name + ".h5").attrs["major"] == major, name' || fail "versions of the format"
compare "for training" "$(key said.json training)" == 267
must 0 inspect said.h5 --check
must 0 train said.h5 -o said-model.h5
must 0 predict said-model.h5 said.h5 -o said.csv
compare "predictions" "$(wc -l <said.csv)" == 401

# the same data set and models on any ranks and shards
must 0 train said.h5 -o one-hybrid.h5 --solver hybrid -s 2 --budget 4
must 3 import small-weighted.csv -o split.h5 --target y --weights w --ignore label --shards 5
ranks 0 inspect split.h5 --json >split.json
[ "$(key said.json fingerprint)" = "$(key split.json fingerprint)" ] ||
  fail "other data on 3 ranks"
must 2 train split.h5 -o said-model-2.h5
cmp said-model.h5 said-model-2.h5 || fail "another model on 2 ranks"
must 3 train split.h5 -o two-hybrid.h5 --solver hybrid -s 2 --budget 4
cmp one-hybrid.h5 two-hybrid.h5 || fail "another model of hybrid on 3 ranks"

# weights that are none
table()
{
  printf 'a,b,y,w\n1,2,1,%s\n2,1,0,%s\n3,5,1,%s\n' "$@" >bad.csv
}
table 1 -1 1
refused 1 'bad.csv:3.*weight' 2 import bad.csv -o bad.h5 --target y --weights w
table 1 nan 1
refused 1 'bad.csv:3' 2 import bad.csv -o bad.h5 --target y --weights w
table 1 1 inf
refused 1 'bad.csv:4' 2 import bad.csv -o bad.h5 --target y --weights w
table 0 0.0 -0
refused 1 'bad.csv.*all weights of the training examples are 0' 2 \
  import bad.csv -o bad.h5 --target y --weights w
# quotes and blanks around what is before the weights
printf '"a,""x",b,w,y\n"1",2, 0 ,1\n 2 ,"1","0.0",0\n3,5,1,1\n4,4,2,0\n' >quoted.csv
must 2 import quoted.csv -o quoted.h5 --target y --weights w
ranks 0 inspect quoted.h5 --json >quoted.json
compare "zeros in quotes" "$(key quoted.json weightless)" == 2
finish
