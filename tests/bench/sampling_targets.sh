#!/usr/bin/env bash
# sampling_targets.sh [FOLDER] [--runs N] - the solvers that sample attributes on the
# simulated data of Kukliansky and Shamir: losses beside the targets. OPTIONS: further
# options of train
# SPDX-License-Identifier: MIT
set -euo pipefail
runs=20
at=
while [ $# -gt 0 ]; do
  case $1 in
  --runs)
    runs=$2
    shift
    ;;
  *) at=$1 ;;
  esac
  shift
done
set -- ${at:+"$at"}
. "$(dirname "$0")/bench.sh"
export THRESHER OPENBLAS_NUM_THREADS=1
"$PYTHON" "$SOURCE/tests/bench/sampling_targets.py" "$runs"
