#!/usr/bin/env bash
# ridge.sh - ridge: its ways agree, its certificates hold, paths, and matrices that do
# not fit
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
no_scalapack=$1
rm -rf ./*

# learn NAME RANKS ARGUMENT...: NAME.h5, whose certificate holds, and NAME.json
learn()
{
  local name=$1 n=$2
  shift 2
  must "$n" train "$@" -o "$name.h5" --solver ridge --no-standardize --force &&
    must 0 verify "$name.h5" "$1" &&
    ranks 0 inspect "$name.h5" --json >"$name.json"
}

# distance A B: of the coefficients of two models, over the largest one
distance()
{
  "$PYTHON" - "$1.json" "$2.json" <<'END'
import json, sys
a, b = (dict(zip(m["support"], m["coef"])) for m in map(json.load, map(open, sys.argv[1:])))
print(max(abs(a.get(k, 0) - b.get(k, 0)) for k in a | b) / max(map(abs, a.values())))
END
}

must 0 generate toeplitz -o data.h5 --examples 400 --attributes 300 --support 30 --seed 2

# --- all ways find the same model, alone and on a grid of three ranks
for way in own scalapack cg; do
  for n in 0 3; do
    learn "$way$n" $n data.h5 --lambda 0.01 --factor $way
    compare "$way on $n ranks" "$(distance own0 "$way$n")" '<' 1e-10
  done
done
cmp own0.h5 own3.h5 || fail "own: ranks differ"
cmp cg0.h5 cg3.h5 || fail "cg: ranks differ"
compare "grid of own" "$(key own3.json grid_rows) * $(key own3.json grid_columns)" == 0
compare "grid of scalapack" \
  "$(key scalapack3.json grid_rows) * $(key scalapack3.json grid_columns)" '>' 1

# --- where ScaLAPACK is not found, the other ways go on
LD_PRELOAD=$no_scalapack refused 1 'cannot load ScaLAPACK: .* choose --factor own or cg' 2 \
  train data.h5 --solver ridge --lambda 0.01 --factor scalapack -o refused.h5
LD_PRELOAD=$no_scalapack learn without 2 data.h5 --lambda 0.01 --factor own
cmp own0.h5 without.h5 || fail "own: another model without ScaLAPACK"

# --- the choice goes by size; a share of the largest eigenvalue
learn share 0 data.h5 --lambda-ratio 0.1
compare "the choice" "$(key share.json deck.factor)" == '"own"'
compare "lambda" "$(key share.json lambda) / $(key share.json lambda_max)" '<=' 0.1000001

# --- a path ends with the model of its last lambda
for way in own scalapack cg; do
  learn path 2 data.h5 --path 5 --path-min 0.01 --factor $way
  compare "$way: points of a path" "len($(key path.json path.lambda))" == 5
  learn last 0 data.h5 --lambda "$(key path.json lambda)" --factor own
  compare "$way: its end" "$(distance path last)" '<' 1e-9
done

# --- a million attributes: no matrix of these fits, and gradients need none
awk 'BEGIN { for (i = 1; i <= 20; i++) print i % 3, i ":1 " 50000 * i ":0.5" }' >wide.svm
must 0 import wide.svm -o wide.h5 --attributes 1000000
wide=(train wide.h5 -o refused.h5 --solver ridge --lambda 0.1 --factor)
refused 1 'this run needs .* on each of 1 ranks|no memory' 0 "${wide[@]}" own
refused 2 'cannot hold the Gram matrix of 1000000 attributes' 0 "${wide[@]}" scalapack
learn vast 2 wide.h5 --lambda 0.1
compare "the choice" "$(key vast.json deck.factor)" == '"cg"'

# --- attributes that are the same, and hardly a penalty
printf 'y,a,b,c\n1,1,2,2\n2,3,1,1\n3,2,5,5\n4,0,1,1\n5,1,1,1\n' >twins.csv
must 0 import twins.csv -o twins.h5 --target y
refused 1 'is too small: attributes depend on each other' 0 train twins.h5 --solver ridge \
  --lambda 1e-18 --factor own -o refused.h5

# --- nothing varies: the model is an intercept, and what rounding leaves of its gap is no fault
printf '%s\n' y,a,w -0.012577367209219155,1,0.3427423876044142 \
  0.004817979761919291,1,0.8885334941675361 0.058287084621405076,1,0.9997219964768499 \
  1.951070898771277,1,1.0113511925484873 490.40311764477116,1,0.8609160787825673 >still.csv
must 0 import still.csv -o still.h5 --target y --weights w
for way in own scalapack cg; do
  learn calm 0 still.h5 --lambda 0.1 --factor $way
  compare "$way: support where nothing varies" "len($(key calm.json support))" == 0
done
finish
