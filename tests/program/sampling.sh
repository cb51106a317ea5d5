#!/usr/bin/env bash
# sampling.sh - solvers that sample attributes: what their ledgers say, starts, weights,
# limit cases, and options that do not go together
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

# train NAME ARGUMENT...: NAME.h5, and NAME.json from inspect
train()
{
  local name=$1
  shift
  must 0 train "$@" -o "$name.h5" --force && ranks 0 inspect "$name.h5" --json >"$name.json"
}

# score NAME MODEL DATA
score()
{
  ranks 0 evaluate "$2.h5" "$3.h5" --json >scores.json
  key scores.json "$1"
}

# mse MODEL DATA
mse()
{
  score mse "$1" "$2"
}

must 0 generate kukliansky -o data.h5 --examples 3000 --attributes 600 --alpha -2 \
  --test 0.2 --seed 3

# --- the ledger: budget x examples with repeats, no more without; one draw an example
for solver in aerr aelr; do
  for moments in uniform known two-phase; do
    train model data.h5 --solver "$solver" --budget 7 --moments "$moments" --passes 2 \
      --validation 0.1
    what="$solver, $moments"
    compare "$what: most of one" "$(key model.json ledger.max_attributes_per_example)" == 7
    compare "$what: examples" "$(key model.json ledger.examples)" '<=' 4800
    compare "$what: attributes" "$(key model.json ledger.attributes)" '<=' \
      "7 * $(key model.json ledger.examples)"
    compare "$what: distinct" "$(key model.json ledger.distinct_attributes)" '<' \
      "$(key model.json ledger.attributes)"
    compare "$what: validation" "$(key model.json ledger.validation_examples)" '>' 0
    compare "$what: error" "$(score relative_loss model data)" '<' 0.3
  done
done
for solver in ogd-ridge eg-lasso; do
  train model data.h5 --solver "$solver" --passes 3 --validation 0
  compare "$solver: most of one" "$(key model.json ledger.max_attributes_per_example)" == \
    "$(key model.json ledger.distinct_attributes) / $(key model.json ledger.examples)"
  compare "$solver: error" "$(score relative_loss model data)" '<' 0.1
done

# --- a start: the error goes on falling from where it was
for solver in aerr aelr ogd-ridge eg-lasso; do
  train long data.h5 --solver "$solver" --passes 4 --validation 0
  train more data.h5 --solver "$solver" --passes 1 --validation 0 --start long.h5
  compare "$solver: error from a start" "$(mse more data)" '<' "1.5 * $(mse long data)"
done

# --- examples of weight 0 teach nothing, and scaled weights change nothing
"$PYTHON" - <<'END'
import random
random.seed(1)
for name, scale in (("one", 1), ("ten", 10)):
    random.seed(1)
    with open(name + ".csv", "w") as f:
        f.write("y,w," + ",".join("a%d" % j for j in range(20)) + "\n")
        for i in range(400):
            x = [random.gauss(0, 1) for j in range(20)]
            lie = i % 2
            y = -9 if lie else 3 * x[3] - 2 * x[7] + random.gauss(0, .1)
            f.write("%g,%g," % (y, 0 if lie else scale) + ",".join("%.4f" % v for v in x) + "\n")
END
for name in one ten; do
  must 0 import $name.csv -o $name.h5 --target y --weights w
done
for solver in aerr aelr ogd-ridge eg-lasso; do
  options="--solver $solver --passes 60 --validation 0"
  case $solver in ae*) options+=" --budget 10" ;; esac
  # shellcheck disable=SC2086
  train one-model one.h5 $options
  # shellcheck disable=SC2086
  train ten-model ten.h5 $options
  "$PYTHON" - "$solver" <<'END' || fail "$solver: weights"
import json, sys
one, ten = (json.load(open(n + "-model.json")) for n in ("one", "ten"))
coef = dict(zip(one["support"], one["coef"]))
assert all(abs(a - b) < 1e-9 for a, b in zip(one["coef"], ten["coef"])), "scaled weights"
assert abs(coef[3] - 3) < .6 and abs(coef[7] + 2) < .6, (coef[3], coef[7])
assert abs(one["intercept"]) < 1, one["intercept"]
END
done

# --- limit cases
"$PYTHON" - <<'END'
import random
random.seed(1)
def write(name, y, x):
    with open(name, "w") as f:
        f.write("y," + ",".join("a%d" % j for j in range(6)) + "\n")
        for i in range(200):
            row = [x(i, j) for j in range(6)]
            f.write(",".join("%.6g" % v for v in [y(i, row)] + row) + "\n")
normal = lambda i, j: random.gauss(0, 1)
write("flat.csv", lambda i, r: 3, normal)
write("still.csv", lambda i, r: i, lambda i, j: 5)
write("half.csv", lambda i, r: r[0], lambda i, j: normal(i, j) if j % 2 == 0 else 2)
write("rare.csv", lambda i, r: r[0], lambda i, j: normal(i, j) if j < 5 else float(i == 7))
END
for name in flat still half rare; do
  must 0 import $name.csv -o $name.h5 --target y
done
for solver in aerr aelr ogd-ridge eg-lasso; do
  train flat-model flat.h5 --solver "$solver"
  compare "$solver, flat targets" "$(key flat-model.json intercept)" == 3
  compare "$solver, flat targets: support" "len($(key flat-model.json support))" == 0
  train half-model half.h5 --solver "$solver" --passes 50
  compare "$solver, constant attributes" \
    "set([1, 3, 5]) & set($(key half-model.json support))" == "set()"
  compare "$solver, constant attributes: error" "$(mse half-model half)" '<' 0.1
  train still-model still.h5 --solver "$solver"
  compare "$solver, constant attributes alone" "$(key still-model.json intercept)" == 99.5
done
for moments in uniform known two-phase; do
  train rare-model rare.h5 --solver aerr --no-standardize --budget 2 --moments $moments --passes 50
  compare "budget of 2, $moments" "$(key rare-model.json ledger.max_attributes_per_example)" == 2
  compare "budget of 2, $moments: error" "$(mse rare-model rare)" '<' 0.3
done

# --- what does not go together, and what cannot be
untrained "more than the 6 attributes" half.h5 --solver aerr --budget 7
untrained "at least 2 are needed" half.h5 --solver aelr --budget 1
untrained "squared loss only" half.h5 --solver aerr --loss logistic
untrained "exclude each other" half.h5 --solver aerr --eta 0.1 --adagrad norm
untrained "give one of them" half.h5 --solver aerr --eta 0.1 --step-factor 2
untrained "does not use --moments" half.h5 --solver ogd-ridge --moments known
untrained "does not use --budget" half.h5 --solver eg-lasso --budget 3
untrained "must be above 0" half.h5 --solver aerr --radius 0
untrained "not a number" half.h5 --solver aerr --eta theories
untrained "has no --eta theory" half.h5 --solver prox-sgd --eta theory
untrained "does not use --radius" half.h5 --solver sift --radius 1
untrained "no numbers any more" half.h5 --solver aerr --eta 1e300 --radius 1e300

# --- theory: fixed steps, the plain average
for solver in aerr aelr ogd-ridge eg-lasso; do
  train theory data.h5 --solver "$solver" --eta theory --passes 2 --radius 30
  compare "$solver: eta in the deck" "$(key theory.json deck.eta)" == '"theory"'
done

# --- the norm of the moments known: the second phase steps as Theorem 3.6 has it
must 0 generate kukliansky -o small.h5 --examples 4000 --attributes 50 --seed 3
last_step()
{
  must 0 train small.h5 -o model.h5 --force --solver aerr --no-standardize --budget 11 \
    --passes 1 --batch 1 \
    --validation 0 --eta theory --radius 30 --moments norm --moment-norm "$1" \
    --telemetry steps.jsonl
  tail -n 1 steps.jsonl | "$PYTHON" -c 'import json, sys
print(json.load(sys.stdin)["step_size"])'
}
for norm in 1e-9 3 30 300; do
  echo "$norm $(last_step "$norm")"
done >sizes.txt
"$PYTHON" - <<'END' || fail "steps where the norm of the moments is known"
from math import log, sqrt
sizes = [tuple(map(float, line.split())) for line in open("sizes.txt")]
d, k, first, m, delta = 50, 6, 400, 3600, 0.05 # of 11 attributes; of 4,000 examples
error = d * log(2 * d / delta) / (k * first) # k reads of an example are drawn alike
unit = 1 / (sizes[0][1] * sqrt(m)) # norm 0: the step is 1 / sqrt(m), over the unit
for norm, size in sizes:
    n = norm / unit
    spread = 2 * sqrt(5 / 3) * d * sqrt(n * error)
    wanted = max(sqrt(k / (6 * d * m)), sqrt(k / (m * (2 * n + spread + k)))) / unit
    print(f"norm {norm:g}: a step of {size:.6g}, by the theorem {wanted:.6g}")
    assert abs(size / wanted - 1) < 1e-4
assert len({size for _, size in sizes}) == 4
END
refused 2 'needs --moment-norm' 0 train small.h5 -o never.h5 --solver aerr --moments norm
refused 2 'no theorem uses the norm for --solver aelr' 0 \
  train small.h5 -o never.h5 --solver aelr --no-standardize --moments norm --moment-norm 3
refused 2 'counts only with --moments norm' 0 \
  train small.h5 -o never.h5 --solver aerr --no-standardize --moment-norm 3
finish
