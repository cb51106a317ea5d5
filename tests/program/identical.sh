#!/usr/bin/env bash
# identical.sh - the model file has the same bytes for any number of ranks
# and any shard layout, for every solver, dense and sparse
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

generate()
{
  local layout=$1 n=$2 shards=$3 name=$4 examples=1000
  ! long || examples=3000
  if [ "$layout" = dense ]; then
    must "$n" generate murata -o "$name" --examples $examples --attributes 2100 \
      --support 12 --test 0.1 --seed 5 --row-group 128 --shards "$shards"
  else
    must "$n" generate sparse -o "$name" --examples $examples --attributes 2100 \
      --support 12 --density 0.05 --test 0.1 --seed 5 --row-group 128 \
      --shards "$shards"
  fi
}

# What a solver that is not named here gets is what it needs, and a budget where it has one.
arguments()
{
  case $1 in
  sift) echo "--solver sift --budget 400" ;;
  truth) echo "--solver sift --select truth --budget 400" ;;
  exploitation) echo "--solver exploitation --budget 400 -s 12 --start 3,17,900,2001" ;;
  *+*) echo "--solver ${1%+*} --penalty ${1#*+} --groups some.groups" \
    "--lambda-ratio 0.3 --epochs 4 --batch 8" ;;
  *sgd | saga | svrg | rda | truncated-gradient)
    echo "--solver $1 --lambda-ratio 0.3 --epochs 4 --batch 8" ;;
  lasso) echo "--solver lasso --path 12 --path-min 0.1" ;;
  aerr | aelr) echo "--solver $1 --budget 40 --passes 2 --validation 0.1" ;;
  ogd-ridge | eg-lasso) echo "--solver $1 --passes 1 --adagrad coordinate" ;;
  rda-ito | exploration | hybrid) echo "--solver $1 --budget 400 -s 12" ;;
  dantzig) echo "--solver dantzig --budget 60 -s 12" ;;
  ridge) echo "--solver ridge --factor cg" ;; # what ScaLAPACK gives depends on the ranks
  omp | oomp) echo "--solver $1 -s 12" ;;
  *) echo "--solver $(each_solver 12 400 3 | grep "^$1\( \|$\)")" ;;
  esac
}

# Groups of every 70th attribute: all ranks have some of each.
awk 'BEGIN { for (g = 0; g < 70; g++) {
  for (j = g; j < 2100; j += 70) printf "%d ", j
  print g % 3 ? "" : "weight=4" } }' >some.groups

solvers="$(each_solver 12 400 3 | cut -d ' ' -f 1) saga+group os-prox-sgd+sparse-group"
long && solvers+=" truth"
# of seconds a model: `golden` has them, and the long suite
long || solvers=$(tr ' ' '\n' <<<"$solvers" | grep -vxE 'ridge|dantzig')
# Ranks and shards; one rank is without a launcher. Beside `golden`, which has 1 and 3 ranks
# and more kinds of data, the ordinary suite takes one of them in turn, of one layout.
layouts_of() # LAYOUT NUMBER-OF-SOLVER
{
  if long; then
    echo 2:8 3:3 4:1 4:8 2:3
    return
  fi
  case $1:$(($2 % 4)) in
  dense:0) echo 2:8 ;;
  sparse:1) echo 4:8 ;;
  dense:2) echo 4:1 ;;
  sparse:3) echo 3:3 ;;
  esac
}

for layout in dense sparse; do
  # The data set itself does not depend on the ranks that make it.
  generate "$layout" 1 3 one.h5
  generate "$layout" 4 3 four.h5
  for k in 00000 00001 00002; do
    cmp "one.shards/$k.h5" "four.shards/$k.h5" || fail "$layout shard $k"
  done
  rm -rf one.* four.*
  for shards in 1 3 8; do
    generate "$layout" 2 "$shards" "$layout$shards.h5"
    ranks 0 inspect "$layout$shards.h5" --json >"$layout$shards.json"
    compare "$layout fingerprint, $shards shards" \
      "$(key "$layout$shards.json" fingerprint)" == \
      "$(key "${layout}1.json" fingerprint)"
  done
  number=0
  for solver in $solvers; do
    number=$((number + 1))
    layouts=$(layouts_of "$layout" $number)
    [ -n "$layouts" ] || continue
    read -ra options <<<"$(arguments "$solver")"
    for how in $layouts; do
      n=${how%:*}
      shards=${how#*:}
      must "$n" train "$layout$shards.h5" -o this.h5 --seed 2 --force \
        "${options[@]}" || continue
      [ -f first.h5 ] || cp this.h5 first.h5
      cmp first.h5 this.h5 ||
        fail "$layout, $solver, $shards shards, $n ranks: another model"
    done
    must 0 train "${layout}3.h5" -o this.h5 --seed 2 --force "${options[@]}" &&
      cmp first.h5 this.h5 || fail "$layout, $solver without a launcher"
    must 0 train "${layout}3.h5" -o other.h5 --seed 9 --force "${options[@]}"
    ! cmp -s first.h5 other.h5 || fail "$layout, $solver: the seed is ignored"
    rm -f first.h5 this.h5 other.h5
    echo "$layout $solver: done"
  done
done
finish
