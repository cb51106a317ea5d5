#!/usr/bin/env bash
# forged.sh TOOL - forged data sets with right checksums end
# in one line or in a run to the end, in every command
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
tool=$1
count=16
seed=1
if long; then
  count=1000
  seed=100
fi
rm -rf ./*

make_data()
{
  local common="--examples 300 --attributes 80 --support 5 --test 0.2 --seed 4
    --row-group 32 --shards 2"
  must 0 generate sparse -o thin.h5 $common --density 0.1
  must 0 generate toeplitz -o good.h5 $common
  local name
  for name in thin good; do
    must 0 train $name.h5 -o $name.budget.h5 --budget 20
    must 0 train $name.h5 -o $name.lasso.h5 --solver lasso --lambda-ratio 0.1
  done
}

# A fresh copy of a data set, to be forged.
copy()
{
  rm -rf bad.h5 bad.shards
  cp "$1.h5" bad.h5
  cp -r "$1.shards" bad.shards
}

# survives N ARGUMENT...: done, or refused in one line; nothing left behind. What
# verify finds wrong it prints, too.
survives()
{
  local rc=0 lines before after
  before=$(names_below . | grep -v '/run[.]')
  ranks "$@" >run.out 2>run.err || rc=$?
  lines=$(grep -c '^thresher: ' run.err || true)
  rm -f never.*
  after=$(names_below . | grep -v '/run[.]')
  if ! { [ "$rc" -eq 0 ] && [ "$lines" -eq 0 ]; } &&
    ! { [ "$rc" -eq 1 ] && [ "$lines" -eq 1 ] && { [ ! -s run.out ] ||
      grep -q ': the certificate does not hold: ' run.err; }; }; then
    fail "status $rc, $lines lines, on $1 ranks: thresher ${*:2}: $forgery"
    tail -n 20 run.err >&2
  fi
  [ "$before" = "$after" ] || fail "files are left: thresher ${*:2}: $forgery"
}

# What was found first: rows and attributes that lead out of the arrays.
heap_writes()
{
  local place n ranks=2
  for place in '/row 0 65535' '/attribute 0 4000000000' '/count 0 65535'; do
    copy thin
    "$tool" set bad.h5 00000.h5 $place
    for n in 0 ${ranks:-}; do
      refused 1 '00000[.]h5.*out of place' $n predict \
        thin.budget.h5 bad.h5 -o never.csv --split all
      refused 1 '00000[.]h5.*out of place' $n evaluate \
        thin.lasso.h5 bad.h5 --split all
      refused 1 '00000[.]h5.*out of place' $n train bad.h5 \
        -o never.h5 --solver lasso
    done
    refused 1 '00000[.]h5.*out of place' 0 inspect bad.h5 --check
    ranks= # the others alone
  done
}

solvers=(sift 'hybrid -s 4 --budget 20' 'exploration -s 4 --budget 20'
  'exploitation --start 1,5' 'lasso --path 5')
for name in $(solvers_with penalty); do
  solvers+=("$name --lambda-ratio 0.2 --epochs 5")
done

at_random()
{
  local k name n solver
  for ((k = seed; k < seed + count; k++)); do
    name=$([ $((k % 3)) -eq 0 ] && echo good || echo thin)
    n=$([ $((k % 8)) -eq 0 ] && echo 2 || echo 0)
    solver=${solvers[$((k % ${#solvers[@]}))]}
    copy $name
    forgery="$name, $k: $("$tool" random bad.h5 "$k")"
    survives 0 inspect bad.h5 --check
    survives $n train bad.h5 -o never.h5 --solver $solver
    case $((k % 3)) in
      0) survives 0 predict $name.budget.h5 bad.h5 -o never.csv --split all ;;
      1) survives 0 evaluate $name.lasso.h5 bad.h5 --split all ;;
      2) survives 0 verify $name.lasso.h5 bad.h5 ;;
    esac
  done
}

# Values that are no finite numbers, with the right checksum: no solver makes a model
# of them, wherever it looks at them.
not_numbers()
{
  local name object value solver where
  for name in thin good; do
    object=/value
    [ $name = thin ] || object=/X
    for value in 0x7fc00000 0xff800000; do
      # in the ordinary suite the one in dense and the other in sparse data
      long || [ "$name:$value" != thin:0x7fc00000 ] || continue
      long || [ "$name:$value" != good:0xff800000 ] || continue
      copy $name
      "$tool" set bad.h5 00000.h5 $object all $value
      "$tool" set bad.h5 00001.h5 $object all $value
      while read -r solver; do
        # shellcheck disable=SC2086
        refused 1 . 0 train bad.h5 -o never.h5 --solver $solver
      done <every
      for where in 0 5; do
        copy $name
        "$tool" set bad.h5 00001.h5 $object $where $value
        for solver in lasso 'lasso --path 5' omp 'ridge --factor cg' ridge; do
          refused 1 . 0 train bad.h5 -o never.h5 --solver $solver
        done
      done
    done
  done
}

each_solver 4 20 1,5 >every
make_data
heap_writes
not_numbers
at_random
finish
