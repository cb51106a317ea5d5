#!/usr/bin/env bash
# locks.sh NO_LOCKS.so KILL_AT.so - where flock(2) does not work, by fcntl(2) or by
# owner records: a killed run is gone on with wherever it was killed, and a second
# living one is refused
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
no_locks=$1
kill_at=$2
rm -rf ./* .[a-z]*

make=(generate murata --examples 300 --attributes 60 --support 5 --shards 2)
must 0 "${make[@]}" -o data.h5 --seed 3
kept=(train data.h5 -o model.h5 --solver hybrid --budget 40 -s 5 --validation 0
  --checkpoint kept --checkpoint-every 1u --telemetry model.jsonl)
must 0 "${kept[@]}"
mv model.h5 undisturbed.h5
updates=$(wc -l <model.jsonl)
rm model.jsonl

# where KIND COMMAND...: on a file system that has no locks, or but one kind
where()
{
  case $1 in
  flock) LD_PRELOAD="${preload:-}" "${@:2}" ;;
  ofd) NO_FLOCK=38 LD_PRELOAD="$no_locks ${preload:-}" "${@:2}" ;;
  *) NO_FLOCK=$1 NO_OFD=$1 LD_PRELOAD="$no_locks ${preload:-}" "${@:2}" ;;
  esac
}

# --- killed before any one of its calls; of locks by fcntl(2), which end with the process
# as those of flock(2) do, the ordinary suite takes every fifth, of owner records every third
killed()
{
  local kind=$1 every=3 n k hidden
  [ "$kind" != ofd ] || every=5
  preload=$kill_at
  KILL_COUNT=$PWD/calls where "$kind" ranks 0 "${kept[@]}" >/dev/null 2>&1 || fail "$kind: counting"
  rm model.h5 model.jsonl
  n=$(wc -l <calls)
  rm calls
  for ((k = 1; k <= n; k++)); do
    tried $k "$every" || continue
    preload=$kill_at
    KILL_AT=$k where "$kind" ranks 0 "${kept[@]}" >/dev/null 2>&1 &&
      fail "$kind: call $k of $n was not reached"
    preload=
    # what was renamed last may be complete
    force=
    [ ! -e model.h5 ] || force=--force
    # shellcheck disable=SC2086 # or nothing
    where "$kind" ranks 0 "${kept[@]}" $force >/dev/null 2>err ||
      fail "$kind, killed at call $k of $n: $(cat err)"
    cmp -s undisturbed.h5 model.h5 || fail "$kind, killed at call $k of $n: another model"
    compare "$kind, $k: lines of telemetry" "$(wc -l <model.jsonl)" == "$updates"
    hidden=$(find . -name '.[a-z]*' -o -path './kept/*')
    [ -z "$hidden" ] || fail "$kind, killed at call $k of $n: left: $hidden"
    rm -rf model.h5 model.jsonl kept
  done
  compare "$kind: kills" "$n" '>=' 20
  echo "$kind: $n calls"
}

# stopped KIND CALL COMMAND...: at that call; its process is $stopped
stopped()
{
  preload=$kill_at STOP_AT=$2 where "$1" exec "$THRESHER" "${@:3}" >/dev/null 2>&1 &
  stopped=$!
  until grep -q '^State:.T' "/proc/$stopped/status"; do
    kill -0 "$stopped" 2>/dev/null || break
    sleep 0.05
  done
  grep -q '^State:.T' "/proc/$stopped/status" || fail "$1: ${*:3}: did not stop"
}

# second KIND WHAT ARGUMENT...: is refused, also with --force
second()
{
  local who=
  case $1 in flock | ofd) ;; *) who=" (process $stopped on host $(uname -n); if that has ended, remove $PWD/.*\\.owner)" ;; esac
  where "$1" ranks 0 "${@:3}" --force >/dev/null 2>err && fail "$1: ${*:3}: not refused"
  [ "$(grep -c '^thresher: ' err)" = 1 ] || fail "$1: $(cat err)"
  grep -q "^thresher: .*$2$who; wait for it" err || fail "$1, wanted '$2$who': $(cat err)"
}

living()
{
  local kind=$1
  preload=
  stopped "$kind" 12 "${kept[@]}"
  second "$kind" 'another run uses this folder' train data.h5 -o other.h5 --solver lasso \
    --checkpoint kept
  second "$kind" 'another run is writing model.h5' train data.h5 -o model.h5 --solver lasso
  kill -9 "$stopped"
  wait "$stopped" 2>/dev/null || true # a busy machine may let it hold its locks a while
  where "$kind" must 0 "${kept[@]}" -q
  cmp undisturbed.h5 model.h5 || fail "$kind: another model"
  rm model.h5 model.jsonl
  stopped "$kind" 4 "${make[@]}" -o made.h5
  second "$kind" 'another run is writing made.h5' "${make[@]}" -o made.h5
  second "$kind" 'another run is writing made.h5, whose shards come to made.shards too' \
    "${make[@]}" -o made
  kill -9 "$stopped"
  wait "$stopped" 2>/dev/null || true # a busy machine may let it hold its locks a while
  where "$kind" must 0 "${make[@]}" -o made.h5
  [ -z "$(find . -name '.[a-z]*')" ] || fail "$kind: left: $(find . -name '.[a-z]*')"
  rm -rf made.h5 made.shards kept
}

# --- it is said once
printf 'a,y\n1,2\n2,3\n5,1\n' >text.csv
said()
{
  where "$1" ranks 0 "${kept[@]}" --report model.json >/dev/null 2>err || fail "$1: $(cat err)"
  [ "$(grep -c "note: flock does not work in kept ($2); $3 instead" err)" = 1 ] &&
    [ "$(grep -c flock err)" = 1 ] || fail "$1: not said once: $(cat err)"
  where "$1" ranks 0 "${kept[@]}" --force -q >/dev/null 2>err
  ! grep flock err || fail "$1: said although it is to be quiet"
  where "$1" ranks 0 "${make[@]}" -o said.h5 >/dev/null 2>err
  grep -q "note: flock does not work in \. ($2)" err || fail "generate: $(cat err)"
  where "$1" ranks 0 predict model.h5 said.h5 -o said.csv 2>err
  grep -q "note: flock does not work in \. ($2)" err || fail "predict: $(cat err)"
  where "$1" ranks 0 import text.csv -o text.h5 2>err
  [ "$(grep -c "note: .* flock does not work in \. ($2)" err)" = 1 ] || fail "import: $(cat err)"
  rm -rf model.* said.* text.h5 text.shards kept
}

for kind in flock ofd 38; do
  living "$kind"
done
said ofd 'Function not implemented' 'files are locked by fcntl'
said 38 'Function not implemented' 'runs know one another by files NAME.owner'
said 95 'Operation not supported' 'runs know one another by files NAME.owner'
said 37 'No locks available' 'runs know one another by files NAME.owner'
for kind in ofd 38; do
  killed "$kind"
done

# --- on several ranks
where 38 must 2 "${kept[@]}" --force
cmp undisturbed.h5 model.h5 || fail "two ranks: another model"
finish
