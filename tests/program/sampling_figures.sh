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
  [ "$(grep -c '^figure [0-9]: the paper: .* here, .* order' "$1.out")" -eq 1 ] ||
    fail "$1: no sentence about it"
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

# steps by trials: of each curve at each point, and others than without
figure simulated-ridge --quick --tune --runs 2 --panels -2 --attributes 10000 --out tuned
awk -F '\t' '$2 != "none" || $3 != 10000 || $4 !~ /^(1|3|10|30|100|300)$/ { bad = 1 }
  { n++ } END { exit !(n == 4 && !bad) }' tuned/runs/simulated-ridge/-2.factors ||
  fail "the factors that were chosen"
awk -F '\t' '$2 == "known" { found = $3 == "none" && $6 < 0.5 } END { exit !found }' \
  tuned/simulated-ridge.summary.tsv || fail "tuned steps"
! grep -q 'not tuned' simulated-ridge.out || fail "tuned: what it says of the steps"
factor()
{
  printf 'p\tknown\tnone\t900\t%s\n' "$1" >trial.tsv
  "$PYTHON" "$SOURCE/jobs/sampling_tables.py" choose trial.tsv | cut -f 4
}
[ "$(factor $'3\t1\t0.50\np\tknown\tnone\t900\t3\t2\t0.60
p\tknown\tnone\t900\t1\t1\t0.58\np\tknown\tnone\t900\t1\t2\t0.60
p\tknown\tnone\t900\t9\t1\t0.10')" = 1 ] || fail "a factor that fails, or is too large, is chosen"

# said WORDS FIGURE LINE...: what a summary with these lines makes the figure say: curve, rule,
# attributes and mean, of which the rest is made up; DEVIATION: that of the five runs
said()
{
  local words=$1 which=$2
  shift 2
  {
    printf 'data\tcurve\tadagrad\tattributes\truns\tmean\tdeviation\tworst\tabove_1\n'
    printf "%s\t%s\t%s\t%s\t5\t%s\t${DEVIATION:-0}\t1\t0\n" "$@"
  } >said.tsv
  "$PYTHON" "$SOURCE/jobs/sampling_tables.py" say "$which" said.tsv yes >said.out
  [ "$(wc -l <said.out)" -eq 1 ] && grep -q "^figure [0-9]: the paper: .*$words" said.out ||
    fail "$which: wanted $words: $(cat said.out)"
}
curves() # UNIFORM TWO-PHASE KNOWN ONLINE OFFLINE: at the last point
{
  local name
  for name in uniform two-phase known online offline; do
    echo "p $name $([ $name = offline ] && echo auto || echo none) 90 $1"
    shift
  done
}
# shellcheck disable=SC2046 # words
{
  said ': the same order$' mnist-ridge $(curves 0.9 0.6 0.5 0.55 0.4)
  said 'another order: known is not below uniform' mnist-ridge $(curves 0.5 0.6 0.9 0.95 0.4)
  said 'another order: two-phase at the end is not nearer' covertype-lasso \
    $(curves 0.9 0.85 0.5 0.4 0.4)
  DEVIATION=0.1 said 'not nearer to known .* than to uniform at the end, too few' covertype-lasso \
    $(curves 0.9 0.85 0.5 0.4 0.4)
  DEVIATION=0.3 said ': the same order, too few runs to tell whether two-phase at the end is nearer' \
    covertype-lasso $(curves 0.9 0.85 0.5 0.4 0.4)
  said 'the runs do not tell' adagrad-simulated $(curves 0.5 0.6 0.9 0.95 0.4)
  said 'known over uniform: alpha 0 1, alpha -2 0.5: the same order$' simulated-lasso \
    0 known auto 90 0.8 0 uniform auto 90 0.8 -2 known auto 90 0.4 -2 uniform auto 90 0.8
  said 'another order: alpha -2 is not below alpha 0' simulated-ridge \
    0 known auto 90 0.8 0 uniform auto 90 0.8 -2 known auto 90 0.9 -2 uniform auto 90 0.8
  said ': the same order$' adagrad-mnist p known none 90 0.3 p known coordinate 90 0.5 \
    p online none 90 0.3 p online coordinate 90 0.2
  DEVIATION=0.2 said 'too few runs to tell whether 1 is below known' adagrad-mnist \
    p known none 90 0.3 p known coordinate 90 0.35 p online none 90 1.9 p online coordinate 90 0.9
  DEVIATION=0.2 said ': the same order, too few runs to tell whether alpha -1 is below alpha 0$' \
    simulated-lasso 0 known auto 90 0.8 0 uniform auto 90 0.8 -1 known auto 90 0.78 \
    -1 uniform auto 90 0.8 -2 known auto 90 0.2 -2 uniform auto 90 0.8
}

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
sh "$figures" --help | saw '^ *covertype-lasso ' || fail "--help"
finish
