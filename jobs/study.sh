#!/usr/bin/env bash
# study.sh [OPTION...] - how the program scales, on one page for a proposal
# SPDX-License-Identifier: MIT
#
# Five ways to train, each on more and more ranks:
#
#   sift         the default, on dense data
#   exploration  the same data, a support as large as the blocks beside it
#   hybrid       the same data
#   path         lasso over 20 lambdas, on sparse data
#   steps        os-prox-sgd, on the same data
#
# and each in three ways: the same data for all ranks (strong scaling), examples
# that grow with the ranks, and attributes that do (weak scaling). Beside these:
# reading from files that the system has in memory and that it has not, a
# checkpoint after every update, and importing text. All models of a strong study
# must have the same bytes. Its ceiling is the time of as many runs of one rank at the
# same time, over their number.
#
#   --ranks "1 2 4"      numbers of ranks (powers of two up to the cores, or up to the
#                        tasks of the Slurm job)
#   --ranks-per-node N   as the pictures name them (a node has all ranks)
#   --cases LIST         ("sift exploration hybrid path steps files checkpoint import")
#   --examples N         of the smallest run (20000)
#   --attributes D       of it (20000)
#   --repeats K          runs of each point (5): medians, and bars from the fastest to
#                        the slowest
#   --out DIR            results (build/study)
#   --quick              3000 x 3000, 2 repeats
#   --format F           png, svg or pdf (png, with 300 dots per inch)
#
# Environment: THRESHER, the program (build/release/thresher);
# THRESHER_LAUNCHER=mpirun: mpirun instead of srun inside a Slurm job. Data are
# generated below DIR, and removed at the end: on a cluster DIR lies in the parallel
# file system.
#
# What comes out: DIR/runs/CASE/GROWTH/ranks-N/run-K/ with command, environment,
# report.json, wall_seconds; DIR/study.tsv, a line for each point; DIR/study.png; and
# DIR/study.md, the page.
if [ -z "${BASH_VERSION:-}" ]; then # sh study.sh
  exec bash "$0" "$@"
fi
set -euo pipefail
. "$(dirname "$0")/lib.sh"
known="sift exploration hybrid path steps files checkpoint import"

options()
{
  out=$jobs/../build/study
  ranks=
  per_node=
  cases=$known
  examples=20000
  attributes=20000
  repeats=5
  parse "--ranks --ranks-per-node --cases --examples --attributes --repeats --out --format" "$@"
  [ -n "$ranks" ] || ranks=$(powers_of_two "${SLURM_NTASKS:-$(nproc)}")
  some_of cases "$cases" $known
  for n in $ranks; do
    [[ $n =~ ^[1-9][0-9]*$ ]] || refuse "--ranks: '$n' is no number of ranks"
  done
  [[ $attributes =~ ^[0-9]+$ ]] || refuse "--attributes $attributes: wanted one number"
  [ "$attributes" -ge 400 ] || refuse "--attributes $attributes: wanted 400 or more"
  [ "$examples" -ge 100 ] || refuse "--examples $examples: wanted 100 or more"
}

powers_of_two() # MOST
{
  local n=1
  while [ "$n" -le "$1" ]; do
    printf '%d ' "$n"
    n=$((2 * n))
  done
}

option() # NAME VALUE
{
  case $1 in
  ranks | cases)
    [ -n "$2" ] || refuse "--$1: nothing is named"
    declare -g "$1=$2"
    ;;
  ranks-per-node)
    [[ $2 =~ ^[1-9][0-9]*$ ]] || refuse "--$1 $2: wanted a whole number above 0"
    per_node=$2
    ;;
  *) set_option "$@" ;;
  esac
}

word()
{
  [ "$1" = --quick ] && examples=3000 attributes=3000 repeats=2
}

# made KIND EXAMPLES ATTRIBUTES: such a data set, which is generated if it is not there;
# sets `data`.
make_data()
{
  data=$made/$1-$2-$3.h5
  [ ! -e "$data" ] || return 0
  case $1 in
  dense) launch 1 "$thresher" generate murata -o "$data" --quiet --examples "$2" \
    --attributes "$3" --support 20 ;;
  sparse) launch 1 "$thresher" generate sparse -o "$data" --quiet --examples "$2" \
    --attributes $((10 * $3)) --density 0.002 ;;
  esac
}

# The kind of data of a case, and its options; sets `kind` and `how`.
options_of() # CASE ATTRIBUTES
{
  local share=$(($2 / 40))
  kind=dense
  case $1 in
  sift) how=() ;;
  exploration) how=(--solver exploration --sparsity "$share" --budget $((2 * share))
    --passes 40 --rounds 8 --growth 1 --batch-explore 400 --refit no --validation 0) ;;
  hybrid) how=(--solver hybrid --sparsity 20 --budget $((2 * share)) --passes 4) ;;
  path) kind=sparse how=(--solver lasso --path 20 --choose last) ;;
  steps) kind=sparse how=(--solver os-prox-sgd --lambda-ratio 0.3 --epochs 5) ;;
  files | checkpoint) how=(--select truth --budget $((4 * share))) ;;
  esac
}

# point CASE GROWTH RANKS RUN OPTION...: one training
point()
{
  local folder=$out/runs/$1/$2/ranks-$3/run-$4
  record "$folder" "$3" "$thresher" train "$data" -o "$folder/model.h5" \
    --report "$folder/report.json" --force "${how[@]}" "${@:5}"
}

# alone CASE RANKS RUN: the same as so many runs of one rank at the same time, which
# know nothing of each other: what the machine allows
alone()
{
  local folder=$out/runs/$1/same/ranks-$2/alone-$3
  [ "$2" -gt 1 ] || return 0
  record "$folder" "$2" sh "$jobs/alone.sh" "$folder" "$thresher" train "$data" -o model.h5 \
    --report report.json --force "${how[@]}"
}

same_model() # CASE RANKS RUN
{
  local first
  first=$out/runs/$1/same/ranks-${ranks%% *}/run-1/model.h5
  cmp "$first" "$out/runs/$1/same/ranks-$2/run-$3/model.h5" ||
    refuse "$1: another model on $2 ranks than on ${ranks%% *}"
}

# A case on the same data for all ranks, on more examples, and on more attributes.
scale() # CASE
{
  local n k
  for k in $(seq "$repeats"); do
    for n in $ranks; do
      options_of "$1" "$attributes"
      make_data "$kind" "$examples" "$attributes"
      point "$1" same "$n" "$k"
      same_model "$1" "$n" "$k"
      alone "$1" "$n" "$k"
      make_data "$kind" $((n * examples)) "$attributes"
      point "$1" examples "$n" "$k"
      options_of "$1" $((n * attributes))
      make_data "$kind" "$examples" $((n * attributes))
      point "$1" attributes "$n" "$k"
    done
  done
}

# What the system has of a data set in memory, it forgets.
forget()
{
  "$PYTHON" - "$1" "${1%.h5}.shards" <<'END'
import os
import sys
for top in sys.argv[1:]:
    names = [os.path.join(top, n) for n in os.listdir(top)] if os.path.isdir(top) else [top]
    for name in names:
        file = os.open(name, os.O_RDONLY)
        os.fsync(file)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(file)
END
}

files_point() # RANKS RUN
{
  forget "$data"
  point files cold "$1" "$2"
  point files warm "$1" "$2"
}

checkpoint_point() # RANKS RUN
{
  point checkpoint without "$1" "$2"
  point checkpoint with "$1" "$2" --checkpoint "$made/kept" --checkpoint-every 1u --fresh
  rm -rf "$made/kept"
}

# A case in two ways, beside each other on the same data.
in_two_ways() # CASE
{
  local n k
  options_of "$1" "$attributes"
  make_data dense "$examples" "$attributes"
  for k in $(seq "$repeats"); do
    for n in $ranks; do
      "$1_point" "$n" "$k"
    done
  done
}

# Text of a tenth of the examples and attributes.
import()
{
  local n k folder
  awk -v n=$((examples / 10)) -v d=$((attributes / 10)) 'BEGIN {
    srand(1)
    for (i = 0; i < n; i++) {
      line = rand()
      for (j = 1; j <= d; j++) line = line "," int(1000 * rand()) / 1000
      print line
    }
  }' >"$made/text.csv"
  for k in $(seq "$repeats"); do
    for n in $ranks; do
      folder=$out/runs/import/text/ranks-$n/run-$k
      record "$folder" "$n" "$thresher" import "$made/text.csv" -o "$made/text.h5" --force
    done
  done
}

options "$@"
start_study
rm -rf "$out/runs"
made=$(mktemp -d "$out/data.XXXXXX") # data sets, gone at the end
trap 'rm -rf "$made"' EXIT
for case in $cases; do
  case $case in
  import) import ;;
  files | checkpoint) in_two_ways "$case" ;;
  *) scale "$case" ;;
  esac
done
find "$out/runs" -name model.h5 -delete
"$PYTHON" "$jobs/study_tables.py" "$out" "${per_node:-0}" "$format"
[ "$(wc -l <"$out/study.bars.tsv")" -lt 2 ] ||
  draw study "panels = '$(cut -f 1,2 "$out/study.bars.tsv" | awk 'NR > 1 && !seen[$0]++' |
    tr '\t\n' '/ ')'"
echo "results: $out/study.md"
