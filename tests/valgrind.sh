#!/usr/bin/env bash
# valgrind.sh [PATTERN] - the serial tests under valgrind: no error, and no memory of ours
# that is lost. PATTERN: of names of tests, default unit_*. Takes more than an hour.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "$0")/.."
command -v valgrind >/dev/null || {
  echo "valgrind.sh: wanted: valgrind, of the Debian package of that name" >&2
  exit 77
}
pattern=${1:-unit_*}
limit=${LIMIT:-1500} # seconds for one test
export THRESHER_KERNELS=avx2 OPENBLAS_NUM_THREADS=1
passed=0
failed=0
for test in build/release/tests/$pattern; do
  [ -f "$test" ] && [ -x "$test" ] || continue
  rc=0
  timeout -k 5 "$limit" valgrind -q --error-exitcode=9 --leak-check=full \
    --show-leak-kinds=definite --errors-for-leak-kinds=definite \
    --suppressions=tests/valgrind.supp "$test" \
    >build/valgrind.log 2>&1 || rc=$?
  if [ "$rc" -eq 0 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: ${test##*/}: status $rc"
    grep -E '^==' build/valgrind.log | head -n 20
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
