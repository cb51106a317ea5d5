#!/usr/bin/env bash
# quality.sh [FOLDER [SET...]] - plain training, no option given, on 21 real data sets
# beside scikit-learn's cross-validated l1 models with full information
# SPDX-License-Identifier: MIT
#
# One core. The peers take most of the time, and are kept in FOLDER/quality.json:
# another run computes ours alone. Data: THRESHER_DATA.
set -euo pipefail
. "$(dirname "$0")/bench.sh"
export THRESHER OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
need_data mnist35.train.svm.xz
if ! "$PYTHON" -c 'import sklearn' 2>/dev/null; then
  echo "skipped: no scikit-learn (sh jobs/packages.sh peers)"
  exit 77
fi
"$PYTHON" "$SOURCE/tests/bench/quality.py" "$DATA" quality.json "${@:2}"
