#!/usr/bin/env bash
# text_lasso.sh [FOLDER] - the lasso for labels of text beside LIBLINEAR and glmnet, at
# equal relative suboptimality
# SPDX-License-Identifier: MIT
#
# rcv1 (20,000 x 47,236) and news20, classes 1 to 10 against the others (15,935 x 62,061),
# its rows scaled to length 1, as those of rcv1 are (counts as they come keep LIBLINEAR for
# minutes at any tolerance),
# LIBSVM text (THRESHER_DATA), at a small lambda; one core. Every tool runs at several of
# its tolerances. Its objective is computed from its coefficients, and compared with the
# least that is known of its problem: LIBLINEAR has a penalty on the intercept, the
# others have none. Ours and LIBLINEAR: CPU seconds of the whole process,
# from a binary file and from text; glmnet: of its call alone. The least of REPEATS (3).
set -euo pipefail
RANKS=0
. "$(dirname "$0")/bench.sh"
bench=$SOURCE/tests/bench
export SOURCE THRESHER LIMIT REPEATS=${REPEATS:-3} OMP_NUM_THREADS=1
need_data rcv1sub.train.svm.xz
need_data news20.multiclass.svm.xz
if ! command -v liblinear-train >/dev/null ||
  ! Rscript --vanilla -e 'library(glmnet)' >/dev/null 2>&1; then
  echo "skipped: no LIBLINEAR or no glmnet (sh jobs/packages.sh peers)"
  exit 77
fi

[ -e rcv1.svm ] || xz -dc "$DATA/rcv1sub.train.svm.xz" >rcv1.svm
[ -e news20.svm ] || xz -dc "$DATA/news20.multiclass.svm.xz" |
  awk '{ n = 0; for (k = 2; k <= NF; k++) { split($k, e, ":"); n += e[2] ^ 2 }
    printf "%d", $1 <= 10 ? -1 : 1
    for (k = 2; k <= NF; k++) { split($k, e, ":"); printf " %s:%.8g", e[1], e[2] / sqrt(n) }
    print "" }' >news20.svm

for work in rcv1 news20; do
  if [ ! -e $work/train.rds ]; then
    must 0 import $work.svm -o $work.h5 --no-shuffle --layout sparse --force
    "$PYTHON" "$bench/peers_data.py" $work.h5 $work --raw
    Rscript --vanilla "$bench/peers_rds.R" $work
    rm -f $work/*.raw $work/*.np[yz]
  fi
done
"$PYTHON" "$bench/text_lasso.py" rcv1 5e-6
"$PYTHON" "$bench/text_lasso.py" news20 1e-5
[ "${KEEP:-no}" = yes ] || rm -rf rcv1 rcv1[.]*[!n] news20 news20[.]*[!n]
finish
