#!/usr/bin/env bash
# peers.sh [FOLDER] - Thresher beside scikit-learn, glmnet and LIBLINEAR
# SPDX-License-Identifier: MIT
#
# Whichever of them is installed (sh jobs/packages.sh peers), each in a process
# of its own on one core: from the tool's own binary file (LIBLINEAR knows text
# alone) to a model on disk, median of REPEATS (5). All models are scored in the
# same way on the same held-out rows. Then exact paths (path.sh) and the lasso for
# labels of text (text_lasso.sh), where real data are at hand. The last lines are a table
# of everything, FOLDER/table.md. WORKS: which of dense, tall, sparse, labels, path, text,
# and, where PROXCSL is set, proxcsl: beside an MPI program, on two ranks, with tables of its
# own. proxcsl.sh tells how to get that program.
# TUNE_dense, TUNE_tall, ...: options of ours instead of those below.
# Results: a table for each work and FOLDER/WORK.results.json. KEEP=yes keeps
# the data, and a later call uses them again.
set -euo pipefail
RANKS=0 # one rank, without a launcher
. "$(dirname "$0")/bench.sh"
bench=$SOURCE/tests/bench
repeats=${REPEATS:-5}

if ! "$PYTHON" -c 'import h5py, scipy, sklearn' 2>/dev/null; then
  echo "skipped: no scikit-learn (sh jobs/packages.sh peers)"
  exit 77
fi
with_glmnet=no
if Rscript --vanilla -e 'library(glmnet)' >/dev/null 2>&1; then
  with_glmnet=yes
fi

# prepare WORK [OPTION...]: WORK.h5 in the formats of the others, in WORK/.
prepare()
{
  [ ! -e "$1/truth.npy" ] || return 0
  if [ $with_glmnet = yes ]; then
    "$PYTHON" "$bench/peers_data.py" "$1.h5" "$1" --raw "${@:2}"
    Rscript --vanilla "$bench/peers_rds.R" "$1"
    rm "$1"/*.raw
  else
    "$PYTHON" "$bench/peers_data.py" "$1.h5" "$1" "${@:2}"
  fi
}

# make WORK FAMILY OPTION...: generate the data set, unless it is there.
make()
{
  [ -e "$1.h5" ] || must 0 generate "$2" -o "$1.h5" "${@:3}"
}

# run NAME COMMAND...: costs into NAME.json; the model is the command's.
run()
{
  echo "  $1: ${*:2}"
  "$PYTHON" "$bench/peers_run.py" "$1.json" "$repeats" "${@:2}"
  models+=("$1")
}

scikit() # WORK METHOD OPTION...
{
  run "$1.scikit-$2" "$PYTHON" "$bench/peers_fit.py" "$2" "$1" \
    "$1.scikit-$2.npz" "${@:3}"
}

glmnet() # WORK FAMILY LAMBDA
{
  [ $with_glmnet = no ] ||
    run "$1.glmnet" Rscript --vanilla "$bench/peers_fit.R" "$1" "$1.glmnet.csv" "$2" "$3"
}

liblinear() # WORK OPTION...
{
  ! command -v liblinear-train >/dev/null ||
    run "$1.liblinear" liblinear-train -q "${@:2}" "$1/train.svm" \
      "$1.liblinear.liblinear"
}

ours() # WORK OPTION...
{
  local tuned=TUNE_$1
  # shellcheck disable=SC2086 # a list of words
  run "$1.thresher" "$THRESHER" train "$1.h5" -o "$1.thresher.h5" --force \
    ${!tuned:-"${@:2}"}
}

# result WORK TOOL KEY
result()
{
  "$PYTHON" -c 'import json, sys
print(json.load(open(sys.argv[1]))[sys.argv[2]][sys.argv[3]])' \
    "$1.results.json" "$1.$2" "$3"
}

# against WORK KEY TOOL FACTOR: FACTOR of ours at most that tool's.
against()
{
  compare "$1: $2 of ours x $4 against $3" \
    "$4 * $(result "$1" thresher "$2")" '<=' "$(result "$1" "$3" "$2")"
}

dense()
{
  make dense murata --examples 25000 --attributes 10000 --support 50 --test 0.2
  prepare dense
  scikit dense lasso alpha=0.035
  scikit dense omp n_nonzero_coefs=50
  glmnet dense gaussian 0.035
  ours dense --select truth --passes 1 --budget 1000
}

targets_dense()
{
  against dense mse scikit-omp 0.99
  against dense seconds scikit-lasso 8
  against dense memory scikit-lasso 10
  compare "dense: share of the stored bytes that ours read" \
    "$(result dense thresher bytes_read) / $(stat -c %s dense.shards/*.h5)" \
    '<=' 0.15
}

tall()
{
  make tall murata --examples 120000 --attributes 500 --support 25 \
    --test 0.16666667
  prepare tall
  scikit tall omp n_nonzero_coefs=25 precompute=True
  scikit tall lasso alpha=0.01
  glmnet tall gaussian 0.01
  ours tall --select truth --passes 1 --budget 50
}

targets_tall()
{
  compare "tall: mse" "$(result tall thresher mse)" '<=' 1.005
  against tall seconds scikit-omp 4
}

sparse_data="--examples 250000 --attributes 1000000 --support 100
  --density 0.00005 --test 0.2"

# Exact Lasso without an intercept, which the data have not: with one,
# scikit-learn takes O(n) per attribute and pass, minutes in all.
sparse()
{
  # shellcheck disable=SC2086 # a list of words
  make sparse sparse $sparse_data
  prepare sparse
  scikit sparse sgd alpha=0.0004 max_iter=5
  scikit sparse lasso alpha=0.0005 fit_intercept=False
  glmnet sparse gaussian 0.0005
  ours sparse --select truth --budget 1000000 --passes 1
}

targets_sparse()
{
  against sparse mse scikit-lasso 1
  against sparse seconds scikit-lasso 3
  against sparse seconds scikit-sgd 3
}

labels()
{
  # shellcheck disable=SC2086 # a list of words
  make raw sparse $sparse_data
  if [ ! -e labels/truth.npy ]; then
    mv raw.h5 labels.h5
    ln -sfn raw.shards labels.shards
    prepare labels --labels
    rm -r labels.h5 labels.shards raw.shards
    must 0 import labels/train.svm --test-file labels/test.svm -o labels.h5 \
      --attributes 1000000 --no-shuffle --layout sparse
  fi
  scikit labels sgd_logistic alpha=0.001 max_iter=5
  scikit labels logistic solver=liblinear C=0.03
  liblinear labels -s 6 -c 0.03
  glmnet labels binomial 0.001
  ours labels --select truth --budget 1000000 --passes 2 --loss logistic
}

targets_labels()
{
  against labels log_loss scikit-logistic 1
  against labels seconds scikit-sgd_logistic 3
  against labels seconds scikit-logistic 3
}

# other SCRIPT: a benchmark of its own; that it has no data here is no failure.
other()
{
  local rc=0
  env -u WORKS -u RANKS bash "$bench/$1" "$PWD" || rc=$?
  [ $rc -eq 0 ] || [ $rc -eq 77 ] || fail "$1: status $rc"
}

for work in ${WORKS:-dense tall sparse labels path text ${PROXCSL:+proxcsl}}; do
  printf '\n== %s\n' "$work"
  case $work in
  path | proxcsl)
    other "$work.sh"
    continue
    ;;
  text)
    other text_lasso.sh
    continue
    ;;
  esac
  models=()
  "$work"
  "$PYTHON" "$bench/peers_score.py" "$work" "${models[@]}"
  "targets_$work"
  [ "${KEEP:-no}" = yes ] || rm -rf "$work" "$work.h5" "$work.shards"
done
"$PYTHON" "$bench/peers_table.py" | tee table.md
finish
