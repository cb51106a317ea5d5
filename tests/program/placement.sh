#!/usr/bin/env bash
# placement.sh - cells go to ranks by what they cost: sparse data whose
# entries all lie in a few cells are shared, and the model is the same
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
finish
