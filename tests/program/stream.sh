#!/usr/bin/env bash
# stream.sh - data larger than memory: the same model however much of it is
# kept and whoever reads it; the bytes that are read are those of the budget
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

train() # RANKS MODEL OPTION...
{
  local n=$1 model=$2
  shift 2
  must "$n" train data.h5 -o "$model" --solver exploration --seed 2 --force \
    --report run.json "$@"
}

# one pass over 3 blocks of 1,024-row deal units, runs of 4 KiB
must 0 generate murata -o data.h5 --examples 98304 --attributes 120 \
  --support 10 --row-group 1024 --seed 3
budget="-s 4 --budget 50 --passes 1"
# shellcheck disable=SC2086
train 1 first.h5 $budget
compare "deal units" "$(key run.json deal_unit)" == 1024
compare "planned against read" \
  "abs($(key run.json planned_read_bytes) / $(key run.json bytes_read) - 1)" \
  '<' 0.2
compare "bytes observed" "$(key run.json bytes_observed)" == \
  "4 * $(key run.json attributes_observed)"
compare "amplification of blocks" "$(key run.json bytes_read_blocks) / \
  $(key run.json bytes_observed_blocks)" '<=' 1.1
bytes=$(key run.json bytes_read)
# shellcheck disable=SC2086
train 1 this.h5 $budget --no-prefetch
# what the system does not have in memory for a moment is read, and not used where it lies
compare "bytes without prefetch" "abs($(key run.json bytes_read) / $bytes - 1)" '<' 0.01
cmp first.h5 this.h5 || fail "another model without prefetch"

# a support that stays
must 0 train data.h5 -o this.h5 --solver exploitation --passes 1 --force \
  --start 3,17,63,64,70,119 --report run.json
compare "amplification of the support" "$(key run.json bytes_read_support) / \
  $(key run.json bytes_observed_support)" '<=' 1.5
compare "blocks beside it" "$(key run.json bytes_read_blocks)" == 0

# all memories, all ranks
must 0 generate murata -o data.h5 --examples 10240 --attributes 700 \
  --support 10 --row-group 1024 --shards 2 --seed 3 --force
budget="-s 10 --budget 260 --passes 3"
# shellcheck disable=SC2086
train 1 first.h5 $budget
all=$(key run.json bytes_read)
tried="1:1 1:3M 1:1G 2:3M 3:12M"
! long || tried=$(echo {1,2,3}:{1,3M,12M,1G})
for how in $tried; do
  n=${how%:*}
  memory=${how#*:}
  # shellcheck disable=SC2086
  train "$n" this.h5 $budget --memory "$memory"
  cmp first.h5 this.h5 || fail "$n ranks, $memory: another model"
  bytes=$(key run.json bytes_read)
  # shellcheck disable=SC2086
  train "$n" this.h5 $budget --memory "$memory" --no-prefetch
  cmp first.h5 this.h5 || fail "$n ranks, $memory, no prefetch"
  compare "bytes on $n ranks with $memory" "$(key run.json bytes_read)" == \
    "$bytes"
  [ "$n" != 1 ] || [ "$memory" != 1 ] ||
    compare "nothing is kept" "$bytes" '>' "1.5 * $all"
done

# shards that users have stored anew, with filters or otherwise
cp -r data.shards good.shards
anew() # WHAT OPTION-OF-h5py...
{
  "$PYTHON" - "$2" <<'END' || fail "cannot store $1"
import ast, h5py, sys
for shard in "01":
    with h5py.File(f"data.shards/0000{shard}.h5", "r+") as f:
        x = f["X"][:]
        del f["X"]
        f.create_dataset("X", data=x, **ast.literal_eval(sys.argv[1]))
END
  must 0 inspect data.h5 --check
  # shellcheck disable=SC2086
  train 2 this.h5 $budget --memory "${3:-1G}"
  cmp first.h5 this.h5 || fail "$1: another model"
}
anew contiguous '{}'
anew "chunks of 64" '{"chunks": (64, 1024)}'
anew "chunks of 50" '{"chunks": (50, 1024)}' 3M
anew "chunks across row groups" '{"chunks": (40, 1500)}'
anew deflate '{"chunks": (70, 1024), "shuffle": True, "compression": "gzip"}'
anew deflate '{"chunks": (70, 1024), "compression": "gzip"}' 1
if command -v h5repack >repack.path; then
  for shard in 0 1; do
    h5repack -f SHUF -f GZIP=1 "good.shards/0000$shard.h5" \
      "data.shards/0000$shard.h5"
  done
  must 0 inspect data.h5 --check
  # shellcheck disable=SC2086
  train 2 this.h5 $budget
  cmp first.h5 this.h5 || fail "h5repack: another model"
else
  left_out "h5repack"
fi
"$PYTHON" - <<'END'
import h5py
with h5py.File("data.shards/00000.h5", "r+") as f:
    f["X"][5, 3 * 1024 + 8] += 1
END
refused 1 'shard data.shards/00000.h5: attribute 5, row group 3: checksum' \
  2 train data.h5 -o never.h5 --budget 700
rm -rf data.shards
mv good.shards data.shards

# damage that the reading thread comes upon
"$PYTHON" - <<'END'
import h5py
with h5py.File("data.shards/00001.h5", "r+") as f:
    f["X"][38, 9 * 1024 + 77] += 1
END
for option in --prefetch --no-prefetch; do
  refused 1 'shard data.shards/00001.h5: attribute 550, row group 9: checksum' \
    2 train data.h5 -o never.h5 --budget 700 --memory 12M $option
done
finish
