#!/usr/bin/env bash
# small.sh [FOLDER [TABLES]] - plain training on few examples, over many seeds: a line,
# noise, a few true attributes, one positive label, each example five times; and real data:
# those of scikit-learn, and TABLES/*.csv (no header, the target last)
# SPDX-License-Identifier: MIT
#
# One core; RUNS (40) seeds and SPLITS (20) of each real set. OPTIONS go to train.
set -euo pipefail
tables=$(realpath "${2:-/nonexistent}" 2>/dev/null || echo none)
. "$(dirname "$0")/bench.sh"
export THRESHER OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
if ! "$PYTHON" -c 'import sklearn' 2>/dev/null; then
  echo "skipped: no scikit-learn (sh jobs/packages.sh peers)"
  exit 77
fi

study()
{
  # shellcheck disable=SC2086
  "$PYTHON" "$SOURCE/tests/bench/small.py" "$@" -- ${OPTIONS:-}
}

runs=${RUNS:-40}
study line "$runs"
for size in "100 50" "200 2000" "2000 500"; do
  # shellcheck disable=SC2086
  study noise "$runs" $size
done
for size in "300 50" "2000 500" "20000 500"; do
  # shellcheck disable=SC2086
  study sparse "${SEEDS_SPARSE:-6}" $size
done
study weak "${SEEDS_SPARSE:-6}" 5100 300
study weak "${SEEDS_SPARSE:-6}" 1000 100
study rare $((runs / 2))
study equal 5
study sets "${SPLITS:-20}" "$tables"
rm -f small.csv small-test.csv
finish
