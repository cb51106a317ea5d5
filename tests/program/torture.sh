#!/usr/bin/env bash
# torture.sh - runs that are killed, damaged and starved at random give the right
# bytes or one line
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*
export THRESHER PYTHON
torture()
{
  sh "$SOURCE/jobs/torture.sh" "$@" --seed "${SEED:-1}" || fail "torture.sh $*"
}
if long; then
  torture 60 --trials 12
else # their number, not the clock, ends them
  torture 60 --only kill --trials 5
  torture 60 --only damage --trials 40
fi
finish
