#!/usr/bin/env bash
# placement.sh - cells go to ranks by what they cost: sparse data whose entries all lie in a
# few cells are shared, ranks read what they own, as planned, a support is read by all ranks,
# and the model is the same
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

# 1024 of 20000 attributes are ever used; the last one appears, so that d is known
awk 'BEGIN {
  srand(3)
  for (i = 0; i < 3000; i++) {
    y = 0
    line = ""
    for (j = 1; j <= 1024; j += 1 + int(50 * rand())) {
      x = int(1 + 5 * rand())
      line = line " " j ":" x
      if (j % 100 == 7) y += x
    }
    print y line (i == 0 ? " 20000:1" : "")
  }
}' >data.svm
must 1 import data.svm -o data.h5 --shards 3
must 1 train data.h5 -o one.h5 --budget 2000 --passes 3 --select truth
for n in 2 3; do
  must "$n" train data.h5 -o "$n.h5" --budget 2000 --passes 3 --select truth --report "$n.json"
  cmp one.h5 "$n.h5" || fail "another model on $n ranks"
done
compare "bytes read, largest over smallest rank" "$("$PYTHON" -c '
import json
read = [rank["bytes_read"] for rank in json.load(open("2.json"))["per_rank"]]
print(max(read) / min(read))')" '<' 1.5

# The more ranks, the less each reads; beside a border, both sides read a part.
must 0 generate sparse -o many.h5 --examples 4000 --attributes 20000 \
  --density 0.02 --seed 1
for n in 1 8; do
  must "$n" train many.h5 -o "many.$n.h5" --solver lasso --lambda-ratio 0.3 --report "many.$n.json"
done
cmp many.1.h5 many.8.h5 || fail "another model of many on 8 ranks"
report()
{
  "$PYTHON" -c 'import json, sys
one, many = (json.load(open(f"many.{n}.json")) for n in (1, 8))
print(eval(sys.argv[1]))' "$1"
}
compare "bytes read by 8 ranks over those of one" \
  "$(report 'many["bytes_read"] / one["bytes_read"]')" '<' 1.2
compare "planned over read" "$(report 'many["planned_read_bytes"] / many["bytes_read"]')" '<' 1.25
compare "read over planned" "$(report 'many["bytes_read"] / many["planned_read_bytes"]')" '<' 1.25
compare "values kept by a rank of 8 over those of one" \
  "$(report 'many["planned_stored"] / one["planned_stored"]')" '<' 0.25

# A support that lies on one rank, as that of generated data does, is read by all.
must 0 generate murata -o first.h5 --examples 4000 --attributes 4096 --support 64
start=$(seq -s , 0 63)
for n in 1 4; do
  for solver in exploitation hybrid; do
    with=(--solver hybrid --sparsity 64 --budget 1500)
    [ $solver = hybrid ] || with=(--solver exploitation --start "$start" --refit no)
    must "$n" train first.h5 -o "$solver.$n.h5" "${with[@]}" --passes 2 --report "$solver.$n.json"
    cmp "$solver.1.h5" "$solver.$n.h5" || fail "$solver: another model on $n ranks"
  done
done
compare "bytes of the support, largest of 4 ranks over the mean" "$("$PYTHON" -c '
import json
read = [rank["bytes_read"] for rank in json.load(open("exploitation.4.json"))["per_rank"]]
print(max(read) / sum(read) * 4)')" '<' 1.2

# Attributes that the first row group does not have are divided, too.
awk 'BEGIN {
  srand(5)
  for (i = 0; i < 6000; i++) {
    line = i % 7
    for (j = 1 + int(80 * rand()); j <= 1500 + 7 * i; j += 1 + int((1500 + 7 * i) / 50 * rand()))
      line = line " " j ":1"
    print line
  }
}' >grows.svm
must 0 import grows.svm -o many.h5 --layout sparse --no-shuffle --force
for n in 1 8; do
  must "$n" train many.h5 -o "many.$n.h5" --solver lasso --lambda-ratio 0.3 \
    --report "many.$n.json" --force
done
cmp many.1.h5 many.8.h5 || fail "another model of attributes that come later on 8 ranks"
compare "bytes of attributes that come later, read by 8 ranks over those of one" \
  "$(report 'many["bytes_read"] / one["bytes_read"]')" '<' 1.5
finish
