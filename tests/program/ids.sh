#!/usr/bin/env bash
# ids.sh - IDs of examples: columns, names of rows, files; predictions by them; targets and
# weights that tables have by ID
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

cat >lib.py <<'END'
import csv, json, subprocess, sys, os

def rows(name):
    return list(csv.DictReader(open(name, newline="")))

def model(name):
    m = json.loads(subprocess.run([os.environ["THRESHER"], "inspect", name, "--json"],
                                  stdout=subprocess.PIPE, check=True).stdout)
    return m["intercept"], dict(zip(m["names"], m["coef"]))

def predict(m, row):
    return m[0] + sum(c * float(row[a]) for a, c in m[1].items())

def close(a, b, tolerance=1e-5):
    return abs(a - b) <= tolerance * (1 + abs(a))
END

# check.py MODEL TABLE PREDICTIONS [part]: they are those of the IDs in a table, in its order; of
# all of them, or of a part
cat >check.py <<'END'
import sys
from lib import *
m, table, got = model(sys.argv[1]), rows(sys.argv[2]), rows(sys.argv[3])
part = len(sys.argv) > 4
if list(got[0]) != ["id", "prediction"]:
    sys.exit("columns %s" % list(got[0]))
of = {r["id"]: (k, r) for k, r in enumerate(table)}
places = [of[g["id"]][0] for g in got]
if places != sorted(places) or (not part and places != list(range(len(table)))):
    sys.exit("IDs in another order, or others")
for g in got:
    want = predict(m, of[g["id"]][1])
    if not close(want, float(g["prediction"])):
        sys.exit("%r: %s, wanted %.9g" % (g["id"], g["prediction"], want))
END

"$PYTHON" - <<'END'
import csv, random
random.seed(11)
N = 240
def gauss(): return round(random.gauss(0, 1), 4)
ids = ["s%d" % k for k in range(N)]
ids[:7] = ["blank in it", "comma,in it", 'quote" in it', "naïve Ωμέγα 标本", "x" * 255, "-9", "007"]
table = [[gauss() for _ in range(4)] for _ in range(N)]
y = [round(2 * r[0] - r[2] + .3 * random.gauss(0, 1), 4) for r in table]
w = [k % 5 for k in range(N)]

def write(name, head, line, mark=",", **more):
    with open(name, "w", newline="") as f:
        out = csv.writer(f, delimiter=mark, lineterminator="\n", **more)
        if head:
            out.writerow(head)
        for k in range(N):
            out.writerow(line(k))
write("truth.csv", ["id", "a", "b", "c", "d", "y", "w"], lambda k: [ids[k], *table[k], y[k], w[k]])
write("column.csv", ["a", "b", "sample", "c", "d", "y"],
      lambda k: [*table[k][:2], ids[k], *table[k][2:], y[k]])
write("weighted.csv", ["sample", "a", "b", "c", "d", "w", "y"],
      lambda k: [ids[k], *table[k], w[k], y[k]])
write("pandas.csv", ["", "a", "b", "c", "d", "y"], lambda k: [ids[k], *table[k], y[k]])
write("r.tsv", ["a", "b", "c", "d", "y"], lambda k: [ids[k], *table[k], y[k]], "\t")
write("r.txt", ["a", "b", "c", "d", "y"], lambda k: [ids[k], *table[k], y[k]], " ",
      quoting=csv.QUOTE_NONNUMERIC)
write("bare.csv", None, lambda k: [ids[k], *table[k], y[k]])
write("unlabelled.csv", ["d", "sample", "c", "b", "a"],
      lambda k: [table[k][3], ids[k], *table[k][2::-1]])
write("noid.csv", ["a", "b", "c", "d", "y"], lambda k: [*table[k], y[k]])
with open("x.svm", "w") as f:
    for k in range(N):
        f.write("%g %s\n" % (y[k], " ".join("%d:%g" % (j + 1, v) for j, v in enumerate(table[k]))))
with open("ids.txt", "w") as f:
    f.writelines("  %s\t\n" % i for i in ids)
for name, first, last in ("one", 0, 100), ("two", 100, N):
    with open(name + ".csv", "w", newline="") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerow(["sample", "a", "b", "c", "d", "y"])
        for k in range(first, last):
            out.writerow([ids[k], *table[k], y[k]])

# tables of targets: in another order, some missing, some of nobody
order = ids[:200] + ["nobody%d" % k for k in range(9)]
random.shuffle(order)
at = {i: k for k, i in enumerate(ids)}
def value(i): return "NA" if at.get(i, 1) % 10 == 4 else "%.4f" % (y[at[i]] if i in at else 1)
def half(i): return value(i) if value(i) == "NA" else float(value(i)) / 2
def put(name, head, line, mark="\t"):
    with open(name, "w", newline="") as f:
        out = csv.writer(f, delimiter=mark, lineterminator="\n")
        if head:
            out.writerow(head)
        for i in order:
            out.writerow(line(i))
put("pheno.tsv", ["sample", "height", "half", "w"], lambda i: [i, value(i), half(i), len(i) % 3])
put("pheno.csv", ["w", "height", "key"], lambda i: [1, value(i), i], ",")
put("plink.txt", ["#FID", "IID", "height"], lambda i: ["fam " + i[:5], i, value(i)])
put("plink.fam", None, lambda i: ["f", i.replace(" ", "_"), 0, 0, 1, value(i).replace("NA", "-9")], " ")
known = {i for i in order if i in at and value(i) != "NA"}
with open("joined.csv", "w", newline="") as f: # what an inner join of pandas gives
    out = csv.writer(f, lineterminator="\n")
    out.writerow(["id", "a", "b", "c", "d", "y", "w"])
    out.writerows([i, *table[at[i]], value(i), len(i) % 3] for i in ids if i in known)
# IDs of the data that are as in the .fam, pairs, and not distinct
write("fam.csv", ["d", "sample", "c", "b", "a"],
      lambda k: [table[k][3], ids[k].replace(" ", "_"), *table[k][2::-1]])
short = [k for k in range(N) if len(ids[k]) < 99]
with open("pairs.csv", "w", newline="") as f:
    out = csv.writer(f, lineterminator="\n")
    out.writerow(["sample", "a", "b"])
    out.writerows(["fam %s %s" % (ids[k][:5], ids[k]), *table[k][:2]] for k in short)
END

# --- IDs come from a column, from names of rows, from a file; on any number of ranks ---
must 0 import column.csv -o column.h5 --id sample --target y
must 0 train column.h5 -o model.h5 --solver lasso --lambda-ratio 0.01

# named WHAT N FILE OPTION...: imported so, the data have the IDs of the table
named()
{
  must "$2" import "${@:3}" -o made.h5 --force || return 0
  cp must.err said.err
  must 0 inspect made.h5 --check
  must "$2" predict model.h5 made.h5 -o made.out --split all --force || return 0
  "$PYTHON" check.py model.h5 truth.csv made.out || fail "$1 on $2 ranks"
}

# said TEXT: the last import of `named` did
said()
{
  grep -q -- "$1" said.err || fail "nothing said of '$1': $(cat said.err)"
}

gzip -k ids.txt
named column 0 column.csv --id 3 --target y --test 0.25
said "^IDs:      column 3 of 6, 'sample'$"
for n in 0 2 3; do
  mkdir -p in.$n && must $n import column.csv -o in.$n/same.h5 --id sample --target y --test 0.25
done
cmp in.0/same.h5 in.2/same.h5 && cmp in.0/same.h5 in.3/same.h5 || fail "other bytes on other ranks"
named "in order" 2 column.csv --id sample --target y --no-shuffle
named weights 2 weighted.csv --id sample --target y --weights w --test 0.2
named pandas 0 pandas.csv --target y
said '^IDs:      column 1 of 6, an index of words without a name$'
named tabs 2 r.tsv --target y
said '^IDs:      column 1 of 6, the names of rows, which the header does not name$'
named R 0 r.txt --target y
named file 2 noid.csv --target y --ids ids.txt --threads 2
named packed 0 noid.csv --target y --ids ids.txt.gz
named files 2 one.csv two.csv --id sample --target y
named "test file" 0 one.csv --id sample --target y --test-file two.csv
named "file, not names of rows" 0 r.tsv --target y --ids ids.txt
must 2 import x.svm -o svm.h5 --ids ids.txt
must 0 train svm.h5 -o svm.model.h5 --solver lasso --lambda-ratio 0.01
must 2 predict svm.model.h5 svm.h5 -o svm.out
must 0 predict model.h5 column.h5 -o column.out
cmp <(cut -d, -f1 svm.out) <(cut -d, -f1 column.out) || fail "other IDs with LIBSVM text"
must 0 import column.csv -o test.h5 --id sample --target y --test 0.25
must 2 predict model.h5 test.h5 -o test.out --split test
"$PYTHON" check.py model.h5 truth.csv test.out part || fail "--split test"
[ "$(wc -l <test.out)" = 61 ] || fail "--split test: $(wc -l <test.out) lines"
ranks 0 inspect column.h5 --json >column.json
[ "$(key column.json ids.count)" = 240 ] || fail "inspect: $(key column.json ids)"
[ "$(key column.json text.id_name)" = '"sample"' ] || fail "inspect: id_name"
must 0 import noid.csv -o noid.h5 --target y
ranks 0 inspect noid.h5 --json >noid.json
[ "$(key noid.json ids)" = null ] || fail "inspect: IDs from nowhere"
must 0 predict model.h5 noid.h5 -o noid.out
[ "$(head -n 1 noid.out)" = row,prediction ] || fail "predict without IDs: $(head -n 1 noid.out)"
# the values are the same data, whatever they are called
[ "$(key column.json fingerprint)" = "$(key noid.json fingerprint)" ] ||
  fail "IDs change the fingerprint"

# --- other text like it ---
for like in column.h5 model.h5; do
  named "like $like" 2 unlabelled.csv --like $like
  said "^IDs:      column 2 of 5, 'sample'"
  must 0 import noid.csv -o made.h5 --like $like --force
  grep -q "^IDs:      none, $like has some" must.err || fail "like $like: $(cat must.err)"
  refused 2 "column.csv:1:1: --id d contradicts $like, where it is sample" 0 \
    import column.csv -o no.h5 --like $like --id d
done
must 0 import bare.csv -o bare.h5 --id 1 --target 6
must 0 train bare.h5 -o bare.model.h5 --solver lasso --lambda-ratio 0.01
must 0 import bare.csv -o made.h5 --like bare.model.h5 --force
must 0 predict bare.model.h5 made.h5 -o made.out --force
grep -q '^007,' made.out || fail "like, by places: $(sed -n 8p made.out)"

# --- what cannot be ---
refused 1 "noid.csv:1:1: no column 'sample' found" 0 import noid.csv -o no.h5 --id sample --target y
refused 1 'cannot be target and ID at once' 0 import column.csv -o no.h5 --id y --target y
refused 1 'cannot be ID and left out at once' 0 \
  import column.csv -o no.h5 --id b --ignore b --target y
refused 2 'exclude each other' 0 import column.csv -o no.h5 --id b --ids ids.txt --target y
refused 2 'is read as LIBSVM' 0 import x.svm -o no.h5 --id 1
refused 1 'pandas.csv has IDs of examples and noid.csv has none' 0 \
  import pandas.csv noid.csv -o no.h5 --target y
{ head -n 3 column.csv && printf '1,2,%0256d,3,4,5\n' 1; } >long.csv
refused 1 'long.csv:4:5: an ID of more than 255 bytes' 0 \
  import long.csv -o no.h5 --id sample --target y
printf 'a\nb\n' >few.txt
refused 1 'few.txt:2: 2 lines with IDs found, expected 240' 0 import x.svm -o no.h5 --ids few.txt
{ cat ids.txt && echo more; } >many.txt
refused 1 'many.txt:241: 241 lines with IDs found, expected 240' 0 \
  import x.svm -o no.h5 --ids many.txt
{ head -n 9 ids.txt && echo && tail -n 230 ids.txt; } >gap.txt
refused 1 'gap.txt:10:1: an empty line, expected an ID' 0 import x.svm -o no.h5 --ids gap.txt
{ head -n 239 ids.txt && printf '%0300d\n' 1; } >wide.txt
refused 1 'wide.txt:240:1: an ID of more than 255 bytes' 0 import x.svm -o no.h5 --ids wide.txt
# all IDs take as much as the longest one
"$PYTHON" -c 'print("x,id,y\n1,%0255d,2\n" % 1 + "1,a,2\n" * 140000, end="")' >much.csv
refused 1 'IDs of 140001 examples, the longest of 255 bytes, need .* of memory on rank 0' 2 \
  import much.csv -o no.h5 --id id --target y --memory 8M
# a byte of an ID has changed
cp column.h5 hurt.h5 && cp -r column.shards hurt.shards
"$PYTHON" - <<'END'
data = open("hurt.h5", "rb").read()
at = data.index(b"s239\0")
open("hurt.h5", "wb").write(data[:at + 1] + b"X" + data[at + 2:])
END
refused 1 'IDs of stored row 0 and following: checksum mismatch' 0 \
  predict model.h5 hurt.h5 -o no.out
refused 1 'hurt.h5' 0 inspect hurt.h5 --check

# --- targets by tables ---
must 0 import unlabelled.csv -o x.h5 --id sample --target none
ranks 0 inspect x.h5 --json >x.json
[ "$(key x.json labelled)" = false ] || fail "--target none: labelled"
lasso=(--solver lasso --lambda 0.02 --tolerance 1e-12 --force)
must 0 import joined.csv -o joined.h5 --id id --ignore w --target y
must 0 train joined.h5 -o joined.m.h5 "${lasso[@]}"
must 0 import joined.csv -o joined.w.h5 --id id --weights w --target y
must 0 train joined.w.h5 -o joined.w.m.h5 "${lasso[@]}"

# alike MODEL MODEL: the same coefficients of the same names
alike()
{
  "$PYTHON" - "$@" <<'END' || fail "other coefficients in $*"
import sys
from lib import *
(p, a), (q, b) = model(sys.argv[1]), model(sys.argv[2])
sys.exit(not (close(p, q, 1e-7) and set(a) == set(b) and all(close(a[k], b[k], 1e-7) for k in a)))
END
}

# joins COUNT N OPTION...: so many examples of x.h5 are in the table, and give the known model
joins()
{
  must "$2" train "${@:3}" -o made.h5 "${lasso[@]}" || return 0
  grep -q "$1 examples matched" must.err || fail "train ${*:3}: $(cat must.err)"
  alike made.h5 joined.m.h5
}

for n in 0 2; do
  must $n train x.h5 -o height.$n.h5 --targets pheno.tsv --target height "${lasso[@]}"
  grep -q "target 'height' of pheno.tsv, by sample: 200 of 240 examples matched, 20 of them without a value; 40 are not in the table, 9 of its rows not in the data; 180 examples count, 180 of them for training" \
    must.err || fail "matched: $(cat must.err)"
done
alike height.0.h5 joined.m.h5
cmp height.0.h5 height.2.h5 || fail "another model on two ranks"
ranks 0 inspect height.0.h5 --json >height.json
[ "$(key height.json text.target)" = '"height"' ] || fail "the model's target"
must 2 train x.h5 -o made.h5 --targets pheno.tsv --target height --weights-column w "${lasso[@]}"
alike made.h5 joined.w.m.h5
joins 'by key: 200 of 240' 0 x.h5 --targets pheno.csv --target 2 --ids key
joins 'by IID: 200 of 240' 2 x.h5 --targets plink.txt
must 0 import fam.csv -o fam.h5 --id sample --target none
joins 'by IID: 200 of 240' 0 fam.h5 --targets plink.fam
gzip -k pheno.tsv
must 2 train x.h5 -o made.h5 --targets pheno.tsv.gz --target height "${lasso[@]}"
cmp made.h5 height.0.h5 || fail "another model of a packed table"
must 0 import pairs.csv -o pairs.h5 --id sample --target none
must 0 train pairs.h5 -o made.h5 --targets plink.txt "${lasso[@]}"
grep -q 'by FID IID: 199 of 239' must.err || fail "pairs: $(cat must.err)"

# data that have a target get another one; test examples, and scores of them
must 2 train test.h5 -o half.h5 --targets pheno.tsv --target half "${lasso[@]}"
must 2 evaluate half.h5 test.h5 --targets pheno.tsv --target half --json
cp must.out scores.json
must 0 predict half.h5 test.h5 -o half.out --split test
"$PYTHON" - <<'END' || fail "scores by a table"
import json, sys
from lib import *
table = {}
for line in csv.DictReader(open("pheno.tsv", newline=""), delimiter="\t"):
    if line["half"] != "NA":
        table[line["sample"]] = float(line["half"])
errors = [(float(r["prediction"]) - table[r["id"]]) ** 2 for r in rows("half.out")
          if r["id"] in table]
scores = json.load(open("scores.json"))
sys.exit(scores["n"] != len(errors) or not close(scores["mse"], sum(errors) / len(errors), 1e-9))
END
must 0 verify half.h5 test.h5 --targets pheno.tsv --target half
grep -q 'those it was trained on' must.out || fail "verify: $(cat must.out)"
must 2 evaluate half.h5 test.h5 --targets pheno.tsv --target half
! grep -q 'trained on the target' must.err || fail "a note on the target of the model: $(cat must.err)"
must 2 evaluate half.h5 test.h5 --targets pheno.tsv --target height
grep -q 'note: the model was trained on the target half, and is evaluated on height' must.err ||
  fail "no note on another target: $(cat must.err)"
must 2 train x.h5 -o several.h5 --targets pheno.tsv --target height,half --ids sample \
  --report several.json "${lasso[@]}"
cmp several.height.h5 height.0.h5 || fail "another model among several"
[ -s several.half.h5 ] && [ -s several.half.json ] || fail "several targets: $(ls several*)"
[ ! -e several.h5 ] || fail "several targets: a model of none"

# --- a run that was stopped goes on with the same table, and with no other ---
kept=(train x.h5 -o kept.h5 --target height --solver os-prox-sgd --lambda-ratio 0.1
  --checkpoint kept)
! THRESHER_STOP_AT=1 ranks 0 "${kept[@]}" --targets pheno.tsv >stop.out 2>stop.err || fail "not stopped"
[ -n "$(ls kept 2>/dev/null)" ] || fail "no checkpoint: $(cat stop.err)"
sed 's/^s9\t[^\t]*/s9\t77/' pheno.tsv >other.tsv
refused 2 'kept' 0 "${kept[@]}" --targets other.tsv
must 2 "${kept[@]}" --targets pheno.tsv

# --- tables that will not do ---
bad=(train x.h5 -o no.h5)
printf 'sample\ty\nq1\t1\nq2\t2\n' >strange.tsv
refused 1 "no ID .sample. is one of x.h5: there '.*', '.*', here 'q1', 'q2'" 0 \
  "${bad[@]}" --targets strange.tsv
refused 1 "pheno.tsv:1:1: no column 'width' found, there are sample, height, half, w" 0 \
  "${bad[@]}" --targets pheno.tsv --target width
refused 2 'which column is the target. There are sample, height, half, w' 0 \
  "${bad[@]}" --targets pheno.tsv
refused 2 'which column has the IDs. There are w, height, key' 0 "${bad[@]}" --targets pheno.csv
printf 'id,y\ns9,1\ns8,2\ns9,3\n' >twice.csv
refused 1 "twice.csv:4: ID 's9' stands on line 2, too" 0 "${bad[@]}" --targets twice.csv
printf 'id,y\ns9,1\nq,2\nq,3\ns8,2\n' >harmless.csv
must 0 train x.h5 -o made.h5 --targets harmless.csv "${lasso[@]}"
sed 's/,s8,/,s9,/' unlabelled.csv >double.csv
must 0 import double.csv -o double.h5 --id sample --target none
refused 1 "double.h5: examples 8 and 9 of the input, counted from 0, have the same ID, 's9'" 2 \
  train double.h5 -o no.h5 --targets pheno.tsv --target height
printf 'id,y\ns9,1\ns8,tall\n' >word.csv
refused 1 "word.csv:3:4: 'tall' found, expected a number in column 2 .y." 0 \
  "${bad[@]}" --targets word.csv
printf 'id,y,w\ns9,1,-1\n' >minus.csv
refused 1 "minus.csv:2:6: '-1' found, expected a number of at least 0" 0 \
  "${bad[@]}" --targets minus.csv --target y --weights-column w
printf 'id,y\ns9,NA\ns8,.\n' >none.csv
refused 1 "no training example of x.h5 has a target 'y'" 0 "${bad[@]}" --targets none.csv
printf 'id,y\ns9,1\ns8,1,2\n' >more.csv
refused 1 'more.csv:3:.*more than 2 fields found, expected 2' 0 "${bad[@]}" --targets more.csv
printf 'id,y\n"s9,1\n' >open.csv
refused 1 'open.csv:2:1: a quotation mark that is not closed' 0 "${bad[@]}" --targets open.csv
printf 'id,y\n%0256d,1\n' 1 >long.csv
refused 1 'long.csv:2:1: an ID of more than 255 bytes' 0 "${bad[@]}" --targets long.csv
printf 'id,y\n' >empty.csv
refused 1 'empty.csv: no row found' 0 "${bad[@]}" --targets empty.csv
: >nothing.csv
refused 1 'nothing.csv' 0 "${bad[@]}" --targets nothing.csv
printf 'id,y\ns\0,1\n' >zero.csv
refused 1 'zero.csv' 0 "${bad[@]}" --targets zero.csv
refused 1 'gone.csv' 2 "${bad[@]}" --targets gone.csv
printf '1 2 3\n' >short.fam
refused 1 'short.fam:1:1: 3 columns found, expected the 6 of a .fam file' 0 \
  "${bad[@]}" --targets short.fam
refused 1 'noid.h5 has no IDs' 0 train noid.h5 -o no.h5 --targets pheno.tsv --target height
refused 2 '--target is for a file that is imported, or goes with --targets TABLE' 0 "${bad[@]}" --target height
refused 2 '--checkpoint is for one target at a time' 0 \
  "${bad[@]}" --targets pheno.tsv --target height,half --checkpoint two
refused 2 "targets 'half' and 'half' both make no.half.h5" 0 \
  "${bad[@]}" --targets pheno.tsv --target half,half

# --- numbers of a table are those of the data: decimal commas, no marks between thousands but in
# quotes, one form in a column
for i in 0 1 2 3 4 5 6 7; do
  echo "k$i,$i.5" >>point.rows
  echo "k$i;$i,5" >>comma.rows
done
(echo id,a && cat point.rows) >point.csv
(echo "id;a" && cat comma.rows) >comma.csv
must 0 import point.csv -o point.h5 --id id --target none
must 0 import comma.csv -o comma.h5 --id id --target none --decimal ,
# table ROWS: what stands behind each ID
table()
{
  printf "$1" >rows.csv
  for i in 0 1 2 3 4 5 6 7; do printf "$2" "$i" "$i"; done >>rows.csv
}
# fits DATA: each target is the number of the example, and an eighth
fits()
{
  must 0 train "$1" -o fits.h5 --targets rows.csv --solver lasso --lambda 1e-6 --force
  must 0 predict fits.h5 "$1" -o fits.txt --force
  "$PYTHON" - <<'END' || fail "other targets for $1: $(cat fits.txt)"
import sys
rows = [line.split(",") for line in open("fits.txt").read().split()[1:]]
sys.exit(any(abs(float(y) - int(k[1:]) - 0.125) > 1e-3 for k, y in rows))
END
}
table 'id;t\n' 'k%d;%d.125\n' && fits point.h5
refused 1 "decimals have a comma here, as in the text of the data" 0 \
  train comma.h5 -o never.h5 --targets rows.csv --solver lasso
table 'id,t\n' 'k%d,%d.125\n' && fits point.h5 && fits comma.h5
table 'id;t\n' 'k%d;%d,125\n' && fits comma.h5
for mark in ';' '\t' '|'; do
  table "id${mark}t\n" "k%d${mark}%d,125\n"
  refused 1 "rows.csv:2:4: '0,125' found, expected a number in column 2 .t.; decimals have a point here" 0 \
    train point.h5 -o never.h5 --targets rows.csv --solver lasso
done
table 'id,t\n' 'k%d,"%d,125"\n'
refused 1 "decimals have a point here" 0 train comma.h5 -o never.h5 --targets rows.csv --solver lasso
table 'id,t\n' 'k%d,%d\n' && echo 'k8,5%' >>rows.csv
refused 1 "'5%' found in column 2 .t., which has another form above" 0 \
  train point.h5 -o never.h5 --targets rows.csv --solver lasso

# --- -9 is missing beside FID and IID, and nowhere else
for i in 0 1 2 3 4 5 6 7; do
  echo "f$i i$i" >>pairs.ids
  echo "i$i" >>single.ids
done
(echo a,b && for i in 0 1 2 3 4 5 6 7; do echo $i,$((i % 3)); done) >values.csv
must 0 import values.csv -o values.h5 --ids pairs.ids --target none
must 0 import values.csv -o single.h5 --ids single.ids --target none
(echo "FID IID t" && for i in 0 1 2 3 4 5 6 7; do echo "f$i i$i $([ $i -lt 3 ] && echo -9 || echo $i)"; done) >nine.txt
must 0 train values.h5 -o nine.h5 --targets nine.txt --solver lasso --force
grep -q '3 of them without a value' must.err || fail "-9 is not missing: $(cat must.err)"
grep -q '3 rows of nine.txt have the target -9, a missing value beside FID and IID' must.err ||
  fail "-9 is not said: $(cat must.err)"
cut -d' ' -f2,3 nine.txt >alone.txt
must 0 train single.h5 -o nine.h5 --targets alone.txt --solver lasso --force
grep -q '0 of them without a value' must.err || fail "-9 is missing without FID: $(cat must.err)"

# --- a model of another target is said; columns of a table, and their number, are told well
printf 'id,t,u\n' >both.csv
for i in 0 1 2 3 4 5 6 7; do echo "k$i,$i,$((i * i))" >>both.csv; done
must 0 train point.h5 -o t.h5 --targets both.csv --target t --solver lasso
must 0 evaluate t.h5 point.h5 --targets both.csv --target u
grep -q "trained on the target 't', and is compared with 'u'" must.err || fail "another target is not said: $(cat must.err)"
must 0 evaluate t.h5 point.h5 --targets both.csv --target t
! grep -q 'is compared with' must.err || fail "the same target is said to be another"
printf ',id,t\n1,k0,2\n' >unnamed.csv
refused 2 'There are "", id, t' 0 train point.h5 -o never.h5 --targets unnamed.csv --solver lasso
printf 'id,t\nk0\n' >short.csv
refused 1 '1 field found, expected 2' 0 train point.h5 -o never.h5 --targets short.csv --solver lasso
finish
