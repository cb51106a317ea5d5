#!/usr/bin/env bash
# sparse_alike.sh - every solver learns the same from dense data and from sparse data
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

few="--budget 30 -s 6"
declare -A options=(
  [exploration]="$few" [hybrid]="$few" [exploitation]="--start 3,17,40"
  [rda-ito]="$few" [dantzig]="$few" [oomp]="--mu 0.1"
)
steps=" prox-sgd fs-prox-sgd truncated-gradient rda sgd " # they end near a solution
solvers=$(ranks 0 solvers | grep '^[a-z]')

# both TEXT: the data set in both layouts, dense.h5 and sparse.h5.
both()
{
  for layout in dense sparse; do
    must 0 import "$1" -o "$layout.h5" --layout "$layout" --type f64 --row-group 64 --force
  done
}

# learn NAME SOLVER [OPTION...]: NAME.dense.h5 and NAME.sparse.h5, each with a report.
learn()
{
  local layout name=$1
  shift
  for layout in dense sparse; do
    # shellcheck disable=SC2086
    must 0 train "$layout.h5" -o "$name.$layout.h5" --force --report "$name.$layout.json" \
      --solver "$1" ${options[$1]:-} "${@:2}"
  done
}

# predictions SOLVER: of model.dense.h5 and model.sparse.h5
predictions()
{
  local layout
  for layout in dense sparse; do
    ranks 0 predict "model.$layout.h5" dense.h5 -o - >"$1.$layout.txt"
  done
}

# apart SOLVER...: which of them predict more than a little apart, over the deviation, and
# how far all are
apart()
{
  STEPS=$steps "$PYTHON" - "$@" <<'END'
import numpy, os, sys
for solver in sys.argv[1:]:
    dense, sparse = (numpy.loadtxt(f"{solver}.{layout}.txt", comments="#", skiprows=1,
                                   delimiter=",", ndmin=2)[:, -1]
                     for layout in ("dense", "sparse"))
    off = abs(dense - sparse).max() / max(dense.std(), 1e-3)
    print(f"{solver}: predictions {off:.3g} apart", file=sys.stderr)
    if not off < (0.03 if solver in os.environ["STEPS"].split() else 1e-7):
        print(f"{solver}: predictions are {off:.3g} of their deviation apart")
END
}

# wrong WHAT FILE: each line of the file is a failure
wrong()
{
  local line
  while read -r line; do
    fail "$1$line"
  done <"$2"
}

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
both rows.txt
for solver in $solvers; do
  learn model "$solver"
  predictions "$solver"
done
# shellcheck disable=SC2086
apart $solvers >wrong.txt || fail "predictions were not compared"
wrong "" wrong.txt

# Means of any number of deviations: of all columns, or of every third one while the
# others are mostly 0; with numbers as targets, or labels. Columns are exactly
# standardised first, so that a mean of one deviation is one. Those with a small mean
# have some zeros.
far()
{
  "$PYTHON" - "$@" <<'END'
import numpy, sys
mean, kind = float(sys.argv[1]), sys.argv[2]
draw = numpy.random.default_rng(4)
n, d = int(sys.argv[3]), int(sys.argv[4])
z = draw.standard_normal((n, d))
z = (z - z.mean(0)) / z.std(0)
x = z + mean * 1.0001
if kind == "some":
    rare = numpy.where(draw.random((n, d)) < 0.1, z, 0)
    near = numpy.arange(d) % 3 != 0
    x[:, near] = rare[:, near]
if 1 < mean < 1e3:
    x[draw.random((n, d)) < 0.02 / mean] = 0
y = 3 + z[:, [3, 18, 42]] @ [2, -1.5, 1] + draw.standard_normal(n)
y += 0.8 * (x[:, 40] - x[:, 40].mean()) / x[:, 40].std()
if kind == "labels":
    y = numpy.sign(y - 3)
with open("far.txt", "w") as f:
    for i in range(n):
        f.write("%.17g " % y[i] + " ".join("%d:%.17g" % (j + 1, x[i, j])
                                           for j in numpy.flatnonzero(x[i])) + "\n")
END
}

# alike KIND NAME=SOLVER...: print what is not alike of pairs of models: the support and
# the coefficients; sparse data may take three times the steps. (Dense data may take
# more: where means are large, floats are coarse, and omp looks at values again.) Where
# other columns are sparse, methods of steps go other ways: they agree on what is not
# small.
alike()
{
  STEPS=$steps "$PYTHON" - "$@" <<'END'
import h5py, json, numpy, os, sys
def judge(name, least):
    scaled, steps = [], []
    for layout in "dense", "sparse":
        with h5py.File(f"{name}.{layout}.h5") as f:
            b = numpy.zeros(60)
            b[f["support"][:]] = f["coef"][:] * f["deviation"][:]
        b[abs(b) < least * abs(b).max()] = 0
        scaled.append(b)
        report = json.load(open(f"{name}.{layout}.json"))
        steps.append([max(report[key], 1)
                      for key in ("examples", "attributes_observed", "updates")])
    dense, sparse = scaled
    off = abs(dense - sparse).max() / max(abs(dense).max(), 1e-9)
    ratio = max(b / a for a, b in zip(*steps))
    if (dense != 0).tolist() != (sparse != 0).tolist():
        return "another support, %d and %d attributes" % (sum(dense != 0), sum(sparse != 0))
    if off > least:
        return "coefficients are %.2g apart" % off
    return "%.3g times the steps" % ratio if ratio > 3 else ""
for pair in sys.argv[2:]:
    name, solver = pair.split("=", 1)
    walks = solver in os.environ["STEPS"].split() and sys.argv[1] == "some"
    wrong = judge(name, 0.05 if walks else 1e-6)
    if wrong:
        print(f"{solver}: {wrong}")
END
}

# means MEAN KIND: all solvers on such data, in the ordinary suite every second one in turn.
# The strict support of labels is left out: sift gathers other evidence from sparse data,
# whatever the means are.
pairs=0
calls=0
means()
{
  local solver names=() number=0
  calls=$((calls + 1))
  far "$1" "$2" 600 60
  both far.txt
  for solver in $solvers "sift --select truth" "lasso --path 5" "lasso --standardize"; do
    [ "$2 $solver" != "labels sift --select truth" ] || continue
    number=$((number + 1))
    tried $((number + calls)) 2 || continue
    # shellcheck disable=SC2086
    learn "model${#names[@]}" $solver
    names+=("model${#names[@]}=$solver")
  done
  pairs=$((pairs + ${#names[@]}))
  alike "$2" "${names[@]}" >wrong.txt
  wrong "means of $1 deviations, $2: " wrong.txt
}
all=1e4
some=1e6
if long; then
  all="1 1e2 1e4 1e5 1e6"
  some="1e2 1e3 1e5 1e6"
fi
for mean in $all; do
  means "$mean" all
done
for mean in $some; do
  means "$mean" some
done
options+=([sift]="--loss logistic" [lasso]="--loss logistic" [os-prox-sgd]="--loss logistic")
means 1e5 labels
echo "$pairs pairs of models compared"

# Such models belong to the data in any layout, and are the same on any ranks.
far 1e6 some 300 800
both far.txt
for solver in lasso saga sift aerr; do
  must 0 train sparse.h5 -o one.h5 --force --solver "$solver"
  for ranks in 2 3; do
    must "$ranks" train sparse.h5 -o more.h5 --force --solver "$solver"
    cmp one.h5 more.h5 || fail "$solver, $ranks ranks: another model"
  done
  [ "$solver" != lasso ] || must 0 verify one.h5 sparse.h5
  [ "$solver" != lasso ] || must 0 verify one.h5 dense.h5
done
finish
