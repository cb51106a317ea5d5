#!/usr/bin/env bash
# reading.sh [FOLDER] - what it costs to read dense data that the system has in
# memory: copied and in place, beside read(2), and in training
# SPDX-License-Identifier: MIT
#
# One core; 65,536 examples and 4,096 attributes as f32 (1 GB), in runs of 4 KiB
# (reading.c).
set -euo pipefail
RANKS=0
. "$(dirname "$0")/bench.sh"
BUILD=${BUILD:-$SOURCE/build/release}

[ -e reading.h5 ] || must 0 generate murata -o reading.h5 --examples 65536 \
  --attributes 4096 --row-group 1024 --shards 1 --seed 1
cat reading.shards/00000.h5 >/dev/null
"$BUILD/tests/reading_cost" reading.h5 reading.shards/00000.h5 | tee reading.json
remove reading.h5
finish
