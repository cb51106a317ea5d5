#!/usr/bin/env bash
# sampling.sh FIGURE [OPTION...] - the figures of Kukliansky and Shamir (2015)
# SPDX-License-Identifier: MIT
#
# Test loss against the number of attributes observed, where each example shows
# only a few of them. FIGURE is
#
#   simulated-ridge    figure 1: 500 attributes, alpha = 0, -0.5, -1 and -2, 5
#                      observed of an example
#   simulated-lasso    figure 2: the same in the l1 ball
#   mnist-ridge        figure 3: MNIST, 3 against 5; 57 of 784 observed
#   mnist-lasso        figure 4: 5 observed
#   covertype-ridge    figure 5: class 2 against the rest; 5 of 54 observed; the
#                      first 20,000 rows as they are, and a subset scaled to [0, 1]
#   covertype-lasso    figure 6: the same in the l1 ball
#   adagrad-simulated  figure 7: alpha = -2, ridge, --adagrad none, norm, coordinate
#   adagrad-mnist      figure 8: the same on MNIST
#
# The curves: solver aerr (lasso: aelr) with --moments uniform, known and two-phase;
# online is ogd-ridge (eg-lasso), offline is ridge (lasso). The last two see all
# attributes of an example, so they get fewer examples. Each point is a run of its
# own, one pass over the first examples of the run's data, without an intercept and
# with the steps of the program. Each run has fresh data, or the examples in a fresh
# order.
#
#   --out DIR         results (build/sampling)
#   --data DIR        the folder of mnist35 and covtype (../shared/data)
#   --runs N          (100); --quick: 5
#   --processes N     runs at a time (one for each processor)
#   --attributes LIST the numbers of attributes observed, the points of a curve
#   --panels LIST     some of the data: "-2 0" (alpha), "covtype.first20k"
#   --train OPTIONS   further options of aerr, aelr and the online solvers, as in
#                     "--step-factor 0.3"
#   --offline-ratio R the penalty of offline ridge, as --lambda-ratio (0.0001 for
#                     simulated data, 0.01 for others); offline lasso has the radius
#                     of the others
#   --format F        png, svg or pdf (png, with 300 dots per inch)
#
# Environment: THRESHER, the program (build/release/thresher).
#
# What comes out: DIR/FIGURE.tsv with a line for each run of each point,
# DIR/FIGURE.summary.tsv with mean, deviation, number and worst of the runs, and
# DIR/FIGURE.png with means and bars of one standard deviation. `relative` is the
# mean squared error over that of the zero model: on the test rows, for simulated
# data exactly, as an endless test set has it. Runs that are there already, with the
# same options, are used as they are.
if [ -z "${BASH_VERSION:-}" ]; then # sh sampling.sh
  exec bash "$0" "$@"
fi
set -euo pipefail
. "$(dirname "$0")/study.sh"
figures="simulated-ridge simulated-lasso mnist-ridge mnist-lasso covertype-ridge
covertype-lasso adagrad-simulated adagrad-mnist"

options()
{
  out=$jobs/../build/sampling
  data=$jobs/../../shared/data
  runs=100
  processes=$(nproc)
  attributes=
  panels=
  train=
  ratio=
  format=png
  while [ $# -gt 0 ]; do
    case $1 in
    -h | --help)
      help_from "$0"
      exit 0
      ;;
    --quick) runs=5 ;;
    --out | --data | --runs | --processes | --attributes | --panels | \
      --train | --offline-ratio | --format)
      [ $# -ge 2 ] || refuse "$1 wants a value"
      option "${1#--}" "$2"
      shift
      ;;
    *) refuse "$1 is no option; see --help" ;;
    esac
    shift
  done
  check_format "$format"
}

option() # NAME VALUE
{
  case $1 in
  runs | processes) whole "$1" "$2" ;;
  offline-ratio) ratio=$2 ;;
  attributes)
    [[ $2 =~ ^([1-9][0-9]*\ *)+$ ]] ||
      refuse "--attributes $2: wanted whole numbers above 0"
    attributes=$2
    ;;
  *) declare -g "$1=$2" ;;
  esac
}

# What the figure is of: task, budget, penalty, data and points.
define()
{
  case $figure in
  *-lasso) task=lasso ;;
  *) task=ridge ;;
  esac
  budget=5
  rules=auto
  case $figure in
  adagrad-*) rules="none norm coordinate" ;;
  esac
  case $figure in
  *simulated*) simulated ;;
  *mnist*) mnist ;;
  *) covertype ;;
  esac
}

simulated()
{
  kind=simulated
  ratio=${ratio:-0.0001}
  panels=${panels:-0 -0.5 -1 -2}
  [ "$rules" = auto ] || panels=-2
  points="1000 2000 5000 10000 20000 50000 100000 200000"
}

mnist()
{
  kind=real
  ratio=${ratio:-0.01}
  panels=mnist35
  points="500 1000 2000 5000 10000 20000 50000"
  if [ $task = ridge ]; then
    budget=57
    points="2000 5000 10000 20000 50000 100000 200000 500000"
  fi
}

covertype()
{
  kind=real
  ratio=${ratio:-0.01}
  panels=${panels:-covtype.first20k covtype.scale01.subset}
  points="500 1000 2000 5000 10000 20000 50000 75000 200000 350000"
}

# The file of that name, plain or compressed.
text_of() # NAME
{
  local packed
  for packed in "" .xz .gz .bz2; do
    if [ -e "$data/$1$packed" ]; then
      echo "$data/$1$packed"
      return
    fi
  done
  refuse "no $1 in $data, plain or with .xz, .gz or .bz2;" \
    "name the folder with --data"
}

plain() # FILE
{
  case $1 in
  *.xz) xz -dc "$1" ;;
  *.gz) gzip -dc "$1" ;;
  *.bz2) bzip2 -dc "$1" ;;
  *) cat "$1" ;;
  esac
}

# Class 2 of the last or the first field against the rest, as LIBSVM text.
second_class()
{
  awk -F '[, ]' '
    /,/ {
      printf "%d", $NF == 2 ? 1 : -1
      for (k = 1; k < NF; k++)
        if ($k != 0)
          printf " %d:%s", k, $k
      printf "\n"
      next
    }
    { sub(/^[^ ]*/, $1 == 2 ? 1 : -1); print }'
}

# Training and test examples of a panel of real data: DIR/data/PANEL.train.svm,
# PANEL.test.h5 and PANEL.d
prepare() # PANEL
{
  local stem=$out/data/$1 text
  [ ! -e "$stem.d" ] || return 0
  case $1 in
  mnist35)
    text=$(text_of mnist35.train.svm)
    plain "$text" >"$stem.train.svm"
    text=$(text_of mnist35.test.svm)
    plain "$text" >"$stem.test.svm"
    d=784
    ;;
  covtype.*)
    text=$(text_of "$1.$([ "$1" = covtype.first20k ] && echo csv || echo svm)")
    plain "$text" | second_class |
      "$PYTHON" "$jobs/sampling_tables.py" shuffle 0 >"$stem.all.svm"
    d=54
    # the first fifth of a random order is for testing
    awk 'NR % 5 == 0' "$stem.all.svm" >"$stem.test.svm"
    awk 'NR % 5 != 0' "$stem.all.svm" >"$stem.train.svm"
    ;;
  *) refuse "--panels $1: no such data" ;;
  esac
  "$thresher" import "$stem.test.svm" -o "$stem.test.h5" --attributes "$d" \
    --quiet --force
  rm -f "$stem.test.svm" "$stem.all.svm"
  echo "$d" >"$stem.d"
}

# All runs of all panels, some at a time; each is jobs/sampling_run.sh.
run_all()
{
  local panel seed
  # shellcheck disable=SC2086 # words
  for panel in $panels; do
    for ((seed = 1; seed <= runs; seed++)); do
      printf '%s\0%s\0' "$panel" "$seed"
    done
  done | xargs -0 -r -n 2 -P "$processes" bash "$jobs/sampling_run.sh" || exit 1
}

show()
{
  local panel seed parts=()
  for panel in $panels; do
    for ((seed = 1; seed <= runs; seed++)); do
      parts+=("$out/runs/$figure/$panel.$seed.tsv")
    done
  done
  "$PYTHON" "$jobs/sampling_tables.py" summary "$out/$figure" "${parts[@]}"
  draw sampling "prefix = '$figure'; figure = '$figure'; task = '$task'; runs = $runs;
    budget = $budget"
  table '\t' "$out/$figure.summary.tsv" 140
  echo "results: $out/$figure.*"
}

[ $# -gt 0 ] || refuse "wanted: bash jobs/sampling.sh FIGURE; see --help"
figure=$1
case " ${figures//$'\n'/ } --help -h " in
*" $figure "*) ;;
*) refuse "$figure is no figure; there are ${figures//$'\n'/ }" ;;
esac
case $figure in
-*) options "$figure" ;;
*) options "${@:2}" ;;
esac
find_program
define
points=${attributes:-$points}
mkdir -p "$out/data" "$out/runs/$figure"
out=$(cd "$out" && pwd)
if [ "$kind" = real ]; then
  for panel in $panels; do
    prepare "$panel"
  done
fi
export thresher PYTHON out figure task kind budget rules points ratio train
run_all
show
