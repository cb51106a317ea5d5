#!/usr/bin/env bash
# forged_checkpoint.sh FORGE_CHECKPOINT - checkpoints whose numbers were changed and
# whose checksums were made right again: a run that goes on from one ends in one line, or
# goes on, but does not crash, hang, or take memory by such a number
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
forge=$1
each=3 # forgeries of a solver; in the long suite, that many (TIMES) for each of its arrays
times=${TIMES:-1}
rm -rf ./* .[a-z]*

must 0 generate murata --examples 400 --attributes 300 --support 5 --seed 3 --shards 2 \
  --row-group 256 -o data.h5
must 0 generate sparse --examples 400 --attributes 300 --support 5 --seed 3 --shards 2 \
  --row-group 256 -o signs.h5
refused=0
went_on=0
sanitized=$(ldd "$THRESHER" | grep -c asan || true)
sanitized=${sanitized#0}

# try NAME SEED: one forgery; the run is limited to an address space that an honest run
# does not need half of, unless a sanitizer needs all there is.
try()
{
  local name=$1 seed=$2 rc=0 what
  shift 2
  rm -rf forged
  cp -r kept forged
  what=$("$forge" forged "$seed") || {
    fail "$name $seed: not forged"
    return
  }
  (
    [ -n "$sanitized" ] || ulimit -v $((3 << 20)) # KB
    exec timeout -k 5 "$LIMIT" "$THRESHER" train "$@" -o again.h5 --force -q --checkpoint forged \
      --max-time 10s
  ) >out 2>err || rc=$?
  if grep -qE 'runtime error|Sanitizer' err; then
    fail "$name, forgery $seed of $what: $(grep -E -m 1 'runtime error|ERROR' err)"
  fi
  case $rc in
  0 | 3) went_on=$((went_on + 1)) ;;
  1) # one line
    refused=$((refused + 1))
    [ "$(grep -c '^thresher: ' err)" = 1 ] || fail "$name, forgery $seed of $what: not one line"
    ;;
  *) fail "$name, forgery $seed of $what: status $rc: $(tail -n 1 err)" ;;
  esac
}

# forgeries NAME OPTION...: a run is stopped, its checkpoint forged
forgeries()
{
  local name=$1 data=$2 rc=0 k count
  shift 2
  rm -rf kept
  mkdir kept
  for k in 1 2; do # its last part on two ranks
    : >kept/STOP
    rc=0
    ranks $((k - k % 2)) train "$data" -o again.h5 --force -q --checkpoint kept "$@" >out 2>err || rc=$?
    [ "$rc" = 3 ] || break
  done
  ls kept/*.part-1 >/dev/null 2>&1 || { # it ended: one update less
    : >kept/STOP
    ranks 2 train "$data" -o again.h5 --force -q --checkpoint kept "$@" >out 2>err || true
  }
  count=$("$forge" kept) || fail "$name: no checkpoint: $(tail -n 1 err)"
  if long; then count=$((count * times)); else count=$each; fi
  for ((k = 1; k <= count; k++)); do
    try "$name" "${SEED:-1}$k" "$data" "$@"
  done
  echo "$name: $count forgeries"
}

forgeries sift data.h5 --solver sift --budget 60
forgeries exploration data.h5 --solver exploration --budget 60 -s 6 --passes 3
forgeries hybrid data.h5 --solver hybrid --budget 80 -s 6 --passes 2
forgeries lasso data.h5 --solver lasso --path 8
forgeries far data.h5 --solver lasso --lambda-ratio 0.001
forgeries ridge data.h5 --solver ridge --path 8
forgeries omp data.h5 --solver omp -s 5
others_than sift exploration hybrid lasso ridge omp >others
while read -r -u 7 solver options; do
  data=data.h5
  ! solvers_with epochs | saw -x -- "$solver" || data=signs.h5
  # shellcheck disable=SC2086 # words
  forgeries "$solver" $data --solver "$solver" $options
done 7<others
[ "$(wc -l <others)" -ge 15 ] || fail "others: $(cat others)"
echo "$refused were refused, $went_on went on"
[ "$refused" -gt 0 ] || fail "no forgery was refused"
finish
