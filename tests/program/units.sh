#!/usr/bin/env bash
# units.sh - stochastic solvers with a penalty: what comes out does not depend
# on the unit of the attributes, with an intercept or without one
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

# the same attributes in three units, exactly; a target and labels
"$PYTHON" - <<'END'
import numpy as np
draw = np.random.default_rng(1)
x = draw.standard_normal((300, 40)).astype(np.float32).astype(float)
y = 7 + 2 * x[:, 0] - x[:, 1] + draw.standard_normal(300)
label = y > 7
names = ",".join(f"x{j}" for j in range(40))
for unit in -10, 0, 10:
    for kind, target in ("y", y), ("label", label):
        np.savetxt(f"{kind}{unit}.csv", np.column_stack([x * 2.0**unit, target]),
                   "%.17g", ",", header=f"{names},t", comments="")
END
for kind in y label; do
  for unit in -10 0 10; do
    for layout in dense sparse; do
      must 0 import $kind$unit.csv -o $kind$unit-$layout.h5 --target t \
        --layout $layout
    done
  done
done

# objective SET OPTION...: of the model after 40 epochs
objective()
{
  local set=$1
  shift
  must 0 train "$set.h5" -o model.h5 --force -q --epochs 40 "$@" || return 0
  ranks 0 inspect model.h5 --json >model.json
  key model.json objective
}

# same KIND-LAYOUT OPTION...: in every unit
same()
{
  local kind=${1%-*} layout=${1#*-} unit one other
  shift
  one=$(objective "${kind}0-$layout" "$@")
  for unit in -10 10; do
    other=$(objective "$kind$unit-$layout" "$@")
    compare "$kind 2^$unit $layout $*" "abs($other - $one)" '<' "1e-6 * $one"
  done
}

for layout in dense sparse; do
  for solver in prox-sgd fs-prox-sgd saga svrg rda truncated-gradient sgd; do
    same y-$layout --solver $solver
  done
  same y-$layout --solver saga --no-standardize --batch 16
  same y-$layout --solver prox-sgd --no-standardize --batch 16 --no-intercept
  for loss in logistic squared-hinge; do
    same label-$layout --solver svrg --no-standardize --loss $loss
  done
done

# in small units as far as the solution
must 0 train y-10-dense.h5 -o best.h5 -q --solver lasso --no-standardize --lambda-ratio 0.1
ranks 0 inspect best.h5 --json >best.json
best=$(key best.json objective)
for layout in dense sparse; do
  compare "saga in small units, $layout" \
    "$(objective y-10-$layout --solver saga --no-standardize)" '<' "1.0001 * $best"
done
finish
