#!/usr/bin/env bash
# append_genotypes.sh KILL_AT.so - import --append of genotypes: the data set has the bytes of
# one import of all cohorts, whatever the order of variants and alleles in the new one; what
# cannot be appended is refused; a run that is killed leaves the old data set or the new one
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
kill_at=$1
if ! "$PYTHON" -c 'import numpy' 2>/dev/null; then
  echo "skipped: $PYTHON has no numpy"
  exit 77
fi
rm -rf ./* .[a-z]*

PYTHONPATH="$SOURCE/tests/program" "$PYTHON" - <<'END'
import plink_data as plink
calls, y = plink.cohort(420, 130, 3, .03)
for k in (5, 17, 301, 419):
    y[k] = "-9"
names = ["rs%d" % a for a in range(130)]
plink.write("a", calls[:300], y[:300], ids=names)
plink.write("b", calls[300:], y[300:], ids=names)
other = calls[300:].copy() # the other allele of some is counted, and variants lie turned
for a in (3, 40, 129):
    other[:, a] = [{0: 2, 1: 1, 2: 0, 3: 3}[v] for v in other[:, a]]
back = [129 - a for a in range(130)]
plink.write("turned", other[:, back], y[300:], ids=names[::-1],
            swapped=[129 - a for a in (3, 40, 129)])
plink.write("c", calls[:50], y[60:110], ids=names)
plink.write("others", calls[300:], y[300:], ids=["x" + n for n in names])
plink.write("alleles", calls[300:], y[300:], alleles=("A", "T"), ids=names)
plink.write("bare", calls[300:], ["-9"] * 120, ids=names)
plink.write("cases", calls[:300], [1 + k % 2 for k in range(300)], ids=names)
plink.write("controls", calls[300:], [1 + k % 3 % 2 for k in range(120)], ids=names)
with open("plain.csv", "w") as f:
    print(*names, "y", sep=",", file=f)
    for row, value in zip(calls[:80], y[20:100]):
        print(*row, value, sep=",", file=f)
END
mkdir one two

# same WHAT: the data sets in both folders have the same bytes
same()
{
  diff -r one two >differ || fail "$1: $(cat differ)"
  rm -rf one/* two/*
}

# appended RANKS OLD NEW TWIN OPTION...: appending NEW to OLD is importing OLD and TWIN
appended()
{
  must $1 import "$2" -o one/x.h5 "${@:5}" || return 0
  must $1 import "$3" --append -o one/x.h5 || return 0
  cp must.err told
  must 0 import "$2" "$4" -o two/x.h5 "${@:5}"
  same "$2 and $3, ${*:5}, on $1 ranks"
}
appended 0 a.bed b.bed b.bed
appended 3 a.bed turned.bed b.bed --shards 3 --test 0.2 --seed 7
grep -q 'turned.bim: A1 and A2 of 3 variants have changed places; .*x.h5 counts' told ||
  fail "alleles: $(cat told)"
grep -q 'left out: 2 of 120 people' told || fail "people: $(cat told)"
appended 0 a.bed turned.bed b.bed --no-shuffle --row-group 64
appended 2 a.bed b.bed b.bed --type f32
appended 0 a.bed b.bed b.bed --type u8 --target none
appended 2 cases.bed controls.bed controls.bed
appended 0 cases.bed controls.bed controls.bed --positive-class 1 --test 0.1

# two at once, and once more; test examples of a file of their own stay the last ones
must 0 import a.bed -o one/x.h5 --test-file c.bed
must 2 import b.bed turned.bed --append -o one/x.h5
must 0 import c.bed --append -o one/x.h5
must 0 import a.bed b.bed turned.bed c.bed -o two/x.h5 --test-file c.bed
same "several, with a test file"

# people who are to be predicted alone stay so; IDs, and another type
must 0 import a.bed -o x.h5
must 0 import a.bed --like x.h5 -o y.h5
must 0 import b.bed --append -o y.h5 --type f32
must 0 inspect y.h5 --check --json
[ "$(key must.out examples)$(key must.out training)$(key must.out type)" = '418416"f32"' ] ||
  fail "weight 0: $(key must.out examples) $(key must.out training) $(key must.out type)"
must 0 train y.h5 -o m.h5 --solver lasso --lambda-ratio 0.2
must 0 predict m.h5 y.h5 -o p.csv
[ "$(grep -c '^F[0-9]* I' p.csv)" -eq 418 ] || fail "IDs: $(head -n 3 p.csv)"

# what is refused, and leaves the data set as it was
must 0 import plain.csv -o plain.h5 --target y
find . -name 'x.h5' -o -path './x.shards/*' | sort | xargs cat | cksum >before
refused 1 'others.bim: 130 of 130 variants of x.h5 are not there' 0 import others.bed --append -o x.h5
refused 1 "alleles.bim: 'rs0' has the alleles A and T, and A and G in x.h5" 2 \
  import alleles.bed --append -o x.h5
refused 1 'bare.bed has not a target, x.h5 has a target' 0 import bare.bed --append -o x.h5
refused 1 'plain.csv has not IDs, x.h5 has IDs|has not genotypes, x.h5 has genotypes' 0 \
  import plain.csv --append -o x.h5
refused 1 'has genotypes, plain.h5 has not genotypes|has IDs, plain.h5 has not' 0 \
  import b.bed --append -o plain.h5
find . -name 'x.h5' -o -path './x.shards/*' | sort | xargs cat | cksum >after
cmp before after || fail "a refused cohort has changed the data set"

# killed before any one of its calls that rename, remove, make or flush files
content()
{
  ranks 0 inspect x.h5 --check --json >told 2>told.err || cat told.err
  grep '^  "fingerprint"' told || true
}
mkdir kept && cp -r x.h5 x.shards kept
old=$(content)
KILL_COUNT=$PWD/calls LD_PRELOAD=$kill_at must 0 import b.bed --append -o x.h5
new=$(content)
n=$(wc -l <calls)
[ "$old" != "$new" ] || fail "old and new cannot be told apart"
for ((k = 1; k <= n; k++)); do
  tried "$k" 5 || continue
  rm -rf x.h5 x.shards .x* .thresher*
  cp -r kept/* .
  KILL_AT=$k LD_PRELOAD=$kill_at ranks 0 import b.bed --append -o x.h5 >/dev/null 2>&1 &&
    fail "call $k of $n was not reached"
  ranks 0 import absent.bed --append -o x.h5 >/dev/null 2>&1 || true
  now=$(content)
  [ "$now" = "$old" ] || [ "$now" = "$new" ] || fail "killed at call $k: $now"
done
finish
