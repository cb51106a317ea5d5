#!/usr/bin/env bash
# adding.sh - what CONTRIBUTING.md says of adding a solver, a loss, an option,
# a number and a score is true
# SPDX-License-Identifier: MIT
#
# A copy of the sources gets a toy of each kind. adding.py puts them into the files that
# CONTRIBUTING.md names for the kind, and into no other; a file that is named and not
# needed is an error, too. The program is built, quickly and without optimisation, and
# what was added is used.
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
here=$SOURCE/tests/project
rm -rf ./*

mkdir tree
cp -R "$SOURCE/CMakeLists.txt" "$SOURCE/src" "$SOURCE/io" "$SOURCE/mpi" tree/
for kind in solver loss option number score; do
  "$PYTHON" "$here/adding.py" "$kind" "$SOURCE/CONTRIBUTING.md" tree
done

"$PYTHON" "$here/names.py" tree >rule.txt || fail "names: $(cat rule.txt)"
! "$PYTHON" "$here/limits.py" tree | grep 'at most' >rule.txt || fail "limits: $(cat rule.txt)"

launcher=
if command -v ccache >/dev/null 2>&1; then
  launcher=-DCMAKE_C_COMPILER_LAUNCHER=ccache
  export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
fi
# shellcheck disable=SC2086 # one word, or none
cmake -S tree -B build -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 \
  -DTHRESHER_TESTS=OFF -DTHRESHER_WERROR=ON $launcher >configure.txt 2>&1 ||
  { fail "configuring: $(tail -n 20 configure.txt)"; finish; }
cmake --build build --target thresher -j 2 >build.txt 2>&1 ||
  { fail "building: $(grep -A 5 -E 'error|FAILED' build.txt | head -n 40)"; finish; }
toy=$PWD/build/thresher

# each is in the listings and in the man page, which the program writes
"$toy" solvers >solvers.txt
grep -q '^toy$' solvers.txt || fail "solvers does not list toy"
"$toy" train --help-all >help.txt
grep -q -e '--toy-steps' help.txt || fail "no --toy-steps in --help"
"$toy" --man >thresher.1
for line in 'solver .*|\\:toy' 'loss .*|\\:toy' 'toy.-steps N'; do
  grep -q -e "^[.]B.*$line" thresher.1 || fail "$line is not in the man page"
done

"$toy" generate murata -o m.h5 --examples 2000 --attributes 40 --support 5 --test 0.1 -q

# the solver, on one rank and on two, and its option
"$toy" train m.h5 -o toy.h5 --solver toy --toy-steps 7 2>note.txt >must.out
grep -q 'toy steps: 7' note.txt must.out || fail "the option: $(cat note.txt)"
THRESHER=$toy ranks 2 train m.h5 -o two.h5 --solver toy --toy-steps 7 -q
cmp toy.h5 two.h5 || fail "another model on two ranks"
"$toy" train m.h5 -o other.h5 --solver sift --toy-steps 7 2>error.txt >must.out &&
  fail "a solver that has no such option takes it"
grep -q 'toy-steps' error.txt || fail "another error: $(cat error.txt)"

# the loss: two solvers that certify its model, and one that fits without a penalty
for solver in lasso saga; do
  "$toy" train m.h5 -o $solver.h5 --solver $solver --loss toy --lambda-ratio 0.1 -q
  "$toy" verify $solver.h5 m.h5 >verify.txt || fail "verify: $(cat verify.txt)"
  grep -q 'certificate  holds' verify.txt || fail "the certificate: $(cat verify.txt)"
  "$toy" inspect $solver.h5 --json >$solver.json
done
"$toy" train m.h5 -o omp.h5 --solver omp --loss toy -s 5 -q
"$toy" inspect omp.h5 --json >omp.json
"$toy" evaluate omp.h5 m.h5 >must.out
"$PYTHON" - <<'EOF' || fail "models of the loss"
import h5py
import json
import numpy as np

lasso, saga, omp = (json.load(open(f"{s}.json")) for s in ("lasso", "saga", "omp"))
assert 0 <= lasso["gap"] < 1e-8 * lasso["objective"], lasso
assert 0 <= saga["gap"] < 1e-8 * saga["objective"], saga
assert abs(lasso["objective"] - saga["objective"]) < 1e-8 * lasso["objective"]
with h5py.File("m.h5") as f:
    seen = f["split"][()] == 0
    x = f["X"][()].T[seen][:, omp["support"]].astype(float)
    y = f["y"][()][seen]
r = x @ np.array(omp["coef"]) + omp["intercept"] - y
slope = r / np.sqrt(1 + r * r)
assert abs(slope.mean()) < 1e-8 and np.abs(x.T @ slope).max() < 1e-8 * len(y), slope
EOF

# the score: a line of evaluate and a member of its JSON
grep -q '^toy_score  *-*[0-9]' must.out || fail "evaluate: $(cat must.out)"
"$toy" evaluate omp.h5 m.h5 --json | saw '"toy_score": -*[0-9]' || fail "evaluate --json"

# the number: models without it have what its row says, and the same certificate
"$THRESHER" train m.h5 -o old.h5 --solver lasso -q
"$toy" verify old.h5 m.h5 >verify.txt || fail "an older model: $(cat verify.txt)"
"$toy" inspect old.h5 --json >old.json
"$toy" train m.h5 -o new.h5 --solver lasso -q
"$toy" inspect new.h5 --json >new.json
"$toy" inspect new.h5 >new.txt
grep -q '^  toy_number .* a toy$' new.txt || fail "inspect: $(cat new.txt)"
grep -q '"toy_number": 4.0' old.json || fail "a model without the number: $(cat old.json)"
"$toy" verify new.h5 m.h5 >verify.txt || fail "a number of the run: $(cat verify.txt)"
grep -q '"toy_number": 3.0' new.json || fail "a model with the number: $(cat new.json)"

finish
