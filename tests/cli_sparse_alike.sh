#!/usr/bin/env bash
# cli_sparse_alike.sh - every solver learns the same from dense data and from sparse data
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/lib.sh"
rm -rf ./*

# Attributes that are often there and rare ones, with a mean that is not 0; 3 columns
# where nothing is 0.
"$PYTHON" - <<'END'
import random
random.seed(4)
often = {3: 2.0, 17: -1.5, 40: 1.0, 58: 0.8}
with open("rows.txt", "w") as f:
    for i in range(2500):
        x = {j: random.choice((1, 2, 3)) for j in range(80)
             if random.random() < (0.4 if j in often else 0.02)}
        x.update({j: 20 + random.random() for j in (5, 6, 7)})
        y = 3 + sum(often.get(j, 0) * v for j, v in x.items()) + random.gauss(0, 0.4)
        f.write("%.9g " % y + " ".join("%d:%.9g" % (j + 1, x[j]) for j in sorted(x)) + "\n")
END
for layout in dense sparse; do
  must 0 import rows.txt -o "$layout.h5" --layout "$layout" --type f64 --row-group 64
done
few="--budget 30 -s 6"
declare -A options=(
  [exploration]="$few" [hybrid]="$few" [exploitation]="--start 3,17,40"
  [rda-ito]="$few" [dantzig]="$few" [oomp]="--mu 0.1"
)
steps=" prox-sgd fs-prox-sgd truncated-gradient rda " # they end near a solution
for solver in $(ranks 0 solvers | grep '^[a-z]'); do
  for layout in dense sparse; do
    # shellcheck disable=SC2086
    must 0 train "$layout.h5" -o "$layout.model.h5" --force --solver "$solver" \
      ${options[$solver]:-}
    ranks 0 predict "$layout.model.h5" dense.h5 -o - >"$layout.txt"
  done
  least=1e-7
  [ "${steps/ $solver /}" = "$steps" ] || least=0.03
  "$PYTHON" - >apart.txt <<'END'
import numpy
dense, sparse = (numpy.loadtxt(name, comments="#", skiprows=1, delimiter=",")
                 .reshape(2500, -1)[:, -1] for name in ("dense.txt", "sparse.txt"))
print(abs(dense - sparse).max() / max(dense.std(), 1e-3))
END
  compare "$solver: predictions apart, over their deviation" "$(cat apart.txt)" '<' "$least"
done
finish
