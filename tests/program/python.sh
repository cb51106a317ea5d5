#!/usr/bin/env bash
# python.sh - the Python package: models of what is in memory have the bytes of those of
# files, predictions are those of the program, scikit-learn's own checks pass, and what is
# wrong is said in one line; nothing stays in the folder of temporary files
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*
export PYTHONPATH=$SOURCE/src/api/python PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=Agg
export THRESHER THRESHER_LIBRARY=$BUILD MPLCONFIGDIR=$PWD/matplotlib
export TMPDIR=$PWD/temporary
mkdir temporary

# with PACKAGE: whether Python has it; what needs it is left out otherwise
with()
{
  "$PYTHON" -c "import importlib.util as u, sys; sys.exit(u.find_spec('$1') is None)" || {
    left_out "$1 for Python"
    return 1
  }
}

# try CHECK...: functions of the checks, in one process
try()
{
  timeout -k 5 "$LIMIT" "$PYTHON" "$SOURCE/tests/program/python_checks.py" "$@" >said 2>&1 ||
    fail "$(sed -n 's/^--- //p' said | tail -n 1): $(tail -n 5 said)"
}

# as others use it, word for word
"$PYTHON" - >said <<'END' || fail "the example"
import numpy as np
X = np.random.default_rng(0).normal(size=(400, 60))
y = X[:, 3] - 2 * X[:, 7]
from thresher import ThresherRegressor; print(ThresherRegressor(budget=50).fit(X, y).predict(X).shape)
END
grep -q '^(400,)$' said || fail "the example says $(cat said)"

# where scikit-learn is not installed, too; first, as a killed process has left something,
# which goes with the next data
"$PYTHON" "$SOURCE/tests/program/python_checks.py" killed >said 2>&1 && fail "it was not killed"
[ "$(ls temporary)" != "" ] || fail "a killed process leaves nothing to be removed"
try alone

checks=(values sparse weights classes counts errors interrupt parts)
if long; then checks+=(wide); fi
if with h5py; then checks+=(read); fi
if with pandas; then checks+=(frames); fi
if long && with matplotlib; then checks+=(plots); fi
if with sklearn; then checks+=("sklearn=$(long && echo 1 || echo 12)"); fi
try "${checks[@]}"

# the library is found by its file, its folder, or the loader, and else one line says so
bare='import sys; sys.modules["sklearn.base"] = None; import thresher' # which is quick
mkdir lib
cp -P "$BUILD"/libthresher.so* lib
finds()
{
  env -u THRESHER_LIBRARY "$@" "$PYTHON" -c "$bare" 2>said || fail "not found: $*"
}
finds THRESHER_LIBRARY="$PWD/lib/libthresher.so.0"
finds THRESHER_LIBRARY="$PWD/lib"
finds LD_LIBRARY_PATH="$PWD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
mkdir -p prefix/lib/python3/dist-packages
cp -r "$PYTHONPATH/thresher" prefix/lib/python3/dist-packages
cp -P lib/* prefix/lib
finds PYTHONPATH="$PWD/prefix/lib/python3/dist-packages"
THRESHER_LIBRARY=$PWD/absent "$PYTHON" -c "$bare" 2>said && fail "found what is not there"
[ "$(grep -c '^ImportError: thresher: .* THRESHER_LIBRARY' said)" -eq 1 ] || fail "a library that is absent: $(tail -n 3 said)"

# on several ranks, which fail together
if with mpi4py; then
  for n in $(long && echo 1) 3; do
    THRESHER_LIMIT=$LIMIT sh "$SOURCE/jobs/launch.sh" "$n" \
      "$PYTHON" "$SOURCE/tests/program/python_checks.py" ranks >said 2>&1 ||
      fail "$n ranks: $(tail -n 5 said)"
    [ "$(grep -c 'all ranks' said)" -eq "$n" ] || fail "$n ranks: $(cat said)"
  done
fi
finish
