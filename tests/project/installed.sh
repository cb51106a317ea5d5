#!/usr/bin/env bash
# installed.sh CHECKED - install into a folder of its own, then build programs against what
# was installed, and nothing else; a model that is trained by the library on half of
# the ranks has the bytes of the program's
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
. "$SOURCE/tests/project/decoy.sh"
prefix=$PWD/prefix
rm -rf ./*
cmake --install "$BUILD" --prefix "$prefix" >install.log
test -x "$prefix/bin/thresher"
if grep -rlF "$SOURCE" "$prefix" --include='*.cmake' --include='*.h' --include='*.pc'; then
  fail "the installed files above name the source folder"
fi

# a manual page of the program and of each command
for command in "" $("$prefix/bin/thresher" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/-\1/p'); do
  [ -s "$prefix/share/man/man1/thresher$command.1" ] || fail "no manual page thresher$command(1)"
done
[ "$(find "$prefix/share/man" -type f | wc -l)" -ge 14 ] || fail "manual pages"

# the public header, the library, and no others
[ "$(cd "$prefix" && find include -type f)" = include/thresher.h ] ||
  fail "the include folder holds more or less than thresher.h"
[ -z "$(find "$prefix" -name '*.a')" ] || fail "a static library is installed"
library=$(find "$prefix" -name 'libthresher.so.0')
readelf -d "$library" | saw 'SONAME.*\[libthresher.so.0\]' || fail "soname"
# (a version's own name is an absolute symbol)
nm -D --defined-only "$library" | awk '$2 != "A" { print $3 }' | sort >symbols
grep -oE '\bthresher_[a-z_]+\(' "$prefix/include/thresher.h" | tr -d '(' | sort -u >declared
awk '/^THRESHER_/ { version = $1 } /^    thresher_/ { sub(";", ""); print $1 "@@" version }' \
  "$SOURCE/src/api/exports.map" | sort >listed
diff symbols listed >differ || fail "the library shows other symbols than exports.map: $(cat differ)"
sed 's/@@.*//' listed | diff - declared >differ ||
  fail "exports.map has other functions than thresher.h: $(cat differ)"

# the Python package finds the library of its prefix, and no compiler was needed
python=$prefix/lib/python3/dist-packages
PYTHONPATH=$python "$PYTHON" -c 'import thresher; print(thresher.__version__)' >version ||
  fail "the Python package does not find the library"
[ "$(cat version)" = "$(sed -n 's/^version = "\(.*\)"/\1/p' "$SOURCE/src/api/python/pyproject.toml")" ] ||
  fail "pyproject.toml has another version than the library, $(cat version)"

# what is installed is as what was built, and loads nothing from the current folder
"$PYTHON" "$SOURCE/tests/project/built.py" "$prefix" "$1" || fail "the faults above"
decoys decoys "$prefix/bin/thresher"
homely decoys "$prefix/bin/thresher" --version

# C++ and C11 without anything of MPI or HDF5
echo '#include <thresher.h>' >only.c
cc -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I "$prefix/include" only.c ||
  fail "the header does not serve C"
if command -v g++ >cpp.log; then
  g++ -x c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
    -I "$prefix/include" only.c || fail "the header does not serve C++"
else
  left_out "no C++ compiler"
fi

# by the CMake package, and by pkg-config
cp -r "$SOURCE/tests/consumer" consumer
cmake -S consumer -B built -DCMAKE_PREFIX_PATH="$prefix" >consumer.log
cmake --build built >>consumer.log
folder=$(dirname "$library")
export PKG_CONFIG_PATH=$folder/pkgconfig
[ "$(pkg-config --modversion thresher)" = \
  "$("$prefix/bin/thresher" --version | sed 's/.* //')" ] || fail "version of thresher.pc"
# shellcheck disable=SC2046
mpicc -std=c11 -Wall -Wextra -o by_pkg consumer/consumer.c \
  $(pkg-config --cflags --libs thresher) -Wl,-rpath,"$folder" -lm

decoys decoys built/costly
homely decoys "$PWD/built/costly"

# on N PROGRAM...: quiet but for what it prints itself
on()
{
  sh "$SOURCE/jobs/launch.sh" "$@" >said.out 2>said.err ||
    fail "on $*: $(cat said.err)"
  [ ! -s said.err ] || fail "on $*: said $(cat said.err)"
}

"$THRESHER" generate murata -o dense.h5 --examples 3000 --attributes 200 --test 0.2 -q
"$THRESHER" generate sparse -o sparse.h5 --examples 3000 --attributes 1000 --test 0.2 -q
# same N CONSUMER DATA NAME=VALUE...: its model is that of the program
same()
{
  local n=$1 consumer=$2 data=$3 flags=()
  shift 3
  for option; do flags+=("--${option%%=*}" "${option#*=}"); done
  rm -f own.h5 model.h5
  on "$n" "$consumer" "$data" own.h5 "$@"
  [ ! -s said.out ] || fail "the library prints: $(cat said.out)"
  "$THRESHER" train "$data" -o model.h5 -q "${flags[@]}"
  cmp own.h5 model.h5 || fail "the library's model of $data with $*"
}
same 4 built/consumer dense.h5 budget=40
same 4 built/consumer sparse.h5
same 4 by_pkg dense.h5 solver=hybrid sparsity=20 budget=50 passes=3 seed=7
same 2 by_pkg dense.h5 solver=lasso path=5
same 2 built/consumer dense.h5 solver=exploitation start=3,17,20
same 4 built/consumer sparse.h5 solver=saga epochs=3

# the example of the library's README, by its own line
awk '/^```c$/ { inside = 1; next } inside && /^```/ { exit } inside' \
  "$SOURCE/src/api/README.md" >mine.c
line=$(sed -n 's/^    \$ \(mpicc mine.c .*\)/\1/p' "$SOURCE/src/api/README.md")
"$THRESHER" generate murata -o murata.h5 --examples 3000 --attributes 200 -q
eval "$line -Wall -Werror -o mine" || fail "the README's example"
LD_LIBRARY_PATH=$folder on 2 ./mine
grep -q '^[0-9]* attributes$' said.out || fail "the README's example says $(cat said.out)"
"$THRESHER" train murata.h5 -o model.h5 -q -f --budget 50
cmp mine.h5 model.h5 || fail "the model of the README's example"

# data that cost: no more is asked for than is declared
for n in 1 3; do
  for options in "" select=truth "solver=hybrid sparsity=12" \
    "solver=exploration sparsity=12"; do
    # shellcheck disable=SC2086
    on $n built/costly $options
    cat said.out
  done
done
finish
