#!/usr/bin/env bash
# divide.sh [FOLDER] - sparse data on more and more ranks: the bytes that all of them read,
# the memory of the rank that takes most, and what the plan says of both
# SPDX-License-Identifier: MIT
#
# lasso on EXAMPLES x ATTRIBUTES (50,000 x 200,000; 104 MB) on each of COUNTS ranks (1 2 4 8
# 16 32). Models have to be the same. The plan's memory is what a solver needs and what it
# keeps of the data; a process takes some 20 MB beside that.
set -euo pipefail
RANKS=0
. "$(dirname "$0")/bench.sh"
counts=${COUNTS:-1 2 4 8 16 32}
[ -e sparse.h5 ] || must 0 generate sparse -o sparse.h5 --seed 1 \
  --examples "${EXAMPLES:-50000}" --attributes "${ATTRIBUTES:-200000}"
for n in $counts; do
  must "$n" train sparse.h5 -o "$n.h5" --solver lasso --lambda-ratio 0.1 --report "$n.json" \
    --force -q
  cmp "${counts%% *}.h5" "$n.h5" || fail "another model on $n ranks"
done
# shellcheck disable=SC2086
"$PYTHON" - $counts <<'END'
import json, sys
runs = {int(n): json.load(open(f"{n}.json")) for n in sys.argv[1:]}
first = runs[min(runs)]
print("ranks  read MB  over the first, planned over it  peak MB  over the first, planned over it")
for n, r in sorted(runs.items()):
    planned = r["planned_memory"] + r["planned_stored"]
    peak, read = r["peak_memory_per_rank"], r["bytes_read"]
    print(f"{n:5d} {read / 1e6:8.1f} {read / first['bytes_read']:15.3f} "
          f"{r['planned_read_bytes'] / read:16.2f} {peak / 1e6:8.0f} "
          f"{peak / first['peak_memory_per_rank']:15.3f} {planned / peak:16.2f}")
END
remove sparse.h5
finish
