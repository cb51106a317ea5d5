#!/usr/bin/env bash
# planned.sh - what a run takes in memory beside the values that it stores is what its plan
# said, for genotypes of two types; in its long form of all types, for more solvers. And no
# solver takes much more than its plan, on wide sparse data, on one rank and on three
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

# What a program takes that has hardly any data; what is added may be too little by LITTLE,
# for pages and small arrays, and too much by a factor, and by as many bytes as are no matter.
must 0 generate genotypes -o tiny.h5 --examples 100 --attributes 50 --support 5
must 0 train tiny.h5 -o tiny.model.h5 --solver lasso --report tiny.json

# planned DATA OPTION...
planned()
{
  local data=$1
  shift
  must 0 train "$data" -o model.h5 --force --no-map --report run.json "$@"
  "$PYTHON" - "$@" <<'END' || fail "the plan of $data, $*"
import json
LITTLE, FACTOR, NO_MATTER = 4e6, 2, 16e6
TWICE = 1.05  # values of S that were read alone, before their block was
tiny, run = (json.load(open(name)) for name in ("tiny.json", "run.json"))
took = run["peak_memory_per_rank"] - tiny["peak_memory_per_rank"]
plan = run["planned_memory"] + run["planned_stored"]
print(f"took {took / 1e6:.1f} MB, planned {plan / 1e6:.1f} MB")
assert took <= TWICE * plan + LITTLE, "it took more"
assert plan <= FACTOR * took + NO_MATTER, "it took much less"
END
}

types=(u2 i8)
! long || types=(u2 i8 u8 f32 f64)
for type in "${types[@]}"; do
  must 0 generate genotypes -o $type.h5 --examples 1000 --attributes 6000 --support 30 \
    --type $type
  planned $type.h5
  planned $type.h5 --solver lasso --standardize --path 20 --path-min 0.1
  long || continue
  planned $type.h5 --solver omp
  planned $type.h5 --solver oomp
  planned $type.h5 --solver hybrid -s 20 --budget 300
  planned $type.h5 --solver saga --epochs 2
done

# --- Every solver on wide sparse data: what is made for all attributes, or for all held-out
# examples, must not be made for each attribute of each of them.
must 0 generate sparse -o wide.h5 --examples 6000 --attributes 50000 --support 20
must 0 train tiny.h5 -o tiny.model.h5 --force --solver oomp --mu 0.1 --report tiny.json
few="-s 10 --budget 200"
steps="--epochs 1"
declare -A options=(
  [exploration]="$few" [hybrid]="$few" [exploitation]="--start 1,2,5" [rda-ito]="$few"
  [ssr]="$few" [oomp]="--mu 0.1" [os-prox-sgd]="$steps" [fs-prox-sgd]="$steps"
  [prox-sgd]="$steps" [truncated-gradient]="$steps" [rda]="$steps" [sgd]="$steps"
  [saga]="$steps" [svrg]="$steps"
)
for solver in $(ranks 0 solvers | grep '^[a-z]'); do
  [ "$solver" != dantzig ] || continue # it refuses data of so many attributes
  for n in 0 3; do
    # shellcheck disable=SC2086
    must $n train wide.h5 -o model.h5 --force --solver "$solver" ${options[$solver]:-} \
      --report run.json
    "$PYTHON" - "$solver" <<'END' || fail "solver $solver takes more than its plan, on $n ranks"
import json, sys
LITTLE, FACTOR = 8e6, 1.3
tiny, run = (json.load(open(name)) for name in ("tiny.json", "run.json"))
took = run["peak_memory_per_rank"] - tiny["peak_memory_per_rank"]
plan = run["planned_memory"] + run["planned_stored"]
print(f"{sys.argv[1]}: took {took / 1e6:.1f} MB, planned {plan / 1e6:.1f} MB")
assert took <= FACTOR * plan + LITTLE
END
  done
done
finish
