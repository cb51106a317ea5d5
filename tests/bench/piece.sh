#!/usr/bin/env bash
# piece.sh [FOLDER] - what it costs to look through every sparse piece that is
# read, against the kernels that it is given to and against reading it
# SPDX-License-Identifier: MIT
#
# Text-like data of few and of many entries in a run, one core; the best of
# seven turns of each piece (piece.c). THRESHER_DATA: rcv1 as well, when it is
# there.
set -euo pipefail
RANKS=0
. "$(dirname "$0")/bench.sh"
BUILD=${BUILD:-$SOURCE/build/release}

# cost NAME DATASET: nanoseconds per entry, and the shares.
cost()
{
  "$BUILD/tests/piece_cost" "$2" >"$1.json"
  "$PYTHON" - "$1" "$1.json" <<'END'
import json, sys
c = json.load(open(sys.argv[2]))
check = c['settle_ns'] - c['starts_ns']
print(f"{sys.argv[1]}: {c['entries_per_run']:.2f} entries a run; ns per entry: "
      f"read {c['read_ns']:.2f}, of which hash {c['hash_ns']:.2f}, check "
      f"{check:.2f} (+ starts {c['starts_ns']:.2f}); gradient kernel "
      f"{c['kernel_ns']:.2f}")
print(f"{sys.argv[1]}: check: {100 * check / c['kernel_ns']:.1f} % of one visit "
      f"of the kernel, {100 * check / c['hash_ns']:.0f} % of the checksum, "
      f"{100 * check / c['read_ns']:.1f} % of reading the piece, "
      f"2 % of the kernel from visit {50 * check / c['kernel_ns']:.0f} on")
END
}

[ -e text.h5 ] || must 0 generate sparse -o text.h5 --examples 50000 \
  --attributes 200000 --density 0.0005 --seed 1
[ -e full.h5 ] || must 0 generate sparse -o full.h5 --examples 50000 \
  --attributes 2000 --density 0.05 --seed 1
cost text text.h5
cost full full.h5
if [ -f "$DATA/rcv1sub.train.svm.xz" ]; then
  [ -e rcv1.h5 ] || must 0 import "$DATA/rcv1sub.train.svm.xz" -o rcv1.h5
  cost rcv1 rcv1.h5
  remove rcv1.h5
fi
remove text.h5
remove full.h5
finish
