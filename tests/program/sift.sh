#!/usr/bin/env bash
# sift.sh - the strict support of solver sift on data that mislead: weights that go with an
# attribute, rare attributes in either layout, nothing but noise
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
if ! "$PYTHON" -c 'import numpy' 2>/dev/null; then
  echo "skipped: $PYTHON has no NumPy"
  exit 77
fi
rm -rf ./*
seeds="1 2"
long && seeds=$(seq 1 20)

# make KIND SEED: data.csv, and the true coefficients in truth.json
make()
{
  "$PYTHON" - "$@" <<'END'
import json, sys
import numpy
kind, seed = sys.argv[1], int(sys.argv[2])
draw = numpy.random.default_rng(seed)
n, d = {"weights": (8000, 60), "rare": (10000, 200), "noise": (200, 600)}[kind]
x = draw.standard_normal((n, d))
truth = numpy.zeros(d)
columns = [x]
if kind == "weights":
    truth[:3] = 1, -1, 0.5
    columns.append(numpy.exp(x[:, :1]))
if kind == "rare":
    x[:] = draw.random((n, d)) < 0.01
    truth[draw.permutation(d)[:10]] = 3 * draw.choice([-1, 1], 10)
columns.append((x @ truth + draw.standard_normal(n))[:, None])
numpy.savetxt("data.csv", numpy.hstack(columns), delimiter=",", fmt="%.5g")
json.dump(truth.tolist(), open("truth.json", "w"))
END
}

# score WHAT: of model.h5
score()
{
  ranks 0 inspect model.h5 --json >model.json
  "$PYTHON" - "$1" <<'END'
import json, sys
model, truth = (json.load(open(n)) for n in ("model.json", "truth.json"))
coef = dict(zip(model["support"], model["coef"]))
off = [abs(coef.get(j, 0) - t) for j, t in enumerate(truth)]
print({"worst": max(off + [abs(model["intercept"])]),
       "missed": sum(t != 0 and j not in coef for j, t in enumerate(truth)),
       "size": len(coef)}[sys.argv[1]])
END
}

for seed in $seeds; do
  make weights "$seed"
  must 0 import data.csv -o data.h5 --weights 61 --target 62 --force
  for more in "" "--refit no" "--passes 3"; do
    # shellcheck disable=SC2086
    must 0 train data.h5 -o model.h5 --select truth --budget 20 --passes 1 $more --force
    compare "weights, seed $seed, '$more': error" "$(score worst)" '<' 0.15
  done
done

for seed in $seeds; do
  make rare "$seed"
  for layout in dense sparse; do
    must 0 import data.csv -o data.h5 --layout $layout --force
    must 0 train data.h5 -o model.h5 --select truth --budget 40 --passes 3 --force
    compare "rare, seed $seed, $layout: missed" "$(score missed)" == 0
  done
done

# one pass over attributes that ten examples have: what was known of them when they were
# chosen counts in the end, and trials that the end cuts short are decided; three passes
# find those that are there to be found
count() # true|false
{
  ranks 0 inspect model.h5 --json >model.json
  "$PYTHON" -c 'import json
support = json.load(open("model.json"))["support"]
print(sum((j % 40 == 0 and j < 2000) == ("'"$1"'" == "true") for j in support))'
}
for seed in $seeds; do
  must 0 generate sparse -n 50000 -d 20000 --support 50 --density 0.0002 --seed "$seed" \
    -o data.h5 --force
  must 0 train data.h5 -o model.h5 --select truth --budget 20000 --passes 3 --force
  there=$(count true)
  must 0 train data.h5 -o model.h5 --select truth --budget 20000 --passes 1 --force
  compare "ten examples, seed $seed: true" "$(count true)" '>=' "$there - 2"
  compare "ten examples, seed $seed: false" "$(count false)" == 0
done

# data above 4 GiB: a choice of the race serves several rounds, the same on all ranks and
# in little memory
large="--source murata:n=20000,d=60000,support=10,row-group=512 --budget 600 --select truth"
# shellcheck disable=SC2086 # a list of words
must 0 train $large --passes 1 -o model.h5 --force --memory 200M
# shellcheck disable=SC2086
must 3 train $large --passes 1 -o three.h5 --force --memory 20M
cmp model.h5 three.h5 || fail "held races: another model on 3 ranks"
ranks 0 inspect model.h5 --json >model.json
compare "held races: support" "$(key model.json support)" == \
  "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"
compare "held races: most attributes" "$(key model.json ledger.max_attributes_per_example)" \
  '<=' 600

# labels of one pass: fitted on all rows that saw the support, not on the last ones
for seed in ${seeds%% *}; do
  "$PYTHON" "$SOURCE/tests/bench/refit_data.py" make "$seed" data.csv 20000 60 10
  must 0 import data.csv -o data.h5 --target y --force
  must 0 train data.h5 -o model.h5 --select truth --loss logistic --passes 1 --force
  ranks 0 inspect model.h5 --json >model.json
  "$PYTHON" "$SOURCE/tests/bench/refit_data.py" score "$seed" model.json 20000 60 10 \
    >score.json
  compare "labels, seed $seed: missed" "$(key score.json missed)" == 0
  compare "labels, seed $seed: excess log loss" "$(key score.json excess)" '<' 0.0006
done

# labels of several passes, when members have to leave at the end: the same fit as on
# those that stay alone
"$PYTHON" "$SOURCE/tests/bench/refit_data.py" make 1 data.csv 6000 60 10
must 0 import data.csv -o data.h5 --target y --force
for most in 3 6; do
  must 0 train data.h5 -o model.h5 --select truth --loss logistic --passes 3 -s $most --force
  ranks 0 inspect model.h5 --json >model.json
  must 0 train data.h5 -o alone.h5 --solver exploitation --loss logistic --passes 3 \
    --refit yes --force --start "$("$PYTHON" -c 'import json
print(*json.load(open("model.json"))["support"], sep=",")')"
  ranks 0 inspect alone.h5 --json >alone.json
  compare "labels, -s $most: off by" "$("$PYTHON" -c 'import json
a, b = json.load(open("model.json")), json.load(open("alone.json"))
print(max(abs(p - q) for p, q in zip(a["coef"] + [a["intercept"]], b["coef"] + [b["intercept"]])))')" \
    '<' 1e-3
  compare "labels, -s $most: size" "$("$PYTHON" -c 'import json
print(len(json.load(open("model.json"))["support"]))')" == $most
done

# -s from d on is no limit; no round at all is said
must 0 train data.h5 -o model.h5 --select truth -s 60 --force
ranks 0 train --source murata:n=100,d=100000,seed=14 --select truth -o model.h5 --force 2>said.txt ||
  fail "too few examples for a round"
grep -q '^note: so few examples make no round' said.txt || fail "no round: $(cat said.txt)"

# labels that a member separates have a fit all the same
awk -F, -v OFS=, 'NR == 1 { print "x1", "x2", "x3", "y" } NR > 1 && NR < 60 {
  print $1, $2, $3, ($1 > 0) }' data.csv >split.csv
must 0 import split.csv -o split.h5 --target y --force
for more in "" "--no-standardize" "--passes 1"; do
  # shellcheck disable=SC2086
  must 0 train split.h5 -o model.h5 --select truth --loss logistic --force $more
  ranks 0 evaluate model.h5 split.h5 --split train --json >score.json
  compare "separable, '$more': log loss" "$(key score.json log_loss)" '<' 0.2
done

chosen=0
for seed in $seeds; do
  make noise "$seed"
  must 0 import data.csv -o data.h5 --force
  must 0 train data.h5 -o model.h5 --select truth --force
  chosen=$((chosen + $(score size)))
done
compare "noise: attributes of $(echo $seeds | wc -w) models" "$chosen" '<=' \
  $((2 + $(echo $seeds | wc -w) / 2))

# genotypes are simulated with effects that grow as variants become rare: nets are penalised
# by deviations then, which is said, and predict held-out examples as well as the lasso
must 0 generate genotypes -o calls.h5 --examples 3000 --attributes 5000 --support 100 --seed 5
for n in 1 3; do
  must "$n" train calls.h5 -o "calls.$n.h5"
  grep -q '^note: attributes are penalised by their deviations' must.err ||
    fail "unit on $n ranks: $(cat must.err)"
done
cmp calls.1.h5 calls.3.h5 || fail "another model on 3 ranks"
must 0 train calls.h5 -o lasso.h5 --solver lasso
ranks 0 inspect calls.1.h5 --json >calls.json
ranks 0 inspect lasso.h5 --json >lasso.json
compare "genotypes: the loss that chose over that of the lasso" \
  "$(key calls.json candidates.best.loss) / min($(key lasso.json path.loss))" '<=' 1.02
finish
