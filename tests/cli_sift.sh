#!/usr/bin/env bash
# cli_sift.sh - the strict support of solver sift on data that mislead: weights that go with an
# attribute, rare attributes in either layout, nothing but noise
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/lib.sh"
if ! "$PYTHON" -c 'import numpy' 2>/dev/null; then
  echo "skipped: $PYTHON has no NumPy"
  exit 77
fi
rm -rf ./*
seeds="1 2 3"
long && seeds=$(seq 1 20)

# make KIND SEED: data.csv, and the true coefficients in truth.json
make()
{
  "$PYTHON" - "$@" <<'END'
import json, sys
import numpy
kind, seed = sys.argv[1], int(sys.argv[2])
draw = numpy.random.default_rng(seed)
n, d = {"weights": (8000, 60), "rare": (10000, 200), "noise": (200, 600)}[kind]
x = draw.standard_normal((n, d))
truth = numpy.zeros(d)
columns = [x]
if kind == "weights":
    truth[:3] = 1, -1, 0.5
    columns.append(numpy.exp(x[:, :1]))
if kind == "rare":
    x[:] = draw.random((n, d)) < 0.01
    truth[draw.permutation(d)[:10]] = 3 * draw.choice([-1, 1], 10)
columns.append((x @ truth + draw.standard_normal(n))[:, None])
numpy.savetxt("data.csv", numpy.hstack(columns), delimiter=",", fmt="%.5g")
json.dump(truth.tolist(), open("truth.json", "w"))
END
}

# score WHAT: of model.h5
score()
{
  ranks 0 inspect model.h5 --json >model.json
  "$PYTHON" - "$1" <<'END'
import json, sys
model, truth = (json.load(open(n)) for n in ("model.json", "truth.json"))
coef = dict(zip(model["support"], model["coef"]))
off = [abs(coef.get(j, 0) - t) for j, t in enumerate(truth)]
print({"worst": max(off + [abs(model["intercept"])]),
       "missed": sum(t != 0 and j not in coef for j, t in enumerate(truth)),
       "size": len(coef)}[sys.argv[1]])
END
}

for seed in $seeds; do
  make weights "$seed"
  must 0 import data.csv -o data.h5 --weights 61 --target 62 --force
  for more in "" "--refit no" "--passes 3"; do
    # shellcheck disable=SC2086
    must 0 train data.h5 -o model.h5 --select truth --budget 20 --passes 1 $more --force
    compare "weights, seed $seed, '$more': error" "$(score worst)" '<' 0.15
  done
done

for seed in $seeds; do
  make rare "$seed"
  for layout in dense sparse; do
    must 0 import data.csv -o data.h5 --layout $layout --force
    must 0 train data.h5 -o model.h5 --select truth --budget 40 --passes 3 --force
    compare "rare, seed $seed, $layout: missed" "$(score missed)" == 0
  done
done

# labels of one pass: fitted on all rows that saw the support, not on the last ones
for seed in ${seeds%% *}; do
  "$PYTHON" "$SOURCE/tests/bench/refit_data.py" make "$seed" data.csv 20000 60 10
  must 0 import data.csv -o data.h5 --target y --force
  must 0 train data.h5 -o model.h5 --select truth --loss logistic --passes 1 --force
  ranks 0 inspect model.h5 --json >model.json
  "$PYTHON" "$SOURCE/tests/bench/refit_data.py" score "$seed" model.json 20000 60 10 \
    >score.json
  compare "labels, seed $seed: missed" "$(key score.json missed)" == 0
  compare "labels, seed $seed: excess log loss" "$(key score.json excess)" '<' 0.0006
done

chosen=0
for seed in $seeds; do
  make noise "$seed"
  must 0 import data.csv -o data.h5 --force
  must 0 train data.h5 -o model.h5 --select truth --force
  chosen=$((chosen + $(score size)))
done
compare "noise: attributes of $(echo $seeds | wc -w) models" "$chosen" '<=' \
  $((2 + $(echo $seeds | wc -w) / 2))
finish
