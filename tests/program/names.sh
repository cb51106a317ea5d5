#!/usr/bin/env bash
# names.sh - a model goes by the names of attributes where there are some:
# data in another order are scored like those it was trained on, or refused
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
if ! "$PYTHON" -c 'import h5py, numpy' 2>/dev/null; then
  echo "skipped: $PYTHON has no h5py or numpy"
  exit 77
fi
rm -rf ./*

# The same 500 examples of 30 attributes, on different scales: as they are,
# turned around, some of the useless ones in exchange for others, one of the
# useful ones left out, called like another one, without names.
cat >make.py <<'END'
import csv, numpy
draw = numpy.random.RandomState(3)
n, d = 500, 30
x = draw.randn(n, d) * numpy.exp(draw.randn(d)) + draw.randn(d)
coef = numpy.zeros(d)
coef[[2, 11, 19, 27]] = 3, -2, 1, 4
y = (x - x.mean(0)) / x.std(0) @ coef + 5 + 0.1 * draw.randn(n)
weight = draw.randint(1, 4, n)
names = ["size %d, in \"mm\"" % j for j in range(d)]
names[11] = "Größe\nin Zeilen"
numpy.savez("x.npz", x=numpy.float32(x), weight=weight)

def write(path, columns, more=0, called=None, weighted=False):
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        if called is not None:
            out.writerow(called + ["w"] * weighted + ["y"])
        for i in range(n):
            row = list(x[i, columns]) + [i % 7] * more
            out.writerow(["%.9g" % v for v in row + [weight[i]] * weighted + [y[i]]])

def named(columns):
    return [names[j] for j in columns]

turned = list(range(d))[::-1]
fewer = [j for j in turned if j not in (0, 1, 29)]
write("plain.csv", list(range(d)), called=names)
write("turned.csv", turned, called=named(turned))
write("other.csv", fewer, 2, named(fewer) + ["new", ""])
write("lacks.csv", [j for j in turned if j != 19],
      called=named([j for j in turned if j != 19]))
write("twice.csv", turned, called=[names[27] if j == 5 else names[j] for j in turned])
write("useless.csv", turned, called=[names[0] if j == 5 else names[j] for j in turned])
write("none.csv", list(range(d)))
write("weighted.csv", list(range(d)), called=names, weighted=True)
END
"$PYTHON" make.py
for name in plain turned other lacks twice useless none; do
  must 0 import $name.csv -o $name.h5 --no-shuffle
done
must 0 import plain.csv -o shards.h5 --no-shuffle --shards 3
must 0 import weighted.csv -o weighted.h5 --no-shuffle --target y --weights w
must 2 inspect turned.h5 --check

# ---- what a model knows: the same on all ranks ----
must 0 train plain.h5 -o model.h5 --select truth
grep -q '^support: 4 attributes: size 2, in "mm" ([0-9.]*), Größe in Zeilen (' \
  must.err || { fail "the result has no names" && grep support: must.err >&2; }
for n in 2 3; do
  must "$n" train shards.h5 -o this.h5 --select truth --force
  cmp model.h5 this.h5 || fail "another model on $n ranks"
done
must 0 train none.h5 -o unnamed.h5 --select truth
ranks 0 inspect model.h5 --json >model.json
ranks 0 inspect unnamed.h5 --json >unnamed.json
compare "names of a model without" "'$(key unnamed.json names)'" == "'null'"
# Deviations: of the examples as they weigh, standardized or not.
exact=(--solver lasso --lambda-ratio 0.01)
must 2 train weighted.h5 -o weighted.model.h5 "${exact[@]}" --standardize \
  --intercept
must 2 train weighted.h5 -o plainly.model.h5 "${exact[@]}"
cat >deviations.py <<'END'
import h5py, json, numpy
from make import names
data = numpy.load("x.npz")
x, w = data["x"].astype(float), data["weight"] / data["weight"].sum()
middle = w @ x
weighted = numpy.sqrt(w @ (x - middle) ** 2)
for path, deviation in (("model.h5", x.std(0)), ("plainly.model.h5", weighted),
                        ("weighted.model.h5", weighted)):
    with h5py.File(path) as f:
        support = f["support"][:]
        assert len(support) >= 4
        assert numpy.allclose(f["deviation"][:], deviation[support], rtol=1e-6)
        assert list(f["names"].asstr()[:]) == [names[j] for j in support]
        coef, deviation = f["coef"][:], f["deviation"][:]
model = json.load(open("model.json"))
assert model["names"] == [names[j] for j in model["support"]], model["names"]
assert model["support"] == [2, 11, 19, 27]
assert numpy.allclose(model["standardized_coef"], [3, -2, 1, 4], atol=0.02)
unnamed = json.load(open("unnamed.json"))
assert unnamed["standardized_coef"] == model["standardized_coef"]
END
"$PYTHON" deviations.py || fail "deviations"
ranks 0 inspect model.h5 >text
grep -q '^ *11  -[0-9.]*  *-[12][.][0-9]*  *Größe in Zeilen$' text ||
  { fail "inspect shows no names" && cat text >&2; }

# ---- evaluate and predict ----
# scored MODEL DATA WORDS: the predictions for plain.h5, to the bit.
must 0 predict model.h5 plain.h5 -o plain.out
ranks 0 evaluate model.h5 plain.h5 >plain.scores
scored()
{
  local n
  for n in 0 2; do
    must $n predict "$1" "$2" -o this.out --force
    if [ -n "$3" ]; then
      grep -q "^note: $3\$" must.err || fail "predict $1 $2: not said: $3"
    elif grep '^note' must.err; then
      fail "predict $1 $2: notes"
    fi
    cmp plain.out this.out || fail "predict $1 $2, $n ranks: other predictions"
  done
  ranks 0 evaluate "$1" "$2" -q >this.scores 2>this.err
  cmp plain.scores this.scores || fail "evaluate $1 $2: other scores"
  [ ! -s this.err ] || fail "evaluate -q is not quiet"
}
scored model.h5 shards.h5 ''
scored model.h5 turned.h5 'attributes matched by name: 4 of 4 are at other places'
scored model.h5 other.h5 'attributes matched by name: 4 of 4 are at other places'
scored model.h5 useless.h5 'attributes matched by name: 4 of 4 are at other places'
scored unnamed.h5 none.h5 ''
scored model.h5 none.h5 \
  'attributes matched by number: none.h5 has no names of attributes, model.h5 has'
scored unnamed.h5 plain.h5 \
  'attributes matched by number: unnamed.h5 has no names of attributes, plain.h5 has'
refused 1 'lacks.h5: no attribute is named size 19, in "mm", which model' 2 \
  evaluate model.h5 lacks.h5
refused 1 'twice.h5: size 27, in "mm" is the name of more than one attribute' \
  0 predict model.h5 twice.h5 -o never.csv
refused 1 'unnamed.h5 is for 30 attributes, data set other.h5 has 29' 0 \
  evaluate unnamed.h5 other.h5

# ---- verify: all attributes, in any order ----
must 0 train plain.h5 -o exact.h5 "${exact[@]}" --intercept
ranks 0 verify exact.h5 plain.h5 --json >plain.json
for n in 0 2; do
  ranks $n verify exact.h5 turned.h5 --json >turned.json 2>verify.err ||
    fail "verify on $n ranks: turned data"
  grep -q 'matched by name' verify.err || fail "verify: nothing is said"
  for name in objective lambda_max violation; do
    compare "$name of turned data" \
      "abs($(key turned.json $name) - $(key plain.json $name))" '<' 1e-9
  done
  compare "turned data are others" "'$(key turned.json fresh)'" == "'true'"
done
must 0 verify exact.h5 none.h5
refused 1 'other.h5: its attributes are not those that model exact.h5' 0 \
  verify exact.h5 other.h5
refused 1 'lacks.h5: no attribute is named' 0 verify exact.h5 lacks.h5
printf '0-9\n10-29\n' >groups.txt
must 0 train plain.h5 -o groups.h5 "${exact[@]}" --penalty group \
  --groups groups.txt
must 0 verify groups.h5 shards.h5
refused 1 'turned.h5: its attributes are in another order' 2 \
  verify groups.h5 turned.h5

# ---- train: --start and --reference ----
start=(--solver exploitation --passes 1)
must 0 train turned.h5 -o from-model.h5 "${start[@]}" --start model.h5 \
  --telemetry steps.jsonl --reference model.h5
[ "$(grep -c 'matched by name: 4 of 4 are at other places' must.err)" -eq 2 ] ||
  fail "--start and --reference: not both are told"
ranks 0 inspect from-model.h5 --json >this.json
compare "the support of --start" "'$(key this.json support)'" == \
  "'[2, 10, 18, 27]'"
"$PYTHON" - <<'END' || fail "the distance from a reference in another order"
import json
assert all(json.loads(line)["distance"] < 1 for line in open("steps.jsonl"))
END
refused 1 'lacks.h5: no attribute is named' 0 train lacks.h5 -o never.h5 \
  "${start[@]}" --start model.h5
sed 's/size \([0-9]*\), in ""mm""/v\1/g' plain.csv >short.csv
must 0 import short.csv -o short.h5 --no-shuffle
must 0 train short.h5 -o by-number.h5 "${start[@]}" --start 27:4,19:1,2:3
must 2 train short.h5 -o by-name.h5 "${start[@]}" --start v27:4,19:1,v2:3
cmp by-number.h5 by-name.h5 || fail "--start by name: another model"
begin()
{
  refused 2 "$1" "${3:-0}" train short.h5 -o never.h5 "${start[@]}" --start "$2"
}
begin 'v99 is neither a file nor the name of an attribute' v1,v99 2
begin 'attribute 2 is there twice' v2,v3,2
begin 'v3 is there twice' v3,v3
begin 'to all attributes or to none' v3,v4:1
begin 'not a list such as' v3,,v4
begin 'not a list such as' v3:x

# ---- hashes that are those of other names: attributes would go by their numbers ----
for which in names_list names_set; do
  rm -rf forged.h5 forged.shards
  cp turned.h5 forged.h5
  cp -r turned.shards forged.shards
  "$PYTHON" - "$which" <<'END'
import h5py, sys
with h5py.File("forged.h5", "r+") as f, h5py.File("model.h5") as model:
    other = model.attrs[sys.argv[1]]
    f.attrs.modify(sys.argv[1], other if other != f.attrs[sys.argv[1]] else other - 1)
END
  for command in "evaluate model.h5 forged.h5" "train forged.h5 -o forged-model.h5" \
    "inspect forged.h5" "import plain.csv --like forged.h5 -o forged-new.h5"; do
    refused 1 'forged.h5: names_list and names_set are not those of its names' 0 $command
  done
done

# ---- files of the minor version before: no hashes, no deviations ----
cp turned.h5 old.h5
cp -r turned.shards old.shards
"$PYTHON" - <<'END'
import h5py
with h5py.File("old.h5", "r+") as f:
    del f["names_checksum"], f.attrs["names_list"], f.attrs["names_set"]
    f.attrs.modify("minor", 1)
END
must 2 inspect old.h5 --check
scored model.h5 old.h5 'attributes matched by name: 4 of 4 are at other places'
cp model.h5 old-model.h5
"$PYTHON" - <<'END'
import h5py
with h5py.File("old-model.h5", "r+") as f:
    del f["names"], f["deviation"], f.attrs["names_list"], f.attrs["names_set"]
END
scored old-model.h5 plain.h5 ''
refused 1 'old-model.h5 is for 30 attributes, data set other.h5 has 29' 0 \
  evaluate old-model.h5 other.h5
finish
