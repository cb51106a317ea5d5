#!/usr/bin/env bash
# faq.sh - every answer of src/cli/FAQ.md has a command; the commands run as printed, and print
# what is printed there
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
. "$SOURCE/tests/support/typed.sh"
rm -rf ./*
mkdir typed
"$PYTHON" "$SOURCE/tests/program/faq_data.py" typed

page=src/cli/FAQ.md
grep '^## ' "$SOURCE/$page" >headings
questions=0
while read -r heading <&3; do # mpirun reads what the loop would read
  typed "$page" "$heading" </dev/null
  questions=$((questions + 1))
done 3<headings
compare questions $questions == "$(wc -l <headings)"
compare questions $questions '>=' 12
finish
