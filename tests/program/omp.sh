#!/usr/bin/env bash
# omp.sh - omp: its stops, the oracle, labels, and what it refuses
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

# learn NAME DATA ARGUMENT...: NAME.h5, the same on one rank and on two, and NAME.json
learn()
{
  local name=$1 data=$2
  shift 2
  must 0 train "$data" -o "$name.h5" --solver omp --force "$@" &&
    must 2 train "$data" -o two.h5 --solver omp --force "$@" &&
    ranks 0 inspect "$name.h5" --json >"$name.json"
  cmp "$name.h5" two.h5 || fail "$*: another model on two ranks"
}

# by_deck NAME DATA: the deck in a model makes that model
by_deck()
{
  ranks 0 inspect "$1.h5" | sed -n '/^\[model\]/,$p' >deck.ini
  must 0 train "$2" --deck deck.ini -o again.h5 --force
  cmp "$1.h5" again.h5 || fail "the deck of $1 makes another model"
}

must 0 generate toeplitz -o data.h5 --examples 2000 --attributes 400 --support 10 --test 0.2 \
  --seed 3
must 0 generate sparse -o sparse.h5 --examples 2000 --attributes 3000 --support 5 \
  --density 0.02 --seed 3

# --- as many as are asked for, and the same again from the deck
learn ten data.h5 -s 10
compare "the ten true ones" "$(key ten.json support)" == "list(range(10))"
by_deck ten data.h5

# --- as many as predict best: folds, and examples that are held out
learn folds data.h5
compare "true ones" "len(set($(key folds.json support)) & set(range(10)))" == 10
compare "others" "len($(key folds.json support))" '<' 20
by_deck folds data.h5
learn held data.h5 --validation 0.2
by_deck held data.h5
compare "true ones" "len(set($(key held.json support)) & set(range(10)))" == 10
learn rare sparse.h5
compare "true ones of sparse data" "len($(key rare.json support))" '>=' 5

# --- as many as the loss needs
learn half data.h5 --stop-residual 0.5
learn tenth data.h5 --stop-residual 0.1
compare "attributes for a tenth of the loss" "len($(key tenth.json support))" '>' \
  "len($(key half.json support))"

# --- a start stays, and the oracle takes the truth
learn start data.h5 -s 12 --start 399,7
compare "the start" "len({399, 7} & set($(key start.json support)))" == 2
compare "with the start" "len($(key start.json support))" == 12
learn oracle data.h5 --oracle fit
compare "the truth" "$(key oracle.json support)" == "list(range(10))"
for name in ten oracle; do
  ranks 0 evaluate "$name.h5" data.h5 --json >"$name-loss.json"
done
compare "the oracle's error" "$(key oracle-loss.json population_mse)" '<' 1.03
compare "the choice's error" "$(key ten-loss.json population_mse)" == \
  "$(key oracle-loss.json population_mse)"

# the oracle's path: only true attributes, in the order of their slopes
learn among data.h5 --oracle omp
compare "all of the truth" "$(key among.json support)" == "list(range(10))"
learn among data.h5 --oracle omp -s 4
compare "as many as asked for" "len($(key among.json support))" == 4
compare "of the truth" "max($(key among.json support))" '<' 10
learn four data.h5 -s 4
compare "the first four of omp, which are true" "$(key among.json support)" == \
  "$(key four.json support)"
learn among sparse.h5 --oracle omp
compare "true ones of sparse data" "len($(key among.json support))" == 5

# --- labels
awk 'BEGIN { srand(2); print "y," "a,b,c,d,e,f"; for (i = 0; i < 300; i++) {
  line = ""; for (j = 0; j < 6; j++) { x[j] = 2 * rand() - 1; line = line "," x[j] }
  print (rand() < 1 / (1 + exp(-6 * x[1] + 4 * x[4])) ? "yes" : "no") line } }' >labels.csv
must 0 import labels.csv -o labels.h5 --target y --positive-class yes
learn kinds labels.h5
compare "loss" "$(key kinds.json loss)" == '"logistic"'
compare "attributes of labels" "len({1, 4} & set($(key kinds.json support)))" == 2
# a single attribute that separates the labels has a finite coefficient
printf 'y,a,b\n0,1,5\n0,2,3\n1,8,4\n1,9,4\n' >apart.csv
must 0 import apart.csv -o apart.h5 --target y
learn split apart.h5 -s 1
compare "separated" "abs($(key split.json coef)[0])" '<' 20
must 0 evaluate split.h5 apart.h5
grep -q '^accuracy *1$' must.out || fail "separated: $(cat must.out)"
# maximum likelihood, without shrinkage: as scikit-learn's fit on the two attributes
if "$PYTHON" -c 'import sklearn' 2>/dev/null; then
  must 0 import labels.csv -o wide.h5 --target y --positive-class yes --type f64
  learn pair wide.h5 -s 2
  "$PYTHON" - pair.json <<'END' || fail "coefficients of labels: $(key pair.json coef)"
import csv, json, sys
import numpy as np
from sklearn.linear_model import LogisticRegression
model = json.load(open(sys.argv[1]))
rows = list(csv.reader(open("labels.csv")))[1:]
X = np.array([[float(v) for v in r[1:]] for r in rows])[:, model["support"]]
y = np.array([r[0] == "yes" for r in rows])
fit = LogisticRegression(C=np.inf, tol=1e-14, solver="newton-cholesky").fit(X, y)
off = abs(np.append(fit.coef_[0], fit.intercept_) -
          np.append(model["coef"], model["intercept"])).max()
sys.exit(int(off > 1e-6))
END
else
  left_out "the fit to labels beside scikit-learn's"
fi

# --- mu of a support, beside numpy on the text; also in the data's own units, and weighted
"$PYTHON" - <<'END'
import random
random.seed(4)
with open("mu.csv", "w") as f:
    f.write("y,w," + ",".join("x%d" % j for j in range(9)) + "\n")
    for i in range(150):
        x = [random.gauss(0, 1 + j) for j in range(8)]
        x.append(x[1] - 0.4 * x[3] / 2 + random.gauss(0, 0.5))
        f.write("%.6g,%d," % (2 * x[1] - x[3] + random.gauss(0, 1), 1 + i % 3)
                + ",".join("%.6g" % v for v in x) + "\n")
END
must 0 import mu.csv -o mu.h5 --target y --weights w --type f64
for units in "" --no-standardize "--no-standardize --no-intercept"; do
  # shellcheck disable=SC2086
  must 0 train mu.h5 -o mu-model.h5 --force --solver omp --start x1,x3 -s 2 $units
  must 2 inspect mu-model.h5 --data mu.h5 --json
  mv must.out mu.json
  ranks 0 inspect mu-model.h5 --data mu.h5 --json | cmp - mu.json || fail "mu on two ranks"
  "$PYTHON" - "$units" >mu.txt <<'END'
import sys
import numpy
rows = numpy.loadtxt("mu.csv", delimiter=",", skiprows=1)
h, x = rows[:, 1] / rows[:, 1].sum(), rows[:, 2:]
x = x if "intercept" in sys.argv[1] else x - h @ x
x = x if "standardize" in sys.argv[1] else x / numpy.sqrt(h @ (x - h @ x) ** 2)
cov = x.T @ (h[:, None] * x)
norm = abs(numpy.linalg.solve(cov[numpy.ix_([1, 3], [1, 3])], cov[[1, 3]])).sum(0)
norm[[1, 3]] = -1
least, most = numpy.linalg.eigvalsh(cov[numpy.ix_([1, 3], [1, 3])])
print("[%.12g, %d, %.12g, %.12g]" % (norm.max(), norm.argmax(), least, most))
END
  compare "mu $units" "abs($(key mu.json mu) - $(cat mu.txt)[0])" '<' 1e-5
  compare "whose it is" "$(key mu.json mu_attribute)" == "$(cat mu.txt)[1]"
  for k in 0 1; do
    compare "eigenvalue $k $units" \
      "abs($(key mu.json eigenvalues)[$k] / $(cat mu.txt)[$((2 + k))] - 1)" '<' 1e-9
  done
done

# --- a threshold on the slopes, beside the listing in numpy: eta over the number of examples
for eta in 0.05 0.3 0.9; do
  for units in "" "--no-standardize --no-intercept"; do
    # shellcheck disable=SC2086
    learn below mu.h5 --stop-correlation $eta $units
    "$PYTHON" - $eta "$units" >below.txt <<'END'
import sys
import numpy
rows = numpy.loadtxt("mu.csv", delimiter=",", skiprows=1)
y, h, x = rows[:, 0], rows[:, 1] / rows[:, 1].sum(), rows[:, 2:]
if "intercept" not in sys.argv[2]:
    x, y = x - h @ x, y - h @ y
if "standardize" not in sys.argv[2]:
    x = x / numpy.sqrt(h @ x ** 2)
chosen, rest = [], y
while len(chosen) < x.shape[1]:
    slope = abs(x.T @ (h * rest))
    slope[chosen] = 0
    if slope.max() < float(sys.argv[1]):
        break
    chosen.append(int(slope.argmax()))
    part = x[:, chosen] * numpy.sqrt(h)[:, None]
    rest = y - x[:, chosen] @ numpy.linalg.lstsq(part, y * numpy.sqrt(h), rcond=None)[0]
print(sorted(chosen))
END
    compare "slopes of $eta, $units" "$(key below.json support)" == "$(cat below.txt)"
    compare "why it ended" "$(key below.json ended_by)" == \
      "'bound' if len($(cat below.txt)) < 9 else $(key below.json ended_by)"
  done
done
by_deck below mu.h5

ranks 0 inspect mu-model.h5 --data mu.h5 | saw '^mu: .*of attribute 8' ||
  fail "no word on mu"
refused 2 "goes with a model" 0 inspect mu.h5 --data mu.h5
refused 1 "is for 9 attributes" 0 inspect mu-model.h5 --data data.h5
printf 'y,a,b,c\n1,1,2,1\n2,2,4,0\n4,3,6,5\n3,5,10,2\n' >same.csv
must 0 import same.csv -o same.h5 --target y
must 0 train same.h5 -o same-model.h5 --solver ridge --lambda 1
refused 1 "a combination of others" 0 inspect same-model.h5 --data same.h5

# --- what it refuses
refused 2 "those of labels.h5 are not known" 0 train labels.h5 -o no.h5 --solver omp --oracle fit
refused 2 "chooses none; leave .*sparsity" 0 train data.h5 -o no.h5 --solver omp --oracle fit -s 3
refused 2 "exclude each other" 0 train data.h5 -o no.h5 --solver omp --oracle fit --start 3
refused 2 "stop-residual" 0 train data.h5 -o no.h5 --solver omp --stop-residual 1.5
finish
