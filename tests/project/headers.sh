#!/bin/sh
# headers.sh [ROOT] - what a name may stand for but once: no two headers have one
# guard, no two types one tag; every file says its licence on a line of its own, and so
# does each numbered line of a listing
# SPDX-License-Identifier: MIT
set -eu
root=${1:-${SOURCE:-.}}
cd "$root"
bad=0
headers=$(find src mpi io tests -name '*.h' -print | sort)
sources=$(find src mpi io tests -name '*.c' -print | sort)

# twice WHAT < lines "word file": each word of more than one line is an error
twice()
{
  awk -v what="$1" '
  { seen[$1]++; where[$1] = where[$1] " " $2 }
  END {
    for (word in seen)
      if (seen[word] > 1) {
        printf "%s %s is there %d times:%s\n", what, word, seen[word], where[word]
        bad = 1
      }
    exit bad
  }'
}

guards=$(mktemp)
trap 'rm -f "$guards"' EXIT
# The first #ifndef is the guard, and the #define below it has the same name.
# shellcheck disable=SC2086
awk '
FNR == 1 { guard = "" }
guard == "" && /^#ifndef / { guard = $2; print guard, FILENAME; wanted = FNR + 1 }
guard != "" && FNR == wanted && ($1 != "#define" || $2 != guard) {
  print "unguarded", FILENAME
}
' $headers >"$guards"
if grep '^unguarded ' "$guards"; then
  echo "a guard is defined on the line below #ifndef"
  bad=1
fi
[ "$(wc -l <"$guards")" -gt 0 ] || bad=1
twice guard <"$guards" || bad=1

# Types that another file may see: all of headers, and those with our prefix.
# shellcheck disable=SC2086
awk '
/^(struct|enum|union) [a-z_0-9]+ \{$/ &&
    (FILENAME ~ /\.h$/ || $2 ~ /^th_/) && FILENAME !~ /^tests\// {
  print $1 "-" $2, FILENAME
}' $headers $sources | twice type || bad=1

# shellcheck disable=SC2086
for file in $(grep -LxE ' \* SPDX-License-Identifier: MIT( \*/)?' $headers $sources); do
  echo "$file: no line ' * SPDX-License-Identifier: MIT'"
  bad=1
done
# A formatter folds a numbered line that is too long into the next one.
# shellcheck disable=SC2086
if grep -nE '^ \*.*[a-z),;:] +[0-9]{1,2}  +[A-Za-z]' $headers $sources |
  grep -vE '^[^:]*:[0-9]*: \*  +[0-9]'; then
  echo "lines of a listing are folded into one: write them shorter"
  bad=1
fi
# shellcheck disable=SC2046
for file in $(grep -LxE '(# )?SPDX-License-Identifier: MIT("""|)' \
  $(find tests jobs .ci \( -name '*.sh' -o -name '*.py' -o -name '*.gp' \) -print)); do
  echo "$file: no line of its own for SPDX-License-Identifier: MIT"
  bad=1
done
exit "$bad"
