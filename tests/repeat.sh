#!/usr/bin/env bash
# repeat.sh RUNS BUSY [CTEST-OPTION...] - the suite that many times; in so many of the
# runs four processes keep the machine busy
# SPDX-License-Identifier: MIT
#
# A test that fails now and then waits for a state that does not stay, or has a limit that
# a busy machine reaches. The program is built already (sh tests/run.sh). One line for
# each run, and at the end one for each test that has failed; what they said is in
# build/repeat/. Status 1 if there is any.
set -euo pipefail
cd "$(dirname "$0")/.."
case ${1:-}:${2:-} in
*[!0-9:]* | :* | *:)
  echo "repeat.sh: wanted: bash tests/repeat.sh RUNS BUSY [CTEST-OPTION...]" >&2
  exit 2
  ;;
esac
runs=$1
busy=$2
shift 2
rm -rf build/repeat
mkdir -p build/repeat
workers=()
leave()
{
  [ ${#workers[@]} -eq 0 ] || kill "${workers[@]}" 2>/dev/null || true
  workers=()
}
trap leave EXIT
trap 'exit 1' INT TERM

# failed_of LOG: names of the tests that did, as ctest lists them at its end
failed_of()
{
  sed -n '/^The following tests FAILED:/,$s/^[[:blank:]]*[0-9]* - \([^ ]*\) (.*/\1/p' "$1"
}

for ((run = 1; run <= runs; run++)); do
  log=build/repeat/$run.log
  beside=nobody
  if [ "$run" -gt $((runs - busy)) ]; then
    beside="four busy processes"
    for _ in 1 2 3 4; do
      sh -c 'while :; do :; done' &
      workers+=($!)
    done
  fi
  began=$EPOCHSECONDS
  rc=0
  ctest --preset release -j "$(($(nproc) + 1))" "$@" >"$log" 2>&1 || rc=$?
  leave
  failed_of "$log" >"build/repeat/$run.failed"
  passed=$(sed -n 's/^\([0-9]*% tests passed, .*\)$/\1/p' "$log")
  echo "run $run, beside $beside: ${passed:-ctest has failed, status $rc}," \
    "$((EPOCHSECONDS - began)) s"
  [ $rc -eq 0 ] || [ -s "build/repeat/$run.failed" ] || echo ctest >"build/repeat/$run.failed"
done
echo
if ! grep -q . build/repeat/*.failed; then
  echo "no failures in $runs runs, $busy of them beside four busy processes"
  exit 0
fi
echo "failures in $runs runs, of which the last $busy were beside four busy processes:"
sort build/repeat/*.failed | uniq -c | sort -rn | while read -r times name; do
  in=$(grep -lx "$name" build/repeat/*.failed | sed 's/.*\/\([0-9]*\)[.]failed/\1/' |
    sort -n | tr '\n' ' ')
  echo "$times  $name  (runs $in)" | sed 's/ )$/)/'
done
exit 1
