#!/usr/bin/env bash
# picture.sh [OPTION...] - the picture of the README: error against attributes observed
# SPDX-License-Identifier: MIT
#
# The problem of Murata and Suzuki (2018, section 6): 500 attributes, 25 of them
# with a true coefficient, noise of variance 1. Four ways of learning it are
# compared by the number of attributes that they observe:
#
#   sift, hybrid   at most 50 attributes of an example, each example used once
#   lasso          all attributes, lambda = sqrt(2 log d / n)
#   omp            all attributes, scikit-learn's orthogonal matching pursuit,
#                  which is told that there are 25; left out, with a note, where
#                  scikit-learn is not installed
#
#   --out DIR       results (build/picture)
#   --seeds LIST    one data set each ("1 2 3 4 5 6 7 8 9")
#   --sizes LIST    numbers of examples for sift and hybrid
#   --full LIST     numbers of examples for lasso and omp
#   --format F      svg, png or pdf (svg)
#
# Environment: THRESHER, the program (build/release/thresher).
#
# What comes out: DIR/points.tsv with a line for each model, DIR/picture.tsv with
# the median and the quartiles over the seeds, and DIR/picture.svg.
# jobs/picture.svg is a copy of that.
if [ -z "${BASH_VERSION:-}" ]; then # sh picture.sh
  exec bash "$0" "$@"
fi
set -euo pipefail
. "$(dirname "$0")/lib.sh"
attributes=500
true_ones=25
budget=50

options()
{
  out=$jobs/../build/picture
  seeds="1 2 3 4 5 6 7 8 9"
  sizes="500 1000 2000 3000 4000 6000 8000 16000 32000 64000 128000"
  full="50 100 150 200 300 400 800 1600 3200 6400 12800"
  format=svg
  parse "--out --seeds --sizes --full --format" "$@"
}

# point SOLVER SEED N OPTION...: a model, and its line in points.tsv
point()
{
  local source=murata:n=$3,d=$attributes,support=$true_ones,seed=$2
  "$thresher" train --source "$source" -o "$out/model.h5" --force \
    --quiet --solver "$1" --report "$out/report.json" "${@:4}"
  "$thresher" evaluate "$out/model.h5" --source "$source" --json \
    --quiet >"$out/score.json"
  "$PYTHON" "$jobs/picture_tables.py" point "$1" "$2" "$3" "$attributes" \
    "$out/report.json" "$out/score.json" >>"$out/points.tsv"
}

# The weight of the penalty at which noise alone hardly enters.
universal() # N
{
  awk -v n="$1" -v d="$attributes" 'BEGIN { print sqrt(2 * log(d) / n) }'
}

omp() # SEED
{
  local most=${full##* }
  "$thresher" generate murata -o "$out/full.h5" --examples "$most" --seed "$1" \
    --attributes "$attributes" --support "$true_ones" --force --quiet
  # shellcheck disable=SC2086 # words
  "$PYTHON" "$jobs/picture_omp.py" "$out/full.h5" "$1" "$true_ones" $full \
    >>"$out/points.tsv"
  rm -r "$out/full.h5" "$out/full.shards"
}

learn() # SEED
{
  local n
  for n in $sizes; do
    point sift "$1" "$n" --select truth --passes 1 --budget "$budget"
    point hybrid "$1" "$n" -s "$true_ones" --passes 1 --budget "$budget"
  done
  for n in $full; do
    point lasso "$1" "$n" --lambda "$(universal "$n")"
  done
  [ $with_omp = no ] || omp "$1"
  echo "seed $1"
}

options "$@"
start_study
with_omp=yes
if ! PYTHONSAFEPATH=1 "$PYTHON" -c 'import h5py, sklearn' 2>/dev/null; then
  with_omp=no
  echo "omp is left out: no scikit-learn (sh jobs/packages.sh peers)"
fi
printf 'solver\tseed\tn\tattributes\terror\n' >"$out/points.tsv"
for seed in $seeds; do
  learn "$seed"
done
rm -f "$out"/model.h5 "$out"/report.json "$out"/score.json
"$PYTHON" "$jobs/picture_tables.py" medians "$out/points.tsv" >"$out/picture.tsv"
draw picture "folder = '.'; seeds = $(echo "$seeds" | wc -w)"
table '\t' "$out/picture.tsv" 100
echo "results: $out"
