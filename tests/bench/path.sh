#!/usr/bin/env bash
# path.sh [FOLDER] - exact paths of 100 lambdas down to 0.01 lambda_max beside
# glmnet, and on two ranks beside one
# SPDX-License-Identifier: MIT
#
# WORKS: which of dense (20,000 x 10,000, generated), dorothea (800 x 100,000, sparse),
# and of few examples colon (62 x 2,000), leukemia (38 x 7,129), duke (44 x 7,129) and
# arcene (100 x 10,000). The loss is squared, that of labels in WORK:logistic. Ours: the seconds of the whole run, reading and certificate
# included; glmnet: its call alone, at its own default accuracy and at 1e-12,
# which is nearer to ours. The least of REPEATS (3) turns, in which all take
# theirs one after the other. KEEP=yes keeps the data.
set -euo pipefail
RANKS=0
. "$(dirname "$0")/bench.sh"
bench=$SOURCE/tests/bench
repeats=${REPEATS:-3}
export OMP_NUM_THREADS=1

if ! Rscript --vanilla -e 'library(glmnet)' >/dev/null 2>&1; then
  echo "skipped: no glmnet (sh jobs/packages.sh peers)"
  exit 77
fi

make_dense()
{
  [ -e dense.h5 ] || must 0 generate murata -o dense.h5 --examples 20000 \
    --attributes 10000 --support 100
}

# take WORK FILE
take()
{
  need_data "$2"
  [ -e "$1.h5" ] || must 0 import "$DATA/$2" -o "$1.h5"
}
make_dorothea() { take dorothea dorothea.train.svm.xz; }
make_colon() { take colon colon-cancer.svm.xz; }
make_leukemia() { take leukemia leukemia.train.svm.xz; }
make_duke() { take duke duke-breast-cancer.svm.xz; }
make_arcene() { take arcene arcene.train.svm.xz; }

# prepare WORK: the same data for R.
prepare()
{
  [ ! -e "$1/train.rds" ] || return 0
  "$PYTHON" "$bench/peers_data.py" "$1.h5" "$1" --raw
  Rscript --vanilla "$bench/peers_rds.R" "$1"
  rm -f "$1"/*.raw "$1"/*.np[yz]
}

# ours RANKS TURN
ours()
{
  must "$1" train "$data.h5" -o "$work.$1.h5" --force --quiet --solver lasso \
    --loss "$loss" --no-intercept --no-standardize --path 100 --path-min 0.01 --choose last \
    --report "$work.thresher$1.$2.json"
}

glmnet() # THRESH TURN
{
  local family=gaussian
  [ "$loss" = squared ] || family=binomial
  Rscript --vanilla "$bench/path_fit.R" "$data" "$work.glmnet$1.$2.json" $family "$1"
}

# least WORK TOOL: seconds.
least()
{
  "$PYTHON" -c 'import json, sys
print(min(json.load(open(name))["seconds"] for name in sys.argv[1:]))' \
    "$1.$2".[0-9]*.json
}

usual="dense dorothea dorothea:logistic"
for data in colon leukemia duke arcene; do
  usual+=" $data $data:logistic"
done
for work in ${WORKS:-$usual}; do
  printf '\n== %s\n' "$work"
  data=${work%:*}
  loss=${work##*:}
  [ "$loss" != "$work" ] || loss=squared
  work=$data-$loss
  "make_$data"
  prepare "$data"
  for ((turn = 1; turn <= repeats; turn++)); do
    glmnet 1e-7 "$turn"
    glmnet 1e-12 "$turn"
    ours 1 "$turn"
    ours 2 "$turn"
  done
  one=$(least "$work" thresher1)
  for thresh in 1e-7 1e-12; do
    compare "$work: glmnet, thresh $thresh, over one rank" \
      "$(least "$work" "glmnet$thresh") / $one" '>=' 1
  done
  case $work in # the others are over before two ranks have begun
  dense-* | dorothea-*)
    compare "$work: one rank over two" "$one / $(least "$work" thresher2)" '>=' 1.7
    ;;
  esac
  printf '{"thresher": %s, "two": %s, "glmnet": %s, "precise": %s, "lambdas": [%s, %s]}\n' \
    "$one" "$(least "$work" thresher2)" "$(least "$work" glmnet1e-7)" \
    "$(least "$work" glmnet1e-12)" "$(key "$work.glmnet1e-7.1.json" lambdas)" \
    "$(key "$work.glmnet1e-12.1.json" lambdas)" >"$work.path.json"
  cmp "$work.1.h5" "$work.2.h5" || fail "$work: another model on two ranks"
  echo "objective of the last lambda: $(key "$work.glmnet1e-7.1.json" objective)" \
    "and $(key "$work.glmnet1e-12.1.json" objective) by glmnet;"
  ranks 0 inspect "$work.1.h5" | grep -E '^ *(objective|gap) '
  [ "${KEEP:-no}" = yes ] || rm -rf "$data" "$data.h5" "$data.shards"
done
finish
