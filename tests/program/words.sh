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
    grep -q "words are not in $like: 0 for all" must.err ||
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

# --- columns that cannot be used are told at once, on any ranks
"$PYTHON" - <<'END'
with open("titanic.csv", "w") as f:
    f.write("Name,Ticket,Sex,Age,y\n")
    for i in range(150):
        f.write("n %d,%s,%s,%d,%d\n" % (i, "A/%d" % i if i == 120 else i, ["male", "female"][i % 2], i, i % 7))
END
for n in 0 2 3; do
  refuse $n "2 columns cannot be used: 'Name' has more than 100 different words, 'Ticket' has numbers and words, \
such as '0' and 'A/120'; leave them out with --ignore Name,Ticket, correct them" titanic.csv
done
must 2 import titanic.csv -o titanic.h5 --ignore Name,Ticket
printf 'a,b,c,y\n5%%,yes,2020,1\n0.05,7,2020-01-05,2\n1,no,2021-01-01,3\n' >two.csv
for n in 0 2; do
  refuse $n "3 columns cannot be used: 'a' has numbers and numbers with %, such as '0.05' and '5%', \
'b' has numbers and truth values, such as '7' and 'yes', 'c' has numbers and dates, such as '2020' and \
'2020-01-05'; leave them out with --ignore a,b,c, correct them" two.csv
done
printf 'a,y\n1,5%%\n2,0.05\n' >target.csv
refuse 0 "column 2, 'y', the target, has numbers and numbers with %, such as '0.05' and '5%'" target.csv
printf 'a,w,y\n1,yes,1\n2,3,2\n' >weights.csv
refuse 0 "column 2, 'w', the weights, has numbers and truth values" weights.csv --weights w
printf '1,x,2\n3,y,4\n' >bare.csv
refuse 0 "bare.csv:1:3: 'x' found, expected a finite decimal number in column 2; leave the column out with \
--ignore 2, or name the columns in a first row" bare.csv --header no
must 0 import table.csv -o plain.h5 --target size --ignore color,city
sed 's/,1,/,1%,/' new.csv >percent.csv
refuse 2 "'code', has numbers with %, such as '1%', where numbers were" percent.csv --like plain.h5

# --- what later rows have does not depend on how many rows are before it, nor on ranks and threads
"$PYTHON" - <<'END'
def write(stem, before, first, then, b=""):
    with open("%s.%d.csv" % (stem, before), "w") as f:
        f.write("a,b,c,y\n")
        for i in range(before):
            f.write("%d,%s,%s,%d\n" % (i, b, first, i % 7))
        for i in range(200):
            f.write("%d,%s,%s,%d\n" % (i, ["red", "blue"][i % 2], then, i % 5))

for before in 999, 1000, 3000:
    write("missing", before, "", "")
    write("truth", before, "yes", "No internet", "no")
    write("dates", before, "2020-01-01", "7")
    write("late", before, "7", "2020-01-01")
END
# named SET NAME...: the names of its attributes
named()
{
  must 0 inspect "$1.h5" --json
  "$PYTHON" -c 'import json, sys; sys.exit(json.load(open("must.out"))["names"] != sys.argv[1:])' "${@:2}" ||
    fail "other names of $1 after $before rows on $n ranks: $(grep -A 9 '"names"' must.out)"
}
# a pipe is read but once
before=3000 n=0
ranks 0 import - -o piped.h5 --ignore c --max-missing 1 <missing.3000.csv 2>err || fail "piped: $(cat err)"
named piped a b=blue b=red
for pair in 999:0 1000:0 1000:3 3000:2; do
  before=${pair%:*} n=${pair#*:}
  must $n import missing.$before.csv -o missing.h5 --force --ignore c --max-missing 1
  [ "$(grep -c '^target: ' must.err)" -eq 1 ] || fail "said twice: $(cat must.err)"
  named missing a b=blue b=red
  must $n import truth.$before.csv -o truth.h5 --force --threads 3
  named truth a b=blue b=no b=red "c=No internet" c=yes
  for late in dates late; do
    refuse $n "column cannot be used: 'c' has numbers and dates, such as '7' and '2020-01-01'" \
      $late.$before.csv --ignore b
  done
done
finish
