#!/usr/bin/env bash
# choice.sh - the choice of a model on few examples: a signal beyond doubt is taken,
# noise is not; where nothing can choose, nothing is claimed; equal examples do not judge
# each other; the same bytes for every number of ranks
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
if ! "$PYTHON" -c 'import numpy' 2>/dev/null; then
  echo "skipped: $PYTHON has no NumPy"
  exit 77
fi
rm -rf ./*
short=5
long && short=40

# make KIND SEED N D: data.csv, the target in the last column
make()
{
  "$PYTHON" - "$@" <<'END'
import sys
import numpy
kind, seed, n, d = sys.argv[1], *map(int, sys.argv[2:])
draw = numpy.random.default_rng(seed)
tables = {"counts": lambda: draw.poisson(0.05, (n, d)), "heavy": lambda: draw.standard_t(2, (n, d)),
          "rare": lambda: draw.random((n, d)) < 0.02, "log": lambda: numpy.exp(draw.standard_normal((n, d)))}
x = tables.get(kind, lambda: draw.standard_normal((n, d)))() * 1.0
y = draw.standard_normal(n)
if kind == "line":
    y += x[:, 0]
if kind in ("counts", "heavy", "rare", "log", "normal"):
    y = numpy.arange(n) == draw.integers(n)
table = numpy.c_[x, y]
if kind == "few":  # most examples are equal, and one attribute is the target
    table[:, :-1] = draw.random((n, d)) < 0.05
    table[:, -1] = table[:, 0]
if kind == "categories":
    table[:, :-1] = numpy.eye(d)[draw.integers(0, d, n)]
    table[:, -1] = table[:, :-1] @ draw.standard_normal(d)
if kind == "five" or kind == "signal":
    table[:, -1] += 3 * x[:, 0] * (kind == "signal")
    table = draw.permutation(numpy.tile(table, (5, 1)))
if kind == "cells":  # values are few, and equal examples are no copies
    x = draw.integers(0, 2, (n, d))
    table = numpy.c_[x, x[:, 0] ^ (draw.random(n) < 0.2)]
numpy.savetxt("data.csv", table, delimiter=",", fmt="%.6g")
END
}

# learn KIND SEED N D OPTION...: model.json, said.txt
learn()
{
  make "$1" "$2" "$3" "$4"
  must 0 import data.csv -o data.h5 --header no --force
  ranks 0 train data.h5 -o model.h5 --force "${@:5}" >/dev/null 2>said.txt || fail "$*: $(cat said.txt)"
  ranks 0 inspect model.h5 --json >model.json
}

# One more, if the model is empty
count_empty()
{
  [ "$(key model.json support)" != "[]" ] || empty=$((empty + 1))
}

empty=0
for seed in $(seq "$short"); do
  learn line "$seed" 24 1
  count_empty
done
compare "y = x + e, 24 examples, $short seeds: empty" "$empty" '<=' $((short / 20 + 1))

# noise: the share of models that are not empty has a limit
sizes="100:50"
long && sizes="100:50 200:2000 2000:500"
for size in $sizes; do
  empty=0
  for seed in $(seq "$short"); do
    learn noise "$seed" "${size%:*}" "${size#*:}"
    count_empty
  done
  compare "noise, $size, $short seeds: not empty" $((short - empty)) '<=' $((short * 3 / 8))
done

# one positive: no part of the examples can judge what is learnt from the others
lone=1
long && lone=20
for kind in counts normal rare heavy log; do
  empty=0
  for seed in $(seq "$lone"); do
    learn "$kind" "$seed" 1000 200
    count_empty
    grep -q 'note: the model is empty.*a class has so few examples' said.txt ||
      fail "one positive, $kind: $(cat said.txt)"
    ! grep -q 'strict support' said.txt || fail "one positive, $kind: called strict"
    grep -q 'too few examples could choose a model' said.txt || fail "$kind: $(cat said.txt)"
  done
  compare "one positive, $kind, $lone seeds: empty" "$empty" == "$lone"
done
compare "one positive: what was chosen" "$(key model.json chosen.kind)" == '"null"'
compare "one positive: what was asked for" "$(key model.json select)" == '"predict"'
compare "one positive: no losses" "$("$PYTHON" -c 'import json; print("candidates" in json.load(open("model.json")))')" == False
ranks 0 train data.h5 -o model.h5 --force --passes 1 2>said.txt || fail "one pass"
grep -q 'note: the model is empty' said.txt || fail "one positive, one pass: $(cat said.txt)"
refused 1 'a class has too few examples to choose by folds' 0 \
  train data.h5 -o no.h5 --solver omp
must 0 train data.h5 -o model.h5 --force --solver omp -s 1
awk -F, -v OFS=, '{ print $0, $NF * 999 + 1 }' data.csv >weighted.csv
must 0 import weighted.csv -o weighted.h5 --header no --target 201 --weights 202 --force
ranks 0 train weighted.h5 -o model.h5 --force 2>said.txt || fail "a weight for one positive"
grep -q 'note: the model is empty' said.txt || fail "a weight for one positive: $(cat said.txt)"

# two or three are dealt to two or three folds
for seed in $(seq "$short"); do
  make normal "$seed" 200 5
  awk -F, -v OFS=, 'NR % 90 == 1 { $NF = 1 } { print }' data.csv >few.csv
  must 0 import few.csv -o few.h5 --header no --force
  must 0 train few.h5 -o model.h5 --force --solver omp
done

# weights that leave fewer than eight examples choose nothing
make line 3 60 3
awk -F, -v OFS=, '{ print $0, NR < 5 ? 1000 : 1 }' data.csv >weighted.csv
must 0 import weighted.csv -o weighted.h5 --header no --target 4 --weights 5 --force
ranks 0 train weighted.h5 -o model.h5 --force 2>said.txt || fail "few weights"
grep -q 'note: the model is empty.*fewer than 8 different examples' said.txt || fail "$(cat said.txt)"

# fewer than eight: a choice is not claimed
learn line 2 7 1
grep -q 'note: the model is that of --select truth.*at least 8' said.txt || fail "$(cat said.txt)"
empty=0
for seed in $(seq "$short"); do
  learn noise "$seed" 7 1
  count_empty
done
compare "7 examples of noise: not empty" $((short - empty)) '<=' $((short / 4))
learn line 2 8 1
compare "8 examples: what was asked for" "$(key model.json select)" == '"predict"'

# each example five times: the copies share a fold, and their number proves nothing
for seed in 1 2; do
  learn five "$seed" 80 50
  grep -q 'note: 400 examples equal another one. Equal ones share a fold' said.txt ||
    fail "five of each: $(cat said.txt)"
  compare "five of each, seed $seed: loss beside that of the mean" \
    "$(key model.json candidates.best.loss)" '>' "0.7 * $(key model.json candidates.null.loss)"
done
learn signal 1 80 50
compare "five of each with a signal" "(0 in $(key model.json support))" == True
must 0 import data.csv -o three.h5 --header no --shards 3 --force
mkdir other
must 3 import data.csv -o other/three.h5 --header no --shards 3 --force
must 0 inspect other/three.h5 --check
cmp three.h5 other/three.h5 || fail "imported on 3 ranks: another master"
for k in 2 3; do
  must $k train three.h5 -o this.h5 --force
  cmp model.h5 this.h5 || fail "five of each: another model on $k ranks"
done
# one weight of five in place of five examples
sort -u data.csv | awk -F, -v OFS=, '{ print $0, 5 }' >weighted.csv
must 0 import weighted.csv -o weighted.h5 --header no --target 51 --weights 52 --force
must 0 train weighted.h5 -o model.h5 --force
ranks 0 inspect model.h5 --json >weighted.json
compare "five of each, or a weight: loss" "$(key model.json candidates.best.loss)" '<' \
  "1.3 * $(key weighted.json candidates.best.loss)"
compare "five of each, or a weight: loss" "$(key model.json candidates.best.loss)" '>' \
  "$(key weighted.json candidates.best.loss) / 1.3"

# large data: no example chooses where an equal one is learnt from
learn five 1 1200 100
grep -q 'note: 6000 examples equal another one. Equal ones do not choose' said.txt ||
  fail "large: $(cat said.txt)"
compare "five of each of 1200" "$(key model.json support)" == '[]'
learn cells 1 200 3
! grep -q 'equal another' said.txt || fail "cells: $(cat said.txt)"
compare "a signal in few cells" "(0 in $(key model.json support))" == True

# the size that -s allows
learn line 5 40 6 -s 1
compare "-s 1" "$(key model.json support)" == '[0]'
# values are few: examples are equal by chance, and what predicts is found
for n in 300 1000 5100; do
  learn few 5 $n 12
  compare "few values, $n examples" "$(key model.json support)" == "[0]"
done
for n in 1100 5100; do
  learn categories 6 $n 20
  compare "categories, $n examples" "$(key model.json support)" "!=" "[]"
done
finish
