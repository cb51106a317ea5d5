#!/usr/bin/env bash
# complexity.sh [OPTION...] - the figure of Saad, Blanchard and Arlot (2024)
# SPDX-License-Identifier: MIT
#
# What online OMP costs, as a share of what OMP costs (figure 1): the base-2 logarithm
# of C_OOMP / C_OMP for log2(d) = 2 to 8 attributes, log2(d) of which are true, and two
# designs. C_OOMP counts the values that the run has used; C_OMP is (s d + s^2) n with
# the n of Zhang's theorem, which suffices for OMP to find the s true attributes.
#
# The paper speaks of ssr and leaves it out of its figure. Here it is beside: d n values, with
# the first n of 100, 200, 400, ... of which its largest coefficients are the true ones. That n
# is by trial, and wants the truth: unlike the others, ssr does not know when it is done.
# It is reconstructed from what other papers tell of it. All numbers are this program's.
#
#   --out DIR         results (build/complexity)
#   --seeds N         runs of each point (20, as in the paper)
#   --attributes LIST ("4 8 16 32 64 128 256")
#   --designs LIST    ("orthogonal toeplitz")
#   --optim LIST      how chosen attributes are fitted: ls, asgd; and ssr ("ls ssr"). asgd
#                     is the paper's; it takes far more examples, and time
#   --quick           3 seeds, up to 64 attributes
#   --processes N     runs at a time (one for each processor)
#   --format F        png, svg or pdf (png, with 300 dots per inch)
#
# Environment: THRESHER, the program (build/release/thresher); PYTHON, with numpy.
#
# What comes out: DIR/complexity.tsv with a line for each run, DIR/complexity.summary.tsv
# with mean, least and most of the logarithm, the share of runs that found all true
# attributes and no other, and the mean number of examples; it is printed.
# DIR/complexity.png shows means, and bars from the least to the most. The last line, also
# in DIR/complexity.says, is what the paper says of its figure and what these numbers say.
# Runs that are there already, with the same command, are used as they are.
if [ -z "${BASH_VERSION:-}" ]; then # sh complexity.sh
  exec bash "$0" "$@"
fi
set -euo pipefail
. "$(dirname "$0")/lib.sh"

options()
{
  out=$jobs/../build/complexity
  seeds=20
  attributes="4 8 16 32 64 128 256"
  designs="orthogonal toeplitz"
  optim="ls ssr"
  parse "--out --seeds --attributes --designs --optim --processes --format" "$@"
}

word()
{
  [ "$1" = --quick ] && seeds=3 attributes="4 8 16 32 64"
}

option() # NAME VALUE
{
  case $1 in
  seeds) whole "$1" "$2" ;;
  designs) some_of "$1" "$2" orthogonal toeplitz ;;
  optim) some_of "$1" "$2" ls asgd ssr ;;
  esac
  set_option "$@"
}

# The runs, one on a line, the largest first.
each_run()
{
  local d design how
  for d in $(echo "$attributes" | tr ' ' '\n' | grep . | sort -rn); do
    for design in $designs; do
      for how in $optim; do
        seq "$seeds" | sed "s/^/$d	$design	$how	/"
      done
    done
  done
}

show()
{
  each_run | "$PYTHON" "$jobs/complexity_tables.py" "$out"
  draw complexity "prefix = 'complexity'; seeds = $seeds"
  table '\t' "$out/complexity.summary.tsv" 140
  echo "results: $out/complexity.*"
  "$PYTHON" "$jobs/complexity_tables.py" say "$out/complexity.summary.tsv" |
    tee "$out/complexity.says"
}

options "$@"
start_study runs
each_run | some_at_a_time 4 "$jobs/complexity_run.sh"
show
