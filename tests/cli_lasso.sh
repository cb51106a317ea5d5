#!/usr/bin/env bash
# cli_lasso.sh - the exact solver on real data against an independent solution,
# paths, certificates and what verify says of them
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/lib.sh"
data=${THRESHER_DATA:-$SOURCE/../shared/data}
rm -rf ./*

# The reference computes with NumPy and SciPy.
reference()
{
  "$PYTHON" "$SOURCE/tests/lasso_reference.py" "$@"
}

# against_reference NAME FILE LOSS RANKS: at lambda_max / 2.
against_reference()
{
  local name=$1 loss=$3 n=$4
  must "$n" train "$name.h5" -o "$name-$loss.h5" --force --solver lasso \
    --loss "$loss" --lambda-ratio 0.5 || return 0
  ranks 0 inspect "$name-$loss.h5" --json >model.json
  reference "$2" "$loss" 0.5 model.json >reference.json ||
    fail "$name, $loss loss: not the solution"
  must "$n" verify "$name-$loss.h5" "$name.h5"
}

real()
{
  local name file n=1
  for name in colon-cancer leukemia.train duke-breast-cancer.svm \
    arcene.train dexter.train dorothea.train; do
    file=$data/${name%.svm}.svm.xz
    must 1 import "$file" -o "$name.h5"
    for loss in squared logistic squared-hinge; do
      against_reference "$name" "$file" "$loss" "$n"
      n=$((n % 3 + 1))
    done
  done
}

# Every lambda of a path is as good as a run for it alone.
path()
{
  must 0 generate toeplitz -o path.h5 --examples 300 --attributes 900
  must 2 train path.h5 -o path-model.h5 --solver lasso --path 12 \
    --path-min 0.05 --intercept
  ranks 0 inspect path-model.h5 --json >path.json
  compare "lambdas of a path" "len($(key path.json path))" == 12
  "$PYTHON" - <<'END' || fail "a path is not what it should be"
import json, sys
model = json.load(open("path.json"))
path = model["path"]
top, last = path[0]["lambda"], path[-1]["lambda"]
good = abs(top / model["lambda_max"] - 1) < 1e-12
good = good and abs(last / model["lambda_max"] / 0.05 - 1) < 1e-9
ratios = [b["lambda"] / a["lambda"] for a, b in zip(path, path[1:])]
good = good and max(ratios) - min(ratios) < 1e-9
good = good and all(point["gap"] <= 1e-8 for point in path)
good = good and path[0]["support_size"] == 0
good = good and path[-1]["support_size"] == len(model["support"])
good = good and all(a["objective"] >= b["objective"]
                    for a, b in zip(path, path[1:]))
print(path[5]["lambda"], path[5]["objective"], file=open("sixth", "w"))
sys.exit(not good)
END
  read -r lambda objective <sixth
  must 1 train path.h5 -o one.h5 --solver lasso --lambda "$lambda" --intercept
  ranks 0 inspect one.h5 --json >one.json
  compare "objective of a lambda alone over that on the path" \
    "abs($(key one.json objective) / $objective - 1)" '<' 1e-8
}

# verify recomputes: a model of other data, or one that was changed, fails.
verified()
{
  must 0 generate toeplitz -o other.h5 --examples 300 --attributes 900 --seed 7
  must 2 verify path-model.h5 path.h5 --json
  "$PYTHON" - must.out path.json <<'END' || fail "verify finds other numbers"
import json, sys
found, model = (json.load(open(name)) for name in sys.argv[1:])
good = found["holds"] and abs(found["objective"] / model["objective"] - 1) < 1e-9
good = good and found["gap"] <= 1e-8 and found["violation"] <= 1e-6
sys.exit(not good)
END
  ranks 1 verify path-model.h5 other.h5 >verify.out 2>verify.err &&
    fail "verify accepts a model of other data"
  must 1 train path.h5 -o sift.h5 --budget 100
  refused 1 'sift.h5: .*certificate' 1 verify sift.h5 path.h5
}

if [ -f "$data/colon-cancer.svm.xz" ] && reference --help >/dev/null 2>&1; then
  real
else
  echo "no real data in $data, or no NumPy: that part is left out"
fi
path
verified
finish
