#!/usr/bin/env bash
# append.sh KILL_AT.so - import --append: the data set has the bytes of one import of all files,
# dense and sparse, on any number of ranks; what cannot be appended is refused; a run that is
# killed leaves the old data set or the new one
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
kill_at=$1
rm -rf ./* .[a-z]*

PYTHONPATH="$SOURCE/tests/program" "$PYTHON" - <<'END'
import random
import numpy as np
from sales_data import HEAD, lines, rows, seed, table
seed(5)
head = HEAD[:-1] + ["w", "y"]
def weighted(n):
    return [[*r[:-1], random.choice([0, 1, 2.5]), r[-1]] for r in rows(n, ("red", "blue", "green"))]
a, b, c = (weighted(n) for n in (500, 200, 40))
for name, some in (("a.csv", a), ("b.csv", b), ("c.csv", c),
                   ("new.csv", b[:5] + [["p", 1, 2, 3, 4, "violet", 1, 0]])):
    table(name, some, head)
turn = lambda r: [r[k] for k in (5, 3, 1, 7, 0, 2, 4, 6)]
table("turned.csv", map(turn, b), turn(head))
def sparse(n):
    return [[random.choice([1, 2, 3]),
             {j: random.randrange(1, 200) for j in random.sample(range(1, 300), 15)}]
            for _ in range(n)]
p = sparse(600)
p[0][1][300] = 7
lines("p.svm", p)
np.save("m.npy", np.arange(3000.).reshape(100, 30) % 7)
np.save("n.npy", np.arange(900.).reshape(30, 30) % 11)
lines("q.svm", sparse(150))
lines("big.svm", [[1, {3: 200}], [2, {5: 1000}]])
lines("half.svm", [[1, {3: 0.5}]])
lines("two.svm", [[1, {3: 2}], [2, {7: 1}]])
lines("bare.svm", [["3:1", {}], ["5:2", {}]])
END
mkdir one two

# same WHAT: the data sets in both folders have the same bytes
same()
{
  diff -r one two >differ || fail "$1: $(cat differ)"
  rm -rf one/* two/*
}

# appended RANKS OLD NEW OPTION...: appending is importing both
appended()
{
  must $1 import "$2" -o one/x.h5 "${@:4}" || return 0
  must $1 import "$3" --append -o one/x.h5 || return 0
  must 0 import "$2" "${3/turned/b}" -o two/x.h5 "${@:4}"
  same "$2 and $3, ${*:4}, on $1 ranks"
}
csv="--target y --id id --weights w"
# shellcheck disable=SC2086
{
  appended 0 a.csv b.csv $csv
  appended 3 a.csv turned.csv $csv --shards 3 --test 0.2 --seed 7
  appended 0 a.csv b.csv --target none --id id --ignore y,w
  appended 2 a.csv b.csv --target none --ignore id,y,w --layout sparse
  appended 2 m.npy n.npy --target none --shards 2
  appended 0 a.csv b.csv --target y --ignore id,w --no-shuffle --row-group 64 --layout sparse
  appended 2 p.svm q.svm --shards 3
  appended 0 p.svm q.svm --type u8 --layout dense
  appended 3 p.svm q.svm --type f64 --positive-class 2 --test 0.1
}

# twice; test examples of a file of their own stay the last ones
must 0 import a.csv -o one/x.h5 --target y --ignore id,w --test-file c.csv
must 0 import b.csv --append -o one/x.h5
must 2 import b.csv --append -o one/x.h5
must 0 import a.csv b.csv b.csv -o two/x.h5 --target y --ignore id,w --test-file c.csv
same "twice, with a test file"

# groups of attributes stay; predictions go by the IDs of all
printf '0-2 weight=2\n3-299\n' >groups
must 0 import p.svm -o one/x.h5 --groups groups
must 0 import q.svm --append -o one/x.h5
must 0 import p.svm q.svm -o two/x.h5 --groups groups
same "groups"

# words that are new are counted, as with --like
# shellcheck disable=SC2086
must 0 import a.csv -o x.h5 $csv
must 0 import new.csv --append -o x.h5
grep -q "1 word is not in x.h5" must.err || fail "a new word is not told: $(cat must.err)"
must 0 inspect x.h5 --check --json
[ "$(key must.out examples)" = 506 ] || fail "examples after a new word"

# a type that cannot hold the values; it can be changed
must 0 import p.svm -o u8.h5 --type u8 --layout dense
refused 1 'big.svm:2.*u8.*--type f32' 0 import big.svm --append -o u8.h5
refused 1 'half.svm:1.*u8.*--type f32' 2 import half.svm --append -o u8.h5
must 0 import big.svm --append -o u8.h5 --type f32
must 0 inspect u8.h5 --check --json
[ "$(key must.out type)" = '"f32"' ] || fail "another type"

# what is refused, and leaves the data set as it was
must 0 import p.svm -o s.h5
must 0 generate murata --examples 50 --attributes 5 --support 2 -o made.h5
find . -name '*s.h5' -o -path './s.shards/*' | sort | xargs cat | cksum >before
refused 2 'append takes over .* --seed is of no use' 0 import q.svm --append -o s.h5 --seed 3
refused 2 'append takes over .* --like is of no use' 0 import q.svm --append -o s.h5 --like x.h5
refused 2 'made.h5 was not imported' 2 import q.svm --append -o made.h5
refused 1 'bare.svm has not a target, s.h5 has a target' 0 import bare.svm --append -o s.h5
refused 1 'absent.h5' 0 import q.svm --append -o absent.h5
refused 1 "x.h5 has IDs" 0 import b.csv --append -o x.h5 --ignore id
refused 1 'b.csv:1:1' 0 import b.csv --append -o s.h5
find . -name '*s.h5' -o -path './s.shards/*' | sort | xargs cat | cksum >after
cmp before after || fail "a refused text has changed the data set"

# killed before any one of its calls that rename, remove, make or flush files
content()
{
  ranks 0 inspect x.h5 --check --json >told 2>told.err || cat told.err
  grep '^  "fingerprint"' told || true
}
begin()
{
  rm -rf x.h5 x.shards .x* .thresher*
  cp -r kept/* .
}
rm -rf x.* && must 0 import p.svm -o x.h5 --shards 2
mkdir kept && cp -r x.h5 x.shards kept
old=$(content)
KILL_COUNT=$PWD/calls LD_PRELOAD=$kill_at must 0 import q.svm --append -o x.h5
new=$(content)
n=$(wc -l <calls)
[ "$old" != "$new" ] || fail "old and new cannot be told apart"
compare "calls" "$n" '>=' 8
for ((k = 1; k <= n; k++)); do
  tried "$k" 3 || continue
  begin
  KILL_AT=$k LD_PRELOAD=$kill_at ranks 0 import q.svm --append -o x.h5 >/dev/null 2>&1 &&
    fail "call $k of $n was not reached"
  # the next run, whatever it is, puts right what was left
  ranks 0 import absent.svm --append -o x.h5 >/dev/null 2>&1 || true
  now=$(content)
  [ "$now" = "$old" ] || [ "$now" = "$new" ] ||
    fail "killed at call $k ($(sed -n "${k}p" calls)): $now"
done

# another run replaces the data set after it was read (the third call claims the output):
# its examples are not lost
begin
begin_held 0 hold KILL_AT=3 import q.svm --append -o x.h5 2>held.err
must 0 import two.svm --append -o x.h5
between=$(content)
release hold
! wait "$job" || fail "examples of another run are lost"
grep -q 'x.h5 was replaced by another run meanwhile; run the same again' held.err ||
  fail "another run: $(cat held.err)"
[ "$between" != "$old" ] && [ "$(content)" = "$between" ] || fail "another run: $(content)"
finish
