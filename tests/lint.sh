#!/bin/sh
# lint.sh [LINT...] - all rules for the source that need no build: format, shellcheck and the
# scripts of tests/project/, side by side; a line and the seconds of each, and below them
# what those said that failed
# SPDX-License-Identifier: MIT
#
# A tool that is not installed is said; it is a failure with THRESHER_COMPLETE=yes.
set -eu
cd "$(dirname "$0")/.."
SOURCE=$PWD
export SOURCE
processors=$(nproc)

# Those that want a build, and parts of others: ctest runs them.
needs_build='adding built decoy installed quoted'
no_rule='tree walk'

names()
{
  echo shellcheck # the longest first
  echo format
  for script in tests/project/*.py tests/project/*.sh; do
    name=${script##*/}
    name=${name%.*}
    case " $needs_build $no_rule " in
    *" $name "*) ;;
    *) echo "$name" ;;
    esac
  done
}

# lint NAME: run it, in an empty folder of its own if it is a script; 77 if a tool is missing
lint()
{
  case $1 in
  format)
    command -v clang-format-14 >/dev/null || return 77
    find src io mpi tests -name '*.[ch]' -print0 |
      xargs -0 -P "$processors" -n 100 clang-format-14 --dry-run -Werror
    ;;
  shellcheck)
    command -v shellcheck >/dev/null || return 77
    # Variables come and go between sourced files; names of files are our own.
    find .ci jobs tests \( -name '*.sh' -o -name '*.sbatch' -o -path .ci/run \) -print0 |
      xargs -0 -P "$processors" -n 8 shellcheck -S warning -e SC2010,SC2034,SC2154,SC2182
    ;;
  *)
    cd "$2"
    if [ -f "$SOURCE/tests/project/$1.py" ]; then
      python3 "$SOURCE/tests/project/$1.py" "$SOURCE"
    else
      bash "$SOURCE/tests/project/$1.sh"
    fi
    ;;
  esac
}

# one NAME LOGS: a lint with its line; its words go to LOGS/NAME, and LOGS/NAME.bad if it fails
one()
{
  began=$(date +%s%N)
  status=0
  mkdir "$2/$1.run"
  lint "$1" "$2/$1.run" >"$2/$1" 2>&1 || status=$?
  word=ok
  if [ $status -eq 77 ]; then
    word="left out: not installed"
    [ "${THRESHER_COMPLETE:-no}" = no ] || touch "$2/$1.bad"
  elif [ $status -ne 0 ]; then
    word=FAILED
    touch "$2/$1.bad"
  fi
  tenths=$((($(date +%s%N) - began) / 100000000))
  printf '%-16s %3d.%d s  %s\n' "$1" $((tenths / 10)) $((tenths % 10)) "$word"
}

if [ "${1:-}" = --one ]; then
  one "$3" "$2"
  exit 0
fi
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
if [ $# -gt 0 ]; then
  printf '%s\n' "$@"
else
  names
fi | xargs -P "$processors" -n 1 sh tests/lint.sh --one "$logs"
bad=0
for mark in "$logs"/*.bad; do
  [ -e "$mark" ] || continue
  bad=$((bad + 1))
  name=${mark##*/}
  printf '\n== %s\n' "${name%.bad}"
  cat "${mark%.bad}"
done
[ $bad -eq 0 ] || {
  printf '\n%d lints failed\n' $bad
  exit 1
}
