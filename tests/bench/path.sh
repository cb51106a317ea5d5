#!/usr/bin/env bash
# path.sh [FOLDER] - exact paths of 100 lambdas down to 0.01 lambda_max beside
# glmnet, and on two ranks beside one
# SPDX-License-Identifier: MIT
#
# WORKS: which of dense (20,000 x 10,000, generated) and dorothea (800 x
# 100,000, sparse). Ours: the seconds of the whole run, reading and certificate
# included; glmnet: its call alone, at its own default accuracy and at 1e-12,
# which is nearer to ours. The least of REPEATS (3) turns, in which all take
# theirs one after the other. KEEP=yes keeps the data.
set -euo pipefail
RANKS=0
. "$(dirname "$0")/bench.sh"
bench=$SOURCE/tests/bench
repeats=${REPEATS:-3}
export OMP_NUM_THREADS=1

if ! Rscript -e 'library(glmnet)' >/dev/null 2>&1; then
  echo "skipped: no glmnet (sh jobs/packages.sh peers)"
  exit 77
fi

make_dense()
{
  [ -e dense.h5 ] || must 0 generate murata -o dense.h5 --examples 20000 \
    --attributes 10000 --support 100
}

make_dorothea()
{
  need_data dorothea.train.svm.xz
  [ -e dorothea.h5 ] ||
    must 0 import "$DATA/dorothea.train.svm.xz" -o dorothea.h5
}

# prepare WORK: the same data for R.
prepare()
{
  [ ! -e "$1/train.rds" ] || return 0
  "$PYTHON" "$bench/peers_data.py" "$1.h5" "$1" --raw
  Rscript "$bench/peers_rds.R" "$1"
  rm -f "$1"/*.raw "$1"/*.np[yz]
}

# ours WORK RANKS TURN
ours()
{
  must "$2" train "$1.h5" -o "$1.$2.h5" --force --quiet --solver lasso \
    --no-intercept --path 100 --path-min 0.01 --report "$1.thresher$2.$3.json"
}

glmnet() # WORK THRESH TURN
{
  Rscript "$bench/path_fit.R" "$1" "$1.glmnet$2.$3.json" gaussian "$2"
}

# least WORK TOOL: seconds.
least()
{
  "$PYTHON" -c 'import json, sys
print(min(json.load(open(name))["seconds"] for name in sys.argv[1:]))' \
    "$1.$2".[0-9]*.json
}

for work in ${WORKS:-dense dorothea}; do
  printf '\n== %s\n' "$work"
  "make_$work"
  prepare "$work"
  for ((turn = 1; turn <= repeats; turn++)); do
    glmnet "$work" 1e-7 "$turn"
    glmnet "$work" 1e-12 "$turn"
    ours "$work" 1 "$turn"
    ours "$work" 2 "$turn"
  done
  one=$(least "$work" thresher1)
  for thresh in 1e-7 1e-12; do
    compare "$work: glmnet, thresh $thresh, over one rank" \
      "$(least "$work" "glmnet$thresh") / $one" '>=' 1
  done
  compare "$work: one rank over two" "$one / $(least "$work" thresher2)" '>=' 1.7
  cmp "$work.1.h5" "$work.2.h5" || fail "$work: another model on two ranks"
  echo "objective of the last lambda: $(key "$work.glmnet1e-7.1.json" objective)" \
    "and $(key "$work.glmnet1e-12.1.json" objective) by glmnet;"
  ranks 0 inspect "$work.1.h5" | grep -E '^ *(objective|gap) '
  [ "${KEEP:-no}" = yes ] || rm -rf "$work" "$work.h5" "$work.shards"
done
finish
