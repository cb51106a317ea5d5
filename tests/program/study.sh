#!/usr/bin/env bash
# study.sh - the study of scaling on a small scale: its runs, table, page and picture
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*
export THRESHER
study=$SOURCE/jobs/study.sh

sh "$study" --ranks "1 2" --ranks-per-node 1 --examples 400 --attributes 800 --repeats 1 \
  --cases "exploration path files checkpoint import" --out made >made.out 2>&1 || {
  fail "the study"
  cat made.out >&2
}
# two cases in three ways, files and a checkpoint in two, one import; on two numbers of ranks
[ "$(wc -l <made/study.tsv)" -eq 23 ] || fail "study.tsv: $(cat made/study.tsv)"
awk -F '\t' 'NR > 1 && !($5 > 0 && $6 <= $5 && $5 <= $7 && $8 + $9 > 0)' made/study.tsv >odd
[ ! -s odd ] || fail "a point that cannot be: $(cat odd)"
grep -qP '^path\tsame\t2\t2\t' made/study.tsv || fail "no path on two ranks of two nodes"
awk -F '\t' '$2 == "same" && $3 == 2 && !($10 > 0)' made/study.tsv >odd
[ ! -s odd ] || fail "what the machine allows was not measured: $(cat odd)"
[ "$(grep -c '^## ' made/study.md)" -eq 11 ] || fail "study.md: its parts"
grep -q '^| 2 (2 nodes) | ' made/study.md || fail "study.md does not name nodes"
grep -q '^Phases on 2 ranks' made/study.md || fail "study.md has no phases"
grep -q ', commit\|; commit' made/study.md || fail "study.md does not say what was run"
if command -v gnuplot >/dev/null; then
  [ -s made/study.png ] || fail "no picture"
else
  left_out "the picture: no gnuplot"
fi
compgen -G 'made/data.*' >/dev/null && fail "data sets were left behind"
bash "$study" --ranks 1 --examples 300 --attributes 600 --repeats 1 --cases import --out text \
  >text.out 2>&1 || fail "import alone: $(cat text.out)"
grep -q '^## import' text/study.md || fail "import alone: its page"

refuses() # PATTERN ARGUMENT...
{
  local rc=0
  bash "$study" "${@:2}" --out refused >refused.out 2>refused.err || rc=$?
  [ $rc -eq 2 ] && [ "$(wc -l <refused.err)" -eq 1 ] && grep -qE -- "$1" refused.err ||
    fail "not refused: ${*:2}: $(cat refused.err)"
}
refuses 'no number of ranks' --ranks "1 x"
refuses 'wanted some of' --cases "sift everything"
refuses 'wanted a whole number' --ranks-per-node 0
refuses 'wanted one number' --attributes "10 20"
refuses 'wanted 400 or more' --attributes 20
refuses 'nothing is named' --cases ""
refuses 'nothing is named' --ranks ""
finish
