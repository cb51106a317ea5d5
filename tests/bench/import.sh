#!/usr/bin/env bash
# import.sh [FOLDER] - LIBSVM import: MB of uncompressed text per second and core
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$(dirname "$0")/bench.sh"

# text ROWS FEATURES STEP: LIBSVM rows of FEATURES values, on average STEP
# attributes apart; STEP 1 is dense.
text()
{
  awk -v rows="$1" -v features="$2" -v step="$3" 'BEGIN {
    srand(1)
    for (i = 0; i < rows; i++) {
      line = rand() < 0.5 ? "-1" : "+1"
      at = 0
      for (k = 0; k < features; k++) {
        at += 1 + int(rand() * 2 * (step - 1))
        line = line " " at ":" sprintf("%.6g", rand() * 4 - 2)
      }
      print line
    }
  }' >text.svm
}

TIMEFORMAT='%R %U %S'
measure() # WHAT WANTED
{
  local bytes n
  bytes=$(stat -c %s text.svm)
  for n in 0 2; do # 0: one rank without a launcher
    cat text.svm >/dev/null # into the page cache
    { time must "$n" import text.svm -o text.h5 --force >&2; } 2>time.txt
    read -r wall user system <time.txt
    echo "$1, $((n > 0 ? n : 1)) ranks: $("$PYTHON" -c "
mb = $bytes / 1e6
print(f'{mb:.0f} MB in $wall s: {mb / $wall:.0f} MB/s, '
      f'{mb / ($user + $system):.0f} MB per CPU second (wanted: $2 per core)')")"
    remove text.h5
  done
}

text 40000 500 1
measure "500 of 500 attributes a row" 300
text 300000 60 16
measure "60 of 1,000 attributes a row" 100
text 300000 60 500
measure "60 of 60,000 attributes a row" 100
rm text.svm
