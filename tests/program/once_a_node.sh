#!/usr/bin/env bash
# once_a_node.sh - numbers of all examples that the ranks of a node share: models are those
# of one rank, and the memory of a node is that of one rank
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

# More examples than are summed over the ranks at once, in row groups that do not divide them.
n=70000
must 0 generate murata -o dense.h5 --examples $n --attributes 8 --support 3 --row-group 4096
must 0 generate sparse -o sparse.h5 --examples $n --attributes 40 --support 3 --density 0.1 \
  --row-group 4096
few="-s 3 --budget 6"
steps="--epochs 1 --batch 2000"
declare -A options=(
  [exploration]="$few" [hybrid]="$few" [exploitation]="--start 1,2,5" [rda-ito]="$few"
  [ssr]="$few" [dantzig]="$few" [oomp]="--mu 0.1" [os-prox-sgd]="$steps"
  [fs-prox-sgd]="$steps" [prox-sgd]="$steps" [truncated-gradient]="$steps" [rda]="$steps"
  [sgd]="$steps"
  [saga]="$steps" [svrg]="$steps"
)

# alike DATA NAME OPTION...: the model of three ranks is that of one.
alike()
{
  # shellcheck disable=SC2086
  must 0 train "$1.h5" -o one.h5 --force "${@:3}" &&
    must 3 train "$1.h5" -o three.h5 --force "${@:3}" &&
    cmp one.h5 three.h5 || fail "$2 on $1 data: other bytes on three ranks"
}
for solver in $(ranks 0 solvers | grep '^[a-z]'); do
  # shellcheck disable=SC2086
  alike dense "$solver" --solver "$solver" ${options[$solver]:-}
done
for more in "aerr" "os-prox-sgd $steps" "lasso --path 5" "ridge --factor cg"; do
  # shellcheck disable=SC2086
  alike sparse "$more" --solver $more
done
must 3 verify three.h5 sparse.h5

# The factor of a support, and the iterates of models, lie on the first rank of a node alone:
# 1,600 members have some 10 MB of it.
must 0 generate sparse -o wide.h5 --examples 4000 --attributes 20000 --support 1500 --seed 3
must 3 train wide.h5 -o three.h5 --force --solver lasso --lambda-ratio 0.05 --report three.json
must 0 train wide.h5 -o one.h5 --force --solver lasso --lambda-ratio 0.05
cmp one.h5 three.h5 || fail "other bytes on three ranks"
"$PYTHON" - <<'END' || fail "the factor of the support lies on more than one rank of a node"
import json
first, *others = [rank["peak_memory"] for rank in json.load(open("three.json"))["per_rank"]]
assert first > 40e6 and max(others) < first - 15e6, (first, others)
END

# planned RANKS SIZE OPTION...: bytes of each rank, also where they are more than there are
planned()
{
  { ranks "$1" train --source "murata:$2" -o never.h5 --dry-run --solver "${@:3}" || [ $? -eq 1 ]; } \
    2>planned.err | sed -n 's/^cost: *[0-9]* ranks*, \([0-9.]*\) \([kMGT]\)B .*/\1\2/p' |
    numfmt --from=si
}
# spared MOST SIZE OPTION...: of one rank, tenths that four of a node take together
spared()
{
  local one four
  one=$(planned 0 "${@:2}")
  four=$(planned 4 "${@:2}")
  ((40 * four <= $1 * one)) || fail "${*:2}: $four bytes on each of four ranks, $one on one"
}
for more in lasso os-prox-sgd prox-sgd aerr "ridge --factor cg" "rda-ito -s 3 --budget 6"; do
  most=13
  [ "$more" != lasso ] || most=40 # its columns are few here; what the first rank of a node has counts for all
  # shellcheck disable=SC2086
  spared $most examples=1000000,attributes=10 $more
done
# nodes that have the memory are planned for where this one has not
for more in lasso os-prox-sgd aerr; do
  spared 13 examples=100000000,attributes=10000 $more
done
finish
