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
#   --tune            choose the size of the steps for each curve, as the paper did
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
# The paper chose the parameters of each method and data set by cross-validation. With
# --tune, trials do so for each curve of a panel: --step-factor 1, 3, 10, 30, 100 and 300
# of steps of one size (--adagrad none, which are the paper's), or 0.01 to 3 of those of
# AdaGrad, in 5 trials (--quick: 3) with data of their own. The smallest factor is taken whose
# mean loss on examples that are held out, a tenth, is within one standard error of the
# least: one that is too large shows in some runs only. It is tried at the first and at every
# second point: steps of one size depend on the number of examples. The points between
# take that of the point before them. DIR/runs/FIGURE/PANEL.factors tells all. Without --tune
# steps are those of the program, by AdaGrad.
#
# What comes out: DIR/FIGURE.tsv with a line for each run of each point,
# DIR/FIGURE.summary.tsv with mean, deviation, number and worst of the runs, and
# DIR/FIGURE.png with means and bars of one standard deviation. `relative` is the
# mean squared error over that of the zero model: on the test rows, for simulated
# data exactly, as an endless test set has it. Runs that are there already, with the
# same options, are used as they are. The last line, also in DIR/FIGURE.says, is what the
# paper says of its figure and what these numbers say.
if [ -z "${BASH_VERSION:-}" ]; then # sh sampling.sh
  exec bash "$0" "$@"
fi
set -euo pipefail
. "$(dirname "$0")/lib.sh"
figures="simulated-ridge simulated-lasso mnist-ridge mnist-lasso covertype-ridge
covertype-lasso adagrad-simulated adagrad-mnist"

options()
{
  out=$jobs/../build/sampling
  data=$jobs/../../shared/data
  runs=100
  attributes=
  panels=
  train=
  ratio=
  tune=no
  trials=5
  parse "--out --data --runs --processes --attributes --panels --train
    --offline-ratio --format" "$@"
}

word()
{
  case $1 in
  --quick) runs=5 trials=3 ;;
  --tune) tune=yes ;;
  *) return 1 ;;
  esac
}

option() # NAME VALUE
{
  case $1 in
  offline-ratio) ratio=$2 ;;
  *) set_option "$@" ;;
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
  *) [ $tune = no ] || rules=none ;;
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
  case $figure in adagrad-*) panels=-2 ;; esac
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

# The text of that name, unpacked.
plain() # NAME
{
  local file
  file=$(text_of "$1")
  [ -n "$file" ] || refuse "no $1 in $data, plain or with .xz, .gz or .bz2;" \
    "name the folder with --data"
  case $file in
  *.xz) xz -dc "$file" ;;
  *.gz) gzip -dc "$file" ;;
  *.bz2) bzip2 -dc "$file" ;;
  *) cat "$file" ;;
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
  local stem=$out/data/$1
  [ ! -e "$stem.d" ] || return 0
  case $1 in
  mnist35)
    plain mnist35.train.svm >"$stem.train.svm"
    plain mnist35.test.svm >"$stem.test.svm"
    d=784
    ;;
  covtype.*)
    plain "$1.$([ "$1" = covtype.first20k ] && echo csv || echo svm)" | second_class |
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

# each_run N NAME: a line for each run of each panel
each_run()
{
  local panel
  for panel in $panels; do
    seq "$1" | sed "s/^/$panel\t$2/"
  done
}

# Every second point from the last one on, and the first: where factors of steps are tried
some_points()
{
  local all i some=
  read -r -a all <<<"$points"
  for ((i = 0; i < ${#all[@]}; i++)); do
    [ $i -gt 0 ] && [ $(((${#all[@]} - i) % 2)) -eq 0 ] || some="$some ${all[i]}"
  done
  echo "${some# }"
}

# The factors of the steps of each curve, by trials
try_steps()
{
  local panel
  each_run "$trials" tune- | some_at_a_time 2 "$jobs/sampling_run.sh"
  for panel in $panels; do
    "$PYTHON" "$jobs/sampling_tables.py" choose \
      $(seq -f "$out/runs/$figure/$panel.tune-%g.tsv" "$trials") \
      >"$out/runs/$figure/$panel.factors"
  done
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
    budget = $budget; rule = '${rules%% *}'"
  table '\t' "$out/$figure.summary.tsv" 140
  echo "results: $out/$figure.*"
  "$PYTHON" "$jobs/sampling_tables.py" say "$figure" "$out/$figure.summary.tsv" $tune |
    tee "$out/$figure.says"
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
define
points=${attributes:-$points}
start_study data "runs/$figure"
if [ "$kind" = real ]; then
  for panel in $panels; do
    prepare "$panel"
  done
fi
tune_points=$(some_points)
export figure task kind budget rules points ratio train tune tune_points
[ $tune = no ] || try_steps
each_run "$runs" "" | some_at_a_time 2 "$jobs/sampling_run.sh"
show
