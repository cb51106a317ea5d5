#!/usr/bin/env bash
# bench.sh - sourced by the benchmarks: where, with what, on how many ranks
# SPDX-License-Identifier: MIT
#
# FOLDER as first argument of every benchmark, default build/bench/NAME; RANKS
# (2), SEEDS (1 2 3 4 5), THRESHER (build/release/thresher), KEEP=yes keeps the
# data sets.
SOURCE=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
. "$SOURCE/tests/support/lib.sh"
THRESHER=$(realpath "${THRESHER:-$SOURCE/build/release/thresher}")
RANKS=${RANKS:-2}
SEEDS=${SEEDS:-1 2 3 4 5}
LIMIT=${LIMIT:-3600}
DATA=${THRESHER_DATA:-$SOURCE/../shared/data}
folder=${1:-$SOURCE/build/bench/$(basename "$0" .sh)}
mkdir -p "$folder"
cd "$folder" || exit 1
echo "$(basename "$0"): $RANKS ranks, results in $folder"

# learn VARIANT SEED DATA TRAIN-OPTION...: train, keep the curve and the score
# as VARIANT.SEED.jsonl and VARIANT.SEED.json.
learn()
{
  local name=$1.$2 seed=$2 data=$3
  shift 3
  must "$RANKS" train "$data" -o "$name.h5" --seed "$seed" --force \
    --telemetry "$name.jsonl" --report "$name.run.json" "$@"
  ranks "$RANKS" evaluate "$name.h5" "$data" --json >"$name.json"
}

# remove DATA.h5, unless it is wanted
remove()
{
  [ "${KEEP:-no}" = yes ] || rm -rf "$1" "${1%.h5}.shards"
}

need_data()
{
  if [ ! -f "$DATA/$1" ]; then
    echo "no $1 in $DATA: set THRESHER_DATA"
    exit 77
  fi
}
