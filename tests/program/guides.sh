#!/usr/bin/env bash
# guides.sh - the commands of io/guides run as printed, on the data that each is about, and print
# what is printed there; what they predict is what the data were made of
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
. "$SOURCE/tests/support/typed.sh"
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

# Each ends with a file that has a line for each example, by its ID where there is one.
rows() # FILE LINES FIRST
{
  [ "$(wc -l <"typed/$1")" -eq "$2" ] && sed -n 2p "typed/$1" | saw "^$3," ||
    fail "$1: $(head -n 2 "typed/$1")"
}
rows new.csv 51 "N0000 N0000"
rows later.csv 101 0
rows predictions.csv 41 C00900
rows fitted.csv 301 '[0-9]*'
# What new customers spend is what their rows were made of: noise of 4, on 640 examples.
"$PYTHON" - <<'END' || fail "predictions of new customers are not what they were made of"
import csv, sys
made = {r["customer"]: 30 + 2.5 * int(r["visits"]) + 40 * (r["plan"] == "pro") +
        15 * (r["active"] == "True") for r in csv.DictReader(open("typed/leads.csv"))}
told = {r["id"]: float(r["prediction"]) for r in csv.DictReader(open("typed/predictions.csv"))}
worst = max(abs(made[k] - told.get(k, 1e9)) for k in made)
print("new customers:", len(told), "worst", worst)
sys.exit(not (set(made) == set(told) and worst < 2))
END
finish
