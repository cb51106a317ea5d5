#!/usr/bin/env bash
# sampling_figures.sh - the figures of attribute-efficient regression on tiny
# settings: runs, tables, pictures
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*
export THRESHER PYTHON
figures=$SOURCE/jobs/sampling.sh

# figure NAME OPTION...
figure()
{
  sh "$figures" "$1" --out out "${@:2}" >"$1.out" 2>"$1.err" || {
    fail "$*"
    cat "$1.out" "$1.err" >&2
  }
  if command -v gnuplot >/dev/null; then
    is_picture "out/$1.png"
  else
    left_out "pictures: no gnuplot"
  fi
}

# tables FIGURE DATA RUNS CURVE/RULE/ATTRIBUTES...: the points, and what a summary says
tables()
{
  "$PYTHON" - "$@" <<'END' || fail "the tables of $1"
import csv, statistics, sys
figure, data, runs = sys.argv[1:4]
def table(name):
    with open(f"out/{figure}{name}.tsv") as file:
        return list(csv.DictReader(file, delimiter="\t"))
rows, summary = table(""), table(".summary")
def key(row):
    return "/".join((row["curve"], row["adagrad"], row["attributes"]))
assert [key(row) for row in summary] == sys.argv[4:], list(map(key, summary))
for row in summary:
    mine = [r for r in rows if key(r) == key(row) and r["data"] == data]
    assert sorted(int(r["run"]) for r in mine) == list(range(1, int(runs) + 1))
    values = [float(r["relative"]) for r in mine]
    for r, value in zip(mine, values):
        assert abs(value * float(r["zero"]) / float(r["loss"]) - 1) < 1e-4, r
        if r["curve"] != "offline":
            assert 0 < int(r["observed"]) <= int(r["attributes"]), r
    assert abs(float(row["mean"]) / statistics.fmean(values) - 1) < 1e-3
    assert abs(float(row["deviation"]) - statistics.stdev(values)) < 1e-3 * max(values)
    assert abs(float(row["worst"]) / max(values) - 1) < 1e-3
END
}

figure simulated-ridge --quick --panels -2 --attributes 10000
tables simulated-ridge -2 5 {uniform,two-phase,known,online,offline}/auto/10000
"$PYTHON" - <<'END' || fail "simulated-ridge: what it says"
import csv
mean = {(r["curve"], r["attributes"]): float(r["mean"]) for r in csv.DictReader(
    open("out/simulated-ridge.summary.tsv"), delimiter="\t")}
assert mean["known", "10000"] < mean["uniform", "10000"], mean
assert mean["known", "10000"] < 0.3, mean
END

# runs that are there are used, others are not
find out/runs -name '*.tsv' -exec touch -d 2000-01-01 {} +
figure simulated-ridge --runs 2 --panels -2 --attributes 10000
[ -z "$(find out/runs -name '*.tsv' -newermt 2001-01-01)" ] ||
  fail "runs are done again"
figure simulated-ridge --runs 2 --panels -2 --attributes 900 --format png
[ "$(find out/runs -name '*.tsv' -newermt 2001-01-01 | wc -l)" -eq 2 ] ||
  fail "runs of other points are used"
[ -z "$(find out/runs -type d -name '*.*.*')" ] || fail "folders of work are left"

figure adagrad-simulated --runs 2 --attributes 1500
tables adagrad-simulated -2 2 \
  {uniform,two-phase,known,online}/{coordinate,none,norm}/1500 offline/auto/1500

# data of one's own under the names of real ones: class 2 against the rest
mkdir data
awk 'BEGIN { srand(1); for (i = 0; i < 400; i++) { line = ""; s = 0
  for (k = 1; k <= 54; k++) { x = int(3 * rand()); line = line x ","; s += k < 4 ? x : 0 }
  print line (s > 3 ? 2 : 1 + 4 * (rand() < 0.5)) } }' |
  gzip >data/covtype.first20k.csv.gz
figure covertype-lasso --runs 2 --data data --panels covtype.first20k \
  --attributes "500 2000"
# 320 examples are for training
tables covertype-lasso covtype.first20k 2 {uniform,two-phase,known}/auto/500 \
  {online,offline}/auto/{500,2000}
awk '{ n[$1]++ } END { exit !(n[1] + n[-1] == NR && n[1] && NR == 320) }' \
  out/data/covtype.first20k.train.svm || fail "class 2 against the rest"

# refuses PATTERN ARGUMENT...: status 2, and one line that says why
refuses()
{
  local rc=0
  sh "$figures" "${@:2}" >refuse.out 2>refuse.err || rc=$?
  [ $rc -eq 2 ] && [ "$(wc -l <refuse.err)" -eq 1 ] &&
    grep -q -- "$1" refuse.err || fail "not refused: sampling.sh ${*:2}"
}
refuses 'wanted: '
refuses 'nothing is no figure; there are simulated-ridge ' nothing
refuses '--runs 0: wanted a whole number' mnist-ridge --runs 0
refuses '--attributes 5x: wanted whole numbers' mnist-ridge --attributes 5x
refuses '--format gif: wanted png, svg or pdf' mnist-ridge --format gif
refuses '--nonsense is no option' mnist-ridge --nonsense
refuses '--train wants a value' mnist-ridge --train
refuses 'no mnist35.train.svm in data, plain ' mnist-ridge --data data --out none
refuses '--panels other: no such data' covertype-ridge --panels other --out none
rc=0
sh "$figures" simulated-lasso --runs 3 --train --nonsense --out none >bad.out 2>bad.err ||
  rc=$?
[ $rc -eq 1 ] && grep -q 'simulated-lasso, 0, run 1: .* has failed' bad.err ||
  fail "a run that fails: status $rc"
sh "$figures" --help | grep -q '^ *covertype-lasso ' || fail "--help"
finish
