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
#   real       figure 2: 20 attributes of an example observed. The paper has CT slices,
#              53,500 x 383, which are not at hand: BlogFeedback and the first 682 rows
#              of CT slices stand in
#
#   --out DIR        results (build/thresholding)
#   --data DIR       the folder of blogfeedback.train.svm and ctslice.first682.csv
#                    (../shared/data)
#   --set FILE       figure 2 with data of one's own, as NAME.h5 or as LIBSVM or CSV
#                    text: with the whole of CT slices, if you have them
#   --solvers LIST   ("exploration hybrid sift rda-ito dantzig")
#   --seeds N        runs of each point (5, as in the paper)
#   -s K             attributes in the model (25; real: 10)
#   --points LIST    shares of the examples ("0.01 0.02 0.05 0.1 0.2 0.5 1")
#   --passes P       over the examples (1)
#   --quick          2 seeds, 3 points; of the 682 rows 5 seeds, since their means differ
#   --processes N    runs at a time (one for each processor)
#   --format F       png, svg or pdf (png, with 300 dots per inch)
#
# Environment: THRESHER, the program (build/release/thresher); PYTHON, with numpy
# and h5py.
#
# Each point is a run of its own, by jobs/compare.sh: DIR/FIGURE/ has its results.
# The error of the synthetic data is the exact one of the distribution. That of others
# is on a tenth of the rows, others for each seed, as a share of that of the constant
# model there. The paper tuned the methods; here the program chooses. Exploration and
# hybrid run twice: as the program does by itself, and in the forms that the paper prints
# (--refit no --no-shared-support: no fit on the support at the end, and no use of the rows
# of other blocks), which are called SOLVER-printed. DIR/FIGURE.summary.tsv has mean,
# deviation and number of the runs of each point, and is printed; DIR/FIGURE.png has means
# and bars of two standard deviations; the last line, also in DIR/FIGURE.says, is what the
# paper says of its figure and what these numbers say. Of the 682 rows of CT slices the
# names are DIR/real.ctslice.*. dantzig and rda-ito are reconstructed from what other
# papers tell of them.
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
  few_rows= # seeds of a set that has few
  sparsity=
  points="0.01 0.02 0.05 0.1 0.2 0.5 1"
  passes=1
  examples=100000
  parse "--out --data --set --solvers --seeds -s --points --passes --processes --format" "$@"
}

word()
{
  [ "$1" = --quick ] && seeds=2 few_rows=5 points="0.05 0.2 1"
}

option() # NAME VALUE
{
  case $1 in
  seeds) whole "$1" "$2" && few_rows= ;;
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

# import NAME TEXT OPTION...: a text as a data set; sets `set`
import()
{
  set=$out/$1.h5
  [ -e "$set" ] || "$thresher" import "${@:2}" -o "$set" --quiet
}

# What the text of CT slices wants beside its name: its header names no target.
slices_options() # FILE
{
  local head
  case $1 in
  *.gz) head=$(gzip -dc "$1" | head -n 1) ;;
  *.xz) head=$(xz -dc "$1" | head -n 1) ;;
  *) head=$(head -n 1 "$1" | cut -c 1-100000) ;;
  esac 2>/dev/null || true
  case $head in
  patientId,*reference*) echo --target reference --ignore patientId ;;
  esac
}

# take_set FILE: the user's own; sets `set`
take_set()
{
  local stem
  case $1 in
  *.h5) set=$1 ;;
  *)
    [ -e "$1" ] || refuse "--set $1: no such file"
    stem=$(basename "$1")
    # shellcheck disable=SC2046 # words
    import "${stem%%.*}" "$1" $(slices_options "$1")
    ;;
  esac
}

# What is common to all solvers: DATA BUDGET PART OPTION...
compare_part()
{
  bash "$jobs/compare.sh" "$1" --out "$out/$3" --seeds "$seeds" --points "$points" \
    --passes "$passes" --budget "$2" -s "$sparsity" --test 0.1 --no-peers \
    --processes "$processes" --format "$format" "${@:4}" |
    awk '/^seed-/ || /^left out/'
}

# Those of the solvers that have another form in the paper
printed_ones()
{
  local solver
  for solver in $solvers; do
    case $solver in exploration | hybrid) printf '%s ' "$solver" ;; esac
  done
}

# compare_solvers DATA BUDGET PART: all solvers, and the printed forms of the paper's own
compare_solvers()
{
  local forms
  forms=$(printed_ones)
  rm -f "$out/$3.printed/compare.csv"
  compare_part "$@" --solvers "$solvers"
  [ -z "$forms" ] || compare_part "$1" "$2" "$3.printed" --solvers "$forms" \
    --train "--refit no --no-shared-support"
}

# show PART TITLE COLUMN DATA: table, picture, and the sentence about DATA
show()
{
  local tables=("$out/$1/compare.csv")
  [ ! -e "$out/$1.printed/compare.csv" ] || tables+=("$out/$1.printed/compare.csv")
  "$PYTHON" "$jobs/thresholding_tables.py" summary "$3" "$out/$1.summary.tsv" "${tables[@]}"
  draw thresholding "prefix = '$1'; what = $(words_for_gnuplot "$2"); column = '$3';
    seeds = $seeds"
  table '\t' "$out/$1.summary.tsv" 140
  echo "results: $out/$1.*"
  "$PYTHON" "$jobs/thresholding_tables.py" say "$figure" "$4" "$out/$1.summary.tsv" |
    tee "$out/$1.says"
}

# figure_2 SET PART DATA: of one data set; DATA says what it is
figure_2()
{
  compare_solvers "$1" 20 "$2"
  show "$2" "$(basename "$1" .h5), 20 attributes of an example observed" relative "$3"
}

# The data at hand, in place of CT slices
stand_ins()
{
  local text
  text=$(text_of blogfeedback.train.svm)
  [ -n "$text" ] || refuse "no blogfeedback.train.svm in $data, plain or with .xz, .gz" \
    "or .bz2; name the folder with --data, or a data set with --set"
  import blogfeedback "$text"
  figure_2 "$set" real "BlogFeedback, which stands in for CT slices"
  text=$(text_of ctslice.first682.csv)
  if [ -z "$text" ]; then
    echo "left out: the first rows of CT slices: no ctslice.first682.csv in $data"
    return
  fi
  # shellcheck disable=SC2046 # words
  import ctslice "$text" $(slices_options "$text")
  seeds=${few_rows:-$seeds}
  figure_2 "$set" real.ctslice \
    "CT slices, of whose 53,500 rows 682 of two patients are at hand"
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
  compare_solvers "murata:examples=$examples,attributes=500,support=25" 50 synthetic
  show synthetic "500 attributes, 50 of an example observed" mse ""
else
  sparsity=${sparsity:-10}
  if [ -n "$set" ]; then
    take_set "$set"
    figure_2 "$set" real "$(basename "$set" .h5)"
  else
    stand_ins
  fi
fi
