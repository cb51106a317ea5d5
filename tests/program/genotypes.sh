#!/usr/bin/env bash
# genotypes.sh - 2-bit values from text to model: the same bytes for any
# number of ranks and shards, a quarter of the size, the same answer as in u8
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

# EXAMPLES rows of 900 allele counts; ten of them make the target.
genotypes()
{
  awk -v n="$1" 'BEGIN {
    srand(7)
    for (i = 0; i < n; i++) {
      y = rand() - 0.5
      line = ""
      for (j = 0; j < 900; j++) {
        f = 0.05 + 0.9 * ((j * 37) % 100) / 100
        x = (rand() < f) + (rand() < f) + (j % 50 == 3 && rand() < 0.5)
        if (j % 90 == 11) y += (j % 4 - 1.5) * x
        line = line "," x
      }
      printf "%.6f%s\n", y, line
    }
  }'
}

import_as()
{
  must "$1" import calls.csv -o "$2" --target 1 --test 0.1 --type "$3" \
    --shards "$4" --row-group 64 --force
}

genotypes 700 >calls.csv
import_as 1 one.h5 u2 3
for n in 2 3; do
  import_as "$n" many.h5 u2 3
  for k in 00000 00001 00002; do
    cmp "one.shards/$k.h5" "many.shards/$k.h5" || fail "shard $k on $n ranks"
  done
  rm -rf many.*
done
import_as 2 single.h5 u2 1
import_as 2 bytes.h5 u8 1
for name in one single; do
  must 0 inspect $name.h5 --check
  ranks 0 inspect $name.h5 --json >$name.json
done
compare "fingerprint of any shards" "$(key one.json fingerprint)" == \
  "$(key single.json fingerprint)"
compare "type" "$(key one.json type)" == '"u2"'
small=$(wc -c <single.shards/00000.h5)
large=$(wc -c <bytes.shards/00000.h5)
compare "bytes of values, u2 against u8" "$((large - small))" '>' \
  "$((900 * 700 * 70 / 100))"

# 15 blocks of 630 training examples: deal units of 4 rows; 40: of 1 row.
for options in "--solver sift --budget 60" "--solver hybrid -s 10 --budget 70" \
  "--solver exploration -s 10 --budget 33"; do
  read -ra words <<<"$options"
  rm -f first.h5
  for data in one single; do
    for n in 0 1 2 3; do
      must "$n" train $data.h5 -o this.h5 --seed 3 --force "${words[@]}"
      [ -f first.h5 ] || cp this.h5 first.h5
      cmp first.h5 this.h5 || fail "$options: $data.h5, $n ranks: another model"
    done
  done
  must 2 train bytes.h5 -o this.h5 --seed 3 --force "${words[@]}"
  for model in first this; do
    ranks 0 inspect $model.h5 --json >$model.json
  done
  compare "$options: support as in u8" "$(key first.json support)" == \
    "$(key this.json support)"
done

must 3 predict first.h5 one.h5 -o one.csv --split all
must 1 predict first.h5 single.h5 -o single.csv --split all
cmp one.csv single.csv || fail "other predictions from other shards"

refused 2 'stored dense' 2 import calls.csv -o no.h5 --target 1 --type u2 \
  --layout sparse
refused 2 'multiple of 4 examples' 2 import calls.csv -o no.h5 --target 1 \
  --type u2 --row-group 30
refused 2 'stored dense' 1 generate sparse -o no.h5 --examples 90 \
  --attributes 9 --density 0.1 --type u2
refused 1 'cannot be stored as u2' 2 generate murata -o no.h5 --examples 90 \
  --attributes 9 --type u2
printf '1,0,3\n0,1,4\n' >four.csv
refused 1 'four[.]csv:2:5: .*0[.][.]3 [(]u2[)]' 3 import four.csv -o no.h5 \
  --target 1 --type u2
finish
