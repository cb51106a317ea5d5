#!/usr/bin/env bash
# mapped.sh - data that are used where the system has them: the same model as of
# copies, and no more bytes; a file that is cut short in the middle of a run ends
# it with one line, and nothing that was computed from it is kept
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./* .[a-z]*

must 0 generate murata -o data.h5 --examples 8192 --attributes 1000 --support 10 \
  --row-group 1024 --shards 2 --seed 3
how="--solver exploration -s 10 --budget 260 --growth 1 --validation 0 --batch-explore 2048 --seed 2 --force"

train() # RANKS MODEL OPTION...
{
  local n=$1 model=$2
  shift 2
  # shellcheck disable=SC2086
  must "$n" train data.h5 -o "$model" $how --passes 3 --report run.json "$@"
}

train 1 first.h5 --no-map
bytes=$(key run.json bytes_read)
compare "copied" "$(key run.json bytes_in_place)" == 0
turn=0
for n in 1 2; do
  for memory in 1 3M 1G; do
    turn=$((turn + 1)) # in the ordinary suite on one number of ranks each
    tried $turn 2 || continue
    train "$n" this.h5 --memory "$memory" --no-map
    cmp first.h5 this.h5 || fail "$n ranks, $memory, copied: another model"
    bytes=$(key run.json bytes_read)
    train "$n" this.h5 --memory "$memory"
    cmp first.h5 this.h5 || fail "$n ranks, $memory: another model"
    now=$(key run.json bytes_read)
    relation='=='
    [ "$memory" != 1G ] || relation='<=' # no run is read alone and with others
    compare "bytes on $n ranks with $memory" "$now" "$relation" "$bytes"
    compare "in place" "$(key run.json bytes_in_place)" '<=' "$now"
    train "$n" this.h5 --memory "$memory" --no-prefetch
    compare "bytes without prefetch" "$(key run.json bytes_read)" == "$now"
  done
done

# what the system does not have in memory, and limited addresses
"$PYTHON" - <<'END'
import glob, os
for name in glob.glob("data.shards/*"):
    file = os.open(name, os.O_RDONLY)
    os.fsync(file)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
END
train 1 this.h5
cmp first.h5 this.h5 || fail "from disk: another model"
(
  ulimit -v 68719476736
  train 1 this.h5
) || fail "limited addresses"
cmp first.h5 this.h5 || fail "limited addresses: another model"
compare "limited addresses" "$(key run.json bytes_in_place)" == 0

# cut NAME RANKS BYTES OPTION...: a run whose shard loses all but so many bytes; 0: it
# gets other values in place of its own; back: it gets its own again, and their time. The
# run has no end, or waits behind its first checkpoint until that is done.
cut()
{
  local name=$1 n=$2 left=$3 rc=0 job
  shift 3
  rm -f cut.h5 .cut.jsonl.partial
  # shellcheck disable=SC2086
  if [ "$name" = "${name#checkpoints}" ]; then
    ranks "$n" train data.h5 -o cut.h5 $how --telemetry cut.jsonl "$@" >cut.out 2>cut.err &
    job=$!
    await $job test -s .cut.jsonl.partial
  else
    begin_held "$n" reached KILL_AFTER=.manifest train data.h5 -o cut.h5 $how "$@" \
      >cut.out 2>cut.err
  fi
  if [ "$left" = 0 ] || [ "$left" = back ]; then
    dd if=/dev/zero of=data.shards/00001.h5 bs=1M seek=1 count=14 conv=notrunc status=none
    [ "$left" = 0 ] || {
      sleep 0.2
      dd if=whole.h5 of=data.shards/00001.h5 bs=1M conv=notrunc status=none
      touch -r whole.h5 data.shards/00001.h5
    }
  else
    truncate -s "$left" data.shards/00001.h5
  fi
  release reached
  wait "$job" || rc=$?
  [ "$rc" -eq 1 ] || fail "$name: status $rc"
  [ "$(grep -c '^thresher: ' cut.err)" -eq 1 ] || fail "$name: $(cat cut.err)"
  grep -qE '^thresher: .*shard data.shards/00001.h5(: ends earlier than before| was (replaced|touched) while|: attribute .* checksum mismatch)' \
    cut.err || fail "$name: $(cat cut.err)"
  [ ! -e cut.h5 ] || fail "$name: a model is there"
  rm -f cut.h5 cut.jsonl
  cp -p whole.h5 data.shards/00001.h5
}

cp -p data.shards/00001.h5 whole.h5
endless="--passes 1000000"
long="--passes 300"
for n in 1 2; do
  # shellcheck disable=SC2086
  {
    cut "$n ranks" "$n" 4096 $endless
    cut "$n ranks, little memory" "$n" 1000000 $endless --memory 3M
    cut "$n ranks, copied" "$n" 4096 $endless --no-map --memory 3M
    cut "$n ranks, other values, little memory" "$n" 0 $endless --memory 3M
  }
done

# what was changed and put back in between is noticed where it was not read again
rm -rf kept
# shellcheck disable=SC2086
cut "put back" 1 back $endless --checkpoint kept --checkpoint-every 2

# a signal that somebody sends ends a run, with and without mappings
for map in --map --no-map; do
  rc=0
  # shellcheck disable=SC2086
  "$THRESHER" train data.h5 -o cut.h5 $how $endless $map --telemetry cut.jsonl -q &
  job=$!
  await $job test -s .cut.jsonl.partial
  kill -BUS "$job"
  wait "$job" || rc=$?
  [ "$rc" -eq 135 ] || grep -q AddressSanitizer bus.err || fail "SIGBUS, $map: status $rc"
done 2>bus.err

# a checkpoint has nothing of a file that was cut
# shellcheck disable=SC2086
must 0 train data.h5 -o undisturbed.h5 $how $long
for case in 1:4096 2:4096 1:0; do
  n=${case%:*}
  rm -rf kept
  # shellcheck disable=SC2086
  cut "checkpoints on $n ranks" "$n" "${case#*:}" $long --checkpoint kept \
    --checkpoint-every 3u
  # shellcheck disable=SC2086
  must "$n" train data.h5 -o again.h5 $how $long --checkpoint kept
  cmp undisturbed.h5 again.h5 || fail "$case: another model"
done
finish
