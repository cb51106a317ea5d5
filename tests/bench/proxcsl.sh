#!/usr/bin/env bash
# proxcsl.sh [FOLDER [TRAIN TEST]] - the l1 logistic problem beside an MPI program: proxCSL,
# of "High-Dimensional Distributed Sparse Classification with Scalable
# Communication-Efficient Global Updates", KDD 2024
# SPDX-License-Identifier: MIT
#
# PROXCSL: the folder of its sources. To get them, and what they stand on:
#   git clone https://github.com/FutureComputing4AI/ProxCSL
#   apt-get install g++ libarmadillo-dev liblbfgs-dev libopenblas-dev
# Nothing has to be built there: this script compiles proxcsl.cpp, a main program of ours
# that writes models, which its own does not, against the headers in PROXCSL/src.
# TRAIN and TEST: LIBSVM text, as it is or .xz, with two labels; the default is rcv1
# (THRESHER_DATA). RANKS (2); LAMBDAS and SWEEP: see proxcsl.py; REPEATS (3): medians.
#
# The problem is the same for both: mean logistic loss + lambda times the l1 norm, without an
# intercept, attributes as they are. Examples are dealt to the ranks at random. All objectives
# and accuracies are computed from the coefficients by proxcsl.py. Seconds of proxCSL begin
# when its data are parsed and in its own form, as those that it writes down; seconds of
# Thresher begin before it opens its file, whose import has its own line.
set -euo pipefail
export RANKS=${RANKS:-2}
if [ $# -gt 3 ] || [ $# -eq 2 ]; then
  echo "proxcsl.sh: wanted: bash tests/bench/proxcsl.sh [FOLDER [TRAIN TEST]]" >&2
  exit 2
fi
for file in "${@:2}"; do
  if [ ! -f "$file" ]; then
    echo "proxcsl.sh: no file $file" >&2
    exit 2
  fi
done
if [ ! -f "${PROXCSL:-}/src/mpi/mpi_pcsl.hpp" ]; then
  [ -z "${PROXCSL:-}" ] || echo "no src/mpi/mpi_pcsl.hpp in PROXCSL=$PROXCSL"
  echo "skipped: no proxCSL. To compare with it:"
  sed -n 's/^#   /  /p' "$0"
  echo "  PROXCSL=\$PWD/ProxCSL bash $0"
  exit 77
fi
headers=$(realpath "$PROXCSL")/src
files=()
for file in "${@:2}"; do
  files+=("$(realpath "$file")")
done
. "$(dirname "$0")/bench.sh"
export SOURCE THRESHER LIMIT REPEATS=${REPEATS:-3} OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
if ! "$PYTHON" -c 'import sklearn' 2>/dev/null || ! command -v mpicxx >/dev/null; then
  echo "skipped: no scikit-learn or no mpicxx (sh jobs/packages.sh build peers)"
  exit 77
fi
if [ ${#files[@]} -eq 0 ]; then
  need_data rcv1sub.train.svm.xz
  files=("$DATA/rcv1sub.train.svm.xz" "$DATA/rcv1sub.test.svm.xz")
fi
for kind in train test; do
  case ${files[0]} in
  *.xz) xz -dc "${files[0]}" >$kind.svm ;;
  *) cat "${files[0]}" >$kind.svm ;;
  esac
  files=("${files[@]:1}")
done

# The flags of its Makefile; Armadillo calls BLAS itself, not by a library of its own.
if ! mpicxx -O3 -march=native -DNDEBUG -DARMA_NO_DEBUG -DARMA_DONT_USE_WRAPPER -fopenmp \
  -I"$headers" -o proxcsl "$SOURCE/tests/bench/proxcsl.cpp" -lopenblas -llbfgs \
  >compile.log 2>&1; then
  echo "skipped: proxcsl.cpp does not compile: $PWD/compile.log"
  grep -m 3 -E 'error|undefined' compile.log || true
  exit 77
fi
"$PYTHON" "$SOURCE/tests/bench/proxcsl.py"
[ "${KEEP:-no}" = yes ] || rm -rf part.* models test.svm train.svm data.h5 data.shards
finish
