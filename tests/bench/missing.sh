#!/usr/bin/env bash
# missing.sh [FOLDER] - what missing values cost: the same trainings on data with 2 % of the
# values missing and on data without, in every type; import and training of an expression
# table with .2 % missing. Seconds of a core, the least of REPEATS (5), in turn; ratios
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$(dirname "$0")/bench.sh"
export OPENBLAS_NUM_THREADS=1
REPEATS=${REPEATS:-5}

"$PYTHON" - <<'END'
import numpy as np
r = np.random.default_rng(1)
n, d = 8000, 4000
X = r.normal(size=(n, d)).astype("f4")
y = X[:, :20] @ r.normal(size=20) + 3 * r.normal(size=n)
calls = r.integers(0, 3, (n, d)).astype("f4")
lacks = r.random((n, d)) < .02
np.save("y.npy", y)
for name, a in ("real", X), ("calls", calls):
    np.save(name + ".whole.npy", a)
    np.save(name + ".lacking.npy", np.where(lacks, np.nan, a).astype("f4"))
n, d = 500, 15000
X = r.normal(size=(n, d))
y = X[:, :5].sum(1) + r.normal(size=n)
lacks = r.random((n, d)) < .002
for name, gaps in ("whole", False), ("lacking", True):
    with open("expression.%s.csv" % name, "w") as f:
        print("sample", *("g%d" % j for j in range(d)), "y", sep=",", file=f)
        for i in range(n):
            row = ["%.4f" % v for v in X[i]]
            if gaps:
                for j in np.flatnonzero(lacks[i]):
                    row[j] = "NA"
            print("s%d" % i, *row, "%.4f" % y[i], sep=",", file=f)
END

TIMEFORMAT='%U %S'
core() # COMMAND...: seconds of the processor
{
  { time timeout -k 5 "$LIMIT" "$THRESHER" "$@" --quiet >/dev/null 2>failed.err; } 2>&1 |
    awk '{ print $1 + $2 }'
  [ ! -s failed.err ] || cat failed.err >&2
}

# compare WHAT WANTED ARGUMENT...: @ in the arguments is whole or lacking
compare_core()
{
  local what=$1 wanted=$2 k kind
  shift 2
  for ((k = 0; k < REPEATS; k++)); do
    for kind in whole lacking; do
      echo "$kind $(core "${@//@/$kind}")"
    done
  done | awk -v what="$what" -v wanted="$wanted" '
    !($1 in least) || $2 < least[$1] { least[$1] = $2 }
    END { printf "%s: %.2f s, with missing values %.2f s: %.2f (wanted: %s)\n", what,
          least["whole"], least["lacking"], least["lacking"] / least["whole"], wanted }'
}

for type in f32 f64 i8 u8 u2; do
  case $type in
  f*) data=real ;;
  *) data=calls ;;
  esac
  for kind in whole lacking; do
    must 0 import $data.$kind.npy --target y.npy --type $type -o $kind.h5 --force --quiet
  done
  compare_core "$type, lasso, path of 30" 1.1 train @.h5 -o model.h5 --force --solver lasso \
    --path 30 --choose last
  compare_core "$type, sift" 1.1 train @.h5 -o model.h5 --force
  compare_core "$type, os-prox-sgd" 1.1 train @.h5 -o model.h5 --force --solver os-prox-sgd \
    --lambda-ratio 0.3 --epochs 2
  compare_core "$type, exploration" 1.1 train @.h5 -o model.h5 --force --solver exploration \
    --sparsity 20 --budget 1000 --rounds 60
  remove whole.h5
  remove lacking.h5
done
compare_core "expression table, import" 1.2 import expression.@.csv -o @.h5 --force --id sample
compare_core "expression table, training" 1.2 train @.h5 -o model.h5 --force
