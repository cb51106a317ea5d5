#!/usr/bin/env bash
# valgrind.sh [PATTERN] - the serial tests under valgrind: no error, and no memory of ours
# that is lost. PATTERN: of names of tests, default unit_*. One for each core at a time;
# on two cores all take about an hour.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "$0")/.."
command -v valgrind >/dev/null || {
  echo "valgrind.sh: wanted: valgrind, of the Debian package of that name" >&2
  exit 77
}
export THRESHER_KERNELS=avx2 OPENBLAS_NUM_THREADS=1
export LIMIT=${LIMIT:-3000} # seconds for one test
export FOLDER=build/valgrind
rm -rf "$FOLDER"
mkdir -p "$FOLDER"

# one TEST: a line that says how it went
one()
{
  local name=${1##*/} began=$SECONDS rc=0
  timeout -k 5 "$LIMIT" valgrind -q --error-exitcode=9 --leak-check=full \
    --show-leak-kinds=definite --errors-for-leak-kinds=definite \
    --suppressions=tests/support/valgrind.supp "$1" >"$FOLDER/$name.log" 2>&1 || rc=$?
  if [ "$rc" -eq 0 ]; then
    echo "passed: $name, $((SECONDS - began)) s"
    return
  fi
  echo "FAILED: $name: status $rc"
  grep -E '^==' "$FOLDER/$name.log" | head -n 20
}
export -f one

find build/release/tests -maxdepth 1 -type f -perm -u+x -name "${1:-unit_*}" -print0 |
  sort -z | xargs -0 -r -n 1 -P "$(nproc)" bash -c 'one "$1"' one | tee "$FOLDER/log"
passed=$(grep -c '^passed: ' "$FOLDER/log" || true)
failed=$(grep -c '^FAILED: ' "$FOLDER/log" || true)
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
