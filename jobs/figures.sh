#!/usr/bin/env bash
# figures.sh FIGURE [SET...] [OPTION...] - the figures of Liang and Poon (2022)
# SPDX-License-Identifier: MIT
#
# prox-sgd, fs-prox-sgd (gap-safe screening) and os-prox-sgd (online screening)
# beside the exact solution, which `--solver lasso` computes. FIGURE is
#
#   support    attributes left, and coefficients that are not zero, against
#              epochs (the paper's figures 3 and 4)
#   wallclock  the same against seconds
#   error      distance of the coefficients from the exact ones against seconds
#              (figures 5 and 7)
#   solutions  magnitudes of the coefficients at the end, sorted, beside the
#              exact ones (figures 6 and 8)
#   exponent   os-prox-sgd with w = 0.51, 0.75 and 0.99: attributes left, and the
#              coefficients at the end (figure 9; set: arcene)
#   generated  the online problem: examples that are computed and used once;
#              attributes left, error, coefficients and seconds (figure 1).
#              os-prox-sgd draws what is left, OS-Prox-SGD-2 of the paper;
#              os-prox-sgd-1 draws all attributes (--screen-draws all)
#   digits     MNIST, 4 against 9, each example used once, which stands in for MNIST8m
#              (figure 2)
#
# The attributes of `generated` are uniform, as in the paper. Coefficients that fall linearly
# and uniform noise are of our choice.
#
# SET is a name in the data folder: NAME.h5, or NAME.svm or NAME.train.svm with
# NAME.valid.svm, both of which are imported, also with .xz, .gz or .bz2 behind.
# Default: those that are there of colon-cancer, leukemia, duke-breast-cancer,
# gisette, arcene, dexter, dorothea, rcv1sub and mnist35; other data must be named.
#
#   --out DIR        results (build/figures)
#   --data DIR       the data folder (../shared/data)
#   --losses LIST    default: "squared logistic"
#   --ratio R        lambda over lambda_max (0.5)
#   --rule RULE      os-prox-sgd: proj, paper or votes (proj; exponent: votes, as in the
#                    authors' program, since the checks of proj leave w no effect)
#   --ranks N        (1)
#   --seeds LIST     ("1 2 3"); curves are medians, bands go from the lowest to the
#                    highest seed
#   --format F       png, svg or pdf (png, with 300 dots per inch)
#   --epochs E       passes over the examples; generated: always 1. Default: as
#                    many as make max(200000, 30 m) steps with m examples
#   --quick          max(50000, 10 m) steps (exponent: all) and one seed
#   --paper          max(3000000, 300 m) steps, as in the paper
#   --examples N     --attributes D     generated: 100000 and 3000; with --quick
#                    30000 and 500, with --paper 10^7 and 10^5
#
# Environment: THRESHER, the program (build/release/thresher);
# THRESHER_LAUNCHER=mpirun: mpirun instead of srun inside a Slurm job.
#
# What comes out: DIR/runs/SET/LOSS/RUN/ with command, environment, telemetry,
# report.json and model.json of each run; RUN.seed-K for other seeds than 1. A run
# that is there already, with the same command, is used as it is.
# DIR/FIGURE.curves.tsv has a line for each line of telemetry,
# DIR/FIGURE.coefficients.tsv one for each coefficient, DIR/FIGURE.bands.tsv and
# DIR/FIGURE.sizes.tsv their medians and extremes over the seeds.
# DIR/FIGURE.summary.tsv has a line for each run, medians over the seeds, and is
# printed:
#   ratio   seconds over those of prox-sgd in as many epochs
#   active  attributes that were not screened
#   missed  attributes of the exact support whose coefficient is zero here
#   extra   attributes whose coefficient is zero there and not here
#   wrongly attributes screened and re-admitted by checks
# DIR/FIGURE.LOSS.png shows it. The last lines, also in DIR/FIGURE.says, are what the
# paper says of its figures and what these numbers say. Examples are all that were drawn, those
# of screening and checks too; epochs are those of steps. generated: the exact
# coefficients are the true ones, and in the summary
#   solution  distance of the model from the solution of the population's problem at its
#             lambda, which is known since the attributes are independent
#   sampling  seconds in which examples were computed, of all ranks
# Steps are those of the program and as many for all three; the paper ends screening when it
# has taken the time of prox-sgd. It has w = 0.51 where ours is 0.75.
if [ -z "${BASH_VERSION:-}" ]; then # sh figures.sh
  exec bash "$0" "$@"
fi
set -euo pipefail
. "$(dirname "$0")/lib.sh"
figures="support wallclock error solutions exponent generated digits"
solvers="prox-sgd fs-prox-sgd os-prox-sgd"
exponents="0.51 0.75 0.99"
known="colon-cancer leukemia duke-breast-cancer gisette arcene dexter dorothea
  rcv1sub mnist35"
truth_size=9 # generated: attributes with a coefficient
noise=0.1    # generated: its standard deviation
block=2000   # generated: steps until the first screening

options()
{
  out=$jobs/../build/figures
  data=$jobs/../../shared/data
  losses="squared logistic"
  ratio=0.5
  rule=
  ranks=1
  seeds="1 2 3"
  floor=200000
  passes=30
  examples=100000
  attributes=3000
  epochs=
  sets=
  parse "--out --data --losses --ratio --rule --ranks --epochs --examples
    --attributes --seeds --format" "$@"
}

word()
{
  case $1 in
  --quick) seeds=1 examples=30000 attributes=500 && shorter ;;
  --paper) floor=3000000 passes=300 examples=10000000 attributes=100000 ;;
  -*) return 1 ;;
  *) sets="$sets $1" ;;
  esac
}

# Fewer steps, but not where the order is that of the whole run only with all of them
shorter()
{
  [ "$figure" = exponent ] || { floor=50000 && passes=10; }
}

option() # NAME VALUE
{
  case $1 in
  attributes) whole "$1" "$2" ;;
  *) set_option "$@" ;;
  esac
}

# The files of a set, or nothing.
files_of() # SET
{
  if [ -e "$data/$1.h5" ]; then
    echo "$data/$1.h5"
  elif [ -n "$(text_of "$1.svm")" ]; then
    text_of "$1.svm"
  else
    text_of "$1.train.svm"
    text_of "$1.valid.svm"
  fi
}

# Those that are there, where the user has named none; sets `sets`.
find_sets()
{
  local set
  [ -d "$data" ] || refuse "no folder $data; name the data's with --data DIR"
  [ "$figure" = exponent ] && known=arcene
  for set in $known; do
    [ -z "$(files_of "$set")" ] || sets="$sets $set"
  done
  # shellcheck disable=SC2086 # words
  [ -n "$sets" ] || refuse "$figure: $data has none of the sets" $known \
    "(as SET.h5 or SET.svm, .svm.xz, .svm.gz, .svm.bz2);" \
    "put some there, or name your own: figures.sh $figure SET"
}

# SET: a data set of that name is there, see `stored`
import()
{
  local files
  mapfile -t files < <(files_of "$1")
  [ ${#files[@]} -gt 0 ] || refuse "$1: neither $1.h5 nor $1.svm," \
    "plain or with .xz, .gz or .bz2, in $data"
  case ${files[0]} in
  *.h5) stored=${files[0]} ;;
  *)
    stored=$out/data/$1.h5
    [ -e "$stored" ] || "$thresher" import "${files[@]}" -o "$stored" --quiet
    ;;
  esac
  describe "$1" "$stored"
  m=$(sed -n 's/^ *"training": \([0-9]*\),*/\1/p' "$out/runs/$1/data.json")
}

describe() # SET NAME.h5
{
  mkdir -p "$out/runs/$1"
  "$thresher" inspect "$2" --json >"$out/runs/$1/data.json"
}

# each FOLDER ARGUMENT...: train once for each seed
each()
{
  local seed
  for seed in $seeds; do
    if [ "$seed" = 1 ]; then
      run "$@"
    else
      run "$1.seed-$seed" "${@:2}" --seed "$seed"
    fi
  done
}

# run FOLDER ARGUMENT...: train, unless the same was done before
run()
{
  local folder=$out/runs/$1
  shift
  local command=("$thresher" train "$@" --lambda-ratio "$ratio" --no-intercept --no-standardize
    --force -o "$folder/model.h5" --telemetry "$folder/telemetry.jsonl"
    --report "$folder/report.json")
  runs+=("$folder")
  [ ! -e "$folder/model.json" ] || ! grep -qxF -- \
    "$(command_line "$ranks" "${command[@]}")" "$folder/command" || return 0
  rm -f "$folder/model.json"
  record "$folder" "$ranks" "${command[@]}"
  "$thresher" inspect "$folder/model.h5" --json >"$folder/model.json"
}

exact() # SET LOSS
{
  run "$1/$2/exact" "$stored" --solver lasso --lambda-ratio 0.1 --loss "$2"
  reference=$out/runs/$1/$2/exact/model.h5
}

# What the solver takes beside what all take.
own_options() # SOLVER [W]
{
  [ "$1" != os-prox-sgd ] || echo "--screen-rule $rule"
  [ $# -lt 2 ] || echo "--screen-exponent $2"
}

# descend SET LOSS RUN SOLVER [W]
descend()
{
  local own
  read -r -a own <<<"$(own_options "${@:4}" | tr '\n' ' ')"
  each "$1/$2/$3" "$stored" --solver "$4" --loss "$2" \
    --epochs "${epochs:-$(((most_steps + m - 1) / m))}" \
    --reference "$reference" "${own[@]}"
}

begin() # SET LOSS
{
  import "$1"
  most_steps=$((floor > passes * m ? floor : passes * m))
  exact "$1" "$2"
}

compare_solvers()
{
  local set loss solver
  for set in $sets; do
    for loss in $losses; do
      begin "$set" "$loss"
      for solver in $solvers; do
        descend "$set" "$loss" "$solver" "$solver"
      done
    done
  done
}

compare_exponents()
{
  local set loss w
  for set in $sets; do
    for loss in $losses; do
      begin "$set" "$loss"
      for w in $exponents; do
        descend "$set" "$loss" "w=$w" os-prox-sgd "$w"
      done
    done
  done
}

compare_generated()
{
  local set=$examples-by-$attributes truth=$out/data/truth.h5 solver own
  local source=oomp:n=$examples,d=$attributes,support=$truth_size,noise=$noise
  # the truth does not depend on the number of examples
  "$thresher" generate oomp --examples 1 --attributes "$attributes" \
    --support $truth_size --noise $noise -o "$truth" --force --quiet
  describe "$set" "$truth"
  rm -r "$truth" "${truth%.h5}.shards"
  for solver in prox-sgd os-prox-sgd; do
    read -r -a own <<<"$(own_options $solver)"
    each "$set/squared/$solver" --source "$source" --solver $solver \
      --epochs 1 --screen-every $block "${own[@]}"
  done
  each "$set/squared/$solver-1" --source "$source" --solver $solver \
    --epochs 1 --screen-every $block "${own[@]}" --screen-draws all
}

# The 4 and the 9 of MNIST as labels, in a data set; sets `stored`
digits()
{
  local text pack=cat
  text=$(text_of mnist.train.svm)
  [ -n "$text" ] || refuse "digits: no mnist.train.svm in $data, plain or with .xz, .gz or .bz2"
  case $text in
  *.xz) pack="xz -dc" ;;
  *.gz) pack="gzip -dc" ;;
  *.bz2) pack="bzip2 -dc" ;;
  esac
  stored=$out/data/mnist49.h5
  [ ! -e "$stored" ] || return 0
  $pack "$text" | awk '$1 == 4 || $1 == 9 { $1 = $1 == 4 ? -1 : 1; print }' \
    >"$out/data/mnist49.svm"
  "$thresher" import "$out/data/mnist49.svm" -o "$stored" --quiet
  rm "$out/data/mnist49.svm"
}

# Each example once, so that their number is that of the steps
compare_digits()
{
  local solver own
  digits
  describe mnist49 "$stored"
  exact mnist49 squared
  for solver in prox-sgd os-prox-sgd; do
    read -r -a own <<<"$(own_options $solver)"
    each "mnist49/squared/$solver" "$stored" --solver $solver --loss squared --epochs 1 \
      --screen-every $block --reference "$reference" "${own[@]}"
  done
}

# Tables, the picture where there is gnuplot, and what they say.
show()
{
  "$PYTHON" "$jobs/figures_tables.py" "$out/$figure" "$out/runs" "${runs[@]}"
  draw figures "prefix = '$figure'; figure = '$figure'; ratio = $ratio; seeds = '$seeds'"
  table '\t' "$out/$figure.summary.tsv" 140
  echo "results: $out/$figure.*"
  "$PYTHON" "$jobs/figures_tables.py" say "$figure" "$out/$figure" | tee "$out/$figure.says"
}

[ $# -gt 0 ] || refuse "wanted: bash jobs/figures.sh FIGURE; see --help"
figure=$1
case " $figures --help -h " in
*" $figure "*) ;;
*) refuse "$figure is no figure; there are $figures" ;;
esac
case $figure in
-*) options "$figure" ;;
*) options "${@:2}" ;;
esac
if [ -z "$rule" ]; then
  [ "$figure" = exponent ] && rule=votes || rule=proj
fi
[ "$figure" = generated ] || [ "$figure" = digits ] || [ -n "$sets" ] || find_sets
start_study data
runs=()
case $figure in
generated) compare_generated ;;
digits) compare_digits ;;
exponent) compare_exponents ;;
*) compare_solvers ;;
esac
show
