#!/usr/bin/env bash
# stalled.sh - a rank that is halted only delays the others, and --watchdog names
# it; one that is killed ends the job, and nothing is left
# SPDX-License-Identifier: MIT
set -euo pipefail
# What mpirun gives ranks when nobody says otherwise: a second to take leave.
export OMPI_MCA_odls_base_sigkill_timeout=1 PRTE_MCA_odls_base_sigkill_timeout=1
. "$SOURCE/tests/support/lib.sh"
rm -rf ./* .[a-z]*

long_run=(train --source "murata:examples=16000,attributes=1000,support=5" --solver exploration
  --budget 200 -s 5 --growth 1 --validation 0 --batch-explore 2048 --passes 250 -q)
must 0 "${long_run[@]}" -o undisturbed.h5

# start OUTPUT: on three ranks, in the background; rank 0 waits behind a checkpoint, $one
# is another one
start()
{
  begin_held 3 reached KILL_AFTER=.manifest "${long_run[@]}" -o "$1" --watchdog 1s \
    --checkpoint kept --checkpoint-every 100u >out 2>err
  one=$(ranks_here | grep -vx "$(cat reached)" | tail -n 1)
}

start stalled.h5
kill -STOP "$one"
release reached
# Rank 0 waits for nobody else
await "$job" grep -q 'note: rank 0 on .* has waited for [1-9][0-9]* s in ' err ||
  fail "nothing is said of a rank that is halted: $(cat err)"
if long; then sleep 60; fi
[ ! -e stalled.h5 ] || fail "a rank that was halted: it was not waited for"
kill -CONT "$one"
wait "$job" || fail "a rank that was halted: status $?: $(tail -n 1 err)"
cmp undisturbed.h5 stalled.h5 || fail "a rank that was halted: another model"

start killed.h5
kill -KILL "$one"
if wait "$job"; then fail "a rank that was killed: status 0"; fi
[ -s err ] || fail "a rank that was killed: nothing is said"
[ ! -e killed.h5 ] || fail "a rank that was killed: a model is there"
ranks 2 "${long_run[@]}" -o killed.h5 --telemetry killed.h5.jsonl >out 2>err || fail "the next run: $(tail -n 1 err)"
cmp undisturbed.h5 killed.h5 || fail "the next run: another model"
[ -z "$(find . -name '.*partial')" ] || fail "left: $(find . -name '.*partial')"
finish
