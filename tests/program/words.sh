#!/usr/bin/env bash
# words.sh - columns of words become an attribute for each word, on any ranks, and a group;
# other text is read like it, by data and by model; what has too many words is said at once
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

# table.csv has words; numbers.csv the same as numbers. new.csv has a word that is new.
"$PYTHON" - <<'END'
import csv, random
random.seed(4)
colors, cities = ["blue", 'deep "red"', "green, pale", "öl"], ["Bonn", "Oslo", "Rome"]

def write(stem, n, more):
    with open(stem + ".csv", "w") as f, open(stem + ".numbers.csv", "w") as g:
        table, numbers = csv.writer(f, lineterminator="\n"), csv.writer(g, lineterminator="\n")
        table.writerow(["size", "color", "code", "city", "y"])
        numbers.writerow(["size"] + ["color=" + c for c in sorted(colors, key=str.encode)] +
                         ["code"] + ["city=" + c for c in cities] + ["y"])
        for i in range(n):
            color, city = random.choice(colors + more), random.choice(cities)
            missing = random.random() < 0.1
            size, code = round(random.gauss(0, 1), 4), random.randrange(9)
            y = round(size + 2 * (color == "blue") - (city == "Oslo") + random.gauss(0, 0.1), 4)
            table.writerow([size, "NA" if missing else color, code, city, y])
            numbers.writerow([size] + ["" if missing else int(color == c)
                                       for c in sorted(colors, key=str.encode)] +
                             [code] + [int(city == c) for c in cities] + [y])

write("table", 400, [])
write("new", 60, ["violet"])
with open("ids.csv", "w") as f:
    f.write("id,kind,street,x,y\n")
    for i in range(300):
        f.write("p%d,%s,%d %s,%d,%d\n" % (i, "ab"[i % 2], i, "Main St", i % 7, i % 5))
END

# alike ONE TWO: data sets of the same values and names
alike()
{
  local set
  for set in "$1" "$2"; do
    must 0 inspect "$set" --json
    "$PYTHON" -c '
import json
o = json.load(open("must.out"))
print(o["names"], o["missing"], o["fingerprint"])' >"$set.facts"
  done
  cmp "$1.facts" "$2.facts" || fail "$1 is not $2"
}
must 0 import table.numbers.csv -o numbers.h5 --target y
for n in 0 2 3; do
  must $n import table.csv -o words.h5 --target y --force --threads 2
  cp must.err said
  alike words.h5 numbers.h5
done
grep -q "^words:    'city' has 3, each an attribute: 'Bonn', 'Oslo', 'Rome'" said ||
  fail "the words are not said: $(cat said)"

# --- what became of each column is told
must 0 import table.csv -o roles.h5 --target y --ignore code
must 0 inspect roles.h5 --json
"$PYTHON" - <<'END' || fail "the columns are not told: $(cat must.out)"
import json, sys
o = json.load(open("must.out"))
wanted = [("size", "attribute", None),
          ("color", "words", sorted(["blue", 'deep "red"', "green, pale", "öl"], key=str.encode)),
          ("code", "left out", None), ("city", "words", ["Bonn", "Oslo", "Rome"]),
          ("y", "target", None)]
found = [(c["name"], c["role"], c.get("levels")) for c in o["columns"]]
sys.exit(found != wanted or [c["column"] for c in o["columns"]] != [1, 2, 3, 4, 5] or
         o["targets"] != ["y"])
END

# --- groups: each column of words is one
printf '0\n1-4\n5\n6-8\n' >groups
must 0 train words.h5 -o one.h5 --solver lasso --penalty group
must 0 train numbers.h5 -o two.h5 --solver lasso --penalty group --groups groups
for model in one two; do
  must 0 inspect $model.h5 --json
  "$PYTHON" -c 'import json; o = json.load(open("must.out")); print(o["support"], o["coef"])' >$model
done
cmp one two || fail "another model where the words are groups"

# --- other text like it
must 0 train words.h5 -o model.h5 --solver lasso --lambda-ratio 0.05
must 0 predict model.h5 words.h5 -o must.csv
must 0 import new.numbers.csv --like numbers.h5 -o new.numbers.h5
must 0 predict model.h5 new.numbers.h5 -o wanted.csv
for like in words.h5 model.h5; do
  for n in 0 2; do
    must $n import new.csv --like $like -o new.h5 --force
    [ $like = model.h5 ] || grep -q 'words are not in words.h5: 0 for all' must.err ||
      fail "new words are not said: $(cat must.err)"
    must 0 predict model.h5 new.h5 -o got.csv --force
    cmp got.csv wanted.csv || fail "other predictions, like $like"
  done
done
# without the column of the target, and in another order
"$PYTHON" - <<'END'
import csv
rows = list(csv.reader(open("new.csv")))
with open("turned.csv", "w") as f:
    csv.writer(f, lineterminator="\n").writerows([r[k] for k in (3, 0, 2, 1)] for r in rows)
END
must 0 import turned.csv --like words.h5 -o turned.h5
must 0 predict model.h5 turned.h5 -o got.csv --force
cmp got.csv wanted.csv || fail "other predictions of columns in another order"

# --- what is refused
refuse()
{
  if ranks "$1" import "${@:3}" -o no.h5 2>err; then fail "not refused: import ${*:3}"; fi
  grep -qF -- "$2" err || { fail "wanted '$2'" && cat err >&2; }
}
refuse 0 "2 columns of words have more than 100 different ones, first 'id'; leave them out with --ignore id,street," \
  ids.csv
refuse 2 "--ignore kind,id,street," ids.csv --ignore kind
refuse 0 "ids.csv:2:1: 'p0' found, expected a finite decimal number in column 1 (id)" ids.csv \
  --levels 0
must 0 import ids.csv -o ids.h5 --ignore id,street
printf 'a,b,y\nx,1,2\n3,4,5\nx,2,2\n' >mixed.csv
refuse 0 "mixed.csv:2:1: 'x' found, expected a finite decimal number in column 1 (a)" mixed.csv
finish
