#!/usr/bin/env bash
# hashed.sh - sparse text whose indices are any numbers of 64 bits: attributes are those that
# occur, called by their indices; the cost and the model are those of the same text numbered
# without gaps
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*
mkdir three

# make.py LARGEST: hashed.svm, and near.svm with other examples, of which each has three indices
# that the first one has not; twin.svm and near_twin.svm without these, and numbered from 1 on
# without gaps; ids, one on a line; near.csv, the attributes of near.svm that labels hang on
cat >make.py <<'END'
import random, sys
largest = int(sys.argv[1])
r = random.Random(5)
ids = {r.randint(1, largest) for _ in range(1200)} | {largest}
if largest > 2**63:
    ids |= {2**64 - 2, 2**63, 2**63 - 1, 2**53 + 1, 2**53 + 2}
ids = sorted(ids)
number = {k: n for n, k in enumerate(ids)}
unseen = sorted({r.randint(1, largest) for _ in range(300)} - set(ids))
signal = [7, 9, 37, 39, len(ids) - 1]

def write(text, twin, rows, near):
    with open(text, "w") as f, open(twin, "w") as g, open("near.csv", "w") as c:
        print(*(ids[s] for s in signal), sep=",", file=c)
        for k in range(rows):
            label = r.randrange(2)
            row = set(r.sample(ids, 12)) | {ids[(7 if label else 9) + k % 2 * 30]}
            if label or k % 4 == 0:
                row.add(ids[-1])
            if not near: # every index occurs
                row |= set(ids[k * 5:k * 5 + 5])
            value = {i: "%.4g" % r.gauss(1, 0.2) for i in sorted(row)}
            print(label, *(f"{number[i] + 1}:{value[i]}" for i in sorted(row)), file=g)
            print(*(value.get(ids[s], 0) for s in signal), sep=",", file=c)
            if near:
                row |= set(r.sample(unseen, near))
            print(label, *(f"{i}:{value.get(i, 2)}" for i in sorted(row)), file=f)

write("hashed.svm", "twin.svm", 400, 0)
write("near.svm", "near_twin.svm", 90, 3)
with open("ids", "w") as f:
    f.write("\n".join(map(str, ids)) + "\n")
END

# models.py MODEL TWIN: the same coefficients, at the indices that the twin's numbers are of
cat >models.py <<'END'
import h5py, sys
ids = [int(line) for line in open("ids")]
with h5py.File(sys.argv[1]) as m, h5py.File(sys.argv[2]) as t:
    names = [int(name) for name in m["names"].asstr()[:]]
    assert len(names) > 1 and names == [ids[k] for k in t["support"][:]], names
    assert (m["support"][:] == t["support"][:]).all() and m.attrs["attributes"] == len(ids)
    assert (m["coef"][:] == t["coef"][:]).all() and m.attrs["intercept"] == t.attrs["intercept"]
    assert (m["deviation"][:] == t["deviation"][:]).all()
END

# same WHAT A B
same()
{
  cmp -s "$2" "$3" || fail "$1: $2 and $3 differ"
}

# said TEXT: the last `must` did
said()
{
  grep -qF -- "$1" must.err || fail "nothing said of '$1': $(cat must.err)"
}

# fingerprint NAME
fingerprint()
{
  ranks 0 inspect "$1" --json >json && key json fingerprint
}

# --- The data set and the model are those of the numbered text; on any number of ranks
try()
{
  local largest=$1 shards
  "$PYTHON" make.py "$largest"
  must 0 import hashed.svm -o one.h5 --force
  said "up to $largest: these alone are attributes, named so"
  must 3 import hashed.svm -o three/one.h5 --force --threads 2
  said "indices:  $(wc -l <ids) occur, "
  must 0 import hashed.svm -o threads.h5 --force --threads 3 --shards 3
  same "on three ranks, $largest" one.h5 three/one.h5
  same "on three ranks, $largest" one.shards/00000.h5 three/one.shards/00000.h5
  [ "$(fingerprint one.h5)" = "$(fingerprint threads.h5)" ] || fail "three threads, $largest"
  must 0 inspect one.h5 --check
  "$PYTHON" - <<'END' || fail "names of $largest"
import h5py, json, subprocess, os
ids = [int(line) for line in open("ids")]
with h5py.File("one.h5") as f:
    assert f["names"].dtype == "u8" and list(map(int, f["names"][:])) == ids
    assert f.attrs["attributes"] == len(ids) and f.attrs["major"] == 5
shown = subprocess.run([os.environ["THRESHER"], "inspect", "one.h5", "--json"], capture_output=True)
assert json.loads(shown.stdout)["names"] == list(map(str, ids))
END
  must 0 import twin.svm -o twin.h5 --force
  compare "bytes of $largest" "$(du -sb one.h5 one.shards | awk '{ s += $1 } END { print s }')" '<' \
    "$(du -sb twin.h5 twin.shards | awk '{ s += $1 } END { print s + 20000 }')"
  for options in "--solver lasso --lambda-ratio 0.3" "--solver sift"; do
    must 0 train twin.h5 -o twin_model.h5 --force $options
    must 0 train one.h5 -o model.h5 --force $options
    must 0 train threads.h5 -o model3.h5 --force $options
    same "models, $options" model.h5 model3.h5
    "$PYTHON" models.py model.h5 twin_model.h5 || fail "another model of $largest, $options"
  done
}
for bits in 24 27 31 63; do
  ! tried "$bits" 27 || try $((2 ** bits - (bits == 63)))
done
try 18446744073709551615

# --- It takes the memory of what occurs
"$PYTHON" - <<'END' || fail "memory of an import or a model"
import os, resource, subprocess
for line in ("import hashed.svm -o little.h5", "train little.h5 -o little_model.h5 --solver lasso"):
    subprocess.run([os.environ["THRESHER"], *line.split()], check=True, stderr=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL)
assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 100000
END

# --- New data: what training has not seen is left out and counted
must 0 train twin.h5 -o twin_model.h5 --force --solver lasso --lambda-ratio 0.3
must 0 train one.h5 -o model.h5 --force --solver lasso --lambda-ratio 0.3
must 0 import near_twin.svm --like twin.h5 -o near_twin.h5
must 0 predict twin_model.h5 near_twin.h5 -o wanted.csv
must 0 evaluate twin_model.h5 near_twin.h5
cp must.out wanted.txt
# predicts NAME
predicts()
{
  must 0 predict model.h5 "$1" -o got.csv --force
  cp must.err predict.err
  same "predictions of $1" wanted.csv got.csv
  must 0 evaluate model.h5 "$1"
  same "scores of $1" wanted.txt must.out
}
"$PYTHON" -c 'import h5py; print(*h5py.File("model.h5")["names"].asstr()[:], sep="\n")' >names
# unseen FILE: how many indices of near.svm are not among those in FILE
unseen()
{
  grep -o ' [0-9]*:' near.svm | tr -d ' :' | sort -u | comm -23 - <(sort "$1") | wc -l
}
for n in 0 3; do
  [ $n = 0 ] && in=. || in=three
  must "$n" import near.svm --like one.h5 -o $in/near.h5
  said "left out: 270 values of $(unseen ids) indices that one.h5 does not have"
  must "$n" import near.svm --like model.h5 -o $in/part.h5
  said "values of $(unseen names) indices that model.h5 does not use"
done
same "on three ranks" near.h5 three/near.h5
same "of a model on three ranks" part.h5 three/part.h5
predicts near.h5
! grep -q note predict.err || fail "a note: $(cat predict.err)"
predicts part.h5
sed 's/^[01] //' near.svm >bare.svm
must 0 import bare.svm --like one.h5 -o bare.h5
must 0 predict model.h5 bare.h5 -o got.csv --force
same "predictions without labels" wanted.csv got.csv
must 0 import near.csv --like model.h5 -o table.h5
must 0 predict model.h5 table.h5 -o got.csv --force
same "predictions of a table" wanted.csv got.csv
# data of their own, in which not all indices of the model occur
must 0 import near.svm -o alone.h5
predicts alone.h5
grep -q 'attributes matched by index' predict.err || fail "no word of a match"
largest=$(tail -n 1 ids)
sed "s/ $largest:[^ ]*//" near.svm >less.svm
must 0 import less.svm -o less.h5
must 0 predict model.h5 less.h5 -o less.csv
grep -q "1 of [0-9]* do not occur in less.h5, and are 0 there" must.err ||
  fail "no word of what does not occur: $(cat must.err)"
must 0 import less.svm --like one.h5 -o less_like.h5
must 0 predict model.h5 less_like.h5 -o got.csv --force
same "predictions of less" less.csv got.csv
printf '1 5:1 70000:1\n0 9:1\n' >other.svm
must 0 import other.svm -o other.h5
if ranks 0 predict model.h5 other.h5 -o got.csv --force 2>err; then fail "data of other indices"; fi
grep -q 'other.h5: none of the [0-9]* indices that model model.h5 uses occurs' err || fail "$(cat err)"

# --- A start and groups go by indices
names=$("$PYTHON" -c 'import h5py; print(*h5py.File("model.h5")["names"].asstr()[:3], sep=",")')
places=$("$PYTHON" -c 'import h5py; print(*h5py.File("model.h5")["support"][:3], sep=",")')
exploit=(--solver exploitation -s 20 --force)
for what in list model; do
  [ $what = list ] && mine=$names twins=$places || { mine=model.h5 twins=twin_model.h5; }
  must 0 train twin.h5 -o begun_twin.h5 "${exploit[@]}" --start "$twins"
  must 3 train one.h5 -o begun.h5 "${exploit[@]}" --start "$mine"
  "$PYTHON" models.py begun.h5 begun_twin.h5 || fail "a start by $what"
done
must 0 train one.h5 -o again.h5 "${exploit[@]}" --start model.h5
"$PYTHON" - <<'END' || fail "the start that a model remembers"
import h5py
with h5py.File("again.h5") as f, h5py.File("model.h5") as m:
    deck = dict(zip(f["deck/name"].asstr()[:], f["deck/value"].asstr()[:]))
    assert [item.split(":")[0] for item in deck["start"].split(",")] == list(m["names"].asstr()[:])
END
if ranks 0 train one.h5 -o no.h5 "${exploit[@]}" --start 4 2>err; then fail "index 4"; fi
grep -q "4 is neither a file nor the name of an attribute" err || fail "$(cat err)"
"$PYTHON" - <<'END'
ids = [int(line) for line in open("ids")]
half = len(ids) // 2
with open("groups", "w") as f, open("twin_groups", "w") as g:
    print(f"0-{ids[half] - 1} weight=2\n{ids[half]} {ids[half] + 1}-18446744073709551615", file=f)
    print(f"{ids[0] + 1} {ids[0] + 2} # none occurs", file=f)
    print(f"0-{half - 1} weight=2\n{half}-{len(ids) - 1}", file=g)
END
must 3 import hashed.svm -o grouped.h5 --groups groups
must 0 import twin.svm -o grouped_twin.h5 --groups twin_groups
grouped=(--solver lasso --penalty group --lambda-ratio 0.5 --force)
must 0 train grouped.h5 -o g.h5 "${grouped[@]}"
must 0 train grouped_twin.h5 -o gt.h5 "${grouped[@]}"
"$PYTHON" models.py g.h5 gt.h5 || fail "groups of an import"
must 3 train one.h5 -o g.h5 "${grouped[@]}" --groups groups
"$PYTHON" models.py g.h5 gt.h5 || fail "groups of a run"
# refused TEXT FILE: a file of groups of one.h5
refused()
{
  if ranks 0 train one.h5 -o no.h5 --solver lasso --penalty group --groups "$2" 2>err; then
    fail "not refused: $2"
  fi
  grep -qF -- "$1" err || fail "wanted '$1': $(cat err)"
}
sed 's/^0-/1-2 0-/; s/^[0-9]* \([0-9]*-\)/\1/' groups >gap
refused "gap: attribute $(sed -n "$(($(wc -l <ids) / 2 + 1))p" ids) is in no group" gap
{ cat groups && tail -n 1 ids; } >twice
refused "attribute $largest is in the groups of lines 2 and 4" twice
echo 0-18446744073709551616 >beyond
refused "beyond:1:3: '18446744073709551616' found, expected an attribute" beyond

# --- Where gaps are few, attributes are counted, as they are with --attributes
# counted FILE D OPTION...
counted()
{
  must 0 import "$1" -o counted.h5 --force "${@:3}" || return 0
  ranks 0 inspect counted.h5 --json >json
  [ "$(key json attributes) $(key json names)" = "$2 null" ] || fail "not $2 attributes: ${*:3} $1"
  ! grep -q occur must.err || fail "$1: $(cat must.err)"
}
printf '1 1:1 65536:1\n0 9:1\n' >small.svm
counted small.svm 65536
printf '1 1:1 65537:1\n0 9:1\n' >large.svm
counted large.svm 65537 --attributes 65537
counted large.svm 80000 --attributes 80000
must 0 import large.svm -o occur.h5
said 'indices:  3 occur, up to 65537: these alone are attributes, named so; --attributes 65537 takes all'
{ seq 1 2 70000 | sed 's/.*/1 &:1/' && echo 0 70000:1; } >half.svm
counted half.svm 70000
{ seq 5 2 70000 | sed 's/.*/1 &:1/' && echo 0 70000:1; } >fewer.svm
must 0 import fewer.svm -o fewer.h5
said 'indices:  34999 occur, up to 70000: '
# numbers of counted data and indices are the same
must 0 train counted.h5 -o counted_model.h5 --solver lasso --lambda-ratio 0.1
must 0 predict counted_model.h5 fewer.h5 -o got.csv --force

# --- What is no index, or not in order, is told with its place
# refuse TEXT LINE...
refuse()
{
  { cat hashed.svm && printf '%b\n' "${@:2}"; } >bad.svm
  if ranks 0 import bad.svm -o no.h5 2>err; then fail "not refused: ${*:2}"; fi
  grep -qF -- "bad.svm:$1" err || fail "wanted '$1': $(cat err)"
  [ "$(grep -c '^thresher: ' err)" -eq 1 ] || fail "not one line: $(cat err)"
  ! compgen -G 'no*' >/dev/null || fail "something is left of ${*:2}"
}
far=18446744073709551610
refuse "401:3: '18446744073709551616:1' found, expected an index of at most 18446744073709551615" \
  '1 18446744073709551616:1'
refuse "401:7: '99999999999999999999999999999999999999..' found, expected an index of at most" \
  '1 1:1 9999999999999999999999999999999999999999:1' '0 2:x'
refuse "401:3: '-5:1' found" '1 -5:1'
refuse "401:3: ':1' found" '1 :1'
refuse "401:3: index 0 found, expected indices from 1 on; import with --zero-based" '1 0:1'
refuse "402:26: index 3 found after index $far, expected ascending" "0 7:1" "1 $far:1 3:1"
refuse "401:26: index $far found twice" "1 $far:1 $far:1"
refuse "401:24: 'x' found" "1 $far:x"
if ranks 3 import bad.svm -o no.h5 2>err; then fail "not refused on three ranks"; fi
grep -q "bad.svm:401:24: 'x' found" err || fail "on three ranks: $(cat err)"
{ cat hashed.svm && echo '1 0:1'; } >zero.svm
must 0 import zero.svm -o zero.h5 --zero-based
"$PYTHON" -c 'import h5py; assert h5py.File("zero.h5")["names"][0] == 0' || fail "index 0"
# labels with weights, and missing values
sed 's/ /:2 /; s/:1\.0[^ ]*/:NA/' hashed.svm >weighted.svm
sed 's/ /:2 /; s/:1\.0[^ ]*/:NA/' twin.svm >weighted_twin.svm
for name in weighted weighted_twin; do
  must 0 import $name.svm -o $name.h5 --labels weighted
  must 0 train $name.h5 -o ${name}_model.h5 --solver lasso
done
"$PYTHON" models.py weighted_model.h5 weighted_twin_model.h5 || fail "weights and missing values"
# indices that are only in the test examples, in compressed files, in comments
printf '1 77:1 # 88:1\n' | gzip -c >test.gz
must 0 import hashed.svm --test-file test.gz -o tested.h5
must 3 import hashed.svm --test-file test.gz -o three/tested.h5
same "with a test file" tested.h5 three/tested.h5
"$PYTHON" -c 'import h5py
names = h5py.File("tested.h5")["names"][:]
assert 77 in names and 88 not in names and len(names) == sum(1 for _ in open("ids")) + 1' ||
  fail "indices of a test file"
finish
