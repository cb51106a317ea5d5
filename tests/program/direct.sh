#!/usr/bin/env bash
# direct.sh KILL_AT.so - train, evaluate and predict on files that are no data sets: the models and
# the scores are those of an import by hand; what was imported is found again, and never where
# the content has changed; runs at once and runs that are killed do no harm
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
kill_at=$1
rm -rf ./* .[a-z]*

PYTHONPATH="$SOURCE/tests/program" "$PYTHON" - <<'END'
import random
from sales_data import HEAD, gauss as g, lines, rows, seed, table
seed(5)
first, other = list(rows(400)), list(rows(100))
table("t.csv", first)
table("new.csv", [r[:-1] for r in other], HEAD[:-1])
table("scored.csv", other)
table("bare.csv", [r[:-1] for r in first], HEAD[:-1])
table("targets.csv", [[r[0], r[-1]] for r in first], ["id", "height"])
def sparse():
    for k in range(300):
        x = {j: round(g(), 3) for j in random.sample(range(1, 50), 12)}
        yield round(x.get(3, 0) - x.get(30, 0) + g() / 4, 3), x
lines("s.svm", sparse())
people, variants = 120, 40
calls = [[random.randrange(3) for _ in range(people)] for _ in range(variants)]
code = {0: 3, 1: 2, 2: 0} # copies of A1
with open("cohort.bed", "wb") as f:
    f.write(b"\x6c\x1b\x01")
    for v in calls:
        for k in range(0, people, 4):
            f.write(bytes([sum(code[c] << 2 * i for i, c in enumerate(v[k:k + 4]))]))
with open("cohort.bim", "w") as f:
    for j in range(variants):
        print(1, "rs%d" % j, 0, 100 + j, "A", "G", file=f)
with open("cohort.fam", "w") as f:
    for i in range(people):
        print("f", "i%d" % i, 0, 0, 1, round(calls[3][i] - calls[9][i] + g() / 4, 3), file=f)
END
gzip -k s.svm
solve="--solver lasso --lambda-ratio 0.05"

# kept FILE [FOLDER]: how many imports are kept of it
kept()
{
  find "${2:-.}/$1.thresher" -name '*.kept' 2>/dev/null | wc -l
}

# says PATTERN: the last run of must did
says()
{
  grep -qE -- "$1" must.err || fail "wanted '$1': $(cat must.err)"
}

# alike FILE OPTION...: training on it is importing and training, on any number of ranks
alike()
{
  local n
  must 0 import "$1" -o hand.h5 --force "${@:2}"
  must 0 train hand.h5 -o want.m.h5 --force $solve
  turn=$((turn + 1))
  for n in 0 3; do
    [ $n = 0 ] || tried $turn 3 || continue
    rm -rf ./*.thresher
    must $n train "$1" -o got.m.h5 --force $solve "${@:2}" || return 0
    cmp want.m.h5 got.m.h5 || fail "$*: another model on $n ranks"
    says '[.]thresher/[0-9a-f]{16}[.]h5: '
  done
  must $((turn % 3 == 1 ? 2 : 0)) train "$1" -o got.m.h5 --force $solve "${@:2}"
  says "^file: +$1, as it was imported into .*[.]thresher/"
  cmp want.m.h5 got.m.h5 || fail "$*: another model of what was kept"
}
turn=0
alike s.svm.gz
alike cohort
alike cohort.bed --type f32
alike t.csv --target y --id id --test 0.25
if "$PYTHON" -c 'import numpy' 2>/dev/null; then
  "$PYTHON" -c 'import numpy
draw = numpy.random.default_rng(5)
x = draw.standard_normal((200, 30)).astype("f4")
numpy.save("x.npy", x)
numpy.savez("x.npz", x=x, z=2 * x + 1)
numpy.save("y.npy", x[:, 3] - x[:, 7])'
  alike x.npy --target y.npy
  alike x.npz:x --target y.npy
  alike x.npz:z --target y.npy
  must 0 train x.npz:x -o x.m.h5 $solve --target y.npy
  [ "$(kept x.npz)" -eq 2 ] || fail "two arrays of one file: $(kept x.npz) are kept"
  # targets of a file of their own
  "$PYTHON" -c 'import numpy; y = numpy.load("y.npy"); y[0] += 1; numpy.save("y.npy", y)'
  must 0 train x.npz:z -o again.m.h5 $solve --target y.npy
  says 'x.npz.thresher/[0-9a-f]*.h5: '
else
  left_out "arrays: no NumPy"
fi
# targets of a table by IDs
must 0 import bare.csv -o hand.h5 --force --target none --id id
must 0 train hand.h5 -o want.m.h5 --force $solve --targets targets.csv --target height
must 0 train bare.csv -o got.m.h5 --force $solve --id id --targets targets.csv --target height
cmp want.m.h5 got.m.h5 || fail "targets of a table"

# ---- new data for a model ----
rm -rf ./*.thresher
must 0 train t.csv -o m.h5 $solve --target y --id id --test 0.25
says '^next: +thresher evaluate m.h5 t.csv .*--test 0.25'
for n in 0 2; do
  must 0 import scored.csv -o hand.h5 --force --like m.h5
  must 0 import new.csv -o hand.new.h5 --force --like m.h5
  ranks 0 evaluate m.h5 hand.h5 >want.txt 2>err
  must 0 predict m.h5 hand.new.h5 -o want.out --force
  rm -rf scored.csv.thresher new.csv.thresher
  for again in 1 2; do
    [ "$n$again" != 22 ] || continue
    ranks $n evaluate m.h5 scored.csv >got.txt 2>err
    cmp want.txt got.txt || fail "scores of a table on $n ranks: $(cat err)"
    must $n predict m.h5 new.csv -o got.out --force
    cmp want.out got.out || fail "predictions for a table on $n ranks"
    [ $again = 1 ] || says '^file: +new.csv, as it was imported'
  done
done
# verify takes what was made of the file, whatever it is
must 0 verify m.h5 t.csv.thresher/*.h5
must 0 train cohort.bed -o v.m.h5 $solve
for file in t.csv cohort.bed; do
  refused 1 "$file is no data set; to verify .* one of $file.thresher/[*].h5; import fresh data" \
    0 verify v.m.h5 $file
done
# the examples that were set apart; those that were not are said to be no others
must 0 import t.csv -o hand.h5 --force --target y --id id --test 0.25
ranks 0 evaluate m.h5 hand.h5 --json >want.json 2>err
ranks 0 evaluate m.h5 t.csv --test 0.25 --json >got.json 2>err
grep -q 'was trained on these' err && fail "test examples are others: $(cat err)"
[ "$(key want.json n)" = "$(key got.json n)" ] || fail "other test examples"
compare "test examples" "abs($(key want.json mse) - $(key got.json mse))" '<' 1e-12
ranks 3 evaluate m.h5 t.csv >got.txt 2>err
grep -q 'was trained on these examples.*--test 0.2' err || fail "trained on these: $(cat err)"
ranks 0 evaluate m.h5 scored.csv >got.txt 2>err
grep -q 'was trained on these' err && fail "others: $(cat err)"

# ---- what has changed is imported anew; what has not is found, however old it looks ----
again()
{
  must 0 train t.csv -o again.m.h5 --force $solve --target y --id id --test 0.25
}
again
says '^file: +t.csv, as it was imported'
touch t.csv
again
says '^file: +t.csv, as it was imported'
cmp m.h5 again.m.h5 || fail "another model of the same content"
cp -p t.csv old.csv
sed -i '9,90s/[0-9]$/7/' t.csv # as long as before
[ "$(stat -c %s old.csv)" -eq "$(stat -c %s t.csv)" ] || fail "another length"
touch -r old.csv t.csv
again
says 't.csv.thresher/[0-9a-f]*.h5: 400 examples'
cmp -s m.h5 again.m.h5 && fail "a changed content was not noticed"
[ "$(kept t.csv)" -le 3 ] || fail "the import of the content before is still there"
cp -p old.csv t.csv
for k in 1 2 3 4 5 6 7 8; do
  must 0 train t.csv -o again.m.h5 --force $solve --target y --id id --levels "$((k + 2))"
done
[ "$(kept t.csv)" -eq 8 ] || fail "$(kept t.csv) imports are kept, wanted 8"
for file in bim fam; do
  must 0 train cohort -o again.m.h5 --force $solve
  cp cohort.$file before
  sed -i '3s/ 0 / 1 /' cohort.$file
  must 0 train cohort -o again.m.h5 --force $solve
  says 'cohort.bed.thresher/[0-9a-f]*.h5: '
  cp before cohort.$file
done

# ---- a folder of its own; where nothing can be kept ----
must 0 train t.csv -o again.m.h5 --force $solve --target y --ignore id --cache made
[ "$(kept t.csv made)" -eq 1 ] || fail "nothing is kept in --cache"
: >plain.csv.thresher
cp t.csv plain.csv
refused 1 'plain.csv.thresher, .* is no folder; rename it, or give --cache FOLDER' 0 \
  train plain.csv -o no.h5 --target y --ignore id
must 0 train plain.csv -o again.m.h5 --force $solve --target y --ignore id --cache made
must 0 train t.csv -o again.m.h5 --force $solve --target y --ignore id --cache "made/of some"/depth
[ "$(kept t.csv "made/of some/depth")" -eq 1 ] || fail "nothing is kept in a folder of folders"
# a text that cannot be imported leaves nothing
printf 'a,y\n1,2\n2,x\n3,oops\n' >bad.csv
refused 1 'bad.csv' 0 train bad.csv -o no.h5 --target y
refused 1 'no column .zz. found' 0 train t.csv -o no.h5 --target zz --cache elsewhere
refused 2 '--levels is for a file that is imported, and a data set was' 0 \
  train hand.h5 -o no.h5 --levels 3
refused 2 '--levels is for a file that is imported' 0 \
  train --source murata:n=100,d=10 -o no.h5 --levels 3
refused 1 'cannot open absent.csv' 0 train absent.csv -o no.h5 --target y
must 0 predict m.h5,again.m.h5 t.csv -o both.csv
must 0 predict m.h5 t.csv -o m.csv --force
cmp <(cut -d, -f1,2 both.csv | tail -n +2) <(tail -n +2 m.csv) || fail "two models on a file"

# ---- records and data that are damaged are not used ----
rm -rf t.csv.thresher
again
for harm in 'truncate -s -8 t.csv.thresher/*.kept' 'rm -r t.csv.thresher/*.shards' \
  'truncate -s 100 t.csv.thresher/*.h5' 'rm t.csv.thresher/*.kept' \
  'printf X | dd of=$(echo t.csv.thresher/*.kept) bs=1 seek=40 conv=notrunc'; do
  eval "$harm" 2>/dev/null
  again
  says 't.csv.thresher/[0-9a-f]*.h5: 400 examples'
  cmp m.h5 again.m.h5 || fail "$harm: another model"
done

# values that are damaged are seen when they are read; the next run imports the file anew
shard=$(echo t.csv.thresher/*.shards/00000.h5)
"$PYTHON" "$SOURCE/tests/support/damage_values.py" "$shard" || fail "no values to damage"
ranks 1 train t.csv -o no.h5 $solve --target y --id id --test 0.25 2>damaged.err &&
  fail "damaged values were used"
grep -q 'damaged, run the command again: it imports t.csv anew' damaged.err ||
  fail "damaged values: $(cat damaged.err)"
[ ! -e no.h5 ] || fail "a model of damaged values"
again
says 't.csv.thresher/[0-9a-f]*.h5: 400 examples'
cmp m.h5 again.m.h5 || fail "damaged values: another model"

# ---- what killed imports have left goes, but not what a run has locked ----
for key in 00000000000000aa 00000000000000bb; do
  mkdir "t.csv.thresher/.$key.shards.partial"
  : | tee "t.csv.thresher/.$key.shards.partial/00000.h5" "t.csv.thresher/.$key.h5.partial" \
    >"t.csv.thresher/$key.lock"
done
exec 8<t.csv.thresher/00000000000000bb.lock
flock -s 8
must 0 train t.csv -o again.m.h5 --force $solve --target y --id id --levels 7
[ "$(find t.csv.thresher -name '*00aa*' | wc -l)" -eq 0 ] || fail "what a killed import left is there"
[ "$(find t.csv.thresher -name '*00bb*' | wc -l)" -eq 3 ] || fail "what is locked is gone"
exec 8<&-
rm -r t.csv.thresher/*00bb* t.csv.thresher/.*00bb*

# ---- several runs at once: one imports, the others wait for it ----
rm -rf t.csv.thresher
begin_held 0 hold KILL_AT=mkdirat train t.csv -o one.m.h5 $solve --target y --id id --test 0.25 2>one.err
first=$job
for k in 2 3; do
  ranks 0 train t.csv -o $k.m.h5 $solve --target y --id id --test 0.25 2>$k.err &
done
await $first grep -q 'another run imports t.csv; this one waits for it' 2.err 3.err
release hold
wait || fail "several runs at once"
for k in one 2 3; do
  cmp m.h5 $k.m.h5 || fail "several runs at once: another model"
done
[ "$(cat one.err 2.err 3.err | grep -c 'h5: 400 examples')" -eq 1 ] || fail "imported more than once"
# what a run uses stays, also where the file has another content now
begin_held 0 hold KILL_AFTER=used.jsonl train t.csv -o used.m.h5 $solve --target y --id id \
  --test 0.25 --telemetry used.jsonl 2>used.err || true
if [ -e hold ]; then
  head -n 300 old.csv >t.csv
  again
  [ "$(kept t.csv)" -eq 2 ] || fail "an import in use is gone"
  cp -p old.csv t.csv
  release hold
  wait "$job" || fail "a run whose file has changed: $(cat used.err)"
fi

# ---- killed at any point, the next run finds nothing that is not whole ----
rm -rf t.csv.thresher
line="train t.csv -o killed.m.h5 $solve --target y --id id --test 0.25 --force"
rm -f calls
# shellcheck disable=SC2086
{
  KILL_COUNT=$PWD/calls LD_PRELOAD=$kill_at must 0 $line
  n=$(wc -l <calls)
  compare "calls" "$n" '>=' 15
  for ((k = 1; k <= n; k++)); do
    tried "$k" 5 || continue
    rm -rf t.csv.thresher killed.m.h5
    KILL_AT=$k LD_PRELOAD=$kill_at ranks 0 $line >/dev/null 2>&1 &&
      fail "call $k of $n was not reached"
    must 0 $line
    cmp m.h5 killed.m.h5 || fail "killed at call $k: another model"
    [ "$(find t.csv.thresher | wc -l)" -eq 6 ] || fail "killed at call $k: $(find t.csv.thresher)"
  done
}
finish
