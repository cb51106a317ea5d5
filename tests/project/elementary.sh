#!/bin/sh
# elementary.sh [ROOT] - no function of libm whose bits depend on the processor, and
# none of BLAS or LAPACK: what enters a model has the same bits everywhere
# (src/base/elementary.h, src/math/linalg.h)
# SPDX-License-Identifier: MIT
#
# Allowed: bench_scalar.c times libm's exp, and keeps nothing of it; mpi_spread.c calls
# ScaLAPACK, and models say so.
set -eu
root=${1:-${SOURCE:-.}}
cd "$root"
names='exp|exp2|exp10|expm1|log|log2|log10|log1p|pow|sin|cos|tan|sincos|asin|acos'
names="$names|atan|atan2|sinh|cosh|tanh|asinh|acosh|atanh|cbrt|hypot|erf|erfc|lgamma"
names="$names|tgamma|j0|j1|y0|y1"
files=$(find src mpi io \( -name '*.c' -o -name '*.h' \) -print | sort)
[ "$(echo "$files" | wc -l)" -ge 100 ] || {
  echo "too few files: wrong folder?"
  exit 1
}
# shellcheck disable=SC2086 # a list of files
awk -v names="$names" '
FNR == 1 { comment = 0 }
{
  code = ""
  rest = $0
  while (rest != "") { # the line without its comments and texts
    if (comment) {
      at = index(rest, "*/")
      comment = at == 0
      rest = at == 0 ? "" : substr(rest, at + 2)
    } else if (match(rest, /"([^"\\]|\\.)*"|\/\*|\/\//)) {
      code = code substr(rest, 1, RSTART - 1)
      token = substr(rest, RSTART, RLENGTH)
      rest = token == "//" ? "" : substr(rest, RSTART + RLENGTH)
      comment = token == "/*"
    } else {
      code = code rest
      rest = ""
    }
  }
  if (FILENAME ~ /bench_scalar\.c$/)
    next
  if (code ~ "(^|[^A-Za-z0-9_.>])(" names ")[fl]?[ ]*\\(") {
    printf "%s:%d: a function of libm; take that of base/elementary.h\n", FILENAME, FNR
    bad++
  }
  if (FILENAME !~ /mpi_spread\.c$/ && code ~ /cblas_|LAPACKE_|openblas_|(^|[^A-Za-z0-9_])[sd][a-z0-9]+_[ ]*\(/) {
    printf "%s:%d: BLAS or LAPACK; take math/linalg.h\n", FILENAME, FNR
    bad++
  }
  if (code ~ /Sleef_/ && FILENAME !~ /base\/elementary/) {
    printf "%s:%d: SLEEF is called by base/elementary.c alone\n", FILENAME, FNR
    bad++
  }
}
END { exit bad > 0 }' $files
