#!/usr/bin/env bash
# beside.sh - the comparison with proxCSL where that is not: what it says, and that it leaves
# nothing behind; arguments that it refuses
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*
mkdir empty
: >train.svm

# says STATUS PATTERN PROXCSL ARGUMENT...: in the words of the script
says()
{
  local rc=0
  PROXCSL=$3 bash "$SOURCE/tests/bench/proxcsl.sh" "${@:4}" >out 2>&1 </dev/null || rc=$?
  [ $rc -eq "$1" ] || fail "proxcsl.sh ${*:4}: status $rc, wanted $1: $(cat out)"
  grep -qE -- "$2" out || fail "proxcsl.sh ${*:4}: no line with '$2': $(cat out)"
  [ ! -e folder ] || fail "proxcsl.sh ${*:4}: made its folder"
}

says 77 '^skipped: no proxCSL' '' folder
says 77 '^  git clone https://github.com/[^ ]*/ProxCSL$' '' folder
says 77 '^  apt-get install .*libarmadillo-dev' '' folder
says 77 '^no src/mpi/mpi_pcsl.hpp in PROXCSL=.*/empty$' "$PWD/empty" folder
says 2 '^proxcsl.sh: wanted: ' '' folder train.svm
says 2 '^proxcsl.sh: wanted: ' '' folder train.svm train.svm train.svm
says 2 '^proxcsl.sh: no file nowhere.svm$' '' folder train.svm nowhere.svm
finish
