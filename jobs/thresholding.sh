#!/usr/bin/env bash
# thresholding.sh FIGURE [OPTION...] - the figures of Murata and Suzuki (2018)
# SPDX-License-Identifier: MIT
#
# Mean squared error against the examples, in one pass over them, where a few
# attributes of each example are observed: exploration and hybrid beside sift, and
# beside rda-ito and dantzig. FIGURE is
#
#   synthetic  figure 1: 10^5 examples of 500 attributes, 25 of which matter; 50
#              observed of an example, noise of variance 1
#   real       figure 2: BlogFeedback, 20 of 280 attributes observed. (The paper has
#              CT slices, 53,500 x 383.)
#
#   --out DIR        results (build/thresholding)
#   --data DIR       the folder of blogfeedback.train.svm (../shared/data)
#   --set NAME.h5    figure 2 with data of one's own
#   --solvers LIST   ("exploration hybrid sift rda-ito dantzig")
#   --seeds N        runs of each point (5, as in the paper)
#   -s K             attributes in the model (25; real: 10)
#   --points LIST    shares of the examples ("0.01 0.02 0.05 0.1 0.2 0.5 1")
#   --passes P       over the examples (1)
#   --quick          2 seeds, 3 points, of 20,000 examples
#   --processes N    runs at a time (one for each processor)
#   --format F       png, svg or pdf (png, with 300 dots per inch)
#
# Environment: THRESHER, the program (build/release/thresher); PYTHON, with numpy
# and h5py.
#
# Each point is a run of its own, by jobs/compare.sh: DIR/FIGURE/ has its results.
# The error of the synthetic data is the exact one of the distribution. That of others
# is on a tenth of the rows, others for each seed, as a share of that of the constant
# model there. The paper tuned the methods; here
# the program chooses. DIR/FIGURE.summary.tsv has mean, deviation and number of the
# runs of each point, and is printed; DIR/FIGURE.png has means and bars of two
# standard deviations.
if [ -z "${BASH_VERSION:-}" ]; then # sh thresholding.sh
  exec bash "$0" "$@"
fi
set -euo pipefail
. "$(dirname "$0")/lib.sh"

options()
{
  out=$jobs/../build/thresholding
  data=$jobs/../../shared/data
  set=
  solvers="exploration hybrid sift rda-ito dantzig"
  seeds=5
  sparsity=
  points="0.01 0.02 0.05 0.1 0.2 0.5 1"
  passes=1
  examples=100000
  most=
  parse "--out --data --set --solvers --seeds -s --points --passes --processes --format" "$@"
}

word()
{
  [ "$1" = --quick ] &&
    seeds=2 points="0.05 0.3 1" examples=20000 most="--examples 20000"
}

option() # NAME VALUE
{
  case $1 in
  seeds) whole "$1" "$2" ;;
  *) set_option "$@" ;;
  esac
}

# The solvers that the program has; sets `solvers`.
find_solvers()
{
  local solver known some=
  known=$("$thresher" solvers | grep -v '^ ')
  for solver in $solvers; do
    if grep -qxF -- "$solver" <<<"$known"; then
      some="$some $solver"
    else
      echo "left out: $solver: this program has no such solver"
    fi
  done
  [ -n "$some" ] || refuse "--solvers $solvers: see: thresher solvers"
  solvers=$some
}

# BlogFeedback as a data set; sets `set`.
import()
{
  local text
  text=$(text_of blogfeedback.train.svm)
  [ -n "$text" ] || refuse "no blogfeedback.train.svm in $data, plain or with .xz, .gz" \
    "or .bz2; name the folder with --data, or a data set with --set"
  set=$out/blogfeedback.h5
  [ -e "$set" ] || "$thresher" import "$text" -o "$set" --quiet
}

compare_solvers() # DATA BUDGET
{
  # shellcheck disable=SC2086 # words
  bash "$jobs/compare.sh" "$1" --out "$out/$figure" --solvers "$solvers" --seeds "$seeds" \
    --points "$points" --passes "$passes" --budget "$2" -s "$sparsity" $most \
    --test 0.1 --no-peers --processes "$processes" --format "$format" |
    awk '/^seed-/ || /^left out/'
}

show() # TITLE COLUMN
{
  "$PYTHON" "$jobs/thresholding_tables.py" "$2" "$out/$figure/compare.csv" \
    "$out/$figure.summary.tsv"
  draw thresholding "prefix = '$figure'; what = $(words_for_gnuplot "$1"); column = '$2';
    seeds = $seeds"
  table '\t' "$out/$figure.summary.tsv" 140
  echo "results: $out/$figure.*"
}

[ $# -gt 0 ] || refuse "wanted: bash jobs/thresholding.sh FIGURE; see --help"
figure=$1
case $figure in
-*)
  options "$figure"
  refuse "wanted: bash jobs/thresholding.sh FIGURE; see --help"
  ;;
synthetic | real) options "${@:2}" ;;
*) refuse "$figure is no figure; there are synthetic and real" ;;
esac
start_study
find_solvers
if [ "$figure" = synthetic ]; then
  sparsity=${sparsity:-25}
  most=
  compare_solvers "murata:examples=$examples,attributes=500,support=25" 50
  show "500 attributes, 50 of an example observed" mse
else
  sparsity=${sparsity:-10}
  [ -n "$set" ] || import
  compare_solvers "$set" 20
  show "$(basename "$set" .h5), 20 attributes of an example observed" relative
fi
