#!/usr/bin/env bash
# figures.sh - the figures of screening on tiny data, and the first page's
# picture: runs, tables, pictures
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*
export THRESHER PYTHON
figures=$SOURCE/jobs/figures.sh
mkdir data
must 0 generate murata -o data/tiny.h5 --examples 60 --attributes 300 \
  --support 5 --seed 4

# figure NAME OPTION...
figure()
{
  sh "$figures" "$1" --out out --data data --seeds "${SEEDS:-1}" "${@:2}" >"$1.out" 2>"$1.err" || {
    fail "$*"
    cat "$1.out" "$1.err" >&2
  }
}

picture() # FIGURE
{
  command -v gnuplot >/dev/null || {
    left_out "pictures: no gnuplot"
    return 0
  }
  is_picture "out/$1.squared.png"
}

# What the tables say is what the runs' own files say.
tables() # FIGURE RUN...
{
  "$PYTHON" - "$@" <<'END' || fail "the tables of $1"
import csv, json, math, sys
figure, names = sys.argv[1], sys.argv[2:]
def table(kind):
    with open(f"out/{figure}.{kind}.tsv") as file:
        return list(csv.DictReader(file, delimiter="\t"))
curves, coefficients, summary = map(
    table, ("curves", "coefficients", "summary"))
def close(a, b):
    return math.isclose(float(a), float(b), rel_tol=1e-4, abs_tol=1e-9)
assert [row["run"] for row in summary] == names, summary
models = {}
for row in summary:
    folder = f"out/runs/{row['set']}/{row['loss']}/{row['run']}"
    models[row["run"]] = model = json.load(open(folder + "/model.json"))
    lines = [json.loads(s) for s in open(folder + "/telemetry.jsonl")]
    assert int(row["active"]) == model["active"]
    assert int(row["support"]) == len(model["support"])
    found = [c for c in coefficients if c["run"] == row["run"]]
    for c, b in zip(found, sorted(model["coef"], key=abs, reverse=True)):
        assert close(c["magnitude"], abs(b)), (c, b)
    assert len(found) == len(model["coef"])
    if row["run"] == "exact":
        continue
    mine = [c for c in curves if c["run"] == row["run"]]
    assert len(mine) == len(lines)
    for c, line in zip(mine, lines):
        assert int(c["active"]) == line["active"]
        assert close(c["epochs"], line["epochs"])
        assert "distance" not in line or close(c["distance"], line["distance"])
    assert float(mine[-1]["epochs"]) <= lines[-1]["examples"] / 60 + 1e-3
    if "exact" in models:
        exact = models["exact"]
        mine, theirs = set(model["support"]), set(exact["support"])
        assert int(row["missed"]) == len(theirs - mine)
        assert int(row["extra"]) == len(mine - theirs)
        b = dict(zip(model["support"], model["coef"]))
        e = dict(zip(exact["support"], exact["coef"]))
        far = sum((b.get(j, 0) - e.get(j, 0)) ** 2 for j in b.keys() | e.keys())
        assert close(row["distance"], far ** 0.5), (row, far ** 0.5)
    if "prox-sgd" in models:
        assert float(row["ratio"]) > 0
END
  picture "$1"
}

solvers="prox-sgd fs-prox-sgd os-prox-sgd"
figure support tiny --losses squared --epochs 8
# shellcheck disable=SC2086 # words
tables support exact $solvers
[ "$(grep -c '^runs/' support.out)" -eq 4 ] || fail "support: not four runs"
[ "$(grep -c '^tiny  *squared ' support.out)" -eq 4 ] || fail "support: its table"
sh -c "$(cat out/runs/tiny/squared/os-prox-sgd/command)" 2>/dev/null ||
  fail "the command of a run does not run again"

# the same runs, another figure; other runs with another command
for name in wallclock error solutions; do
  figure $name tiny --losses squared --epochs 8
  # shellcheck disable=SC2086
  tables $name exact $solvers
  ! grep -q '^runs/' $name.out || fail "$name: runs are done again"
done
figure support tiny --losses squared --epochs 9
[ "$(grep -c '^runs/' support.out)" -eq 3 ] || fail "support: old runs are used"

# other seeds: medians and extremes of what the runs say
SEEDS="1 2 3" figure support tiny --losses squared --epochs 9 --format pdf
"$PYTHON" - <<'END' || fail "the bands of three seeds"
import csv, statistics
def table(kind):
    with open(f"out/support.{kind}.tsv") as file:
        return list(csv.DictReader(file, delimiter="\t"))
curves, bands, summary = map(table, ("curves", "bands", "summary"))
assert [row["seeds"] for row in summary] == ["1", "3", "3", "3"], summary
for run in "prox-sgd", "fs-prox-sgd", "os-prox-sgd":
    lists = {}
    for row in curves:
        if row["run"] == run:
            lists.setdefault(row["seed"], []).append(float(row["active"]))
    assert sorted(lists) == ["1", "2", "3"]
    mine = [row for row in bands if row["run"] == run]
    assert mine and all((r["n"], r["d"]) == ("60", "300") for r in mine)
    for k, row in enumerate(mine):
        seen = [v[k] for v in lists.values() if k < len(v)]
        assert float(row["active"]) == statistics.median(seen)
        assert float(row["active_low"]) == min(seen)
        assert float(row["active_high"]) == max(seen)
END
if command -v gnuplot >/dev/null; then
  is_picture out/support.squared.pdf
fi

figure exponent tiny --losses squared --epochs 8
tables exponent exact w=0.51 w=0.75 w=0.99
figure generated --examples 500 --attributes 300
tables generated prox-sgd os-prox-sgd os-prox-sgd-1
"$PYTHON" - out/runs/500-by-300/squared <<'END' || fail "generated: two ways to draw"
import json, sys
left, whole = (json.load(open(f"{sys.argv[1]}/{name}/model.json"))
               for name in ("os-prox-sgd", "os-prox-sgd-1"))
assert left["support"] == whole["support"] and left["coef"] == whole["coef"]
assert left["active"] == whole["active"] < 300
assert left["ledger"]["attributes"] < whole["ledger"]["attributes"]
END

awk 'BEGIN { srand(2); for (i = 0; i < 90; i++) { y = int(10 * rand()); line = y
  for (k = 1; k <= 30; k++) line = line " " k ":" rand() + (k < 4 ? y : 0)
  print line } }' | gzip >data/mnist.train.svm.gz
figure digits --epochs 3
[ "$(key out/runs/mnist49/data.json examples)" -eq "$(gzip -dc data/mnist.train.svm.gz |
  grep -c '^[49] ')" ] || fail "digits: others than 4 and 9"
grep -q '^figure 2: the paper: .*4 against 9, once, stands in for MNIST8m$' digits.out ||
  fail "digits: what stands in is not said"
for name in support wallclock error solutions exponent generated digits; do
  [ "$(grep -c '^figure [0-9]: the paper: .* here, .* order' $name.out)" -eq 1 ] ||
    fail "$name: no sentence about it"
done
[ -z "$(find . -name '*.unfinished.*')" ] || fail "unfinished pictures are left"

# said WORDS FIGURE: what the tables say.summary.tsv and say.bands.tsv make the figure say
said()
{
  "$PYTHON" "$SOURCE/jobs/figures_tables.py" say "$2" say >said.out
  [ "$(wc -l <said.out)" -eq 1 ] && grep -q "^figure [0-9]: the paper: .*$1" said.out ||
    fail "$2: wanted $1: $(cat said.out)"
}
# made_up FS OS: how many attributes, coefficients and seconds they have where prox-sgd has 9.
# The coefficients are those after the last step, and all are alike in the end.
made_up()
{
  local name value
  printf 'set\tloss\trun\tseconds\tactive\tsupport\tdistance\tsolution\tsampling\n' \
    >say.summary.tsv
  printf 'set\tloss\trun\tepochs\tseconds\tactive\tsupport\tdistance\n' >say.bands.tsv
  for name in prox-sgd:9 fs-prox-sgd:"$1" os-prox-sgd:"$2"; do
    value=${name#*:}
    printf "a\tsquared\t%s\t$value\t$value\t1\t9\t$value\t$value\n" "${name%:*}" \
      >>say.summary.tsv
    printf "a\tsquared\t%s\t1\t$value\t$value\t$value\t$value\n" "${name%:*}" >>say.bands.tsv
  done
}
for name in support wallclock error solutions generated; do
  made_up 5 4
  said ': the same order' $name
  made_up 10 11
  said ': another order: ' $name
done
made_up_exponents() # COEFFICIENTS of w = 0.51, 0.75 and 0.99 after the last step
{
  local w
  printf 'set\tloss\trun\tsupport\n' >say.summary.tsv
  printf 'set\tloss\trun\tepochs\tseconds\tactive\tsupport\n' >say.bands.tsv
  for w in 0.51 0.75 0.99; do
    printf "a\tsquared\tw=$w\t1\n" >>say.summary.tsv
    printf "a\tsquared\tw=$w\t1\t1\t9\t$1\na\tsquared\tw=$w\t1\t2\t9\t1\n" >>say.bands.tsv
    shift
  done
}
made_up_exponents 2 19 30
said ': the same order' exponent
made_up_exponents 30 19 2
said ': another order: w=0.51, coefficients is not at or below w=0.75' exponent

# a picture that fails leaves nothing
if command -v gnuplot >/dev/null; then
  mkdir broken broken/bin
  printf '#!/bin/sh\n: >support.squared.unfinished.png\nexit 1\n' >broken/bin/gnuplot
  chmod +x broken/bin/gnuplot
  ! PATH="$PWD/broken/bin:$PATH" sh "$figures" support tiny --out broken/out --data data \
    --seeds 1 --losses squared --epochs 2 >broken.out 2>broken.err || fail "gnuplot fails: status 0"
  grep -q 'gnuplot has failed' broken.err || fail "gnuplot fails: not said"
  [ -z "$(find broken/out -name '*.png')" ] || fail "gnuplot fails: a picture is left"
fi

# Every solver has a line style of its own.
"$THRESHER" solvers | "$PYTHON" -c '
import re, sys
style = open(sys.argv[1]).read()
names = re.search(r"^solvers = \"([^\"]*)\"", style.replace("\\\n", ""), re.M)
names = names.group(1).split()
solvers = re.findall(r"^([a-z][a-z-]*)$", sys.stdin.read(), re.M)
new = sorted(set(solvers) - set(names))
assert len(solvers) >= 12 and not new, f"jobs/style.gp wants a name, a hue and a style for {new}"
hues = re.search(r"^hues = \"([^\"]*)\"", style.replace("\\\n", ""), re.M)
hues = hues.group(1).split()
assert len(hues) == len(names)
mine = [hues[names.index(s)] for s in solvers]
assert len(set(mine)) == len(mine)
' "$SOURCE/jobs/style.gp" || fail "the colours of the solvers"

# refuses PATTERN ARGUMENT...: status 2, and one line that says why
refuses()
{
  local rc=0
  sh "$figures" "${@:2}" >refuse.out 2>refuse.err || rc=$?
  [ $rc -eq 2 ] && [ "$(wc -l <refuse.err)" -eq 1 ] &&
    grep -q -- "$1" refuse.err || fail "not refused: figures.sh ${*:2}"
}
refuses 'wanted: '
refuses 'nothing is no figure' nothing
refuses '--epochs 0: wanted a whole number' support --epochs 0
refuses '--format gif: wanted png, svg or pdf' support --format gif
refuses '--nonsense is no option' support --nonsense
refuses 'none: neither none.h5 nor none.svm, .* in data' support none --data data \
  --out out
refuses 'no folder nowhere; name' support --data nowhere --out none
refuses 'exponent: data has none of the sets arcene ' exponent --data data --out none
refuses 'support: data has none of the sets colon-cancer .*mnist35 ' support \
  --data data --out none --quick
[ ! -e none ] || fail "results of a figure that was refused"

# text as it comes: plain and compressed, in one file and in two
sh "$figures" --help | saw 'other data must be named' || fail "--help: sets"
mkdir text
awk 'BEGIN { srand(1); for (i = 0; i < 40; i++) { line = 2 * rand() - 1
  for (k = 1; k <= 20; k++) line = line " " k ":" rand()
  print line } }' >text/plain.svm
gzip -c text/plain.svm >text/one.svm.gz
bzip2 -c text/plain.svm >text/two.train.svm.bz2
cp text/plain.svm text/two.valid.svm
sh "$figures" support plain one two --out texts --data text --losses squared \
  --seeds 1 --epochs 2 >texts.out 2>texts.err || {
  fail "sets of text"
  cat texts.out texts.err >&2
}
for case in plain:40 one:40 two:80; do
  [ "$(key "texts/runs/${case%:*}/data.json" examples)" = "${case#*:}" ] ||
    fail "${case%:*}: not all of its text"
done
sh "$figures" --help | saw '^ *exponent ' || fail "--help"

# the picture of the first page
sh "$SOURCE/jobs/picture.sh" --out page --seeds "1 2" --sizes 6000 --full "300 600" \
  >page.out 2>page.err || {
  fail "picture.sh"
  cat page.out page.err >&2
}
"$PYTHON" - <<'END' || fail "picture.tsv"
import csv
rows = {(r["solver"], int(r["n"])): r for r in csv.DictReader(
    open("page/picture.tsv"), delimiter="\t")}
assert all(r["seeds"] == "2" for r in rows.values())
for r in rows.values():
    assert float(r["low"]) <= float(r["median"]) <= float(r["high"])
assert float(rows["sift", 6000]["median"]) < 0.05
assert float(rows["sift", 6000]["attributes"]) <= 50 * 6000
assert float(rows["lasso", 300]["attributes"]) == 500 * 300
assert float(rows["lasso", 600]["median"]) < float(rows["lasso", 300]["median"])
if ("omp", 600) in rows:
    assert float(rows["omp", 600]["median"]) < 0.15
END
if command -v gnuplot >/dev/null; then
  is_picture page/picture.svg
  is_picture "$SOURCE/jobs/picture.svg"
fi
finish
