#!/usr/bin/env bash
# unlabelled.sh - data without a target: imported like those that a model was
# trained on, predicted, and refused where a target is needed; text in place of
# a data set
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

# Training data as CSV with names, and new rows: with a target, without one, with
# columns in another order, without a header; the same as LIBSVM.
"$PYTHON" - <<'END'
import random
random.seed(7)
D = 30
names = ["g%d" % j for j in range(D)]

def rows(count):
    table = []
    for _ in range(count):
        x = [random.choice([0, 0, 1, 2, 3]) for _ in range(D)]
        table.append((x, 1.0 * x[3] - 2 * x[11] + random.gauss(0, 0.1)))
    return table

def write(path, order, table, target, header=True):
    with open(path, "w") as f:
        if header:
            f.write(",".join([names[j] for j in order] + ["price"] * target)
                    + "\n")
        for x, y in table:
            f.write(",".join(["%d" % x[j] for j in order] + ["%g" % y] * target)
                    + "\n")

def libsvm(path, table, target):
    with open(path, "w") as f:
        f.write("# no label\n" * (not target))
        for x, y in table:
            entries = ["%d:%d" % (j + 1, v) for j, v in enumerate(x) if v]
            f.write(" ".join(["%g" % y] * target + entries) + "\n")

train, new = rows(300), rows(77)
straight, turned = list(range(D)), list(range(D))[::-1]
write("train.csv", straight, train, 1)
write("labelled.csv", straight, new, 1)
write("new.csv", straight, new, 0)
write("turned.csv", turned, new, 0)
write("bare.csv", straight, new, 0, header=False)
write("fewer.csv", straight[:7] + straight[8:], new, 0)
write("more.csv", straight, new, 1)
libsvm("train.svm", train, 1)
libsvm("labelled.svm", new, 1)
libsvm("new.svm", new, 0)
END
gzip -c new.csv >new.csv.gz

# --- predictions are those of the same rows with a target ---
for kind in dense sparse u2; do
  options=(--layout "$kind")
  [ $kind = u2 ] && options=(--type u2)
  must 2 import train.csv -o $kind.h5 --target price "${options[@]}" --shards 2
  must 0 train $kind.h5 -o $kind.model.h5 --solver lasso --lambda 0.05
  must 0 import labelled.csv -o labelled.$kind.h5 --like $kind.h5
  must 0 predict $kind.model.h5 labelled.$kind.h5 -o $kind.csv
  [ "$(wc -l <$kind.csv)" -eq 78 ] || fail "$kind: not one line for each row"
  cases="turned.csv:3 new.csv:0"
  [ $kind = dense ] && cases="new.csv:1 turned.csv:2 bare.csv:3 new.csv.gz:4"
  for case in $cases; do
    new=${case%:*} n=${case#*:}
    must "$n" import "$new" -o new.h5 --like $kind.h5 --force --row-group 16
    must "$n" predict $kind.model.h5 new.h5 -o new.out --force
    cmp $kind.csv new.out || fail "$kind, $new, $n ranks: other predictions"
  done
  must 0 inspect new.h5 --check --json
  for member in 'labelled false' "layout \"${kind/u2/dense}\"" 'target null' \
    "type \"$([ $kind = u2 ] && echo u2 || echo f32)\""; do
    [ "$(key must.out "${member%% *}")" = "${member#* }" ] ||
      fail "$kind: not $member"
  done
  must 0 inspect new.h5
  grep -q '^target: *no target' must.out || fail "inspect does not say it"
done
must 0 import new.csv -o f64.h5 --like u2.h5 --type f64 --layout sparse
must 0 inspect f64.h5
grep -q 'sparse f64' must.out || fail "given type and layout do not count"

must 2 import train.svm -o svm.h5
must 0 train svm.h5 -o svm.model.h5 --solver lasso --lambda 0.05
must 0 import labelled.svm -o labelled.svm.h5 --like svm.h5
must 0 predict svm.model.h5 labelled.svm.h5 -o svm.csv
for n in 0 3; do
  must $n import new.svm -o new.svm.h5 --like svm.h5 --force
  must $n predict svm.model.h5 new.svm.h5 -o new.out --force
  cmp svm.csv new.out || fail "LIBSVM, $n ranks: other predictions"
done
must 0 import bare.csv -o bare.h5 --like svm.h5 # by the number of columns
must 0 predict svm.model.h5 bare.h5 -o new.out --force
cmp svm.csv new.out || fail "CSV like LIBSVM: other predictions"
must 0 import labelled.csv -o known.h5 --like dense.h5
must 0 evaluate dense.model.h5 known.h5 # the target is known by its name

# --- what needs a target ---
refused 1 'new.h5 has no target, and train needs one' 2 train new.h5 -o no.h5
refused 1 'new.h5 has no target, and evaluate needs one' 2 \
  evaluate u2.model.h5 new.h5
refused 1 'new.h5 has no target, and verify needs one' 0 \
  verify u2.model.h5 new.h5
# An older program reads the targets, which it refuses as it does here.
if "$PYTHON" -c 'import h5py' 2>/dev/null; then
  "$PYTHON" - <<'END'
import h5py, numpy as np, shutil
for name, change in [("old", lambda f: f.attrs.__delitem__("labelled")),
                     ("forged", lambda f: f["y"].__setitem__(5, 1.0))]:
    shutil.copy("new.h5", name + ".h5")
    shutil.copytree("new.shards", name + ".shards")
    with h5py.File(name + ".h5", "r+") as f:
        assert np.isnan(f["y"][:]).all() and f["X" if "X" in f else "packed"]
        change(f)
END
  refused 1 'old.h5: the target of stored row 0 is not a number' 0 \
    predict u2.model.h5 old.h5 -o no.out
  refused 1 'forged.h5: stored row 5 has a target' 0 inspect forged.h5 --check
fi

# --- what does not fit ---
refused 1 "fewer.csv:1:1: 1 of the attributes of dense.h5 is missing, first 'g7'" \
  3 import fewer.csv -o no.h5 --like dense.h5
sed -i 's/price/cost/' more.csv
refused 1 "more.csv:1:1: column 31, 'cost', is no attribute of dense.h5; leave it out with --ignore cost" \
  0 import more.csv -o no.h5 --like dense.h5
must 0 import more.csv -o more.h5 --like dense.h5 --ignore cost
must 0 predict dense.model.h5 more.h5 -o new.out --force
cmp dense.csv new.out || fail "--ignore with --like: other predictions"
refused 1 'labelled.csv has a target and new.csv has none; import them apart' \
  2 import labelled.csv new.csv -o no.h5 --like dense.h5
refused 1 'labelled.svm has a target and new.svm has none; import them apart' \
  2 import new.svm labelled.svm -o no.h5 --like svm.h5
refused 2 'positive-class is for targets, and new.csv has none' 0 \
  import new.csv -o no.h5 --like dense.h5 --positive-class 1
refused 1 "new.svm:2:1: .* expected a label .*--like TRAIN.h5" 0 \
  import new.svm -o no.h5
printf '1:1 2:1\n\n3:1\n' >empty.svm
refused 1 'empty.svm:2:1: an empty line found' 3 \
  import empty.svm -o no.h5 --like svm.h5
printf '1:1 2:1\n1 3:1\n' >mixed.svm
refused 1 'mixed.svm:2:1: a label found' 0 import mixed.svm -o no.h5 --like svm.h5

# --- text where a data set or a model is wanted: the line to type ---
mkdir 'my data'
cp new.csv 'my data/it'"'"'s new.csv'
refused 1 'train.csv is text, not a data set; import it first: thresher import train.csv -o train.h5$' \
  2 inspect train.csv
refused 1 'new.csv.gz is text, not a data set; import it first: thresher import new.csv.gz --like TRAIN.h5 -o new.h5 ' \
  0 verify dense.model.h5 new.csv.gz
refused 1 "thresher import 'my data/it'.''s new.csv' --like TRAIN.h5 -o 'my data/it'.''s new.h5'" \
  0 verify dense.model.h5 'my data/it'"'"'s new.csv'
refused 1 'train.svm is text, .* thresher import train.svm -o train.h5$' 0 \
  inspect train.svm
refused 1 'train.svm is text, .* --like TRAIN.h5 -o train.h5 ' 0 \
  verify dense.model.h5 train.svm
refused 1 'train.csv is text, not a model; give a model' 2 \
  predict train.csv new.h5 -o no.out
refused 1 'train.csv is text, not a data set; .* thresher import train.csv' 0 \
  import new.csv -o no.h5 --like train.csv
printf 'a,b\001\000\002,c\377\n1,2,\000\n' >noise.csv
refused 1 'noise.csv:1:5: a byte 0 found' 0 train noise.csv -o no.h5
# and what was made of text, where text is wanted
refused 1 'dense.h5 is a data set, not text; train, evaluate and predict take' \
  2 import dense.h5 -o no.h5
refused 1 'dense.model.h5 is a model, not text' 0 import dense.model.h5 -o no.h5
refused 1 'dense.shards/00000.h5 is a shard of a data set, not text' 0 \
  import dense.shards/00000.h5 -o no.h5
refused 1 'dense.h5 is a data set, not text' 0 \
  import train.csv --target price -o no.h5 --test-file dense.h5
# the lines, typed
must 0 import train.csv -o train.h5 --target price
must 0 import new.csv.gz --like train.h5 -o typed.h5
# --- LIBSVM text for targets of a table, with labels or without them
must 0 import train.svm -o train.svm.h5
must 0 train train.svm.h5 -o svm.m.h5 --solver lasso
must 0 import labelled.svm -o like.h5 --like train.svm.h5 --force
must 0 predict svm.m.h5 like.h5 -o like.csv --force
for options in 'labelled.svm' 'new.svm --labels none'; do
  # shellcheck disable=SC2086
  must 2 import $options -o none.h5 --target none --attributes 30 --force
  must 0 inspect none.h5 --json && cp must.out none.json
  [ "$(key none.json labelled)" = false ] || fail "$options: labelled"
  must 0 predict svm.m.h5 none.h5 -o none.csv --force
  cmp like.csv none.csv || fail "$options --target none: other predictions"
done
refused 2 "have no label, and be index:value, or have label:weight; say --labels none" 0 \
  import new.svm -o no.h5 --target none
refused 2 '--target, .*are for CSV; labelled.svm is read as LIBSVM' 0 \
  import labelled.svm -o no.h5 --target 3

finish
