#!/usr/bin/env bash
# house_broken.sh - every number of house.py rises with what it counts and is told then, and
# none is written but one that has fallen: tried on a copy
# SPDX-License-Identifier: MIT
set -euo pipefail
root=$PWD/copy
house=$SOURCE/tests/project/house.py
ceilings=tests/project/ceilings.txt
bad=0

fail()
{
  echo "FAILED: $*"
  bad=$((bad + 1))
}

# measure STATUS [OPTION]: what house.py says of the copy is in said.txt
measure()
{
  local rc=0
  python3 "$house" "${@:2}" "$root" >said.txt 2>&1 || rc=$?
  [ $rc -eq "$1" ] || fail "house.py ${*:2}: status $rc, wanted $1: $(tail -n 5 said.txt)"
}

# pair FOLDER NAME FUNCTION OTHER: a module whose function calls another one
pair()
{
  local folder=$root/$1 i
  cat >"$folder/$2.h" <<END
/* Whether it is odd. TH_EIO. */
int $3(int k);
END
  cat >"$folder/$2.c" <<END
/* The same. */
static int odd_namesake(int k)
{
  return k == TH_EIO;
}

int $3(int k)
{
  return odd_namesake($4(k));
}
END
  for ((i = 0; i < 900; i++)); do echo; done >>"$folder/$2.h"
}

rm -rf "$root"
mkdir -p "$root"
(cd "$SOURCE" && tar cf - src io mpi $ceilings) | tar xf - -C "$root"
rm "$root/$ceilings"
measure 0 --write # today's, whatever the project's say
cp "$root/$ceilings" before.txt

# A room that is too full, with functions for tests and for nobody, and one more step of
# every story; a circle of misnamed functions in the room that has most modules.
full=$(python3 "$house" --list fullest_room "$root" | awk 'NR == 1 { print $2 }')
mkdir -p "$root/src/odd" "$root/tests"
for ((i = 0; i < 16; i++)); do : >"$root/src/odd/m$i.c"; done
pair src/odd odd th_odd_story nothing
cat >>"$root/src/odd/odd.h" <<'END'
int th_odd_tested(void);
int th_odd_alone(void);
END
cat >>"$root/src/odd/odd.c" <<'END'

int th_odd_tested(void)
{
  return 0;
}

int th_odd_alone(void)
{
  return 0;
}
END
echo 'int main(void) { return th_odd_tested(); }' >"$root/tests/odd.c"
pair "$full" odd_one th_one th_two
pair "$full" odd_two th_two th_one
for at in thresholding/iht.c:explore stochastic/stochastic.c:th_stochastic_step \
  exact/lasso.c:step ../data/source.c:th_source_block; do
  file=$root/src/solvers/${at%:*}
  sed -i "/^[a-z][a-z_ ]* ${at#*:}(/,/^{/s/^{/{\n  th_odd_story(1);/" "$file"
  grep -q th_odd_story "$file" || fail "no ${at#*:} in $file"
done
measure 1 --write
while read -r name number _; do
  [ "$name" != '#' ] || continue
  grep -q "^$name: [0-9]*, the ceiling is $number: [^i]" said.txt ||
    fail "$name does not rise: $(grep "^$name:" said.txt)"
done <before.txt
cmp "$root/$ceilings" before.txt || fail "--write raised a ceiling"

# What falls is told, and written; so is what two have made lower, each as far as he knew.
sed -i -e 's/^same_whether .*/same_whether 9999 too many/' \
  -e 's/^\(lines *\)\([0-9]*\).*/<<<<<<< ours\n&\n=======\n\19\2 more\n>>>>>>> theirs/' \
  "$root/$ceilings"
rm -rf "$root/src" "$root/tests/odd.c" "$root/$full"/odd_*
(cd "$SOURCE" && tar cf - src) | tar xf - -C "$root"
measure 1
grep -q '^same_whether: .*it may only fall: write ' said.txt || fail "no fall: $(cat said.txt)"
grep -q 'lines stands there twice' said.txt || fail "a conflict is not told: $(cat said.txt)"
measure 0 --write
measure 0
cmp "$root/$ceilings" before.txt || fail "--write did not write what has fallen"
rm -rf "$root"
[ $bad -eq 0 ]
