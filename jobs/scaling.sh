#!/usr/bin/env bash
# scaling.sh - sourced by strong_scaling.sh and weak_scaling.sh: options, runs
# SPDX-License-Identifier: MIT
#
# The caller sets the defaults and calls `options "$@"`:
#
#   --ranks "1 2 4"     numbers of ranks (powers of two up to the cores, or up to
#                       the tasks of the Slurm job)
#   --out DIR           results (build/scaling/NAME)
#   --repeats K         runs of each number of ranks; medians count, bars go from
#                       the fastest to the slowest run (3)
#   --format F          png, svg or pdf (png, with 300 dots per inch)
#   --examples N        --attributes D   --budget B   --passes P   --solver NAME
#   -- OPTION...        handed to `thresher train` as they are; without, for
#                       solvers that want them: --sparsity 100 --validation 0
#
# Environment: THRESHER, the program (build/release/thresher);
# THRESHER_LAUNCHER=mpirun: mpirun instead of srun inside a Slurm job.
#
# What comes out: DIR/ranks-N/bench.json (the machine with N ranks at work) and
# DIR/ranks-N/run-K/ with command, environment, stdout, stderr, wall_seconds and
# report.json of each run; DIR/ranks-N/alone-K, the same of N runs of one rank at
# the same time (strong scaling); DIR/summary.csv, DIR/phases.csv and pictures.
. "$(dirname "$0")/lib.sh"

# The comments at the top of the script and of this file are the help.
help()
{
  help_from "$0" "${BASH_SOURCE[0]}"
}

default_ranks()
{
  local n=1 most=${SLURM_NTASKS:-$(nproc)}
  while [ "$n" -le "$most" ]; do
    echo "$n"
    n=$((2 * n))
  done
}

option() # NAME VALUE
{
  case $1 in
  ranks) ranks=$2 ;;
  attributes) whole "$1" "$2" ;;
  data)
    [ -n "${data+set}" ] || refuse "--data is for strong scaling"
    data=$(realpath -e "$2") || refuse "--data $2: no such data set"
    ;;
  *) set_option "$@" ;;
  esac
}

word()
{
  [ "$1" = --stored ] || return 1
  [ -n "${stored:-}" ] || refuse "--stored is for weak scaling"
  stored=yes
}

options()
{
  local own=()
  ranks=$(default_ranks)
  out=$jobs/../build/scaling/$name
  repeats=3
  while [ $# -gt 0 ] && [ "$1" != -- ]; do
    own+=("$1")
    shift
  done
  extra=("${@:2}")
  parse "--ranks --out --solver --format --data --repeats --examples --attributes
    --budget --passes" "${own[@]}"
  read -r -a ranks <<<"${ranks//$'\n'/ }"
  [ ${#ranks[@]} -gt 0 ] || refuse "--ranks: wanted numbers"
  fewest=${ranks[0]}
  most=$fewest
  if [ ${#extra[@]} -eq 0 ]; then # what scales is the search
    extra=(--sparsity 100 --validation 0)
    [ "$solver" != sift ] || extra=(--select truth)
  fi
  for n in "${ranks[@]}"; do
    [[ $n =~ ^[1-9][0-9]*$ ]] || refuse "--ranks: '$n' is no number of ranks"
    most=$((n > most ? n : most))
    fewest=$((n < fewest ? n : fewest))
  done
  start_study
  rm -rf "$out"/ranks-[0-9]* "$out"/attributes-[0-9]* \
    "$out"/{summary,phases,by_attributes}.csv
  made=$(mktemp -d "$out/data.XXXXXX") # data sets, gone at the end
  trap 'rm -rf "$made"' EXIT
}

# bench RANKS: the machine with that many ranks at work, once
bench()
{
  mkdir -p "$out/ranks-$1"
  [ -s "$out/ranks-$1/bench.json" ] ||
    launch "$1" "$thresher" bench memory ranks --json >"$out/ranks-$1/bench.json"
}

# run FOLDER RANKS OPTION...: one training, in a folder of its own
run()
{
  record "$1" "$2" "$thresher" train -o "$1/model.h5" --report "$1/report.json" \
    --force "${@:3}" "${extra[@]}"
}

# warm RANKS OPTION...: a turn that nothing is kept of. The first one touches
# memory and files that later ones find: it is no measure of them.
warm()
{
  (out=$made run "$made/warm-$1" "$@")
  rm -rf "$made/warm-$1"
}

# side_by_side FOLDER N OPTION...: N runs of one rank at the same time, which know
# nothing of each other, in FOLDER/0 and on: what the machine allows N ranks
side_by_side()
{
  record "$1" "$2" sh "$jobs/alone.sh" "$1" "$thresher" train -o model.h5 \
    --report report.json --force "${@:3}" "${extra[@]}"
  rm -f "$1"/*/model.h5
}

# What a run says of itself: its solver, n x d, and for weak scaling how many of
# them each rank has.
title() # [--weak]
{
  awk -v ranks="$fewest" -v weak="$#" -v runs="$repeats" '
    /^data: / { n = $2; d = $5 }
    /^solver: / { sub(/^solver: */, ""); solver = $0 }
    END {
      printf "%s; %d x %d%s, %d run%s\n", solver, n, weak ? d / ranks : d,
        weak ? " a rank" : "", runs, runs == 1 ? "" : "s"
    }' "$out/ranks-$fewest/run-1/stderr"
}

# The table and, where there is gnuplot, the pictures.
summary() # [--weak]
{
  "$PYTHON" "$jobs/scaling_summary.py" "$out" "$@"
  title "$@" >"$out/title"
  draw scaling "folder = '.'; kind = '${name%_scaling}'; fewest = $fewest; most = $most;
    what = $(words_for_gnuplot "$(cat "$out/title")")"
  table , "$out/summary.csv" 118
  echo "results: $out"
}
