#!/bin/sh
# fuzz.sh MINUTES [READER...] - tries any bytes on the readers of files, with libFuzzer,
# each for so many minutes; what it finds stays in build/fuzz/READER. Needs clang-14.
# SPDX-License-Identifier: MIT
set -eu
usage="usage: jobs/fuzz.sh MINUTES [READER...]"
minutes=${1:-}
case $minutes in
-h | --help)
  echo "$usage"
  exit 0
  ;;
'' | *[!0-9]*)
  echo "$usage" >&2
  exit 2
  ;;
esac
shift
cd "$(dirname "$0")/.."
. jobs/env.sh
[ $# -gt 0 ] || set -- libsvm import arrays genotypes unpack groups deck manifest model dataset
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz
status=0
export ASAN_OPTIONS=allocator_may_return_null=1:fast_unwind_on_malloc=1
export LSAN_OPTIONS="suppressions=\"$PWD/tests/support/lsan.supp\":print_suppressions=0"
for reader in "$@"; do
  folder=build/fuzz/$reader
  mkdir -p "$folder/corpus"
  rc=0
  "build/fuzz/tests/fuzz_$reader" -max_total_time=$((minutes * 60)) -timeout=20 \
    -rss_limit_mb=4000 -max_len=65536 -print_final_stats=1 -verbosity=0 \
    -artifact_prefix="$folder/" "$folder/corpus" "tests/fuzz/corpus/$reader" \
    >"$folder/log" 2>&1 || rc=$?
  made=$(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/log")
  echo "$reader: ${made:-0} executions in $minutes minutes, status $rc"
  [ "$rc" -eq 0 ] || {
    grep -E 'ERROR|runtime error|Test unit written' "$folder/log" || true
    status=1
  }
done
exit $status
