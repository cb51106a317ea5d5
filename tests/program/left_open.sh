#!/usr/bin/env bash
# left_open.sh - a file of HDF5 that a program has open for writing, or was killed
# while it had: said so, with the remedy, by every command; the remedy works
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

must 0 generate murata -o data.h5 --examples 200 --attributes 40 --support 3 --shards 2
must 0 train data.h5 -o model.h5 --solver lasso
printf '1 1:1 2:2\n2 1:2\n' >text.svm
command -v h5clear >/dev/null || left_out "the remedy: no h5clear here"

# left FILE HOW: HOW killed: nobody has it open any more
left()
{
  "$PYTHON" - "$1" "$2" <<'END' &
import h5py, os, signal, sys, time
f = h5py.File(sys.argv[1], "r+")
open("held", "w").close()
if sys.argv[2] == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
time.sleep(1000)
END
  holder=$!
  until [ -e held ]; do sleep 0.05; done
  rm held
  [ "$2" != killed ] || wait "$holder" || true
}

# told FILE ARGUMENT...
told()
{
  refused 1 "$1: another program has it open for writing, or was killed while it had; end that program, or run: h5clear -s .*$1\$" "${@:2}"
}

for how in held killed; do
  cp model.h5 kept.h5
  left model.h5 "$how"
  told model.h5 0 inspect model.h5
  told model.h5 0 inspect model.h5 --check
  told model.h5 2 evaluate model.h5 data.h5
  told model.h5 0 predict model.h5 data.h5 -o p.csv
  told model.h5 0 verify model.h5 data.h5
  told model.h5 0 train data.h5 -o x.h5 --solver exploitation --start model.h5
  told model.h5 0 train data.h5 -o x.h5 --telemetry t.jsonl --reference model.h5
  told model.h5 0 import model.h5 -o x.h5
  [ "$how" = killed ] || { kill "$holder"; wait "$holder" || true; }
  ! command -v h5clear >/dev/null || {
    h5clear -s model.h5
    must 0 evaluate model.h5 data.h5
  }
  mv kept.h5 model.h5

  cp data.h5 kept.h5
  left data.h5 "$how"
  told data.h5 0 inspect data.h5
  told data.h5 2 train data.h5 -o x.h5
  told data.h5 0 evaluate model.h5 data.h5
  told data.h5 0 import text.svm --like data.h5 -o x.h5
  told data.h5 0 import data.h5 -o x.h5
  [ "$how" = killed ] || { kill "$holder"; wait "$holder" || true; }
  ! command -v h5clear >/dev/null || {
    h5clear -s data.h5
    must 0 evaluate model.h5 data.h5
  }
  mv kept.h5 data.h5

  left data.shards/00001.h5 "$how"
  for n in 0 2; do
    told data.shards/00001.h5 $n train data.h5 -o x.h5
    told data.shards/00001.h5 $n inspect data.h5 --check
  done
  told data.shards/00001.h5 0 evaluate model.h5 data.h5 --split all
  [ "$how" = killed ] || { kill "$holder"; wait "$holder" || true; }
  if command -v h5clear >/dev/null; then
    h5clear -s data.shards/00001.h5
    must 0 evaluate model.h5 data.h5
  else
    break
  fi
done
finish
