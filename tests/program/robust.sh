#!/usr/bin/env bash
# robust.sh - losses that are linear far from the target: solutions against an independent
# one, the same bytes on any ranks, what goes with them, their scale, and what is refused
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

reference()
{
  "$PYTHON" "$SOURCE/tests/program/robust_reference.py" "$@"
}

# --- Solutions: of Huber's loss at three scales, and of quantiles
seeds=(1)
! long || mapfile -t seeds < <(seq 20)
cases=("huber 0.1 0.5" "huber 2 0.5" "huber 1000 0.5" "quantile 0.2 0.5" "quantile 0.05 0.5"
  "quantile 0.5 0.9")
for seed in "${seeds[@]}"; do
  for layout in dense sparse; do
    name=$layout-$seed
    reference make "$seed" $layout "$name"
    must 0 import "$name.svm" -o "$name.h5" --layout $layout
    for case in "${cases[@]}"; do
      read -r loss scale share <<<"$case"
      options="--solver lasso --loss $loss --loss-scale $scale --lambda-ratio 0.1"
      [ "$loss" = huber ] || options+=" --quantile $share"
      # shellcheck disable=SC2086
      must 0 train "$name.h5" -o model.h5 --force $options
      # shellcheck disable=SC2086
      must 3 train "$name.h5" -o three.h5 --force $options
      cmp model.h5 three.h5 || fail "$name: other bytes on three ranks"
      must 2 verify model.h5 "$name.h5"
      ranks 0 inspect model.h5 --json >model.json
      reference check "$name" model.json "$loss" "$scale" "$share" ||
        fail "$name, $case: not the solution"
    done
  done
done

# --- Where no error is large, Huber's loss is half of the squared one
must 0 train dense-1.h5 -o wide.h5 --solver lasso --loss huber --loss-scale 1e6 --lambda-ratio 0.1
must 0 train dense-1.h5 -o squared.h5 --solver lasso --lambda-ratio 0.1
for name in wide squared; do
  ranks 0 inspect $name.h5 --json >$name.json
done
"$PYTHON" - <<'END' || fail "not the squared loss"
import json
wide, squared = (json.load(open(name)) for name in ("wide.json", "squared.json"))
assert wide["support"] == squared["support"]
assert all(abs(a / b - 1) < 1e-4 for a, b in zip(wide["coef"], squared["coef"]))
END

# --- The scale, where none is given; a model tells it, and keeps it for other data
must 2 train dense-1.h5 -o model.h5 --force --solver lasso --loss huber
ranks 0 inspect model.h5 --json >model.json
compare "scale" "abs($(key model.json loss_scale) / $(reference scale dense-1) - 1)" '<' 1e-9
ranks 0 inspect model.h5 >said
grep -q 'huber' said || fail "inspect: $(cat said)"

# --- What goes with them: each has a small gap, and a certificate that holds
for k in $(seq 0 5 55); do echo "$k-$((k + 4))"; done >groups.txt
with=("--path 10 --choose last" "--folds 3 --path 10" "--no-intercept --lambda-ratio 0.1"
  "--no-standardize --lambda-ratio 0.1"
  "--penalty elastic-net --mix 0.5 --lambda-ratio 0.1" "--positive --lambda-ratio 0.1"
  "--penalty group --groups groups.txt --lambda-ratio 0.2"
  "--penalty sparse-group --groups groups.txt --lambda-ratio 0.2" "--lambda-ratio 0.001"
  "--screen none --lambda-ratio 0.1")
for options in "${with[@]}"; do
  for loss in huber "quantile --quantile 0.3"; do
    # shellcheck disable=SC2086
    must 2 train sparse-1.h5 -o model.h5 --force --solver lasso --loss $loss $options || continue
    must 3 verify model.h5 sparse-1.h5
    ranks 0 inspect model.h5 --json >model.json
    compare "gap of $loss $options, over the objective" \
      "$(key model.json gap) / $(key model.json objective)" '<' 2e-8
  done
done

# --- Targets of which most are the same give no scale
awk '{ $1 = NR % 10 == 0 ? $1 : 3; print }' dense-1.svm >same.svm
must 0 import same.svm -o same.h5
refused 1 'half of the targets or more are 3, so they give no scale for a huber loss; give --loss-scale' 2 \
  train same.h5 -o no.h5 --solver lasso --loss huber
must 0 train same.h5 -o model.h5 --force --solver lasso --loss huber --loss-scale 1 --lambda-ratio 0.3

# --- Refusals
refused 2 'loss-scale counts only with --loss huber or quantile' 0 \
  train dense-1.h5 -o no.h5 --solver lasso --loss-scale 1
refused 2 'quantile counts only with --loss quantile' 0 \
  train dense-1.h5 -o no.h5 --solver lasso --loss huber --quantile 0.3
refused 2 '--loss huber does not support attributes without a penalty' 2 \
  train dense-1.h5 -o no.h5 --solver lasso --loss huber --unpenalised 1,2
refused 2 '--loss quantile does not support attributes without a penalty' 0 \
  train dense-1.h5 -o no.h5 --solver lasso --loss quantile --unpenalised 3
no_solver_takes huber dense-1.h5
[ ! -e no.h5 ] || fail "a refused run left a model"
finish
