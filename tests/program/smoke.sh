#!/usr/bin/env bash
# smoke.sh - generate, train, evaluate, predict, inspect once through
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

must 2 generate murata -o data.h5 --examples 4000 --attributes 300 \
  --support 10 --test 0.25 --seed 3
must 2 train data.h5 -o model.h5 --budget 60 --seed 1
ranks 2 evaluate model.h5 data.h5 --json >evaluate.json
ranks 2 predict model.h5 data.h5 -o predictions.csv
ranks 0 inspect model.h5 --json >model.json
ranks 0 inspect data.h5 --json >data.json
ranks 2 inspect data.h5 --check >/dev/null
# shards lie beside the master, not beside a link to it
mkdir aside
ln -s ../data.h5 aside/link.h5
must 2 inspect aside/link.h5 --check

compare "examples" "$(key data.json examples)" == 4000
compare "attributes" "$(key data.json attributes)" == 300
compare "evaluated" "$(key evaluate.json n)" == 1000
compare "population mse" "$(key evaluate.json population_mse)" '<=' 1.1
compare "most attributes of an example" \
  "$(key model.json ledger.max_attributes_per_example)" '<=' 60
compare "header" "'$(head -n 1 predictions.csv)'" == "'row,prediction'"
compare "lines" "$(wc -l <predictions.csv)" == 1001
finish
