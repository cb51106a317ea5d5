#!/usr/bin/env bash
# lasso.sh [real] - the exact solver: paths, certificates and what verify says
# of them; real: on real data against an independent solution
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
data=${THRESHER_DATA:-$SOURCE/../shared/data}
rm -rf ./*

# The reference computes with NumPy and SciPy.
reference()
{
  "$PYTHON" "$SOURCE/tests/program/lasso_reference.py" "$@"
}

# against_reference NAME FILE LOSS RANKS: at lambda_max / 2.
against_reference()
{
  local name=$1 loss=$3 n=$4
  must "$n" train "$name.h5" -o "$name-$loss.h5" --force --solver lasso --no-standardize \
    --loss "$loss" --lambda-ratio 0.5 --no-intercept || return 0
  ranks 0 inspect "$name-$loss.h5" --json >model.json
  reference "$2" "$loss" 0.5 model.json >reference.json ||
    fail "$name, $loss loss: not the solution"
  must "$n" verify "$name-$loss.h5" "$name.h5"
}

real()
{
  local name file n=1
  for name in colon-cancer leukemia.train duke-breast-cancer.svm \
    arcene.train dexter.train dorothea.train; do
    file=$data/${name%.svm}.svm.xz
    must 0 import "$file" -o "$name.h5"
    losses=(squared logistic squared-hinge)
    long || losses=("${losses[n - 1]}")
    for loss in "${losses[@]}"; do
      against_reference "$name" "$file" "$loss" "$n"
      n=$((n % 3 + 1))
    done
  done
}

# Every lambda of a path is as good as a run for it alone.
path()
{
  must 0 generate toeplitz -o path.h5 --examples 300 --attributes 900
  must 2 train path.h5 -o path-model.h5 --solver lasso --no-standardize --path 12 \
    --path-min 0.05 --choose last
  ranks 0 inspect path-model.h5 --json >path.json
  "$PYTHON" - <<'END' || fail "a path is not what it should be"
import json, sys
model = json.load(open("path.json"))
table = model["path"]
path = [dict(zip(table, row)) for row in zip(*table.values())]
top, last = path[0]["lambda"], path[-1]["lambda"]
good = abs(top / model["lambda_max"] - 1) < 1e-12
good = good and abs(last / model["lambda_max"] / 0.05 - 1) < 1e-9
ratios = [b["lambda"] / a["lambda"] for a, b in zip(path, path[1:])]
good = good and len(path) == 12
good = good and max(ratios) - min(ratios) < 1e-9
good = good and all(point["gap"] <= 1e-8 for point in path)
good = good and path[0]["size"] == 0
good = good and path[-1]["size"] == len(model["support"])
good = good and all(a["objective"] >= b["objective"]
                    for a, b in zip(path, path[1:]))
print(path[5]["lambda"], path[5]["objective"], file=open("sixth", "w"))
sys.exit(not good)
END
  read -r lambda objective <sixth
  must 0 train path.h5 -o one.h5 --solver lasso --no-standardize --lambda "$lambda"
  ranks 0 inspect one.h5 --json >one.json
  compare "objective of a lambda alone over that on the path" \
    "abs($(key one.json objective) / $objective - 1)" '<' 1e-8
}

# in_a_ball NAME RADIUS OPTION...: the norm is the radius, and the certificate
# holds; where the ball does not bind, a line says so. On two ranks, too, in the ordinary
# suite for every third.
balls=0
in_a_ball()
{
  local name=$1 radius=$2
  shift 2
  balls=$((balls + 1))
  must 0 train "$name.h5" -o ball.h5 --force --solver lasso --no-standardize --radius "$radius" "$@"
  must 0 verify ball.h5 "$name.h5"
  if tried $balls 3; then
    must 2 train "$name.h5" -o ball-2.h5 --force --solver lasso --no-standardize --radius "$radius" \
      "$@"
    cmp ball.h5 ball-2.h5 || fail "$*, radius $radius: another model on two ranks"
    must 2 verify ball-2.h5 "$name.h5"
  fi
  ranks 0 inspect ball.h5 --json >ball.json
}

# beside_the_best OPTION...: a larger ball has no greater loss, and no norm is above the
# radius, whether the ball binds or not.
beside_the_best()
{
  local radius loss last=1e9 radii="0.05 0.5 100"
  ! long || radii="0.05 0.2 0.5 3 100"
  for radius in $radii; do
    in_a_ball weak "$radius" "$@"
    compare "norm in a ball of $radius, $*" "$(key ball.json norm)" '<=' \
      "$radius * (1 + 1e-12)"
    loss="$(key ball.json objective) - $(key ball.json lambda) * $(key ball.json norm)"
    compare "loss in a ball of $radius, $*" "$loss" '<=' "$last + 1e-8"
    last=$loss
  done
}

radius()
{
  local options
  for options in "" "--standardize" "--no-intercept"; do
    in_a_ball path 1.5 $options
    compare "norm over radius, $options" \
      "abs($(key ball.json norm) / 1.5 - 1)" '<' 1e-9
    compare "gap in a ball, $options" "$(key ball.json gap)" '<' 1e-8
  done
  in_a_ball path 1.5 --loss squared
  compare "sum of magnitudes less radius" \
    "abs(sum(abs(x) for x in $(key ball.json coef)) - 1.5)" '<' 1e-9
  must 0 train path.h5 -o same.h5 --force --solver lasso --no-standardize --loss squared \
    --lambda "$(key ball.json lambda)"
  ranks 0 inspect same.h5 --json >same.json
  compare "objective at that lambda" \
    "abs($(key same.json objective) / $(key ball.json objective) - 1)" '<' 1e-9
  must 0 generate toeplitz -o loose.h5 --examples 100 --attributes 10 --support 3
  must 0 train loose.h5 -o loose-model.h5 --solver lasso --no-standardize --radius 100
  grep -q "the ball of radius 100 does not bind" must.err ||
    fail "a ball that does not bind, and not a word of it"
  must 0 verify loose-model.h5 loose.h5
  # attributes that are the same, more of them than examples: one explains all
  must 0 generate kukliansky -o same-data.h5 --examples 10 --attributes 500 --alpha 0 \
    --task lasso
  must 0 train same-data.h5 -o same-model.h5 --solver lasso --no-standardize --radius 25 \
    --no-intercept
  grep -q "the ball of radius 25 does not bind" must.err ||
    fail "attributes that are the same: the ball is said to bind"
  must 0 verify same-model.h5 same-data.h5
  # no noise, and more attributes than examples: the loss falls to 0 with lambda
  must 0 generate kukliansky -o noiseless.h5 --examples 400 --attributes 500 --alpha -1 \
    --task lasso
  must 0 train noiseless.h5 -o noiseless-model.h5 --solver lasso --no-standardize --radius 1000 \
    --no-standardize --no-intercept --report noiseless.json
  grep -q "the ball of radius 1000 does not bind .* no model in the ball has a loss" must.err ||
    fail "no noise: the ball is said to bind"
  compare "lambdas until nothing is gained" "len($(key noiseless.json loops))" '<' 34
  must 0 evaluate noiseless-model.h5 noiseless.h5 --json --split all
  compare "the loss is all but 0" "$(key must.out relative_loss)" '<=' 1.01e-9
  # targets that hardly depend on the attributes: most balls do not bind
  awk 'BEGIN { srand(1); print "y,a,b"; for (i = 0; i < 300; i++) {
    a = 4 * rand() - 2; print (rand() < 0.5 + 0.05 * a) "," a "," rand() } }' >weak.csv
  must 0 import weak.csv -o weak.h5 --target y
  for options in "--loss logistic" "--loss squared-hinge" "--loss squared" \
    "--loss squared --tolerance 1e-9"; do
    beside_the_best $options
  done
  refused 2 "leave these out" 0 train path.h5 -o not.h5 --solver lasso \
    --radius 1 --lambda 0.1
}

# copies: what rounding leaves of the coefficient of one of them is not in the model
copies()
{
  local seed seeds="3 10"
  ! long || seeds="3 5 6 10 11"
  for seed in $seeds; do
    "$PYTHON" - "$seed" <<'END'
import sys
import numpy
r = numpy.random.default_rng(int(sys.argv[1]))
n, d, k = (int(r.integers(*limits)) for limits in ((60, 400), (5, 40), (1, 6)))
x = r.integers(0, 3, size=(n, d)).astype(float)
x = numpy.c_[x, x[:, :k], x[:, :k]]
y = x[:, :min(4, d)].sum(1) + r.normal(size=n)
numpy.savetxt("copies.csv", numpy.c_[y, x], delimiter=",", fmt="%.8g", comments="",
              header="y," + ",".join(f"x{j}" for j in range(x.shape[1])))
END
    must 0 import copies.csv -o copies.h5 --target y --force
    for solver in "lasso --lambda-ratio 0.4" "lasso --lambda-ratio 0.1" "lasso --lambda-ratio 0.01" \
      "svrg --lambda-ratio 0.2" sift; do
      # shellcheck disable=SC2086
      must 0 train copies.h5 -o copies-model.h5 --force --solver $solver --standardize
      ranks 0 inspect copies-model.h5 --json >copies.json
      compare "copies of seed $seed, $solver: the smallest coefficient" \
        "min([abs(b) for b in $(key copies.json standardized_coef)] or [1])" '>' 1e-10
      [ "$solver" = sift ] || must 0 verify copies-model.h5 copies.h5
    done
  done
}

# A single lambda far below lambda_max, which descent from zero hardly reaches.
far()
{
  must 0 generate murata -o far.h5 --examples 60 --attributes 500
  must 2 train far.h5 -o far-model.h5 --solver lasso --no-standardize --lambda-ratio 1e-4
  ranks 0 inspect far-model.h5 --json >far.json
  compare "gap far from lambda_max" "$(key far.json gap)" '<' 1e-8
}

# Labels that a hyperplane separates: the smaller lambda, the larger the
# coefficients, and the flatter the loss.
separable()
{
  "$PYTHON" - >separable.csv <<'END'
import random
random.seed(8)
print(",".join("a%d" % j for j in range(300)) + ",y")
for i in range(50):
    x = [random.gauss(0, 1) for j in range(300)]
    print(",".join("%.4f" % v for v in x) + ",%d" % (x[0] + x[1] > 0))
END
  must 0 import separable.csv -o separable.h5
  for loss in logistic squared-hinge; do
    for ratio in 1e-3 1e-5 1e-7; do
      must 0 train separable.h5 -o this.h5 --force --solver lasso --no-standardize \
        --loss "$loss" --lambda-ratio "$ratio"
      ! grep -q 'makes it no smaller' must.err || fail "$loss, $ratio: stopped early"
      ranks 0 inspect this.h5 --json >this.json
      compare "$loss, $ratio of lambda_max: gap over objective" \
        "$(key this.json gap) / $(key this.json objective)" '<' 1e-7
    done
  done
}

# contradicted MODEL DATA: status 1, one line that says so, and the numbers.
contradicted()
{
  local rc=0
  # an mpirun whose ranks fail may end before it has passed on what they print
  ranks 0 verify "$1" "$2" --json >verify.json 2>/dev/null || true
  ranks 2 verify "$1" "$2" --json >/dev/null 2>verify.err || rc=$?
  compare "status of verify" "$rc" == 1
  [ "$(key verify.json holds)" = false ] || fail "verify says that it holds"
  compare "excess" "$(key verify.json excess)" '>' 0
  grep -q "^thresher: $1: the certificate does not hold" verify.err ||
    fail "verify does not say that the certificate does not hold"
  compare "lines of its message" "$(own verify.err | wc -l)" == 1
}

# verify recomputes. Fresh examples of the same law do not contradict a model,
# those of another law do, and a model without a penalty has no certificate.
verified()
{
  must 2 verify path-model.h5 path.h5 --json
  "$PYTHON" - must.out path.json <<'END' || fail "verify finds other numbers"
import json, sys
found, model = (json.load(open(name)) for name in sys.argv[1:])
good = found["holds"] and not found["fresh"]
good = good and abs(found["objective"] / model["objective"] - 1) < 1e-9
good = good and found["gap"] <= 1e-8 and found["violation"] <= 1e-6
sys.exit(not good)
END
  local n=5000
  ! long || n=20000
  must 0 generate toeplitz -o law.h5 --examples $n --attributes 300
  must 0 generate toeplitz -o fresh.h5 --examples $((2 * n)) --attributes 300
  must 0 generate toeplitz -o other.h5 --examples $((2 * n)) --attributes 300 \
    --support 80
  must 2 train law.h5 -o law-model.h5 --solver lasso --no-standardize --lambda-ratio 0.3
  must 3 verify law-model.h5 fresh.h5
  contradicted law-model.h5 other.h5
  must 0 generate toeplitz -o few.h5 --examples 30 --attributes 300
  must 2 verify law-model.h5 few.h5
  grep -q '^certificate .*not refuted, .* decide nothing' must.out ||
    fail "30 examples decide something"
  must 0 train path.h5 -o sift.h5 --budget 100
  refused 1 'sift.h5: .*certificate' 1 verify sift.h5 path.h5
}

# Nothing correlates with the target: any lambda gives the zero model.
nothing()
{
  printf 'a,b,y\n1,2,3\n2,1,3\n4,4,3\n5,0,3\n' >nothing.csv
  must 0 import nothing.csv -o nothing.h5
  for options in "" "--lambda 0.1" "--path 3 --choose last"; do
    must 2 train nothing.h5 -o this.h5 --force --solver lasso --no-standardize $options
    ranks 0 inspect this.h5 --json >this.json
    compare "support, '$options'" "'$(key this.json support)'" == "'[]'"
    compare "intercept, '$options'" "$(key this.json intercept)" == 3
  done
}

# Squares that are out of range are said, not trained on.
huge()
{
  printf 'a,b,y\n1,2,3e200\n2,1,-1e200\n4,4,2e200\n5,0,3e199\n' >huge.csv
  must 0 import huge.csv -o huge.h5
  refused 1 'the targets reach 3e[+]200' 2 train huge.h5 -o no.h5 --solver lasso
  printf 'a,b,y\n1e22,2e22,3\n2e22,1e22,1\n4e22,4e22,2\n5e22,0,3\n' >wide.csv
  printf 'a,b,y\n2e22,2e22,3\n2e22,1e22,2\n4e22,5e22,2\n5e22,0,3\n' >elsewhere.csv
  must 0 import wide.csv -o wide.h5 --type f32
  must 0 import elsewhere.csv -o elsewhere.h5 --type f32
  must 2 train wide.h5 -o wide-model.h5 --solver lasso --no-standardize --lambda-ratio 0.5 \
    --no-intercept
  must 2 verify wide-model.h5 wide.h5
  refused 1 'attribute 0 reaches 5e[+]22: floats cannot hold its squares' 2 \
    verify wide-model.h5 elsewhere.h5
}

# With an intercept the layout of the data changes nothing in the problem.
layouts()
{
  "$PYTHON" - >layout.csv <<'END'
import random
random.seed(6)
print(",".join("a%d" % j for j in range(20)) + ",y")
for i in range(80):
    x = [random.choice((0, 0, 1, 5)) for j in range(20)]
    print(",".join(map(str, x + [x[0] - x[1] + random.gauss(0, 1)])))
END
  for layout in dense sparse; do
    must 0 import layout.csv -o "$layout.h5" --layout "$layout"
    must 2 train "$layout.h5" -o this.h5 --force --solver lasso --no-standardize \
      --standardize
    ranks 0 inspect this.h5 --json >"$layout.json"
  done
  for name in lambda_max objective; do
    compare "$name, sparse over dense" \
      "abs($(key sparse.json $name) / $(key dense.json $name) - 1)" '<' 1e-6
  done
}

# Columns that nearly depend on each other, dense and sparse, and sparse floats far from zero:
# the certificate from the data is as small as the gap that was reached.
alike()
{
  "$PYTHON" - <<'END'
import numpy
r = numpy.random.default_rng(4)
a = r.standard_normal((200, 400))
y = a[:, :8].sum(1) + r.standard_normal(200)
numpy.savez("copies.npz", X=numpy.hstack([a, a]), y=y)
x = (numpy.cumsum(r.standard_normal((900, 60)), 0) + 20).astype(numpy.float32)
numpy.savez("far_off.npz", X=x, y=x[:, :5].sum(1) + r.standard_normal(900).astype(float))
END
  for form in "copies f64 dense" "copies f64 sparse" "far_off f32 sparse"; do
    # shellcheck disable=SC2086 # words
    set -- $form
    ranks 0 train "$1.npz:X" --target "$1.npz:y" --type "$2" --layout "$3" --solver lasso -f \
      -o alike.h5 --lambda-ratio 1e-4 >alike.out 2>&1 || fail "$form: $(cat alike.out)"
    ! grep 'makes it no smaller' alike.out >said || fail "$form: $(cat said)"
  done
}

if [ "${1:-}" = real ]; then
  if [ ! -f "$data/colon-cancer.svm.xz" ]; then
    echo "skipped: no real data in $data (set THRESHER_DATA)"
    exit 77
  fi
  real
  finish
  exit
fi
path
radius
copies
alike
far
separable
verified
nothing
huge
layouts
finish
