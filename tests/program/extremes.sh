#!/usr/bin/env bash
# extremes.sh - extreme values of options are refused in one line, or served: no crash,
# and no overflow in a build with sanitizers
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./* .[a-z]*

count=250
if long; then count=0; fi
must 0 generate murata -n 300 -d 50 --support 5 -o data.h5
must 0 train data.h5 -o model.h5 --budget 20
must 0 train data.h5 -o exact.h5 --solver lasso --lambda-ratio 0.3
"$PYTHON" - <<'END'
with open("text.svm", "w") as f:
    for i in range(50):
        f.write(f"{i % 3} {1 + i % 7}:0.5 {9 + i % 5}:{i}\n")
END
"$PYTHON" "$SOURCE/tests/program/extremes.py" "$THRESHER" "$count" "${SEED:-1}" || fail "extreme values"
finish
