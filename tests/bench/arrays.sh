#!/usr/bin/env bash
# arrays.sh [FOLDER] - importing arrays from files that the system has in memory: MB of the
# file per second, and per second of a core; a sparse matrix of SciPy, a dense array of NumPy
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$(dirname "$0")/bench.sh"
export OPENBLAS_NUM_THREADS=1

"$PYTHON" - <<'END'
import numpy as np, scipy.sparse as sp
r = np.random.default_rng(1)
n, d = 40000, 1000
np.save("dense.npy", r.normal(size=(n, d)).astype("f4"))
np.save("fortran.npy", np.asfortranarray(np.load("dense.npy")))
np.save("bytes.npy", r.integers(0, 3, (n, 4 * d)).astype("u1"))
np.save("y.npy", r.normal(size=n))
n, of = 300000, 60000
at = np.sort(r.integers(0, of, (n, 60)), 1)
X = sp.csr_matrix((r.normal(size=n * 60).astype("f4"), at.ravel(), np.arange(n + 1) * 60), (n, of))
X.sum_duplicates()
sp.save_npz("csr.npz", X, compressed=False)
sp.save_npz("packed.npz", X)
sp.save_npz("csc.npz", X.tocsc(), compressed=False)
np.save("t.npy", r.normal(size=n))
END

TIMEFORMAT='%R %U %S'
# measure WHAT WANTED FILE TARGETS: the quickest of three, on one thread and on two
measure()
{
  local what=$1 wanted=$2 file=$3 targets=$4 threads
  for threads in 1 2; do
    for _ in 1 2 3; do
      cat "$file" >/dev/null # into the page cache
      { time must 0 import "$file" --target "$targets" -o new.h5 --force --quiet --threads $threads >&2; } 2>&1
      remove new.h5
    done | "$PYTHON" -c "
import os, sys
runs = [[float(x) for x in line.split()] for line in sys.stdin]
wall = min(run[0] for run in runs)
core = min(run[1] + run[2] for run in runs)
mb = os.stat('$file').st_size / 1e6
print(f'$what, $threads threads: {mb:.0f} MB in {wall:.2f} s: {mb / wall:.0f} MB/s, '
      f'{mb / core:.0f} MB per CPU second$wanted')"
  done
}

measure ".npy, f32, 40,000 x 1,000" " (wanted: 1000 per core)" dense.npy y.npy
measure ".npy, f32, columns first" "" fortran.npy y.npy
measure ".npy, bytes, 40,000 x 4,000" "" bytes.npy y.npy
measure ".npz CSR, 60 of 60,000 columns a row" " (wanted: 300 MB/s)" csr.npz t.npy
measure "the same, deflated" "" packed.npz t.npy
measure ".npz CSC" "" csc.npz t.npy
