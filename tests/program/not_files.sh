#!/usr/bin/env bash
# not_files.sh - a pipe, a folder, a socket or a device in the place of any input or
# output ends in one line; nothing hangs, and nothing is left
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./* .[a-z]*

must 0 generate murata -n 300 -d 50 --support 5 -o data.h5
must 0 train data.h5 -o model.h5 --budget 20
printf '1 1:2\n2 2:3\n' >text.svm
mkfifo pipe
mkdir folder
"$PYTHON" -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'

inputs=0
for thing in pipe folder socket /dev/zero; do
  while read -r words; do
    inputs=$((inputs + 1))
    refused 1 'pipe|folder|socket|/dev/zero' 0 ${words//THING/$thing}
  done <<'END'
train THING -o made.h5
train data.h5 --deck THING -o made.h5
train data.h5 --start THING --solver exploitation -o made.h5
train data.h5 --groups THING --solver lasso -o made.h5
train data.h5 --reference THING --telemetry made.jsonl -o made.h5
train data.h5 -o THING
train data.h5 -o made.h5 --telemetry THING
train data.h5 -o made.h5 --report THING
evaluate THING data.h5
evaluate model.h5 THING
predict THING data.h5 -o made.csv
predict model.h5 THING -o made.csv
predict model.h5 data.h5 -o THING
inspect THING
export THING -o made.tsv
export model.h5 -o THING
verify model.h5 THING
import THING -o made.h5
import text.svm --test-file THING -o made.h5
import text.svm --groups THING -o made.h5
import text.svm --like THING -o made.h5
import text.svm -o THING
END
done
for thing in pipe socket /dev/zero; do
  refused 1 'a folder' 0 train data.h5 -o made.h5 --checkpoint "$thing"
done
echo "$inputs of these"
[ "$inputs" -eq 88 ] || fail "some were left out"
finish
