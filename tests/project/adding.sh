#!/usr/bin/env bash
# adding.sh - what CONTRIBUTING.md says of adding a solver, a loss and an option is true
# SPDX-License-Identifier: MIT
#
# A copy of the sources gets a toy of each kind. adding.py puts them into the files that
# CONTRIBUTING.md names for the kind, and into no other; a file that is named and not
# needed is an error, too. The program is built, quickly and without optimisation, and
# what was added is used.
set -euo pipefail
. "$SOURCE/tests/lib.sh"
here=$SOURCE/tests/project
rm -rf ./*

mkdir tree
cp -R "$SOURCE/CMakeLists.txt" "$SOURCE/src" "$SOURCE/io" "$SOURCE/mpi" tree/
for kind in solver loss option; do
  "$PYTHON" "$here/adding.py" "$kind" "$SOURCE/CONTRIBUTING.md" tree
done

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
"$toy" train --help >help.txt
grep -q -e '--toy-steps' help.txt || fail "no --toy-steps in --help"
"$toy" --man >thresher.1
for line in 'solver .*|toy' 'loss .*|toy' 'toy.-steps N'; do
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

# the loss, by a solver that certifies its model
"$toy" train m.h5 -o loss.h5 --solver lasso --loss toy -q
"$toy" verify loss.h5 m.h5 >verify.txt || fail "verify: $(cat verify.txt)"
grep -q 'certificate  holds' verify.txt || fail "the certificate: $(cat verify.txt)"
"$toy" inspect loss.h5 --json >inspect.json
"$PYTHON" - <<'EOF'
import json
c = json.load(open("inspect.json"))
assert 0 <= c["gap"] < 1e-8 * c["objective"], c
EOF
"$toy" evaluate loss.h5 m.h5 >must.out

finish
