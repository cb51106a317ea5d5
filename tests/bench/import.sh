#!/usr/bin/env bash
# import.sh [FOLDER] - importing LIBSVM text and CSV, plain and compressed: MB of
# uncompressed text per second, and per second of a core
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$(dirname "$0")/bench.sh"
# its idle threads would count
export OPENBLAS_NUM_THREADS=1

# text KIND ROWS FEATURES STEP FORMAT: rows of FEATURES values. svm: on average
# STEP attributes apart, where STEP 1 is dense. csv; quoted: CSV with quotes.
text()
{
  awk -v kind="$1" -v rows="$2" -v features="$3" -v step="$4" -v form="$5" 'BEGIN {
    srand(1)
    if (kind == "quoted")
      form = "\"" form "\""
    for (i = 0; i < rows; i++) {
      line = rand() < 0.5 ? "-1" : "+1"
      at = 0
      for (k = 0; k < features; k++) {
        at += 1 + int(rand() * 2 * (step - 1))
        value = sprintf(form, rand() * 4 - 2)
        line = kind == "svm" ? line " " at ":" value : line "," value
      }
      print line
    }
  }' >text
}

TIMEFORMAT='%R %U %S'
# once FILE RANKS OPTION...: "wall user system" of an import; RANKS 0: one rank
# without a launcher.
once()
{
  local file=$1 ranks=$2
  shift 2
  cat "$file" >/dev/null # into the page cache
  { time must "$ranks" import "$file" -o text.h5 --force --quiet "$@" >&2; } 2>&1
  remove text.h5
}

# measure WHAT WANTED FILE OPTION...: the quickest of three, on one thread, on
# two, and on two ranks.
measure()
{
  local what=$1 wanted=$2 file=$3 how
  shift 3
  for how in "0 --threads 1" "0 --threads 2" "2 --threads 1"; do
    # shellcheck disable=SC2086
    for _ in 1 2 3; do once "$file" $how "$@"; done |
      "$PYTHON" -c "
import os, sys
ranks, _, threads = '$how'.split()
runs = [[float(x) for x in line.split()] for line in sys.stdin]
wall = min(run[0] for run in runs)
core = min(run[1] + run[2] for run in runs)
mb = os.stat('text').st_size / 1e6
print(f'$what, {max(1, int(ranks))} ranks of {threads} threads: {mb:.0f} MB in '
      f'{wall:.2f} s: {mb / wall:.0f} MB/s, {mb / core:.0f} MB per CPU second'
      + '$wanted')"
  done
}

text csv 40000 500 1 %.6g
measure "CSV, 500 columns, 6 digits" " (wanted: 600 per core)" text --format csv --target 1
text csv 20000 500 1 %.17g
measure "CSV, 500 columns, 17 digits" "" text --format csv --target 1
text quoted 20000 500 1 %.6g
measure "CSV, 500 columns in quotes" "" text --format csv --target 1
text svm 40000 500 1 %.6g
measure "LIBSVM, 500 of 500 attributes a row" " (wanted: 600 per core)" text
text svm 300000 60 16 %.6g
measure "LIBSVM, 60 of 1,000 attributes a row" " (wanted: 400 per core)" text
text svm 300000 60 500 %.6g
measure "LIBSVM, 60 of 60,000 attributes a row" " (wanted: 400 per core)" text
xz -1 -T1 -c text >one.xz
measure "the same as xz, one block" "" one.xz
xz -1 -T2 --block-size=8MiB -c text >blocks.xz
measure "the same as xz, blocks of 8 MiB" " (wanted: 150 MB/s on two cores)" blocks.xz
gzip -1 -c text >one.gz
measure "the same as gzip" "" one.gz
rm text one.xz blocks.xz one.gz
