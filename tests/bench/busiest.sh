#!/usr/bin/env bash
# busiest.sh [FOLDER] - default training on more and more ranks: the processor seconds of
# the rank that computes longest, over those of one rank, and the peak of its memory
# SPDX-License-Identifier: MIT
#
# EXAMPLES x ATTRIBUTES (8,192 x 20,000) of `generate murata` on each of COUNTS ranks (1 2 4
# 8 16 32), TIMES runs (3) each, of which the least counts: ranks that wait for each other
# on fewer processors compute, too. Models have to be the same.
set -euo pipefail
RANKS=0
. "$(dirname "$0")/bench.sh"
counts=${COUNTS:-1 2 4 8 16 32}
times=${TIMES:-3}
[ -e murata.h5 ] || must 0 generate murata -o murata.h5 --seed 1 \
  --examples "${EXAMPLES:-8192}" --attributes "${ATTRIBUTES:-20000}"

# A rank that leaves its seconds behind: of the children of its shell, in the last line
cat >rank.sh <<'END'
#!/bin/sh
"$PROGRAM" "$@"
status=$?
times >"seconds.$$"
exit $status
END
chmod +x rank.sh
export PROGRAM=$THRESHER
THRESHER=$PWD/rank.sh
for n in $counts; do
  for t in $(seq "$times"); do
    must "$n" train murata.h5 -o "$n.h5" --report "$n.json" --force -q
    cmp "${counts%% *}.h5" "$n.h5" || fail "another model on $n ranks"
    cat seconds.* >"$n.$t.seconds"
    rm seconds.*
  done
done
# shellcheck disable=SC2086
"$PYTHON" - "$times" $counts <<'END'
import json, re, sys

def busiest(name):
    """User seconds of the children, in every second line, of the rank that has most."""
    lines = open(name).read().splitlines()[1::2]
    return max(int(m) * 60 + float(s) for m, s in (re.match(r"(\d+)m([\d.]+)s", l).groups() for l in lines))

times, counts = int(sys.argv[1]), sys.argv[2:]
least = {n: min(busiest(f"{n}.{t}.seconds") for t in range(1, times + 1)) for n in counts}
print("ranks  seconds of the busiest  over the first  peak MB")
for n in counts:
    peak = json.load(open(f"{n}.json"))["peak_memory_per_rank"]
    print(f"{n:>5s} {least[n]:23.2f} {least[n] / least[counts[0]]:15.3f} {peak / 1e6:8.0f}")
END
remove murata.h5
finish
