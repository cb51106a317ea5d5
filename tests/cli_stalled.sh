#!/usr/bin/env bash
# cli_stalled.sh - a rank that is halted only delays the others, and --watchdog names
# it; one that is killed ends the job, and nothing is left
# SPDX-License-Identifier: MIT
set -euo pipefail
# What mpirun gives ranks when nobody says otherwise: a second to take leave.
export OMPI_MCA_odls_base_sigkill_timeout=1 PRTE_MCA_odls_base_sigkill_timeout=1
. "$SOURCE/tests/lib.sh"
LIMIT=120
rm -rf ./* .[a-z]*

long_run=(train --source "murata:examples=60000,attributes=3000,support=5" --solver exploration
  --budget 600 -s 5 --growth 1 --validation 0 --batch-explore 2048 --passes 250 -q)
must 0 "${long_run[@]}" -o undisturbed.h5

# The processes that run the program with this output in this folder.
ranks_of()
{
  local pid
  for pid in $(pgrep -f -- "$1" || true); do
    [ "$(readlink "/proc/$pid/exe" 2>/dev/null)" != "$(readlink -f "$THRESHER")" ] ||
      [ "$(readlink "/proc/$pid/cwd" 2>/dev/null)" != "$(pwd -P)" ] || echo "$pid"
  done
}

# start OUTPUT: on three ranks, in the background; $one is one of them, at work
start()
{
  local all
  ranks 3 "${long_run[@]}" -o "$1" --watchdog 1s --telemetry "$1.jsonl" >out 2>err &
  job=$!
  for _ in $(seq 200); do
    all=$(ranks_of "$1")
    [ "$(echo "$all" | wc -l)" -lt 3 ] || [ ! -s ".$1.jsonl.partial" ] || break
    sleep 0.05
  done
  one=$(echo "$all" | tail -n 1)
  [ -n "$one" ] || {
    fail "$1: its ranks were not seen at work"
    wait "$job" || true
    exit 1
  }
}

pause=4
! long || pause=60
start stalled.h5
kill -STOP "$one"
sleep "$pause"
kill -CONT "$one"
wait "$job" || fail "a rank that was halted: status $?: $(tail -n 1 err)"
cmp undisturbed.h5 stalled.h5 || fail "a rank that was halted: another model"
grep -q 'note: rank [0-9]* on .* has waited for [1-9]* s in ' err ||
  fail "nothing is said of a rank that is halted: $(cat err)"

start killed.h5
kill -KILL "$one"
if wait "$job"; then fail "a rank that was killed: status 0"; fi
[ -s err ] || fail "a rank that was killed: nothing is said"
[ ! -e killed.h5 ] || fail "a rank that was killed: a model is there"
ranks 2 "${long_run[@]}" -o killed.h5 --telemetry killed.h5.jsonl >out 2>err || fail "the next run: $(tail -n 1 err)"
cmp undisturbed.h5 killed.h5 || fail "the next run: another model"
[ -z "$(find . -name '.*partial')" ] || fail "left: $(find . -name '.*partial')"
finish
