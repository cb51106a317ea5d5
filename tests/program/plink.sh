#!/usr/bin/env bash
# plink.sh - genotypes of PLINK 1: the calls of .bed, one by one; phenotypes; variants without
# a name of their own; alleles that have changed places; calls that are missing, in every
# solver; files that are cut short or in another order
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*
export PYTHONPATH="$SOURCE/tests/program" PYTHONDONTWRITEBYTECODE=1

# said TEXT: in the messages of the last run
said()
{
  grep -qF -- "$1" must.err || fail "nothing said of '$1': $(cat must.err)"
}

# refused TEXT ARGUMENT...: one line with this text, and nothing is left
refused()
{
  rm -rf no.h5 no.shards
  if ranks 0 import "${@:2}" -o no.h5 >no.out 2>no.err; then
    fail "imported: ${*:2}"
  fi
  grep -qF -- "$1" no.err || fail "no '$1' in: $(cat no.err)"
  [ "$(grep -c '^thresher: ' no.err)" -eq 1 ] || fail "not one line: $(cat no.err)"
  [ -z "$(ls -d no.h5 no.shards .no* 2>/dev/null)" ] || fail "something is left of: ${*:2}"
}

# checked SET STEM: the data set has the calls, phenotypes, names and alleles of the cohort
checked()
{
  "$PYTHON" - "$1" "$2" <<'END' || fail "$1 is not $2"
import sys, numpy, plink_data
calls, people, variants = plink_data.read(sys.argv[2])
values, master = plink_data.stored(sys.argv[1])
row = master["row"][:]
assert sorted(row) == list(range(len(people))), "rows"
assert (values == calls[:, row]).all(), "calls"
y = master["y"][:]
assert (y == numpy.array([float(people[i][5]) for i in row])).all(), "phenotypes"
assert [n.decode() for n in master["names"][:]] == [v[1] for v in variants], "names"
for which, column in ("chromosome", 0), ("counted", 4), ("other", 5):
    texts = master["variants/" + which][:].tobytes().split(b"\0")[:-1]
    assert [t.decode() for t in texts] == [v[column] for v in variants], which
assert (master["variants/position"][:] == [int(v[3]) for v in variants]).all(), "positions"
END
}

# --- Calls, on any ranks and in any order, and in other types
"$PYTHON" -m plink_data plain 703 900 1 0
for n in 0 1 2 3; do
  must $n import plain.bed -o set.h5 --test 0.1 --shards 3 --row-group 64 --force
  checked set.h5 plain
  cat set.shards/*.h5 set.h5 | cksum >sum.$n
done
for n in 1 2 3; do
  cmp sum.0 sum.$n || fail "other bytes on $n ranks"
done
must 0 import plain --no-shuffle -o set.h5 --force # by its stem
checked set.h5 plain
must 2 import plain.bed -o bytes.h5 --type u8 --no-shuffle
"$PYTHON" - <<'END' || fail "other values in u8"
import h5py, plink_data
assert (h5py.File("bytes.h5")["X"][:] == plink_data.stored("set.h5")[0]).all()
END
for ending in bim fam; do # a mark of UTF-8 is no part of them
  { printf '\xef\xbb\xbf' && cat plain.$ending; } >mark.$ending
done
cp plain.bed mark.bed
must 0 import mark.bed -o mark.h5 --no-shuffle
checked mark.h5 plain
gzip -k plain.bed
must 0 import plain.bed.gz -o zipped.h5 --no-shuffle
rm plain.bed.gz
checked zipped.h5 plain

# Two files are one; the second has other variants in between, and alleles the other way.
"$PYTHON" - <<'END'
import numpy, plink_data
calls, people, _ = plink_data.read("plain")
y = [p[5] for p in people]
calls = calls.T
more = numpy.zeros((403, 950), int)
ids = ["x%d" % k for k in range(950)]
more[:, 20:920] = calls[300:][:, ::-1]
ids[20:920] = ["rs%d" % (899 - k) for k in range(900)]
swapped = [20 + 899 - a for a in range(0, 900, 7)]
more[:, swapped] = 2 - more[:, swapped]
plink_data.write("first", calls[:300], y[:300])
plink_data.write("second", more, y[300:], ids=ids, swapped=swapped)
END
must 2 import first.bed second.bed -o parts.h5 --no-shuffle
said "A1 and A2 of 129 variants have changed places"
must 0 inspect set.h5 --json && cp must.out set.json
"$PYTHON" - <<'END' || fail "IDs are not those of the .fam"
import json
people = [" ".join(line.split()[:2]) for line in open("plain.fam")]
ids = json.load(open("set.json"))["ids"]
assert ids["count"] == len(people) and ids["first"] == people[:len(ids["first"])], ids
END
must 0 inspect parts.h5 --json && cp must.out parts.json
compare "fingerprint of two files" "$(key parts.json fingerprint)" == "$(key set.json fingerprint)"
must 0 import second.bed --like set.h5 -o like.h5 --no-shuffle
"$PYTHON" - <<'END' || fail "--like has other values"
import plink_data
values, master = plink_data.stored("like.h5")
assert (values == plink_data.read("plain")[0][:, 300:]).all()
assert master["variants/counted"][:].tobytes() == b"A\0" * 900
END
sed 's/	A	G$/	A	C/' first.bim >other.bim
cp first.bed other.bed && cp first.fam other.fam
refused "'rs0' has the alleles A and C, and A and G in set.h5" other.bed --like set.h5
sed 's/rs7	/rs7000	/' first.bim >other.bim
refused "1 of 900 variants of set.h5 are not there, first 'rs7'" other.bed --like set.h5

# --- Phenotypes
phenotypes() # VALUES: example i of few.fam has the i-th of them, over and over
{
  "$PYTHON" - "$@" <<'END'
import sys, plink_data
calls, _, _ = plink_data.read("first")
y = sys.argv[1:]
plink_data.write("few", calls.T[:60, :150], [y[i % len(y)] for i in range(60)])
END
}
phenotypes 1 2 2 -9 0 NA
must 0 import few.bed -o few.h5 --force
said "the phenotype, 20 of '2' (+1) and 10 of '1' (-1)"
said "left out: 30 of 60 people"
"$PYTHON" - <<'END' || fail "cases and controls"
import h5py
f = h5py.File("few.h5")
assert all(y == (1, -1)[r % 6 == 0] and r % 6 < 3 for y, r in zip(f["y"][:], f["row"][:]))
assert len(f["y"]) == 30 and f.attrs["positive_class"] in ("2", b"2")
END
must 0 import few.bed -o few.h5 --force --positive-class 1
said "10 of '1' (+1) and 20 of '2' (-1)"
refused "'yes' is no phenotype of cases and controls" few.bed --positive-class yes
must 0 train few.h5 -o few.m.h5 --solver lasso --lambda-ratio 0.1 --force # people who are only predicted stay
for n in 1 3; do
  mkdir few$n
  must $n import few.bed -o few$n/like.h5 --like few.m.h5 --row-group 16 --shards 3
  said "30 of 60 people, whose phenotype is not known, have weight 0"
done
for file in like.h5 like.shards/00000.h5; do
  cmp few1/$file few3/$file || fail "$file: other bytes on 3 ranks"
done
must 2 import few.bed -o all.h5 --target none --force
said "target:   none"
for set in few1/like all; do
  must 0 predict few.m.h5 $set.h5 -o $set.csv
  [ "$(wc -l <$set.csv)" -eq 61 ] || fail "$set: not all people are predicted"
done
cmp few1/like.csv all.csv || fail "other predictions of people without a phenotype"
# a table of IIDs alone, which differ, or not
{ printf '#IID\tt\n' && awk '{ print $2 "\t" NR % 7 }' few.fam; } >iid.txt
{ printf '#FID\tIID\tt\n' && awk '{ print $1 "\t" $2 "\t" NR % 7 }' few.fam; } >both.txt
for table in iid both; do
  must 2 train all.h5 -o $table.m.h5 --targets $table.txt --solver lasso
  said "by $([ $table = iid ] || echo 'FID ')IID: 60 of 60 examples matched"
done
cmp iid.m.h5 both.m.h5 || fail "another model of IIDs alone"
sed -i 's/F3 I3 /F3 I2 /' few.fam
must 0 import few.bed -o all.h5 --target none --force
if ranks 0 train all.h5 -o no.h5 --targets iid.txt 2>no.err; then fail "joined by IIDs that do not differ"; fi
grep -q "examples 2 and 3 of the input, counted from 0, have the same ID, 'I2'" no.err || fail "$(cat no.err)"
rm -r all.*
must 0 evaluate few.m.h5 few1/like.h5 && grep -E '^(n|mse)' must.out >few.txt
must 0 evaluate few.m.h5 few.h5 && grep -E '^(n|mse)' must.out >own.txt
grep -q '^n  *30$' own.txt && cmp few.txt own.txt || fail "people without a phenotype are evaluated"
phenotypes 0 1
must 0 import few.bed -o few.h5 --target none --force
said "target:   none"
refused "every known phenotype is 1; write 1 for controls" few.bed
phenotypes 1.5 2 0 -9
must 0 import few.bed -o few.h5 --force
said "the phenotype, a number"
said "left out: 15 of 60 people"
phenotypes -9
must 0 import few.bed -o few.h5 --force
said "target:   none"
phenotypes 1 inf
refused "few.fam:2:13: 'inf' found" few.bed
phenotypes 1 x
refused "few.fam:2:13: 'x' found" few.bed

# --- Variants without a name of their own
phenotypes 1.5 2
awk -v OFS='\t' 'NR % 10 == 1 { $2 = "." } NR % 10 == 2 || NR % 10 == 3 { $2 = "same" NR % 20 }
  NR == 31 { $4 = 21 } { print }' few.bim >renamed.bim && mv renamed.bim few.bim
must 0 import few.bed -o few.h5 --force
said "45 variants without an ID of their own are named chromosome:position:A1:A2"
"$PYTHON" - <<'END' || fail "names"
import h5py
names = [n.decode() for n in h5py.File("few.h5")["names"][:]]
assert len(set(names)) == 150 and names[0] == "1:1:A:G" and names[3] == "rs3"
assert names[20] == "1:21:A:G" and names[30] == "1:21:A:G:2", names[30]
END

# --- Calls that are missing: every solver gives the model of data in which the means stand
"$PYTHON" -m plink_data gaps 700 300 3 0.07
for type in u2 u8 f32; do
  must 0 import gaps.bed -o $type.h5 --type $type --row-group 64 --test 0.1
  said "missing:  14575 values of 300 of 300 attributes"
  must 0 inspect $type.h5 --check
done
checked u2.h5 gaps
"$PYTHON" - <<'END'
import numpy, plink_data
calls, people, _ = plink_data.read("gaps")
_, master = plink_data.stored("u2.h5")
x = calls.T.astype(float)
x[x == 3] = numpy.nan
train = master["row"][:][master["split"][:] == 0]
mean = numpy.float32(numpy.nanmean(x[train], 0)).astype(float)
x = numpy.where(numpy.isnan(x), mean, x)
with open("filled.csv", "w") as f:
    f.write("y," + ",".join("rs%d" % a for a in range(300)) + "\n")
    for i, row in enumerate(x):
        f.write(people[i][5] + "," + ",".join("%.17g" % v for v in row) + "\n")
END
must 0 import filled.csv -o f64.h5 --type f64 --target y --row-group 64 --test 0.1
few="--budget 60 -s 6"
declare -A options=(
  [exploration]="$few" [hybrid]="$few" [exploitation]="--start 3,50,120"
  [rda-ito]="$few" [dantzig]="$few" [oomp]="--mu 0.1"
)
k=0
for solver in $(ranks 0 solvers | grep '^[a-z]'); do
  tried $((k++)) 4 || continue
  for type in u2 u8 f64; do
    # shellcheck disable=SC2086
    must 0 train $type.h5 -o $type.model.h5 --force --solver "$solver" ${options[$solver]:-}
    must 0 predict $type.model.h5 $type.h5 -o - && mv must.out $type.txt
  done
  "$PYTHON" - "$solver" <<'END' || fail "$solver: other predictions"
import numpy, sys
u2, u8, f64 = (numpy.loadtxt(t + ".txt", comments="#", skiprows=1, delimiter=",", usecols=-1)
               for t in ("u2", "u8", "f64"))
apart = max(abs(u2 - f64).max(), abs(u8 - f64).max()) / max(f64.std(), 1e-3)
assert apart < (1e-2 if sys.argv[1] in ("sgd", "dantzig") else 1e-5), apart
END
done
for solver in lasso sift saga; do
  must 1 train u2.h5 -o one.h5 --force --solver $solver
  must 3 train u2.h5 -o three.h5 --force --solver $solver
  must 0 train u2.h5 -o small.h5 --force --solver $solver --memory 20M
  cmp one.h5 three.h5 || fail "$solver: other bytes on 3 ranks"
  cmp one.h5 small.h5 || fail "$solver: other bytes with little memory"
done
must 2 train u2.h5 -o lasso.h5 --solver lasso
must 2 verify lasso.h5 u2.h5

refused "missing values, and --missing says that none may be" gaps.bed --missing error
refused "--missing -9: gaps.bed says itself which values are missing" gaps.bed --missing -9
"$PYTHON" - <<'END'
import plink_data
calls, people, _ = plink_data.read("gaps")
calls = calls.T.copy()
calls[100:, 8] = 3
plink_data.write("lost", calls, [p[5] for p in people])
END
must 2 import lost.bed -o lost.h5
said "left out: 1 attribute, which more than 0.5 of the training examples lack: 'rs8'"
"$PYTHON" - <<'END' || fail "what lacks too many calls is not left out"
import h5py, plink_data
values, _ = plink_data.stored("lost.h5")
names = list(h5py.File("lost.h5")["names"].asstr()[:])
calls, _, _ = plink_data.read("lost")
assert len(values) == len(names) == len(calls) - 1 and "rs8" not in names and names[8] == "rs9"
END
must 0 import lost.bed -o lost.h5 --max-missing 0.9 --force
checked lost.h5 lost

# The reader of this test against PLINK, where it is installed.
if command -v plink1.9 >/dev/null; then
  plink1.9 --bfile gaps --recode A --keep-allele-order --allow-no-sex --out oracle >plink.log
  "$PYTHON" - <<'END' || fail "PLINK reads other calls"
import plink_data
calls, people, _ = plink_data.read("gaps")
with open("oracle.raw") as f:
    rows = [line.split()[6:] for line in f][1:]
assert rows == [["NA" if c == 3 else str(c) for c in person] for person in calls.T]
END
fi

# --- A model knows the alleles that it counts
must 0 import plain.bed -o all.h5 --no-shuffle --force
must 0 train all.h5 -o model.h5 --solver lasso
"$PYTHON" - <<'END'
import numpy, plink_data
calls, people, _ = plink_data.read("plain")
calls = calls.T[100:140].copy()
calls[:, ::2] = 2 - calls[:, ::2]
plink_data.write("new", calls, [p[5] for p in people[100:140]], swapped=range(0, 900, 2))
END
must 0 import new.bed --like model.h5 -o new.h5 --no-shuffle
said "have changed places"
must 0 predict model.h5 new.h5 -o - && mv must.out new.txt
must 0 predict model.h5 all.h5 -o - && mv must.out all.txt
"$PYTHON" - <<'END' || fail "new data are predicted by other alleles"
import numpy
new, old = (numpy.loadtxt(t, comments="#", skiprows=1, delimiter=",", usecols=-1)
            for t in ("new.txt", "all.txt"))
assert len(new) == 40 and new.std() > 0.1 and abs(new - old[100:140]).max() < 1e-9
END

# Without --like the model is turned round, also what stands for a missing call; and an allele
# that nobody carries, written 0 or a dot, fits any.
"$PYTHON" - <<'END'
import numpy, plink_data
calls, people, _ = plink_data.read("plain")
calls, y = calls.T[100:180].copy(), [p[5] for p in people[100:180]]
calls[numpy.random.default_rng(2).random(calls.shape) < 0.05] = 3
calls[:, 3], calls[:, 50] = 0, 2 # two of the three that make the phenotype
plink_data.write("kept", calls, y)
calls[:, ::2] = numpy.where(calls[:, ::2] == 3, 3, 2 - calls[:, ::2])
plink_data.write("turned", calls, y, swapped=range(0, 900, 2))
with open("turned.bim") as f:
    lines = [line.split() for line in f]
lines[3][4], lines[50][4] = "0", "." # where A1 and A2 are as before, and where they are not
with open("nobody.bim", "w") as f:
    f.writelines("\t".join(v) + "\n" for v in lines)
END
cp turned.bed nobody.bed && cp turned.fam nobody.fam
must 0 import kept.bed --like model.h5 -o kept.h5 --no-shuffle
must 0 predict model.h5 kept.h5 -o kept.txt
for cohort in kept turned nobody; do
  for type in u2 f32; do
    must 2 import $cohort.bed -o new.h5 --no-shuffle --force --type $type
    must 2 predict model.h5 new.h5 -o own.txt --force
    [ $cohort = kept ] || said "variants of model.h5 have changed places; their coefficients are turned"
    must 0 evaluate model.h5 new.h5 --json && cp must.out own.json
    [ -f first.json ] || cp own.json first.json
    "$PYTHON" - <<'END' || fail "$cohort as $type: other predictions without --like"
import json, numpy
r2, first = (json.load(open(name))["r2"] for name in ("own.json", "first.json"))
assert abs(r2 - first) < 1e-6, r2
own, kept = (numpy.loadtxt(t, skiprows=1, delimiter=",", usecols=-1) for t in ("own.txt", "kept.txt"))
assert len(own) == 80 and abs(own - kept).max() < 1e-6, abs(own - kept).max()
END
  done
  must 0 import $cohort.bed --like model.h5 -o like.h5 --no-shuffle --force
  must 0 predict model.h5 like.h5 -o own.txt --force
  cmp own.txt kept.txt || fail "$cohort: other predictions with --like"
  "$PYTHON" - <<'END' || fail "$cohort: alleles are not those of the model"
import h5py
f = h5py.File("like.h5")
for which, allele in ("counted", b"A"), ("other", b"G"):
    assert set(f["variants/" + which][:].tobytes().split(b"\0")[:-1]) == {allele}, which
END
done
must 0 import turned.bed -o new.h5 --no-shuffle --force
if ranks 0 verify model.h5 new.h5 2>no.err; then fail "verified with alleles that have changed places"; fi
grep -q 'changed places; import the data with --like the data' no.err || fail "$(cat no.err)"
must 0 train new.h5 -o start.h5 --solver exploitation --start model.h5
said "their coefficients are turned"
sed 's/	A$/	C/; s/	G$/	C/' turned.bim >other.bim
cp turned.bed other.bed && cp turned.fam other.fam
must 0 import other.bed -o new.h5 --force
for n in 0 2; do
  if ranks $n predict model.h5 new.h5 -o no.csv 2>no.err; then fail "predicted with other alleles"; fi
  grep -q "new.h5: rs[0-9]* has the alleles [AG] and C, and A and G in model model.h5" no.err ||
    fail "$(cat no.err)"
done
must 2 import nobody.bed kept.bed -o new.h5 --force # the second one knows what the first does not
"$PYTHON" - <<'END' || fail "alleles of two files"
import h5py
f = h5py.File("new.h5")
for which, odd in ("counted", b"A"), ("other", b"G"):
    texts = f["variants/" + which][:].tobytes().split(b"\0")[:-1]
    assert texts[3] == odd and texts[50] == (b"G" if odd == b"A" else b"A"), texts[50]
END

# What it counts is what `plink2 --score` adds up, also with the alleles the other way.
must 0 export model.h5 --as plink-score -o score.txt
grep -q 'ID	ALLELE	WEIGHT' score.txt || fail "a table for plink2: $(head -n 1 score.txt)"
"$PYTHON" - <<'END' || fail "plink2 would give other scores"
import numpy, plink_data
_, people, variants = plink_data.read("new")
calls = plink_data.read("new")[0]
place = {v[1]: k for k, v in enumerate(variants)}
sums = numpy.zeros(len(people))
with open("score.txt") as f:
    for name, allele, weight in (line.split() for line in list(f)[1:]):
        k = place[name]
        copies = calls[k] if variants[k][4] == allele else 2 - calls[k]
        assert allele in variants[k][4:6]
        sums += float(weight) * copies
new = numpy.loadtxt("new.txt", comments="#", skiprows=1, delimiter=",", usecols=-1)
apart = new - sums
assert apart.std() < 1e-9, apart
END

# --- Files that are not as they should be
size=$(wc -c <plain.bed)
for bytes in 0 2; do
  head -c $bytes plain.bed >bad.bed
  refused "bad.bed: $bytes bytes found, expected at least 3" bad.bed
done
cp plain.bim bad.bim && cp plain.fam bad.fam
head -c 1000 plain.bed >bad.bed
refused "bad.bed: 1000 bytes found, expected $size, for the 703 people of bad.fam" bad.bed
cat plain.bed plain.fam >bad.bed
refused "bad.bed: $((size + $(wc -c <plain.fam))) bytes found, expected $size" bad.bed
{ printf '\x6c\x1b\x00' && tail -c +4 plain.bed; } >bad.bed
refused "convert it with plink --bfile bad --make-bed --out bad-new" bad.bed
tail -c +4 plain.bed >bad.bed
refused "convert it with plink --bfile bad --make-bed --out bad-new" bad.bed
cp plain.bed bad.bed
refused "bad.bim is read with the .bed beside it" bad.bim
head -n 899 plain.bim >bad.bim
refused "the 899 variants of bad.bim" bad.bed
{ head -n 8 plain.bim && printf '1 rs8 0 x A G\n' && tail -n +10 plain.bim; } >bad.bim
refused "bad.bim:9:9: 'x' is no position" bad.bed
{ head -n 8 plain.bim && printf '1 rs8 0 A\n'; } >bad.bim
refused "bad.bim:9:1: 4 columns found, expected 6" bad.bed
: >bad.bim
refused "bad.bim:1:1: an empty file found" bad.bed
rm bad.bim
refused "bad.bim: No such file" bad.bed
refused "sparse is for text" plain.bed --layout sparse
refused "attributes is for text" plain.bed --attributes 900

finish
