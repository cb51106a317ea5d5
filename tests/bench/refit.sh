#!/usr/bin/env bash
# refit.sh [FOLDER] - how runs under a budget end: exploitation on the true
# support for labels, hybrid without a refit
# SPDX-License-Identifier: MIT
#
# REFIT_SEEDS (1 to 20): 20,000 examples of labels each, excess log loss over the
# true coefficients, beside the maximum-likelihood fit on the same support and
# beside --refit no. SEEDS: 90,000 training examples of the worked example's
# problem.
set -euo pipefail
RANKS=0
. "$(dirname "$0")/bench.sh"
bench=$SOURCE/tests/bench
shape="20000 20 10" # examples, attributes, support

# fit NAME SEED OPTION...
fit()
{
  local name=$1.$2 seed=$2
  must 0 train labels.h5 -o model.h5 --force --quiet --seed "$seed" \
    --solver exploitation --start 0,1,2,3,4,5,6,7,8,9 --loss logistic "${@:3}"
  ranks 0 inspect model.h5 --json >model.json
  # shellcheck disable=SC2086
  "$PYTHON" "$bench/refit_data.py" score "$seed" model.json $shape >"$name.json"
}

for seed in ${REFIT_SEEDS:-$(seq 1 20)}; do
  # shellcheck disable=SC2086
  "$PYTHON" "$bench/refit_data.py" make "$seed" labels.csv $shape
  must 0 import labels.csv -o labels.h5 --target y --force
  rm labels.csv
  for passes in 1 2; do
    fit "auto-$passes" "$seed" --passes "$passes"
    fit "no-$passes" "$seed" --passes "$passes" --refit no
  done
done
remove labels.h5

worst() # NAME KEY
{
  "$PYTHON" - "$2" "$1".*.json <<'END'
import json, sys
print(max(json.load(open(name))[sys.argv[1]] for name in sys.argv[2:]))
END
}

echo "worst of the maximum-likelihood fits: $(worst auto-1 likelihood)"
for passes in 1 2; do
  echo "passes $passes: worst without a refit: $(worst "no-$passes" excess)"
  compare "passes $passes: worst excess log loss" \
    "$(worst "auto-$passes" excess)" '<=' 0.0035
done

for seed in $SEEDS; do
  must 0 generate murata -o murata.h5 --examples 100000 --attributes 500 \
    --test 0.1 --seed "$seed" --force
  must 0 train murata.h5 -o model.h5 --force --quiet --seed "$seed" \
    --solver hybrid -s 25 --budget 50 --passes 1 --refit no
  ranks 0 evaluate model.h5 murata.h5 --json >"hybrid.$seed.json"
done
remove murata.h5
compare "hybrid without a refit, mean" "$("$PYTHON" - hybrid.*.json <<'END'
import json, statistics, sys
print(statistics.mean(json.load(open(name))["population_mse"]
                      for name in sys.argv[1:]))
END
)" '<=' 1.01
finish
