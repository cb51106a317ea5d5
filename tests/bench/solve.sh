#!/usr/bin/env bash
# solve.sh [FOLDER] - one rank's solve on the support against LAPACK's and ScaLAPACK's
# SPDX-License-Identifier: MIT
#
# From which size of the support on is a solve on one rank five times slower
# than one on all ranks, or too large for it? RANKS (2), SIZES. Needs
# libscalapack-openmpi-dev and libopenblas-dev.
set -euo pipefail
. "$(dirname "$0")/bench.sh"
if ! pkg-config --exists scalapack-openmpi; then
  echo "skipped: no ScaLAPACK (libscalapack-openmpi-dev)"
  exit 77
fi
read -ra libraries <<<"$(pkg-config --libs scalapack-openmpi openblas)"
build=$(dirname "$THRESHER")/src
mpicc -std=c11 -O2 -Wall -Wextra -I"$SOURCE/src" -o solve "$SOURCE/tests/bench/solve.c" \
  "$build/math/libthresher_math.a" "$build/math/kernels/libthresher_math_kernels.a" \
  "$build/base/libthresher_base.a" "${libraries[@]}" -lsleef -lm
read -ra sizes <<<"${SIZES:-250 500 1000 2000 4000 8000}"
THRESHER_LIMIT=$LIMIT sh "$SOURCE/jobs/launch.sh" "$RANKS" ./solve "${sizes[@]}"
