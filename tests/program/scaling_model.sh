#!/usr/bin/env bash
# scaling_model.sh - reports of 2, 4 and 8 ranks predict calls and bytes of more: of some
# families of solvers and of an import, in the long suite of nine on 16 and 32 ranks, and of
# default sift bytes
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

model() # ARGUMENT...
{
  "$PYTHON" "$SOURCE/jobs/scaling_model.py" "$@"
}

must 0 generate murata -o dense.h5 --examples 1500 --attributes 8192 --support 6
must 0 generate sparse -o sparse.h5 --examples 1500 --attributes 8192 --support 6 --density 0.01

# imports RANKS: a text, on each of these numbers of ranks
imports()
{
  local n
  mkdir -p import
  awk 'BEGIN { srand(3); for (i = 0; i < 4000; i++) {
    line = rand(); at = 0
    for (k = 0; k < 20; k++) { at += 1 + int(rand() * 700); line = line " " at ":" rand() }
    print line } }' >text.svm
  for n in $1; do
    must "$n" import text.svm -o import/$n.h5 --report import/$n.json
  done
}

# reports NAME RANKS OPTION...: of a training on each of these numbers of ranks
reports()
{
  local name=$1 n
  mkdir -p "$name"
  for n in $2; do
    must "$n" train "${@:3}" -o "$name/$n.h5" --report "$name/$n.json"
    cmp "$name/2.h5" "$name/$n.h5" || fail "$name: another model on $n ranks"
  done
}

# family NAME OFF OPTION...: all of it is told within a tenth, and bytes within OFF
family()
{
  local ranks="2 4 8 16"
  ! long || ranks="2 4 8 16 32"
  if [ "$1" = import ]; then imports "$ranks"; else reports "$1" "$ranks" "${@:3}"; fi
  model --check --bytes-off "$2" --runs "$1"/*.json >"$1.txt" || {
    fail "$1: the model is off"
    cat "$1.txt" >&2
  }
}

family exploration 0.1 dense.h5 --solver exploration --sparsity 6 --budget 1000 --rounds 6
family path 0.1 sparse.h5 --solver lasso --path 5 --path-min 0.3 --choose last
family import 0.1
family omp 0.1 dense.h5 --solver omp --sparsity 6
if long; then
  family truth 0.1 dense.h5 --select truth --budget 1000
  family steps 0.1 sparse.h5 --solver os-prox-sgd --lambda-ratio 0.3 --epochs 2
  family squares 0.1 sparse.h5 --solver ridge --lambda-ratio 0.1 --factor cg
  family slots 0.1 dense.h5 --solver aerr --budget 60
  family averages 0.1 dense.h5 --solver rda-ito --sparsity 6 --budget 100
  family ball 0.1 dense.h5 --solver aelr --budget 60
  # calls of the teams that make paths at the end are a guess; bytes are told
  reports sift "2 4 8 16 32" dense.h5
  model --check --most-off 9 --runs sift/*.json >sift.txt || {
    fail "sift: the model is off"
    cat sift.txt >&2
  }
fi

model --runs exploration/[24].json >seconds.txt || fail "no prediction"
[ "$(awk '{ print $1 }' seconds.txt | tr '\n' ' ')" = "ranks 1 4 16 " ] ||
  fail "predicted ranks: $(cat seconds.txt)"

refuses() # PATTERN ARGUMENT...
{
  local rc=0
  model "${@:2}" >refused.out 2>refused.err || rc=$?
  [ $rc -eq 1 ] && [ "$(wc -l <refused.err)" -eq 1 ] && [ ! -s refused.out ] &&
    grep -qE -- "$1" refused.err || fail "not refused: ${*:2}: $(cat refused.err)"
}
refuses 'are of different runs: solver is exploration and omp' \
  --runs exploration/2.json omp/4.json
refuses 'of different runs' --runs import/2.json omp/4.json
must 2 import text.svm -o one.h5 --shards 2 --report shards.json
refuses 'shards is' --runs import/4.json shards.json
model --runs import/[24].json --ranks 5000 >seconds.txt || fail "more ranks than cells for an import"
refuses 'two or more numbers of ranks' --runs exploration/2.json exploration/2.json
refuses '33 ranks: 8192 attributes are 32 cells' --runs exploration/[24].json --ranks 33
refuses 'No such file' --runs absent.json exploration/2.json
echo "{}" >made.json
refuses 'is no report' --runs made.json exploration/2.json
refuses '--check wants' --check --runs exploration/[24].json
sed 's/^  "bytes_sent": /&1/' exploration/2.json >more.json
refuses 'phases that are not all of it' --runs more.json exploration/4.json
sed 's/"gradient"/"surprise"/' exploration/2.json >strange.json
refuses 'a phase surprise, which is not modelled' --runs strange.json exploration/4.json
printf '3' >number.json
sed 's/"reading_seconds": [^,]*/"reading_seconds": null/' exploration/2.json >unread.json
sed 's/"operations": [^,]*/"operations": NaN/' exploration/2.json >unknown.json
sed 's/"ranks": 2/"ranks": 0/' exploration/2.json >none.json
refuses 'number.json is no report' --runs number.json exploration/4.json
refuses 'how long each of its ranks read' --runs unread.json exploration/4.json
refuses 'no numbers of the phase' --runs unknown.json exploration/4.json
refuses 'it has no ranks' --runs none.json exploration/4.json
for odd in "--bandwidth 0" "--osts 0" "--latency nan" "--noise -1" "--ranks-per-node 0"; do
  rc=0
  # shellcheck disable=SC2086 # words
  model --runs exploration/[24].json $odd >refused.out 2>refused.err || rc=$?
  [ $rc -eq 2 ] && grep -q "argument ${odd% *}: invalid" refused.err ||
    fail "$odd is not refused: $(cat refused.err)"
done
rc=0
model --runs exploration/[24].json >/dev/full 2>refused.err || rc=$?
[ $rc -eq 1 ] && [ "$(wc -l <refused.err)" -eq 1 ] || fail "a full disk: $(cat refused.err)"
finish
