#!/usr/bin/env bash
# entries.sh [FOLDER] - what it costs to look up single values at random places
# of data in memory, by the number of attributes
# SPDX-License-Identifier: MIT
#
# Sets of 10^9 values (GIGA; 4 GB as f32), so that no cache holds them; one core;
# batches of 256 examples with five attributes each (entries.c).
set -euo pipefail
RANKS=0
. "$(dirname "$0")/bench.sh"
BUILD=${BUILD:-$SOURCE/build/release}
GIGA=${GIGA:-1000000000}

for d in 10000 100000 1000000; do
  [ -e "d$d.h5" ] || must 0 generate murata -o "d$d.h5" --attributes "$d" \
    --examples $((GIGA / d)) --seed 1
  "$BUILD/tests/entries_cost" "d$d.h5" | tee "d$d.json"
  remove "d$d.h5"
done
[ -e sparse.h5 ] || must 0 generate sparse -o sparse.h5 --examples 200000 \
  --attributes 100000 --density 0.002 --seed 1
"$BUILD/tests/entries_cost" sparse.h5 | tee sparse.json
remove sparse.h5
finish
