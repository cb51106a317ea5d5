#!/usr/bin/env bash
# import.sh [FOLDER] - LIBSVM import: MB of uncompressed text per second and core
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$(dirname "$0")/bench.sh"

rows=${ROWS:-300000}
if [ ! -f text.svm ]; then
  awk -v rows="$rows" 'BEGIN {
    srand(1)
    for (i = 0; i < rows; i++) {
      line = rand() < 0.5 ? "-1" : "+1"
      at = 0
      for (k = 0; k < 60; k++) {
        at += 1 + int(rand() * 1000)
        line = line " " at ":" sprintf("%.6g", rand() * 4 - 2)
      }
      print line
    }
  }' >text.svm
fi
bytes=$(stat -c %s text.svm)
TIMEFORMAT='%R %U %S'
for n in 1 2; do
  cat text.svm >/dev/null # into the page cache
  { time must "$n" import text.svm -o text.h5 --force >&2; } 2>time.txt
  read -r wall user system <time.txt
  echo "$n ranks: $("$PYTHON" -c "
mb = $bytes / 1e6
print(f'{mb:.0f} MB in $wall s: {mb / $wall:.0f} MB/s, '
      f'{mb / ($user + $system):.0f} MB per CPU second (wanted: 150 per core)')")"
  remove text.h5
done
