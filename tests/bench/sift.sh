#!/usr/bin/env bash
# sift.sh [FOLDER] - the strict support: how many examples it takes, how runs end, hard
# designs, noise, weights. MANY (20) seeds, ENDS (50), RUNS (200) of noise
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$(dirname "$0")/bench.sh"
export THRESHER OPENBLAS_NUM_THREADS=1
many=${MANY:-20}

study()
{
  "$PYTHON" "$SOURCE/tests/bench/sift.py" "$@"
}

study examples "$many" 500 25 50 90000
study examples "$many" 5000 25 250 20000
study examples "$many" 20000 100 1000 50000
study examples 6 100000 50 2000 50000
study examples "$many" 500 25 50 90000 0.5
study examples "$many" 500 25 50 90000 0.8
study ends "${ENDS:-50}" 90000
study ends "${ENDS:-50}" 20000
for kind in noise5 lognormal binary binary-sparse sizes; do
  study hard "$many" $kind
done
study noise "${RUNS:-200}" 2000 500
study noise "${RUNS:-200}" 200 2000
for layout in dense sparse; do
  for passes in 1 3; do
    for solver in sift predict hybrid exploration exploitation; do
      study weights 5 $solver $layout $passes
    done
  done
done
rm -f s.csv
cat <<'END'

targets, mean (worst)
500, 25, 50: 3,500 (5,000); 5,000, 25, 250: 5,500; 20,000, 100, 1,000: 22,000;
100,000, 50, 2,000: 24,000; correlation .5: 4,000 (5,500), .8: 13,000 (17,000)
ends, worst: 90,000 .35, 20,000 .6; none missed, none false
noise5 .05, lognormal .003, binary .003 in both layouts, sizes .004
noise: .3, .4 attributes
END
