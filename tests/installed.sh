#!/usr/bin/env bash
# installed.sh - install into a folder of its own, then build and run a small
# program against what was installed, and nothing else
# SPDX-License-Identifier: MIT
set -euo pipefail
prefix=$PWD/prefix
rm -rf prefix consumer
cmake --install "$BUILD" --prefix "$prefix" >install.log
test -x "$prefix/bin/thresher"
if grep -rlF "$SOURCE" "$prefix" --include='*.cmake' --include='*.h'; then
  echo "the installed files above name the source folder"
  exit 1
fi
cp -r "$SOURCE/tests/consumer" consumer
cmake -S consumer -B consumer/build -DCMAKE_PREFIX_PATH="$prefix" >consumer.log
cmake --build consumer/build >>consumer.log
consumer/build/consumer
rm -rf prefix consumer
