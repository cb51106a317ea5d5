#!/usr/bin/env bash
# constant.sh - attributes that never change: an intercept does their work,
# and without one they are attributes like any other; columns of zeros never are
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

# y = 5 + x1 + noise; columns 1, x1, x2, 0; weights for those who ask for them
"$PYTHON" - <<'END'
import numpy as np
draw = np.random.default_rng(1)
n = 400
x = draw.standard_normal((n, 2)).round(6)
y = 5 + x[:, 0] + 0.1 * draw.standard_normal(n)
w = draw.uniform(0.2, 3, n).round(3)
np.savetxt("data.csv", np.column_stack([np.ones(n), x, np.zeros(n), w, y]),
           "%.6f", ",", header="one,x1,x2,zero,w,y", comments="")
END
must 0 import data.csv -o dense.h5 --target y --weights w
must 0 import data.csv -o sparse.h5 --target y --weights w --layout sparse

# solution OPTION... : the model is that of an independent solution of
# mean w (y - xb - b0)^2 / 2 + 0.01 norm1(b), to the tolerance in $near.
solution()
{
  local set=$1
  shift
  must 0 train "$set.h5" -o model.h5 --force --lambda 0.01 "$@" || return 0
  ranks 0 inspect model.h5 --json >model.json
  must 0 verify model.h5 "$set.h5"
  "$PYTHON" - "$near" "$@" <<'END' || fail "$set: $*: not the solution"
import json, os, sys
import numpy as np
near, intercept = float(sys.argv[1]), "--intercept" in sys.argv
data = np.loadtxt("data.csv", delimiter=",", skiprows=1)
x, w, y = data[:, :4].astype(np.float32).astype(float), data[:, 4], data[:, 5]
w = w / w.mean()
unit = np.ones(4)
if "--standardize" in sys.argv:
    mean = np.average(x, axis=0, weights=w) if intercept else 0
    unit = np.sqrt(np.average((x - mean) ** 2, axis=0, weights=w))

def solve():
    b, b0 = np.zeros(4), 0.0
    square = np.mean(w[:, None] * x ** 2, axis=0)
    for _ in range(4000):
        if intercept:
            b0 = np.average(y - x @ b, weights=w)
        for j in square.nonzero()[0]:
            rho = np.mean(w * x[:, j] * (y - b0 - x @ b)) + square[j] * b[j]
            b[j] = np.sign(rho) * max(abs(rho) - 0.01 * unit[j], 0) / square[j]
    return np.append(b, b0)

# one solution for each problem, whatever solver it is for
problem = "solution-%d-%d.txt" % (intercept, "--standardize" in sys.argv)
if not os.path.exists(problem):
    np.savetxt(problem, solve(), "%.17g")
*b, b0 = np.loadtxt(problem)
b = np.array(b)

def objective(b, b0):
    return (np.mean(w * (y - b0 - x @ b) ** 2) / 2 +
            0.01 * np.abs(b * unit).sum())

model = json.load(open("model.json"))
ours = np.zeros(4)
ours[model["support"]] = model["coef"]
best, got = objective(b, b0), objective(ours, model["intercept"])
constant = ours[0] == 0 if intercept else abs(ours[0] - b[0]) < 0.05
if not (got <= best + near * (1 + best) and constant and ours[3] == 0):
    sys.exit(f"{got} against {best}: {ours} {model['intercept']} {b} {b0}")
END
}

for set in dense sparse; do
  for intercept in --no-intercept --intercept; do
    near=1e-8
    solution $set --solver lasso --no-standardize $intercept
    solution $set --solver lasso $intercept --standardize
    solution $set --solver saga --no-standardize $intercept
    near=1e-3 # steps that decay
    solution $set --solver prox-sgd --no-standardize $intercept
    solution $set --solver fs-prox-sgd --no-standardize $intercept
    solution $set --solver os-prox-sgd --no-standardize $intercept
  done
done

# under a budget: least squares on the support
budgeted() # EXPECTED-SUPPORT OPTION...
{
  local wanted=$1
  shift
  must 0 train dense.h5 -o model.h5 --force "$@" || return 0
  ranks 0 inspect model.h5 --json >model.json
  compare "support of $*" "$(key model.json support)" == "$wanted"
  compare "what it predicts at zero" \
    "abs($(key model.json intercept) + ($(key model.json 'coef')[0] if \
    $(key model.json support)[0] == 0 else 0) - 5)" '<' 0.05
}

budgeted '[0, 1]' --solver sift --no-intercept
budgeted '[1]' --solver sift
for solver in exploration hybrid; do
  budgeted '[0, 1]' --solver $solver -s 2 --budget 4 --no-intercept
done
budgeted '[0, 1]' --solver exploitation --start 0,1 --no-intercept
budgeted '[0, 1]' --solver exploitation --start 0:3,1:1 --no-intercept
budgeted '[1]' --solver exploitation --start 0:3,1:1

# nothing but a column that an intercept makes useless
"$PYTHON" -c 'print("one,y"); [print(f"1,{k % 7}") for k in range(90)]' >one.csv
must 0 import one.csv -o one.h5 --target y
alone() # EXPECTED WHAT OPTION...; WHAT: of the model, in Python
{
  local wanted=$1 what=$2
  shift 2
  must 0 train one.h5 -o model.h5 --force --lambda 0.01 --solver lasso --no-standardize "$@"
  ranks 0 inspect model.h5 --json >model.json
  compare "of a lone constant, $*" "abs((lambda coef, intercept: $what)($(
    key model.json coef), $(key model.json intercept)) - $wanted)" '<' 1e-6
}
mean='sum(k % 7 for k in range(90)) / 90'
alone "$mean" intercept --intercept
alone 0 'len(coef)' --intercept
alone "($mean - 0.01)" 'coef[0]' --no-intercept
finish
