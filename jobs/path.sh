#!/usr/bin/env bash
# path.sh MODEL.h5 [OPTION...] - the picture of a path: coefficients and losses against lambda
# SPDX-License-Identifier: MIT
#
# MODEL.h5 keeps a path: `thresher train ... --solver lasso` without a lambda, or with --path.
# Above are the coefficients, times the standard deviation of their attribute where the model
# knows it, with the names of the largest ones; below the losses on held-out examples with
# bars of one standard error. The lambda of the least loss and the largest one within a
# standard error of it are marked.
#
#   --out DIR       results (beside the model: MODEL.path)
#   --labels N      attributes with their names: those of the largest coefficients at the
#                   smallest lambda (12)
#   --format F      png, svg or pdf (png, with 300 dots per inch)
#
# Environment: THRESHER, the program (build/release/thresher); PYTHON, with h5py
# (/usr/bin/python3).
#
# What comes out: DIR/path.png, and its tables: DIR/coefficients.tsv with lambda and
# coefficient, a block for each attribute; DIR/labels.tsv; DIR/losses.tsv with lambda, loss,
# standard error and size.
if [ -z "${BASH_VERSION:-}" ]; then # sh path.sh
  exec bash "$0" "$@"
fi
set -euo pipefail
. "$(dirname "$0")/lib.sh"

option()
{
  case $1 in
  labels) whole labels "$2" ;;
  *) set_option "$@" ;;
  esac
}

word()
{
  [ -z "$model" ] && [[ $1 != -* ]] || return 1
  model=$1
}

# What evaluate calls the loss.
loss_of() # SUMMARY.json
{
  if grep -q '"loss": "logistic"' "$1"; then
    echo "log loss"
  else
    echo "mean squared error"
  fi
}

model=
out=
labels=12
parse "--out --labels --format" "$@"
[ -n "$model" ] || refuse "wanted: path.sh MODEL.h5 [OPTION...]; see --help"
[ -f "$model" ] || refuse "there is no file $model"
"$PYTHON" -c 'import h5py' 2>/dev/null ||
  refuse "$PYTHON has no h5py (sh jobs/packages.sh test)"
find_program
told=$(mktemp -d)
trap 'rm -rf "$told"' EXIT
"$thresher" inspect "$model" --json >"$told/model.json"
"$thresher" inspect "$model" --path --json >"$told/path.json" || exit 2
out=${out:-${model%.h5}.path}
start_study
settings=$("$PYTHON" "$jobs/path_tables.py" "$model" "$told/path.json" "$out" "$labels")
title="$(basename "$model"): $("$thresher" inspect "$model" | sed -n 's/^model: *//p')"
draw path "folder = '.'; title = $(words_for_gnuplot "$title"); loss =
  '$(loss_of "$told/model.json")'; $settings"
echo "results: $out"
