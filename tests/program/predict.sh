#!/usr/bin/env bash
# predict.sh - what train does without options: it predicts, on data where many
# weak attributes count as well as on those where a few do; it says nothing where
# nothing is; the same bytes for every number of ranks
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
if ! "$PYTHON" -c 'import numpy' 2>/dev/null; then
  echo "skipped: $PYTHON has no NumPy"
  exit 77
fi
rm -rf ./*
seeds=$(seq 1 4)
long && seeds=$(seq 1 40)
runs=$(wc -w <<<"$seeds")

# make KIND SEED N D: data.csv and test.csv
make()
{
  "$PYTHON" - "$@" <<'END'
import sys
import numpy
kind, seed, n, d = sys.argv[1], *map(int, sys.argv[2:])
draw = numpy.random.default_rng(seed)
factors = draw.standard_normal((5, d))
def table(name, rows):
    x = draw.standard_normal((rows, d))
    if kind == "many":  # five factors behind all attributes, two of them count
        z = draw.standard_normal((rows, 5))
        x += z @ factors
        y = z[:, 0] - z[:, 1] + draw.standard_normal(rows) / 2
    elif kind == "few" or kind == "labels":
        y = x[:, :4] @ [2, -2, 1.5, 1] + draw.standard_normal(rows)
    else:
        y = draw.standard_normal(rows)
    if kind == "labels":
        y = numpy.where(y > 0, 7, 3)
    numpy.savetxt(name, numpy.c_[x, y], delimiter=",", fmt="%.5g")
table("data.csv", n)
table("test.csv", 500)
END
}

# learn KIND SEED N D OPTION...: model.h5, model.json, score.json
learn()
{
  make "$1" "$2" "$3" "$4"
  must 0 import data.csv --test-file test.csv -o data.h5 --force
  must 0 train data.h5 -o model.h5 --force "${@:5}"
  ranks 0 inspect model.h5 --json >model.json
  ranks 0 evaluate model.h5 data.h5 --json >score.json
}

empty=0
for seed in $seeds; do
  learn noise "$seed" 150 400
  [ "$(key model.json chosen.kind)" != '"null"' ] || empty=$((empty + 1))
done
compare "noise: models of $runs that are empty" "$empty" '>=' $((runs - 1 - runs / 8))

for seed in 1 2; do
  learn many "$seed" 200 600
  compare "many weak attributes, seed $seed: kind" "$(key model.json chosen.kind)" == '"net"'
  r2=$(key score.json r2)
  compare "many weak attributes, seed $seed: R2" "$r2" '>' 0.75
  learn many "$seed" 200 600 --select truth
  compare "many weak attributes, seed $seed: R2 of the strict support" \
    "$(key score.json r2)" '<' "$r2"

  learn few "$seed" 6000 150
  compare "a few attributes, seed $seed: kind" "$(key model.json chosen.kind)" == '"strict"'
  compare "a few attributes, seed $seed" "$(key model.json support)" == '[0, 1, 2, 3]'
  compare "a few attributes, seed $seed: budget" \
    "$(key model.json ledger.max_attributes_per_example)" '<=' 128
  compare "a few attributes, seed $seed: losses" \
    "$(key model.json candidates.best.loss)" '<=' "$(key model.json candidates.strict.loss)"
  compare "a few attributes, seed $seed: losses" \
    "$(key model.json candidates.strict.loss)" '<' "$(key model.json candidates.null.loss)"
done

# the model is what its candidate promised, in small data too; one example that
# weighs as much as all others is no reason to take minutes
for seed in $seeds; do
  learn few "$seed" 80 25
  compare "80 examples, seed $seed: R2" "$(key score.json r2)" '>' 0.7
done
awk -F, -v OFS=, '{ print $0, NR == 3 ? 1e12 : 1 }' data.csv >heavy.csv
must 0 import heavy.csv -o heavy.h5 --target 26 --weights 27
must 0 train heavy.h5 -o model.h5 --force

# what is doubtful is said, and nothing else: tails of the target, a budget that the net
# fills, examples that the model was trained on
ranks 0 train data.h5 -o model.h5 --force 2>said.txt || fail "80 examples"
! grep -q 'tails are heavy' said.txt || fail "no heavy tails here: $(cat said.txt)"
ranks 0 evaluate model.h5 data.h5 2>said.txt >score.txt || fail "evaluate"
if grep -q 'was trained on these' said.txt; then
  fail "test examples are not those of training: $(cat said.txt)"
fi
awk -F, -v OFS=, '{ $NF = exp(3 * $1); print }' data.csv >tails.csv
must 0 import tails.csv -o tails.h5 --force
ranks 0 train tails.h5 -o model.h5 --force 2>said.txt || fail "heavy tails"
grep -q 'tails are heavy .* log(1 + target) may fit better' said.txt ||
  fail "heavy tails: $(cat said.txt)"
awk -F, -v OFS=, '{ $NF = NR % 40 == 0; print }' data.csv >rare.csv
must 0 import rare.csv -o rare.h5 --force
ranks 0 train rare.h5 -o rare-model.h5 --loss squared --force 2>said.txt || fail "rare labels"
! grep -q 'tails are heavy' said.txt || fail "two values have no tails: $(cat said.txt)"
ranks 0 evaluate model.h5 tails.h5 2>said.txt >score.txt || fail "evaluate"
grep -q 'was trained on these' said.txt || fail "training examples: $(cat said.txt)"

# smooth spectra: what predicts has a small lambda, beyond the usual path
"$PYTHON" -c 'import numpy
draw = numpy.random.default_rng(5)
x = draw.standard_normal((120, 400)).cumsum(1).cumsum(1)
x /= abs(x).max(0)
y = x[:, ::40] @ draw.standard_normal(10) * 5
numpy.savetxt("spectra.csv", numpy.c_[x, y], delimiter=",", fmt="%.7g")'
must 0 import spectra.csv -o spectra.h5 --test 0.25 --force
must 0 train spectra.h5 -o model.h5 --force
ranks 0 evaluate model.h5 spectra.h5 --json >score.json
compare "spectra: R2" "$(key score.json r2)" '>' 0.9

# a net that takes most of what the budget shows it may want more
"$PYTHON" -c 'import numpy
draw = numpy.random.default_rng(5)
x = draw.standard_normal((600, 400))
y = x @ draw.standard_normal(400) + 10 * draw.standard_normal(600)
numpy.savetxt("weak.csv", numpy.c_[x, y], delimiter=",", fmt="%.7g")'
must 0 import weak.csv -o weak.h5 --force
ranks 0 train weak.h5 -o model.h5 --force 2>said.txt || fail "weak attributes"
grep -q 'of the 128 attributes that the budget let it see' said.txt ||
  fail "weak attributes: $(cat said.txt)"
ranks 0 train weak.h5 -o model.h5 --budget 400 --force 2>said.txt || fail "weak attributes"
! grep -q 'let it see' said.txt || fail "all were seen: $(cat said.txt)"

# all attributes may be members where all are observed
must 0 train --source murata:n=4000,d=6,support=6 -o model.h5 --select truth --force
ranks 0 inspect model.h5 --json >model.json
compare "all true: support" "$(key model.json support)" == "[0, 1, 2, 3, 4, 5]"

# a class of one example cannot be judged by examples that were not seen
awk -F, -v OFS=, '{ print $1, $2, NR == 7 }' data.csv >lone.csv
must 0 import lone.csv -o lone.h5
ranks 0 train lone.h5 -o model.h5 --force 2>lone.txt || fail "a class of one example"
grep -q 'note: the model is empty.*a class has so few examples' lone.txt || fail "a class of one: $(cat lone.txt)"

# two values are labels, whatever they are
learn labels 1 300 200
compare "labels: loss" "$(key model.json loss)" == '"logistic"'
compare "labels: AUC" "$(key score.json auc)" '>' 0.9
compare "labels: log loss" "$(key score.json log_loss)" '<' 0.5
for options in "--loss squared" "-s 3" "--budget 40" "--passes 2" "--passes 5" \
  "--no-intercept" "--no-standardize"; do
  # shellcheck disable=SC2086
  must 0 train data.h5 -o model.h5 --force $options
  ranks 0 inspect model.h5 --json >model.json
  ranks 0 evaluate model.h5 data.h5 --json >score.json
  compare "labels, $options: AUC" "$(key score.json auc)" '>' 0.85
  case $options in
  -s*) compare "labels, $options: size" "len($(key model.json support))" '<=' 3 ;;
  --budget*) compare "labels, $options: most" \
    "$(key model.json ledger.max_attributes_per_example)" '<=' 40 ;;
  --passes*) compare "labels, $options: draws" \
    "$(key model.json ledger.examples)" '<=' $((300 * ${options#--passes })) ;;
  esac
done

# the same bytes on several ranks, for other shards and little memory
for kind in labels few; do
  [ $kind = labels ] && n=300 || n=6000
  make $kind 3 $n 150
  must 0 import data.csv -o one.h5 --force
  must 0 import data.csv -o three.h5 --shards 3 --force
  must 0 train one.h5 -o one.model.h5 --force
  for k in 2 3; do
    must $k train three.h5 -o this.h5 --memory 300k --force
    cmp one.model.h5 this.h5 || fail "$kind: another model on $k ranks"
  done
done

# one pass: two thirds of it make the list, folds or a part of the last third choose
for seed in 1 2; do
  for n in 400 20000; do
    long || [ "$seed:$n" != 2:20000 ] || continue
    learn few "$seed" $n 150 --passes 1
    compare "one pass of $n, seed $seed: R2" "$(key score.json r2)" '>' 0.85
    compare "one pass of $n, seed $seed: draws" "$(key model.json ledger.examples)" '<=' $n
    compare "one pass of $n, seed $seed: passes" \
      "abs($(key model.json passes.screen) - 2 / 3)" '<' 0.05
  done
  learn many "$seed" 900 600 --passes 1
  compare "many weak attributes, one pass, seed $seed" "$(key score.json r2)" '>' 0.6
done
# labels: the strict support joins what both parts of the pass say
for seed in 1 2 3; do
  learn labels "$seed" 3000 60
  all=$(key score.json log_loss)
  learn labels "$seed" 3000 60 --passes 1
  compare "labels, one pass, seed $seed: log loss" "$(key score.json log_loss)" '<' "$all + 0.02"
done
make labels 1 18000 60
must 0 import data.csv -o one.h5 --force
must 0 import data.csv -o three.h5 --shards 3 --force
must 0 train one.h5 -o one.model.h5 --force --passes 1
must 3 train three.h5 -o this.h5 --memory 300k --force --passes 1
cmp one.model.h5 this.h5 || fail "one pass: another model on 3 ranks"
# data that are computed on demand take one by themselves
must 0 train --source murata:n=3000,d=400 -o model.h5 --telemetry run.jsonl --force
tail -n 1 run.jsonl >last.json
compare "telemetry ends with the choice" "$(key last.json chosen.kind)" == '"strict"'
ranks 0 inspect model.h5 --json >model.json
compare "computed data: support" "$(key model.json support)" == "$(echo $(seq 0 24) | sed 's/ /, /g; s/.*/[&]/')"
compare "computed data: draws" "$(key model.json ledger.examples)" '<=' 3000

learn few 1 50 20
refused 2 '--select predict: a choice by predictions in one pass needs at least 60' 0 train data.h5 -o no.h5 --select predict --passes 1
refused 2 '--select predict: --validation 0' 0 train one.h5 -o no.h5 --select predict --validation 0
refused 2 'solver hybrid does not use --select' 0 train one.h5 -o no.h5 \
  --solver hybrid -s 3 --budget 20 --select truth
must 0 train one.h5 -o model.h5 --force --validation 0 # the strict support then
ranks 0 inspect model.h5 --json >model.json
compare "without validation: select" "$(key model.json select)" == '"truth"'
finish
