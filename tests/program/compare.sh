#!/usr/bin/env bash
# compare.sh - jobs/compare.sh and the figures that stand on it, on small data:
# runs, tables, pictures, solvers that are left out
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*
export THRESHER PYTHON

# job SCRIPT ARGUMENT...
job()
{
  sh "$SOURCE/jobs/$1.sh" "${@:2}" >job.out 2>job.err || {
    fail "$*"
    cat job.out job.err >&2
  }
}

# picture FILE...
picture()
{
  local file
  if command -v gnuplot >/dev/null; then
    for file in "$@"; do
      is_picture "$file"
    done
  else
    left_out "pictures: no gnuplot"
  fi
}

# tables FOLDER SEEDS "EXAMPLES..." SOLVER...: what compare.csv and summary.csv say
tables()
{
  "$PYTHON" - "$@" <<'END' || fail "the tables of $1"
import csv, statistics, sys
folder, seeds, numbers = sys.argv[1], int(sys.argv[2]), sys.argv[3].split()
def table(name):
    with open(folder + "/" + name) as file:
        return list(csv.DictReader(file))
rows, summary = table("compare.csv"), table("summary.csv")
assert list(rows[0])[:7] == ["solver", "seed", "examples", "attributes", "bytes_read",
                             "seconds", "error"], list(rows[0])
assert {r["solver"] for r in rows} == set(sys.argv[4:]) | {"constant"}
for solver in sys.argv[4:]:
    mine = [r for r in rows if r["solver"] == solver]
    assert sorted((r["examples"], int(r["seed"])) for r in mine) == sorted(
        (n, k + 1) for n in numbers for k in range(seeds)), (solver, mine)
    last = [float(r["error"]) for r in mine if r["examples"] == numbers[-1]]
    line, = [r for r in summary if r["solver"] == solver]
    for name, value in (("error", statistics.median(last)), ("error_low", min(last)),
                        ("error_high", max(last))):
        assert abs(float(line[name]) - value) <= 1e-3 * value, (solver, name, line, value)
    assert all(int(r["attributes"]) > 0 and float(r["seconds"]) > 0 for r in mine)
constant, = [float(r["error"]) for r in summary if r["solver"] == "constant"]
errors = [float(r["error"]) for r in summary]
assert errors == sorted(errors) and errors[0] < 0.8 * constant, errors
END
}

must 0 generate murata --examples 500 --attributes 20 --support 4 -o m.h5 --quiet
job compare m.h5 --out out --seeds 2 --points "0.3 1" --no-peers --processes 2 \
  --solvers "sift lasso omp exploration exploitation"
tables out 2 "120 400" sift lasso omp exploration
picture out/summary.png out/compare.{attributes,examples,seconds,bytes}.png
grep -qx 'left out: exploitation: needs --start' job.out || fail "exploitation: no reason"
grep -q '^results: ' job.out || fail "where the results are"
# each seed has test rows of its own, and none of them is learned from
for k in 1 2; do
  sort "out/data/seed-$k/test.svm" "out/data/seed-$k/train.svm" |
    cmp -s - <(sort out/data/all.svm) || fail "seed $k: rows are lost or twice there"
done
! cmp -s out/data/seed-[12]/test.svm || fail "two seeds, one split"

# runs that are there are used, others are not
find out/runs -name command -exec touch -d 2000-01-01 {} +
job compare m.h5 --out out --seeds 2 --points 1 --no-peers --solvers "lasso omp" -s 2
tables out 2 400 lasso omp
[ "$(find out/runs -name command -newermt 2001-01-01 | sort | tr '\n' ' ')" = \
  "out/runs/seed-1/n-400/omp/command out/runs/seed-2/n-400/omp/command " ] ||
  fail "runs are done again, or not"
[ -z "$(find out/runs -name 'choice.*' -type d)" ] || fail "folders of work are left"

# labels; a solver that refuses an option is named, and the others go on
awk 'BEGIN { srand(1); for (i = 0; i < 150; i++) { line = ""; s = 0
  for (k = 1; k <= 12; k++) { x = rand() - 0.5; line = line " " k ":" x; s += k < 3 ? x : 0 }
  print (s > 0 ? 1 : -1) line } }' >two.svm
must 0 import two.svm -o "one's own.h5" --quiet
job compare "one's own.h5" --out two --quick --seeds 1 --points 1 --train "--loss logistic" \
  --solvers "lasso ogd-ridge" --format svg
tables two 1 120 lasso
picture two/summary.svg
grep -q '^left out: ogd-ridge, 1 of 1 runs: .* has the squared loss only' job.out || fail "a refusal"
"$PYTHON" -c '
import csv
row = next(csv.DictReader(open("two/compare.csv")))
assert 0 <= float(row["error"]) < 0.3 and float(row["auc"]) > 0.7, row' ||
  fail "error rate and area under the curve"

# data that are computed
job compare murata:n=300,d=15,support=3 --out computed --quick --seeds 1 --points 1 \
  --solvers lasso
tables computed 1 300 lasso

job thresholding synthetic --quick --out figures --seeds 2 --points 0.02 \
  --solvers "sift nothing"
picture figures/synthetic.png
grep -qx 'left out: nothing: this program has no such solver' job.out || fail "nothing"
awk -F '\t' '$1 == "sift" { found = $2 == 2000 && $3 > 1 && $5 == 2 } END { exit !found }' \
  figures/synthetic.summary.tsv || fail "figure 1"
job thresholding real --set m.h5 --out figures --seeds 1 --points 1 --solvers hybrid
picture figures/real.png
grep -q '^figure 2: the paper: .* of m, in the printed forms: hybrid ' job.out ||
  fail "figure 2: no sentence about it"
awk -F '\t' '{ found[$1] = 1 } END { exit !(found["hybrid"] && found["hybrid-printed"]) }' \
  figures/real.summary.tsv || fail "the printed forms"
[ -z "$(find . -name '*.unfinished.*')" ] || fail "unfinished pictures are left"
xz -c >slices.csv.xz <<'END'
7,2,3
2,1,5
3,3,3
4,1,2
END
! sh "$SOURCE/jobs/thresholding.sh" real --set slices.csv.xz --out text --seeds 1 --points 1 \
  --solvers sift >job.out 2>&1 || fail "four examples are enough"
[ "$(ranks 0 inspect text/slices.h5 --json >told.json && key told.json examples)" = 4 ] ||
  fail "--set with text"

# said WORDS FIGURE SOLVER MEAN...: what a made-up summary makes the figure say
said()
{
  local words=$1 figure=$2
  shift 2
  {
    printf 'solver\texamples\tmean\tdeviation\truns\tattributes\tconstant\n'
    printf '%s\t900\t%s\t0\t5\t1\t26\n' "$@"
  } >said.tsv
  "$PYTHON" "$SOURCE/jobs/thresholding_tables.py" say "$figure" "" said.tsv >said.out
  [ "$(wc -l <said.out)" -eq 1 ] && grep -q "^figure [12]: the paper: .*$words" said.out ||
    fail "$figure: wanted $words: $(cat said.out)"
}
others="dantzig 9 rda-ito 8"
# shellcheck disable=SC2086 # words
{
  said 'printed forms: .*: the same order; .* exploration 0.02, .*: the same order; dantzig' \
    synthetic hybrid-printed 1.1 exploration-printed 1.5 hybrid 1.01 exploration 1.02 $others
  said 'printed forms: .*: the same order; .* another order: hybrid is not below .* alike' \
    synthetic hybrid-printed 1.1 exploration-printed 1.5 hybrid 1.01 exploration 1.011 $others
  said 'printed forms: .*: another order: hybrid is not below exploration; with' \
    synthetic hybrid-printed 1.7 exploration-printed 1.5 $others
  said 'another order: exploration is not near dantzig' real hybrid 0.4 exploration 0.5 \
    dantzig 0.8 rda-ito 0.9
}
said 'no hybrid, no exploration.*: the runs do not tell' synthetic sift 1.01

job complexity --quick --seeds 2 --attributes "4 8" --designs orthogonal --out complexity
picture complexity/complexity.png
awk -F '\t' 'NR > 1 && $4 == "ls" { n++; good += $6 < 0 && $7 <= $6 && $6 <= $8 && $9 == 1 }
  END { exit !(n == 2 && good == 2) }' complexity/complexity.summary.tsv ||
  fail "complexity"
awk -F '\t' '$4 == "ssr" { n++; good += $5 == 2 && $9 == 1 && $10 >= 100 }
  END { exit !(n == 2 && good == 2) }' complexity/complexity.summary.tsv || fail "ssr"
grep -q '^figure 1: the paper: .*: the same order; ' job.out || fail "complexity: no sentence"
sed 's/\t-[0-9.]*\t/\t0.5\t/' complexity/complexity.summary.tsv >dear.tsv
"$PYTHON" "$SOURCE/jobs/complexity_tables.py" say dear.tsv |
  grep -q ': another order: ls orthogonal of 4 is not below 1, ' || fail "OOMP that costs more"

if long && "$PYTHON" -c 'import sklearn' 2>/dev/null; then
  job compare m.h5 --out out --seeds 1 --points 1 --solvers lasso
  grep -q '^LassoCV ' job.out && grep -q '^RidgeCV ' job.out &&
    grep -q '^left out: LogisticRegressionCV, .* is for labels' job.out || fail "peers"
fi

# refuses SCRIPT PATTERN ARGUMENT...: status 2, and one line that says why
refuses()
{
  local rc=0
  sh "$SOURCE/jobs/$1.sh" "${@:3}" >refuse.out 2>refuse.err || rc=$?
  [ $rc -eq 2 ] && [ "$(wc -l <refuse.err)" -eq 1 ] &&
    grep -q -- "^$1.sh: .*$2" refuse.err || fail "not refused: $1.sh ${*:3}"
}
refuses compare 'wanted: '
refuses compare 'no file nothing.h5' nothing.h5
refuses compare '--seeds 0: wanted a whole number' m.h5 --seeds 0
refuses compare '--test 2: wanted shares' m.h5 --test 2
refuses compare '--format gif: wanted png, svg or pdf' m.h5 --format gif
refuses compare '--nonsense is no option' m.h5 --nonsense
refuses compare '--solvers none: no such solver' m.h5 --out none --solvers none
refuses thresholding 'other is no figure; there are synthetic and real' other
refuses thresholding 'no blogfeedback.train.svm in ' real --data . --out none
refuses complexity '--designs other: wanted some of ' --designs other
for script in compare thresholding complexity; do
  sh "$SOURCE/jobs/$script.sh" --help | saw '^ *--processes N ' || fail "$script --help"
done
finish
