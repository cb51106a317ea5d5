#!/usr/bin/env bash
# screening.sh - solvers with a penalty: what they refuse, that their models
# have the same bytes everywhere, and what they say of themselves
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*
solvers=$(solvers_with penalty)

"$PYTHON" - <<'END' || fail "cannot write the data"
import random
draw = random.Random(3)
def write(name, n, d, density, label):
    with open(name, "w") as out:
        for i in range(n):
            row = {j: round(draw.gauss(0, 1), 3) for j in range(d)
                   if draw.random() < density}
            score = sum(row.get(j, 0) * (-1) ** j for j in range(3, d, d // 6))
            score += draw.gauss(0, 0.3)
            values = (f"{j + 1}:{x:g}" for j, x in row.items() if x)
            print(label(score, i), *values, file=out)
def sign(score, i):
    return 1 if score > 0 else -1
write("dense.svm", 90, 700, 1, sign)
write("sparse.svm", 90, 700, 0.05, sign)
write("three.svm", 30, 20, 1, lambda score, i: i % 3)
write("flat.svm", 30, 20, 1, lambda score, i: 3)
write("one.svm", 1, 20, 1, sign)
write("faint.svm", 30, 20, 1, lambda score, i: (score + 1) * 1e-299)
for name, unit in ("huge", 1e200), ("minute", 1e-200):
    with open(name + ".csv", "w") as out:
        print("y", *(f"x{j}" for j in range(600)), sep=",", file=out)
        for i in range(20):
            row = [draw.gauss(0, 1) for j in range(600)]
            row[590] *= unit
            row[3] = 1e250 # constant: left out
            print(row[2] + row[1], *row, sep=",", file=out)
with open("constant.svm", "w") as out:
    for i in range(20):
        print(1 if i % 2 else -1, "1:3 2:-1 3:0.5", file=out)
END
for layout in dense sparse; do
  for shards in 1 3; do
    must 0 import $layout.svm -o $layout$shards.h5 --shards $shards \
      --layout $layout --row-group 64 --attributes 700 --no-shuffle
  done
done
for name in three flat one faint constant; do
  must 0 import $name.svm -o $name.h5 --no-shuffle
done
for name in huge minute; do
  must 0 import $name.csv -o $name.h5 --no-shuffle --target y --type f64
done
printf '0-300\n301-699 weight=3\n' >whole.groups
printf '0-300\n300-699\n' >overlap.groups
printf '0-300\n302-699\n' >missing.groups
printf '0-300\n301-700\n' >beyond.groups

# ---- bad input ----

# train_refused STATUS PATTERN SOLVER OPTION...
train_refused()
{
  refused "$1" "$2" 0 train dense1.h5 -o no.h5 --solver "${@:3}"
}

# What the option table and the plan refuse, whichever solver it is.
bad_options()
{
  local exclude='--lambda, --lambda-ratio and --path exclude each other'
  train_refused 2 'train: --lambda 0: must be above 0' saga --lambda 0
  train_refused 2 'train: --lambda -1: must be above 0' saga --lambda -1
  train_refused 2 'train: --lambda-ratio 0: must be' saga --lambda-ratio 0
  train_refused 2 "$exclude" saga --lambda 1 --lambda-ratio 0.5
  train_refused 2 "$exclude" saga --lambda 1 --path 5
  train_refused 2 '--path-min counts only with --path' saga --path-min 0.1
  train_refused 2 '--mix counts only with' saga --lambda 1 --mix 0.3
  train_refused 2 'solver sift does not use --lambda' sift --lambda 1
  train_refused 2 '--penalty sparse-group needs groups' saga \
    --penalty sparse-group
  local with=(saga --penalty group --groups)
  train_refused 1 'overlap.groups:2: attribute 300 is in the groups of lines' \
    "${with[@]}" overlap.groups
  train_refused 1 'missing.groups: attribute 301 is in no group' \
    "${with[@]}" missing.groups
  train_refused 1 'beyond.groups:2.*: attribute 700 found' \
    "${with[@]}" beyond.groups
}

# What every solver has to see for itself.
bad_input() # SOLVER
{
  train_refused 2 '--lambda, --lambda-ratio and --path exclude each other' "$1" \
    --lambda-ratio 0.5 --path 5
  train_refused 2 '--penalty group needs groups' "$1" --penalty group
  refused 1 'more than two values, and a logistic loss .*--positive-class A, such as 2,' 0 \
    train three.h5 -o no.h5 --solver "$1" --loss logistic
  refused 1 'one.h5 has 1 training example, and train needs at least 2; give it more' 0 \
    train one.h5 -o no.h5 --solver "$1"
  refused 1 'attribute 590 reaches .*e[+]200: too large for .*; divide it' \
    0 train huge.h5 -o no.h5 --solver "$1"
  refused 1 'attribute 590 stays within .*e-200: too small for .*; multiply it' \
    $two train minute.h5 -o no.h5 --solver "$1"
  refused 1 'the targets stay within .*e-299: too small for .*; multiply them' 0 \
    train faint.h5 -o no.h5 --solver "$1"
}

bad_screening()
{
  local w
  for w in 0.49 1.01; do
    train_refused 2 "train: --screen-exponent $w: must be at least 0.5" \
      os-prox-sgd --screen-exponent "$w"
  done
  train_refused 2 '--screen-rule votes counts only with --screen online' \
    fs-prox-sgd --screen-rule votes
  train_refused 2 '--screen-rule counts only with --screen gap-safe or online' \
    rda --screen-rule paper
  train_refused 2 '--screen-exponent counts only with --screen online' \
    os-prox-sgd --screen none --screen-exponent 0.6
  train_refused 2 'solver lasso cannot --screen online' lasso --screen online
}

# ---- the zero model ----

# zero RANKS NAME.h5 SOLVER OPTION...: it is, and a note says so
zero()
{
  must "$1" train "$2" -o zero.h5 --force --solver "${@:3}" || return 0
  grep -q '^note: lambda .* the model is zero' must.err ||
    fail "$*: no note that the model is zero"
  ranks 0 inspect zero.h5 --json >zero.json
  "$PYTHON" - <<'END' || fail "$*: not the zero model"
import json
model = json.load(open("zero.json"))
assert model["support"] == [] and abs(model["gap"]) <= 1e-9
assert model["lambda"] >= model["lambda_max"]
assert model["objective"] > 0 or model["intercept"] == 3
END
}

# ---- good input ----

arguments() # SOLVER
{
  case $1 in
  lasso) ;;
  os-prox-sgd) echo --epochs 60 --screen-exponent 0.6 ;;
  *) echo --epochs 24 ;;
  esac
}

# Ranks and shards
tried() # LAYOUT
{
  if long; then
    echo 2:3 3:1
  elif [ "$1" = dense ]; then
    echo 2:3
  else
    echo 3:1
  fi
}

# same LAYOUT SOLVER OPTION...: one model, whatever the ranks, shards and memory
same()
{
  local layout=$1 solver=$2 n shards how
  must 0 train "${layout}1.h5" -o this1.h5 --force --solver "$solver" --no-standardize \
    --lambda-ratio 0.5 "${@:3}" --memory 40K || return 0
  for how in $(tried "$layout"); do
    n=${how%:*}
    shards=${how#*:}
    must "$n" train "$layout$shards.h5" -o "this$n.h5" --force \
      --solver "$solver" --no-standardize --lambda-ratio 0.5 "${@:3}" --report run.json \
      --telemetry run.jsonl || return 0
    cmp this1.h5 "this$n.h5" ||
      fail "$*: another model on $n ranks and $shards shards, or with more memory"
  done
}

# Both layouts; in the ordinary suite one of them in turn
layouts()
{
  if long; then
    echo dense sparse
  elif [ $two -eq 2 ]; then
    echo dense
  else
    echo sparse
  fi
}

good() # SOLVER
{
  local layout loss intercept own n
  read -r -a own <<<"$(arguments "$1")"
  for layout in $(layouts); do
    loss=logistic
    intercept=--intercept
    [ $layout = dense ] || { loss=squared && intercept=--no-intercept; }
    same $layout "$1" --loss $loss $intercept "${own[@]}"
    ranks 0 inspect this1.h5 --json >model.json
    "$PYTHON" "$SOURCE/tests/program/check_penalised.py" $layout.svm model.json \
      run.json run.jsonl 0.5 || fail "$layout, $1: what it says of itself"
  done
  for n in 0 $two; do
    must $n train dense3.h5 -o grouped$n.h5 --force --solver "$1" \
      --penalty group --groups whole.groups --lambda-ratio 0.5 "${own[@]}" ||
      return 0
  done
  cmp grouped0.h5 grouped$two.h5 || fail "$1: groups that cross ranks"
}

# Attributes of very uneven scales: steps hardly move, and that is said; online
# screening ends with the exact solver.
uneven()
{
  local solver loss
  "$PYTHON" - <<'END'
import random
random.seed(4)
for name in "uneven", "uneven-labels":
    with open(name + ".csv", "w") as file:
        file.write("age,income,score,y\n")
        for i in range(500):
            x = (random.randint(18, 80), round(random.lognormvariate(10.6, .6)),
                 random.gauss(0, 1))
            y = .05 * x[0] + 2e-5 * x[1] - .7 * x[2] + random.gauss(0, 1)
            y = y > 3.3 if name.endswith("labels") else y
            file.write("%d,%d,%.4f,%.4f\n" % (*x, y))
END
  for solver in os-prox-sgd prox-sgd; do
    for loss in squared logistic; do
      local set=uneven
      [ $loss = squared ] || set=uneven-labels
      [ -e $set.h5 ] || must 0 import $set.csv -o $set.h5
      must 0 train $set.h5 -o uneven-model.h5 --force --loss $loss \
        --solver $solver --lambda 0.01 --no-standardize || continue
      grep -q '^note: standard deviations of attributes go from .*; --standardize gives' must.err ||
        fail "$loss, $solver: no note of attributes in very different units"
      ranks 0 inspect uneven-model.h5 --json >model.json
      if [ $solver = os-prox-sgd ]; then
        compare "$loss: gap on uneven scales" "$(key model.json gap)" '<' 1e-8
        grep -q '^note: .*exact solver ends the run' must.err ||
          fail "$loss: no note that the exact solver ended the run"
      else
        grep -q '^note: .*the model is not the solution' must.err ||
          fail "$loss: no note of a gap that was not reached"
      fi
      must 0 train $set.h5 -o even-model.h5 --force --loss $loss --solver $solver --lambda 0.01
      ! grep -q '^note: \(standard deviations\|.*exact solver ends\)' must.err ||
        fail "$loss, $solver: standardized attributes are not in one unit: $(cat must.err)"
    done
  done
}

# Steps as the paper prints them: eta / (n t^0.51) at example t.
printed_steps()
{
  must 0 generate kukliansky -o printed.h5 --examples 500 --attributes 20
  must 0 train printed.h5 -o never.h5 --solver prox-sgd --eta 0.5 --steps paper --epochs 4 \
    --telemetry printed.jsonl
  "$PYTHON" - <<'END' || fail "steps of --steps paper"
import json
rows = [json.loads(line) for line in open("printed.jsonl")]
rows = rows[-1:] # behind 4 epochs
assert rows
for row in rows:
    wanted = 0.5 / (500 * (500 * 4) ** 0.51)
    assert abs(row["step_size"] / wanted - 1) < 1e-2, (row, wanted)
END
  rm never.h5
  refused 2 'saga does not use --steps' 0 train printed.h5 -o never.h5 --solver saga --steps paper
}

# Examples of which all attributes are read: the same steps, and more is observed; where
# memory is short, on several ranks and shards, too.
whole_draws()
{
  local layout options=(--solver os-prox-sgd --lambda-ratio 0.5 --epochs 60)
  train_refused 2 '--screen-draws counts only with --screen gap-safe or online' \
    rda --screen-draws all
  for layout in dense sparse; do
    must 0 train ${layout}1.h5 -o left.h5 --force "${options[@]}"
    must 0 train ${layout}1.h5 -o all.h5 --force "${options[@]}" --screen-draws all
    must 3 train ${layout}3.h5 -o all3.h5 --force "${options[@]}" --screen-draws all --memory 40K
    cmp all.h5 all3.h5 || fail "$layout: --screen-draws all on 3 ranks"
    ranks 0 inspect left.h5 --json >left.json
    ranks 0 inspect all.h5 --json >all.json
    "$PYTHON" - <<'END' || fail "$layout: what --screen-draws all reads"
import json
left, whole = (json.load(open(name + ".json")) for name in ("left", "all"))
for name in "support", "coef", "intercept", "active", "gap":
    assert left[name] == whole[name], name
assert left["active"] < 350
assert whole["ledger"]["attributes"] > 1.2 * left["ledger"]["attributes"]
END
  done
}

uneven
printed_steps
whole_draws
bad_options
bad_screening
two=0
for solver in $solvers; do
  # two ranks, in the ordinary suite for every second solver
  two=$((2 - two))
  ! long || two=2
  bad_input "$solver"
  zero $two dense3.h5 "$solver" --lambda 1e3
  zero 0 constant.h5 "$solver" --loss logistic
  zero 0 flat.h5 "$solver"
  good "$solver"
  echo "$solver: done"
done
must 0 train flat.h5 -o flat-path.h5 --solver lasso --path 4
finish
