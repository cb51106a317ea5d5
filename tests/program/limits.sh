#!/usr/bin/env bash
# limits.sh - limits of the process on files and memory: one line, and
# nothing is left
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
no_room=$1
rm -rf ./*

must 0 generate toeplitz -o data.h5 --examples 3000 --attributes 300 \
  --support 5 --seed 2
must 0 train data.h5 -o model.h5 --budget 50
"$PYTHON" - <<'END'
with open("text.csv", "w") as f:
    for i in range(6000):
        f.write(",".join(str((i * k) % 97) for k in range(1, 12)) + "\n")
END

# limited KB PATTERN ARGUMENT...: refused where files may have so many KB.
limited()
{
  local most=$1 pattern=$2 rc=0 before after
  shift 2
  before=$(names_below .)
  (
    ulimit -f "$most"
    exec timeout -k 5 "$LIMIT" "$THRESHER" "$@" --quiet
  ) 2>&1 | cat >"$TMPDIR/limited" || rc=${PIPESTATUS[0]}
  after=$(names_below .)
  [ "$rc" -eq 1 ] || fail "status $rc with ulimit -f $most: thresher $*"
  [ "$(wc -l <"$TMPDIR/limited")" -eq 1 ] &&
    grep -q "^thresher: .*$pattern" "$TMPDIR/limited" || {
    fail "wanted one line with '$pattern', ulimit -f $most: thresher $*"
    cat "$TMPDIR/limited" >&2
  }
  [ "$before" = "$after" ] || fail "names left, ulimit -f $most: thresher $*"
}
TMPDIR=$(mktemp -d)
export TMPDIR
trap 'rm -r "$TMPDIR"' EXIT

space='no space left (needs about .* raise ulimit -f)'
for most in 1 4 20 100; do
  limited $most "$space" generate toeplitz -n 2000 -d 300 -o new.h5
  limited $most "$space" generate sparse -n 2000 -d 3000 --density 0.2 -o new.h5
  limited $most "$space" import text.csv --target 11 -o new.h5
  limited $most "$space" import text.csv --target 11 -o new.h5 --layout sparse
done
for most in 1 4; do
  limited $most "$space" train data.h5 -o new.h5 --solver lasso
  limited $most 'new.csv: File too large' predict model.h5 data.h5 -o new.csv
done
limited 1 'new.c: File too large' export model.h5 --as c -o new.c
# A telemetry that finds no room is not missed.
iterated=(train data.h5 --solver ogd-ridge --passes 20 --quiet)
must 0 "${iterated[@]}" -o whole.h5 --telemetry whole.jsonl
compare "bytes of the model" "$(stat -c %s whole.h5)" '<' 40960
compare "bytes of the telemetry" "$(stat -c %s whole.jsonl)" '>' 40960
(
  ulimit -f 40
  exec timeout -k 5 "$LIMIT" "$THRESHER" "${iterated[@]}" -o new.h5 --telemetry new.jsonl
) 2>limited.err || fail "without room for a telemetry: $(cat limited.err)"
[ "$(cat limited.err)" = 'note: no telemetry: cannot write new.jsonl: File too large' ] ||
  fail "without room for a telemetry: $(cat limited.err)"
cmp whole.h5 new.h5 || fail "without room for a telemetry: another model"
[ ! -e new.jsonl ] && [ ! -e .new.jsonl.partial ] || fail "a part of a telemetry is left"
rm new.h5

# Too few files or too little memory for many shards: nothing crashes, and nobody is
# told that good data are damaged.
must 0 generate toeplitz -o many.h5 --examples 600 --attributes 900 --support 5 \
  --shards 900
ended=0
for limit in 'n 40' 'n 250' 'v 340000' 'v 400000' 'v 500000'; do
  for command in 'train many.h5 -o new.h5' 'inspect many.h5 --check'; do
    rc=0
    # shellcheck disable=SC2086 # words
    (
      ulimit -$limit
      exec timeout -k 5 "$LIMIT" "$THRESHER" $command
    ) >limited.out 2>limited.err || rc=$?
    [ "$rc" -le 1 ] || fail "status $rc with ulimit -$limit: thresher $command"
    ended=$((ended + rc))
    [ "$(grep -c '^thresher: ' limited.err)" -eq "$rc" ] &&
      ! grep -qE 'import the data|make the file' limited.err ||
      fail "ulimit -$limit: thresher $command: $(cat limited.err)"
  done
done
compare "runs with too little for many shards that ended in a line" "$ended" '>=' 8

# Room for one thread's addresses alone: fewer threads are made.
(
  ulimit -v 600000
  must 0 generate sparse -n 40000 -d 3000 --density 0.05 -o few.h5
)
rm -rf few.h5 few.shards

# A disk that has no room from some write on, and none when the files are closed.
refusals=0
mkdir deep
for after in 0 1 10 50 {90..140..5}; do
  rc=0
  NO_ROOM_AFTER=$after NO_ROOM_IN=full LD_PRELOAD=$no_room ranks 0 generate murata \
    -n 400 -d 3000 --shards 3 -o deep/full.h5 --force --quiet 2>full.err || rc=$?
  [ "$rc" -le 1 ] && [ "$(grep -c '^thresher: ' full.err)" -eq "$rc" ] ||
    fail "status $rc without room from write $after on: $(cat full.err)"
  [ "$rc" -eq 0 ] || grep -q '^thresher: \(rank [0-9]*: \)\?deep/full\.\(h5\|shards/0000[0-2]\.h5\): ' full.err ||
    fail "not the whole path: $(cat full.err)"
  refusals=$((refusals + rc))
done
compare "data sets that found no room" "$refusals" '>=' 8
finish
