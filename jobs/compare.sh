#!/usr/bin/env bash
# compare.sh NAME.h5|FAMILY:KEY=VALUE,... [OPTION...] - all solvers on one data set
# SPDX-License-Identifier: MIT
#
# Error on test rows against the attributes observed, the examples, the seconds and
# the bytes read. The solvers are those that `thresher solvers` lists. One that
# refuses the data, or that wants what only its user knows, is left out, and the
# reason is said.
#
# FAMILY:... are computed data, as `thresher train --source` has them. Their error is
# that of an endless test set; other programs do not get them.
#
#   --solvers LIST   some of them, as in "sift hybrid lasso"
#   --out DIR        results (build/compare/NAME)
#   --seeds N        splits of the rows, each with runs of its own (3)
#   --test SHARE     rows that are held out for the error (0.2)
#   --examples N     take at most N rows, others for each seed (as many as hold
#                    2 10^7 values)
#   --points LIST    examples to learn from, as shares of those that are not held
#                    out: the points of a curve ("0.04 0.12 0.35 1"); at least 20
#   --budget B       of the solvers that have one (a tenth of the attributes, but
#                    at least 128 or, if these are fewer, half of all)
#   -s K             of the solvers that want it (half the budget, at most 50 and a
#                    tenth of the examples); given, of all that know it
#   --epochs E       of stochastic solvers with a penalty (20)
#   --passes P       of solvers that know it, over the examples (as they like)
#   --train OPTIONS  further options of all solvers, as in "--standardize"
#   --limit T        seconds of a run (60); one that takes longer is left out
#   --no-peers       without scikit-learn and glmnet
#   --quick          2 seeds, 2 points, 3 epochs, 10 s, no peers, but for what
#                    comes behind it
#   --processes N    runs at a time (one for each processor; 1 for exact seconds)
#   --format F       png, svg or pdf (png, with 300 dots per inch)
#
# Each seed takes other test rows, whether or not the data set has some of its own;
# of labels as many as there are of each in all rows.
# A point is a run on the first examples of the seed, with what the program chooses
# by itself. Only lambda has no choice of its own: lasso tries some on a fifth of
# the examples (below 100: on five folds), and all solvers with the same penalty
# get the best one; the same for ridge. The choice is not in `seconds` and the other
# columns: it is in `choice_seconds`.
#
# LassoCV, RidgeCV and LogisticRegressionCV of scikit-learn and cv.glmnet of R get
# the same examples, and choose by five folds of them (`sh jobs/packages.sh peers`).
#
# Environment: THRESHER, the program (build/release/thresher); PYTHON, with numpy
# and h5py (/usr/bin/python3).
#
# What comes out: DIR/compare.csv has a line for each run:
#   examples    that the run got; it may have drawn them again: `drawn`
#   attributes  observed, with repeats
#   error       of labels the share of wrong ones, of other targets the mean
#               squared error over that of the constant model (`relative`)
# Further columns are mse, auc, log_loss, the size of the support and the options. DIR/summary.csv has for each solver its median with
# all examples, with the lowest and highest error of the seeds; it is printed.
# DIR/left_out.tsv has the reasons. DIR/summary.png shows the medians,
# DIR/compare.attributes.png and .examples, .seconds and .bytes the curves: medians,
# and bands from the lowest to the highest seed. DIR/runs/ has each command and its
# report. A run that is there already, with the same command, is used as it is.
if [ -z "${BASH_VERSION:-}" ]; then # sh compare.sh
  exec bash "$0" "$@"
fi
set -euo pipefail
. "$(dirname "$0")/lib.sh"

options()
{
  out=
  solvers=
  seeds=3
  test=0.2
  examples=
  points="0.04 0.12 0.35 1"
  budget=
  sparsity=
  epochs=20
  passes=
  train=
  limit=60
  peers="LassoCV RidgeCV LogisticRegressionCV cv.glmnet"
  parse "--solvers --out --seeds --test --examples --points --budget -s --epochs
    --passes --train --limit --processes --format" "$@"
}

word()
{
  case $1 in
  --quick) seeds=2 points="0.35 1" epochs=3 limit=10 peers= ;;
  --no-peers) peers= ;;
  *) return 1 ;;
  esac
}

# shares OPTION LIST: numbers above 0, at most 1
shares()
{
  local share
  for share in $2; do
    awk -v x="$share" 'BEGIN { exit !(x ~ /^[0-9.]+$/ && x > 0 && x <= 1) }' ||
      refuse "$1 $2: wanted shares above 0, at most 1"
  done
}

option() # NAME VALUE
{
  case $1 in
  seeds) whole "$1" "$2" ;;
  test | points) shares "--$1" "$2" ;;
  esac
  set_option "$@"
}

# The solvers, one on a line: NAME FAMILY NEEDS OPTIONS, with tabs between them.
# NEEDS and OPTIONS are words.
known_solvers()
{
  "$thresher" solvers | awk -v OFS='\t' '
    /^[^ ]/ { name = $1 }
    / needs: / { sub(/ *needs: */, ""); gsub(/,/, ""); needs = $0 }
    / options: / {
      sub(/ *options: */, "")
      print name, family(" " $0 " "), needs, $0
    }
    function family(all) {
      return all ~ / --penalty / ? "penalty" : all ~ / --radius / ? "sampling" : \
        all ~ / --budget / ? "budget" : "whole"
    }'
}

# Sets rows, attributes, values (stored), layout and type, as in the file.
describe()
{
  local told kind
  if [ -n "$source" ]; then
    describe_source
    return
  fi
  told=$("$thresher" inspect "$data" --json --quiet) || exit 2
  read -r rows attributes values layout type kind fingerprint < <(PYTHONSAFEPATH=1 "$PYTHON" -c '
import json, sys
d = json.load(sys.stdin)
kind = d["kind"] if d.get("labelled", True) else "unlabelled"
print(*(d.get(k, 0) for k in "examples attributes nonzeros layout type".split()),
      kind, d.get("fingerprint"))' <<<"$told")
  [ "$kind" = dataset ] || refuse "$data: wanted a data set with targets"
  [ "$layout" = sparse ] || values=$((rows * attributes))
}

# `source` without what the script says itself.
describe_source()
{
  local told
  told=$("$thresher" train --source "$source" --solver ridge --dry-run \
    -o "$out/no.h5" 2>&1) || refuse "${told#thresher: }"
  read -r rows attributes < <(sed -n \
    's/^data: *\([0-9]*\) training examples, \([0-9]*\) attributes.*/\1 \2/p' <<<"$told")
  values=0 layout=none type=none fingerprint=none
  source=$(sed 's/\([:,]\)\(n\|examples\|seed\|test\)=[^,]*/\1/g; s/,,*/,/g
    s/:,/:/; s/,$//' <<<"$source")
}

# What the options have left open.
choose()
{
  local most=$((values > 20000000 ? 20000000 * rows / values : rows))
  examples=${examples:-$((most > 40 ? most : 40))}
  if [ "$examples" -lt "$rows" ]; then
    echo "$examples of the $rows examples are taken, others for each seed (--examples)"
  else
    examples=$rows
  fi
  tests=$(awk -v n="$examples" -v s="$test" 'BEGIN { k = int(n * s + 0.5)
    print k < 1 ? 1 : k }')
  [ -z "$source" ] || tests=0
  training=$((examples - tests))
  [ "$training" -ge 10 ] || refuse "$data: $training examples to learn from are too few"
  numbers=$(awk -v n=$training -v shares="$points" 'BEGIN {
    k = split(shares, share, " ")
    for (i = 1; i <= k; i++) {
      x = int(n * share[i] + 0.5)
      if (x >= (n < 20 ? n : 20) && !seen[x]++)
        print x
    } }' | sort -n | tr '\n' ' ')
  [ -n "$numbers" ] || refuse "--points $points: below 20 of $training examples"
  full=$(echo "$numbers" | tr ' ' '\n' | grep . | tail -n 1)
  if [ -z "$budget" ]; then
    budget=$(((attributes + 1) / 2))
    budget=$((budget < 128 ? budget : 128))
    budget=$((10 * budget > attributes ? budget : attributes / 10))
  fi
  [ "$budget" -le "$attributes" ] || budget=$attributes
  most=$((budget / 2 < training / 10 ? budget / 2 : training / 10))
  most=$((most < 50 ? most : 50))
  own_sparsity=${sparsity:-$((most > 1 ? most : 1))}
}

# The options that a solver gets beside those of all.
own_options() # FAMILY NEEDS OPTIONS
{
  local all=" $3 "
  case $all in *" --passes "*) [ -z "$passes" ] || echo "--passes $passes" ;; esac
  case $all in *" --budget "*) echo "--budget $budget" ;; esac
  case " $2 " in
  *" -s "*) echo "-s $own_sparsity" ;;
  *) [ -z "$sparsity" ] || case $all in *" --sparsity "*) echo "-s $sparsity" ;; esac ;;
  esac
  case "$1:$all" in penalty:*" --batch "*) echo "--epochs $epochs" ;; esac
  # a matrix of d x d is for larger machines
  case $all in
  *" --factor "*) [ "$attributes" -le 2000 ] || echo "--factor cg" ;;
  esac
  case "$1:$all" in
  penalty:* | whole:*" --path "*) echo "--lambda-ratio @" ;;
  esac
}

# What a solver needs that this script cannot know, or nothing.
unknown_needs() # NEEDS
{
  local word
  for word in $1; do
    case $word in
    nothing | -s | --budget) ;;
    *) echo "$word" ;;
    esac
  done
}

# Sets `jobs_of`: a line for each solver that is to run, NAME FAMILY OPTIONS; writes
# DIR/left_out.tsv.
plan()
{
  local all solver family needs known wanting
  all=$(known_solvers)
  solvers=${solvers:-$(cut -f 1 <<<"$all" | tr '\n' ' ')}
  : >"$out/left_out.tsv"
  jobs_of=()
  for solver in $solvers; do
    IFS=$'\t' read -r _ family needs known < <(grep "^$solver	" <<<"$all") ||
      refuse "--solvers $solver: no such solver; see: thresher solvers"
    wanting=$(unknown_needs "$needs")
    if [ -n "$wanting" ]; then
      printf '%s\t\t\tneeds %s\n' "$solver" "$(echo $wanting)" >>"$out/left_out.tsv"
    else
      jobs_of+=("$solver	$family	$(own_options "$family" "$needs" "$known" |
        tr '\n' ' ')")
    fi
  done
}

# What the tables are of: DIR/plan.tsv has a line for each run of a seed.
list_runs()
{
  local n
  {
    for n in $numbers; do
      printf '%s\n' "${jobs_of[@]}" | cut -f 1 | sed "s/^/$n	/"
    done
    printf "$full\t%s\n" constant $peers
  } >"$out/plan.tsv"
}

# The rows as text, once; new data or another split do away with old runs.
prepare()
{
  local settings="$data $fingerprint test $tests of $examples"
  mkdir -p "$out/data" "$out/runs"
  if [ "$(cat "$out/data/settings" 2>/dev/null)" != "$settings" ]; then
    rm -rf "$out/data" "$out/runs"
    mkdir -p "$out/data" "$out/runs"
    [ -n "$source" ] || "$PYTHON" "$jobs/compare_data.py" "$data" >"$out/data/all.svm" ||
      refuse "$data: not read; $PYTHON wants numpy and h5py (sh jobs/packages.sh test)"
    echo "$settings" >"$out/data/settings"
  fi
}

# some N PHASE: parts of the comparison, N arguments each
some()
{
  some_at_a_time "$1" "$jobs/compare_run.sh" "$2"
}

each_seed()
{
  seq "$seeds"
}

# Seeds and numbers of examples, the largest first.
each_point()
{
  local n
  for n in $(echo "$numbers" | tr ' ' '\n' | grep . | sort -rn); do
    each_seed | sed "s/$/	$n/"
  done
}

each_choice()
{
  local kind
  for kind in penalty whole; do
    ! grep -q "	$kind	.*--lambda-ratio" <<<"$(printf '%s\n' "${jobs_of[@]}")" ||
      each_point | sed "s/$/	$kind/"
  done
}

each_run()
{
  local point job
  each_seed | sed "s/$/	$full	constant	constant	/"
  each_point | while read -r point; do
    for job in "${jobs_of[@]}"; do
      printf '%s\t%s\n' "$point" "$job"
    done
  done
}

each_peer()
{
  local seed peer
  for peer in $peers; do
    for ((seed = 1; seed <= seeds; seed++)); do
      printf '%s\t%s\t%s\n' $seed "$full" "$peer"
    done
  done
}

show()
{
  "$PYTHON" "$jobs/compare_tables.py" "$out" "$full" "$seeds"
  draw compare "folder = '.'; name = $(words_for_gnuplot "$title"); examples = $full;
    seeds = $seeds; attributes = $attributes; budget = $budget"
  table , "$out/summary.csv" 140
  awk -F '\t' '{ print "left out: " $1 ($2 == "" ? "" : ", " $2 " of " $3 " runs") ": " $4 }' \
    "$out/left_out.tsv"
  echo "results: $out"
}

[ $# -gt 0 ] || refuse "wanted: bash jobs/compare.sh NAME.h5; see --help"
data=$1
case $data in
-*)
  options "$data"
  refuse "wanted: bash jobs/compare.sh NAME.h5; see --help"
  ;;
esac
options "${@:2}"
source=
case $data in
[a-z]*:*)
  source=$data
  title=${data//[:,=]/-}
  peers=
  ;;
*)
  [ -f "$data" ] || refuse "no file $data; \`thresher import\` makes one of text"
  title=$(basename "$data" .h5)
  data=$(realpath "$data")
  ;;
esac
out=${out:-$jobs/../build/compare/$title}
start_study
describe
choose
plan
list_runs
prepare
sparsity=$own_sparsity
export source sparsity tests training numbers layout type attributes train limit
[ -n "$source" ] || each_seed | some 1 data
each_choice | some 3 choice
each_run | some 5 run
each_peer | some 3 peer
show
