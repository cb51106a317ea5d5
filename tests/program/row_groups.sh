#!/usr/bin/env bash
# row_groups.sh - every solver takes any number of rows in a row group
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

size="--examples 230 --attributes 30 --support 4 --test 0.1 --seed 3"
ball="--passes 2 --batch 16"
declare -A options=(
  [sift]="--budget 15"
  [omp]="-s 4" [oomp]="-s 4"
  [ssr]="-s 4"
  [aerr]="$ball" [aelr]="$ball" [ogd-ridge]="$ball" [eg-lasso]="$ball"
)
# and all others: what they need, and few passes
steps=" $(solvers_with epochs | tr '\n' ' ') "
each_solver 4 15 1,2,3 >needs
while read -r solver given; do
  [[ $steps != *" $solver "* ]] || given+=" --lambda-ratio 0.2 --epochs 8"
  options[$solver]=${options[$solver]-$given}
done <needs
solvers=$(cut -d ' ' -f 1 needs)
[ "$(wc -w <<<"$solvers")" -ge 12 ] || fail "not all solvers: $solvers"

# trains R SOLVER OPTION...: the same model on one rank and on two.
trains()
{
  local r=$1 solver=$2 given
  shift 2
  given=${options[$solver]-}
  must 0 train "$r.h5" -o one.h5 --force --solver "$solver" $given "$@"
  must 2 train "$r.h5" -o two.h5 --force --solver "$solver" $given "$@"
  cmp one.h5 two.h5 || fail "$solver $*: another model on two ranks, R = $r"
}

for r in 48 100 1000; do
  family=toeplitz
  [ "$r" -ne 48 ] || family='sparse --density 0.3'
  must 0 generate $family -o $r.h5 $size --row-group $r --shards 2
  turn=0
  for solver in $solvers; do
    [ "$r" -eq 100 ] || [[ $steps == *" $solver "* ]] || continue
    # each with 100, and with one of the others
    turn=$((turn + 1))
    [ "$r" -eq 100 ] || tried $((turn + r / 1000)) 2 || continue
    trains $r "$solver"
  done
done
trains 100 saga --batch 4
trains 100 os-prox-sgd --batch 4
finish
