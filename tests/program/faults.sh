#!/usr/bin/env bash
# faults.sh - one rank's failure is everyone's clean exit: one line, one
# status, no hang, nothing half-written
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*
mount=$PWD/small

unmount()
{
  if mountpoint -q "$mount" 2>/dev/null; then
    umount "$mount"
  fi
}
trap unmount EXIT

make_data()
{
  must 0 generate murata -o good.h5 --examples 2000 --attributes 900 \
    --support 10 --test 0.1 --seed 4 --row-group 128 --shards 3
  must 0 generate sparse -o thin.h5 --examples 2000 --attributes 900 \
    --support 10 --density 0.05 --test 0.1 --seed 4 --row-group 128 --shards 3
  must 0 train good.h5 -o good-model.h5 --budget 100
}

# A fresh copy of a data set, to be damaged.
copy()
{
  rm -rf bad.h5 bad.shards
  cp "$1.h5" bad.h5
  cp -r "$1.shards" bad.shards
}

# Trained at 0, 1, 2 and 3 ranks, refused each time; in the ordinary suite without a
# launcher and at one of the others, in turn.
turn=0
train_refused()
{
  local n
  turn=$((turn + 1))
  for n in 0 1 2 3; do
    [ $n -eq 0 ] || tried $((turn + n)) 3 || continue
    refused "$1" "$2" "$n" train bad.h5 -o never.h5 --budget 200 --passes 3
  done
  [ ! -e never.h5 ] || fail "a model of damaged data"
}

flip() # FILE OFFSET
{
  "$PYTHON" - "$1" "$2" <<'END'
import sys
with open(sys.argv[1], 'r+b') as f:
    f.seek(int(sys.argv[2]))
    byte = f.read(1)[0]
    f.seek(int(sys.argv[2]))
    f.write(bytes([byte ^ 4]))
END
}

damaged_shards()
{
  local kind=$1 size step
  copy "$kind"
  mv bad.shards/00001.h5 moved.h5
  train_refused 1 '00001[.]h5'
  refused 1 '00001[.]h5' 2 inspect bad.h5 --check
  rm moved.h5

  copy "$kind"
  truncate -s -3000 bad.shards/00002.h5
  train_refused 1 '00002[.]h5'
  refused 1 '00002[.]h5' 3 inspect bad.h5 --check
  truncate -s 0 bad.shards/00002.h5
  train_refused 1 '00002[.]h5'

  copy "$kind"
  mv bad.shards/00000.h5 moved.h5
  mv bad.shards/00001.h5 bad.shards/00000.h5
  mv moved.h5 bad.shards/00001.h5
  train_refused 1 '0000[01][.]h5'

  # One byte: the check finds it. One in every 64 KiB: training finds one.
  copy "$kind"
  size=$(stat -c %s bad.shards/00001.h5)
  flip bad.shards/00001.h5 $((size / 2))
  refused 1 '00001[.]h5' 2 inspect bad.h5 --check
  for ((step = size / 4; step < size * 3 / 4; step += 4099)); do
    flip bad.shards/00001.h5 "$step"
  done
  train_refused 1 '00001[.]h5'
}

poked_target()
{
  copy good
  "$PYTHON" - <<'END'
import h5py, numpy
with h5py.File('bad.h5', 'r+') as f:
    f['y'][7] = numpy.nan
END
  train_refused 1 'bad[.]h5'
}

outputs()
{
  local n before
  before=$(sha256sum <good-model.h5)
  for n in 0 2; do
    refused 1 'good-model[.]h5.*--force' "$n" train good.h5 -o good-model.h5
    refused 1 'thin[.]h5.*--force' "$n" generate murata -o thin.h5 \
      --examples 100 --attributes 10 --support 2
    refused 1 'nowhere' "$n" train good.h5 -o nowhere/model.h5
    refused 1 '/proc' "$n" train good.h5 -o /proc/model.h5
    refused 1 'nowhere' "$n" predict good-model.h5 good.h5 -o nowhere/p.csv
    refused 1 'good-model[.]h5' "$n" train good-model.h5 -o never.h5
    refused 1 'good[.]h5' "$n" evaluate good.h5 good.h5
    refused 1 'absent[.]h5' "$n" train absent.h5 -o never.h5
  done
  [ "$before" = "$(sha256sum <good-model.h5)" ] || fail "the model was touched"
}

usage()
{
  local n
  for n in 0 2; do
    refused 2 'budget' "$n" train good.h5 -o never.h5 --solver hybrid -s 50 \
      --budget 50
    refused 2 'budget' "$n" train good.h5 -o never.h5 --budget 901
    refused 2 'eta' "$n" train good.h5 -o never.h5 --solver hybrid -s 5 \
      --budget 50 --eta -1
    refused 2 'budgte' "$n" train good.h5 -o never.h5 --budgte 50
    refused 2 'solver' "$n" train good.h5 -o never.h5 --solver magic
    refused 2 '-o' "$n" train good.h5
  done
}

# What is written beside the model cannot be: a note tells what and why, and the model
# is there.
side_outputs()
{
  local n what
  must 0 train good.h5 -o wanted.h5 --budget 100
  for n in 0 2; do
    rm -f side.h5
    ranks "$n" train good.h5 -o side.h5 --budget 100 -q --report "$mount/r.json" \
      --telemetry "$mount/t.jsonl" 2>side.err || fail "side outputs, $n ranks: $(cat side.err)"
    cmp wanted.h5 side.h5 || fail "side outputs, $n ranks: another model"
    for what in "telemetry: cannot write $mount/t.jsonl" "report: cannot write $mount/r.json"; do
      [ "$(grep -c "^note: no $what: No space left on device" side.err)" = 1 ] ||
        fail "side outputs, $n ranks: wanted $what: $(cat side.err)"
    done
    [ -z "$(find "$mount" -name '*.json*')" ] || fail "left: $(find "$mount" -name '*.json*')"
  done
  for what in report telemetry; do
    rm -f side.h5
    ranks 0 train good.h5 -o side.h5 --budget 100 --$what - >/dev/full 2>side.err ||
      fail "$what to a full device: $(cat side.err)"
    cmp wanted.h5 side.h5 || fail "$what to a full device: another model"
    grep -q "^note: no $what: cannot write the standard output: No space left" side.err ||
      fail "$what to a full device: $(cat side.err)"
  done
  # nor does a checkpoint need the telemetry
  rm -f side.h5
  ranks 0 train good.h5 -o side.h5 --budget 100 --telemetry "$mount/t.jsonl" \
    --checkpoint side --checkpoint-every 1u 2>side.err || fail "with checkpoints: $(cat side.err)"
  cmp wanted.h5 side.h5 || fail "with checkpoints: another model"
  [ "$(grep -c '^note: ' side.err)" = 1 ] && grep -q '^note: no telemetry: ' side.err ||
    fail "with checkpoints: $(cat side.err)"
}

# A tmpfs of 1 MB where we may mount one.
full_disk()
{
  local n
  mkdir -p "$mount"
  if ! mount -t tmpfs -o size=1m tmpfs "$mount" 2>/dev/null; then
    left_out "a full disk: no right to mount"
    return 0
  fi
  export CLEAN=$mount
  for n in 0 3; do
    refused 1 'small' "$n" generate murata -o "$mount/big.h5" \
      --examples 20000 --attributes 500
  done
  dd if=/dev/zero of="$mount/filler" bs=4096 status=none 2>/dev/null || true
  refused 1 '^thresher: (rank 0: )?small/a' 0 generate murata -o small/a.h5 \
    --examples 20000 --attributes 500
  for n in 0 2; do
    refused 1 'small' "$n" train good.h5 -o "$mount/model.h5" --budget 100
    refused 1 'small' "$n" predict good-model.h5 good.h5 -o "$mount/p.csv"
  done
  unset CLEAN
  side_outputs
}

make_data
damaged_shards good
damaged_shards thin
poked_target
outputs
usage
full_disk
finish
