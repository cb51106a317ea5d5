#!/usr/bin/env bash
# choose.sh [FOLDER [SET...]] - lambda chosen by cross-validation: solver lasso beside
# cv.glmnet and scikit-learn's LassoCV and LogisticRegressionCV, on real data
# SPDX-License-Identifier: MIT
#
# One core. SPLITS (10) random splits of each set into training and test examples. All
# standardize, have five folds and 100 lambdas. Mean test loss (mean squared error over the
# variance of the test targets, or log loss), the paired difference from each peer with its
# standard error, attributes, seconds with reading and writing. Data: THRESHER_DATA.
set -euo pipefail
. "$(dirname "$0")/bench.sh"
export THRESHER OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
need_data communities.csv.xz
if ! "$PYTHON" -c 'import sklearn' 2>/dev/null; then
  echo "skipped: no scikit-learn (sh jobs/packages.sh peers)"
  exit 77
fi
"$PYTHON" "$SOURCE/tests/bench/choose.py" "$DATA" "${SPLITS:-10}" "${@:2}"
