#!/usr/bin/env bash
# guides.sh - the commands of io/guides run as printed, on the data that each is about, and print
# what is printed there; what they predict is what the data were made of
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
. "$SOURCE/tests/support/typed.sh"
if ! "$PYTHON" -c 'import h5py, scipy.sparse' 2>/dev/null; then
  echo "skipped: $PYTHON has no h5py or SciPy"
  exit 77
fi
rm -rf ./*
mkdir typed
"$PYTHON" "$SOURCE/tests/program/guides_data.py" typed

pages=0
for page in "$SOURCE"/io/guides/[a-z]*.md; do
  page=${page#"$SOURCE"/}
  pages=$((pages + 1))
  grep -q "(${page##*/})" "$SOURCE/io/guides/README.md" || fail "$page is in no list"
  grep '^## ' "$SOURCE/$page" >headings
  while read -r heading; do
    [ -z "$(readme_commands "$page" "$heading")" ] || typed "$page" "$heading"
  done <headings
done
[ "$pages" -eq 5 ] || fail "$pages guides"

# Each ends with a file that has a line for each example, by its ID, and the numbers are right.
rows() # FILE LINES FIRST
{
  [ "$(wc -l <"typed/$1")" -eq "$2" ] && sed -n 2p "typed/$1" | grep -q "^$3," ||
    fail "$1: $(head -n 2 "typed/$1")"
}
rows new.csv 51 "N0000 N0000"
rows later.csv 101 0
rows predictions.csv 41 C00900
rows fitted.csv 301 '[0-9]*'
finish
