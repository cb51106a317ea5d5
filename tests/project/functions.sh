#!/bin/sh
# functions.sh [ROOT] - lengths of functions: none over 60 lines, 90 % at most
# 20, median at most 10; no file over 900 lines, tests included; no conditional
# compilation inside a function; no TODO, FIXME; no vasprintf; no flags of the
# command line in texts below the program
# SPDX-License-Identifier: MIT
#
# Relies on clang-format's Linux braces: a function's braces, and nothing else
# that follows a parameter list, stand alone in the first column.
set -eu
root=${1:-${SOURCE:-.}}
cd "$root"
files=$(find src mpi io -name '*.[ch]' -print | sort)
bad=0
if grep -nwE 'TODO|FIXME|XXX' $files; then
  echo "words that promise later work belong in an issue, not in the code"
  bad=1
fi
if grep -rnwE 'v?asprintf' $files tests --include='*.[ch]'; then
  echo "memory from vasprintf is not seen if it is lost: tests/support/lsan.supp"
  bad=1
fi
# Below the program messages name options as {name}; the program says --name.
if grep -rnE '"[^"]*--[a-z]' src mpi io --include='*.c' --include='*.h' |
  grep -v '^src/cli/' | grep -v 'thresher inspect --check'; then
  echo "texts of the library name options as {name}: base/error.h"
  bad=1
fi
find src io mpi tests -type f \( -name '*.[ch]' -o -name '*.py' -o -name '*.sh' \
  -o -name '*.cmake' -o -name CMakeLists.txt \) -exec wc -l {} + | awk '
$2 == "total" { next }
{ files++ }
$1 > 900 { printf "over 900 lines: %s has %d\n", $2, $1; bad = 1 }
END {
  if (files < 20) {
    printf "only %d files found: wrong folder?\n", files
    bad = 1
  }
  exit bad
}' || bad=1
lengths=$(mktemp)
trap 'rm -f "$lengths"' EXIT
awk '
function strip(line) { # a name for messages: the text before the parameters
  sub(/\(.*/, "", line)
  sub(/.*[ *]/, "", line)
  return line
}
FNR == 1 { inside = 0; previous = "" }
!inside && /^[A-Za-z_].*\(/ { head = $0 }
!inside && /^{$/ && previous ~ /[)\\a-z_]$/ { inside = 1; first = FNR }
inside && /^[ \t]*#[ \t]*(if|ifdef|ifndef|else|elif|endif)/ {
  printf "conditional %s:%d %s\n", FILENAME, FNR, strip(head)
}
inside && /^}/ {
  printf "%d %s:%d %s\n", FNR - first - 1, FILENAME, first, strip(head)
  inside = 0
}
{ previous = $0 }
END { if (inside) printf "conditional %s: a brace is open at the end\n", FILENAME }
' $files >"$lengths"
if grep '^conditional' "$lengths"; then
  echo "conditional compilation inside a function: put it around one"
  bad=1
fi
grep -v '^conditional' "$lengths" | sort -n | awk '
{ length_of[NR] = $1; text[NR] = $0 }
END {
  if (NR < 20) {
    printf "only %d functions found: wrong folder or format?\n", NR
    exit 1
  }
  median = length_of[int((NR + 1) / 2)]
  most = length_of[int(NR * 0.9)]
  printf "%d functions: median %d lines, 90 %% at most %d, longest %s\n", NR,
    median, most, text[NR]
  for (k = 1; k <= NR; k++)
    if (length_of[k] > 60) {
      printf "over 60 lines: %s\n", text[k]
      bad = 1
    }
  if (median > 10 || most > 20) {
    printf "wanted: median <= 10, 90 %% <= 20; the longest:\n"
    for (k = NR; k > NR - 10; k--)
      print text[k]
    bad = 1
  }
  exit bad
}' || bad=1
exit "$bad"
