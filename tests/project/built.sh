#!/usr/bin/env bash
# built.sh CHECKED - every file that was built looks for libraries in named folders alone
# and is hardened (built.py); the program loads none from the folder it is run in
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
. "$SOURCE/tests/project/decoy.sh"
rm -rf ./*
"$PYTHON" "$SOURCE/tests/project/built.py" "$BUILD" "$1" || fail "the faults above"

decoys decoys "$THRESHER"
[ "$(find decoys -name 'lib*.so*' | wc -l)" -ge 8 ] || fail "too few decoys"
homely decoys "$THRESHER" --version
homely decoys "$THRESHER" generate murata -o data.h5 --examples 300 --attributes 40 -q
homely decoys "$THRESHER" train data.h5 -o model.h5 -q --solver ridge --factor scalapack
finish
