#!/usr/bin/env bash
# poisson.sh - the loss of counts: solutions against an independent one, the same bytes on any
# ranks, what goes with it, what is said of predictions, and what is refused
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*
lasso="--solver lasso --loss poisson"

reference()
{
  "$PYTHON" "$SOURCE/tests/program/poisson_reference.py" "$@"
}

# --- The solution, of rare counts, some, and many
seeds=(1 2 3)
! long || mapfile -t seeds < <(seq 20)
for seed in "${seeds[@]}"; do
  for layout in dense sparse; do
    name=$layout-$seed
    reference make "$seed" $layout "$name"
    must 0 import "$name.svm" -o "$name.h5" --layout $layout
    # shellcheck disable=SC2086
    must 0 train "$name.h5" -o model.h5 --force $lasso --lambda-ratio 0.1
    # shellcheck disable=SC2086
    must 3 train "$name.h5" -o three.h5 --force $lasso --lambda-ratio 0.1
    cmp model.h5 three.h5 || fail "$name: other bytes on three ranks"
    must 2 verify model.h5 "$name.h5"
    ranks 0 inspect model.h5 --json >model.json
    ranks 0 export model.h5 --as tsv -q >model.tsv
    reference check "$name" model.json model.tsv || fail "$name: not the solution"
  done
done

# --- What goes with it: each has a small gap, and a certificate that holds
for k in $(seq 0 5 55); do echo "$k-$((k + 4))"; done >groups.txt
with=("--path 10 --choose last" "--folds 3 --path 10" "--no-intercept --lambda-ratio 0.1"
  "--no-standardize --lambda-ratio 0.1" "--unpenalised 1,2 --lambda-ratio 0.1"
  "--penalty elastic-net --mix 0.5 --lambda-ratio 0.1" "--positive --lambda-ratio 0.1"
  "--penalty group --groups groups.txt --lambda-ratio 0.2"
  "--penalty sparse-group --groups groups.txt --lambda-ratio 0.2" "--lambda-ratio 1e-6"
  "--screen none --lambda-ratio 0.1")
for options in "${with[@]}"; do
  # shellcheck disable=SC2086
  must 2 train sparse-2.h5 -o model.h5 --force $lasso $options || continue
  must 3 verify model.h5 sparse-2.h5
  ranks 0 inspect model.h5 --json >model.json
  compare "gap of $options, over the objective" \
    "$(key model.json gap) / $(key model.json objective)" '<' 2e-8
done

# --- Targets that are all the same; steps of a path so long, without an intercept, that
# coefficients guessed for them are beyond all numbers
awk '{ $1 = 3; print }' dense-2.svm >same.svm
for seed in 1 4 7; do
  reference large $seed large-$seed
done
for name in same large-1 large-4 large-7; do
  must 0 import $name.svm -o $name.h5
  # shellcheck disable=SC2086
  must 0 train $name.h5 -o model.h5 --force $lasso --no-intercept --path 4 --path-min 0.0001
  must 0 verify model.h5 $name.h5
  # shellcheck disable=SC2086
  must 2 train $name.h5 -o model.h5 --force $lasso
  must 0 verify model.h5 $name.h5
done

# --- Predictions are logarithms of means; scores are of means
must 0 train dense-2.h5 -o model.h5 --force $lasso --lambda-ratio 0.1
must 2 predict model.h5 dense-2.h5 -o predicted.csv
ranks 0 evaluate model.h5 dense-2.h5 --json >scores.json
"$PYTHON" - <<'END' || fail "predictions or scores"
import csv, json, math
rows = list(csv.DictReader(open("predicted.csv")))
assert list(rows[0]) == ["row", "prediction", "mean"], rows[0]
y = [float(line.split()[0]) for line in open("dense-2.svm")]
mean = [0.0] * len(y)
for row in rows:
    mean[int(row["row"])] = float(row["mean"])
    assert math.isclose(math.exp(float(row["prediction"])), float(row["mean"]), rel_tol=1e-14)
mse = sum((a - b) ** 2 for a, b in zip(mean, y)) / len(y)
scores = json.load(open("scores.json"))
assert math.isclose(scores["mse"], mse, rel_tol=1e-12), (scores["mse"], mse)
assert 0.3 < scores["r2"] < 1, scores["r2"]
END
ranks 0 export model.h5 --as c -q >model.c
grep -q 'The logarithm of the mean' model.c || fail "what the C function returns"
printf '%s\n' '#include <stdio.h>' '#include "model.c"' \
  'int main(void) { printf("%.15g\n", thresher_mean(0)); return 0; }' >call.c
cc -Wall -Wextra -Werror -std=c11 call.c -o call -lm && [ "$(./call)" = 1 ] || fail "thresher_mean"

# --- Refusals: targets, and other solvers
sed '7s/^[0-9]*/-1/' dense-2.svm >negative.svm
sed 's/^[0-9]*/0/' dense-2.svm >zeros.svm
for name in negative zeros; do
  must 0 import $name.svm -o $name.h5 --layout dense
done
# shellcheck disable=SC2086
{
  refused 1 'the target goes down to -1; a poisson loss needs counts or rates, from 0 on' 2 \
    train negative.h5 -o no.h5 $lasso
  refused 1 'the target is 0 for every training example that counts' 0 \
    train zeros.h5 -o no.h5 $lasso
}
no_solver_takes poisson dense-2.h5
[ ! -e no.h5 ] || fail "a refused run left a model"
finish
