#!/usr/bin/env bash
# stopped.sh - a run that is told to stop, by the clock or by a signal, writes what
# it has: the model of a run with so many examples, status 3
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./* .[a-z]*
count=1
if long; then count=10; fi
source=oomp:examples=3000000,attributes=512,seed=3 # minutes of work
options=(--solver oomp --no-intercept --no-standardize --mu 0.1)

# same NAME: the model of as many examples has the same bytes
same()
{
  ranks 0 inspect "$1.h5" --json >"$1.json"
  compare "$1 is complete" "'$(key "$1.json" complete)'" == "'false'"
  must 0 train --source "$source" "${options[@]}" -o again.h5 --force \
    --max-examples "$(key "$1.json" examples_to_select)"
  cmp "$1.h5" again.h5 || fail "$1: another model by --max-examples"
}

# told SIGNAL COMMAND...: to a run that has made updates; its status is $rc
told()
{
  local signal=$1 pid
  shift
  : >lines
  "$@" train --source "$source" "${options[@]}" -q -o told.h5 --telemetry - --force \
    >lines 2>told.err &
  pid=$!
  await "$pid" test -s lines
  sleep "0.$((RANDOM % 4))"
  kill "-$signal" "$pid"
  rc=0
  wait "$pid" || rc=$?
}

# --- the clock; a busy machine may make no update in a second
for time in 00:01 00:08 01:00 10:00; do
  rc=0
  ranks 2 train --source "$source" "${options[@]}" -o clock.h5 --max-time $time 2>err || rc=$?
  compare "status" "$rc" == 3
  [ ! -e clock.h5 ] || break
done
grep -q '^thresher: stopped after [0-9]* examples; clock.h5 is what' err ||
  fail "no word on the end"
same clock

# --- signals, where there is time to write
two=(sh "$SOURCE/jobs/launch.sh" 2 "$THRESHER")
for _ in $(seq "$count"); do
  for signal in TERM HUP USR1; do
    told "$signal" "$THRESHER"
    compare "status after SIG$signal" "$rc" == 3
    same told
  done
  told USR1 "${two[@]}"
  compare "status after SIGUSR1 to mpirun" "$rc" == 3
  same told
done

# --- before the first update there is nothing to write: it ends all the same
for kept in "" "--checkpoint kept"; do
  rm -f early.err
  # shellcheck disable=SC2086 # words
  "$THRESHER" train --source oomp:examples=100000000000,attributes=20 --solver oomp \
    -o early.h5 $kept 2>early.err &
  pid=$!
  await "$pid" grep -q '^cost:' early.err
  kill -TERM "$pid"
  rc=0
  wait "$pid" || rc=$?
  compare "status before the first update $kept" "$rc" == 3
  grep -q '^thresher: stopped before the first update was done' early.err ||
    fail "early: $(tail -n 1 early.err)"
  [ ! -e early.h5 ] || fail "early: a model of nothing"
done

# --- mpirun passes a signal on, and kills soon after
rm -f told.h5
told TERM "${two[@]}"
compare "status after SIGTERM to mpirun" "$rc" != 0
# soon may be late: then it is a whole one
[ ! -e told.h5 ] || same told

# --- solvers that have nothing before their end
must 0 generate murata -o data.h5 --examples 20000 --attributes 200 --support 5
refused 2 "use solver oomp" 0 train data.h5 -o no.h5 --max-time 10
finish
