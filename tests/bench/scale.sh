#!/usr/bin/env bash
# scale.sh [FOLDER] - trainings whose time or memory should not depend on where a limit of
# the program lies: few examples and more, small blocks and large, one rank and several
# SPDX-License-Identifier: MIT
#
# DATA has dorothea.train.svm.xz, which is left out where it is missing. Seconds are the
# least of TIMES (3) runs; those on two ranks stand beside two runs of one rank at the same
# time, which is what the machine has.
set -euo pipefail
RANKS=0
. "$(dirname "$0")/bench.sh"
export SOURCE THRESHER LIMIT DATA OPENBLAS_NUM_THREADS=1
"$PYTHON" "$SOURCE/tests/bench/scale.py"
finish
