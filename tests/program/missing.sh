#!/usr/bin/env bash
# missing.sh - values that are missing: every solver learns what it learns where the
# weighted training means were filled in, on any ranks; predictions take the means of the
# training data; what is left out, refused and counted
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

# NAME.csv and NAME.svm lack values, filled.csv has means in their place. The last 60 rows
# are for tests: new.csv lacks values, and known.csv has the training means there.
"$PYTHON" - <<'END'
import numpy
r = numpy.random.default_rng(5)
n, d, train = 360, 24, 300
x = numpy.round(r.normal(size=(n, d)) * 3 + 5 * r.normal(size=d), 3)
y = x[:, 2] - 0.5 * x[:, 7] + 0.2 * r.normal(size=n)
lost = r.random((n, d)) < 0.06
lost[:, 0] = False
lost[:, 11] = r.random(n) < 0.7   # too many
lost[train:, 2] |= r.random(n - train) < 0.4
weight = r.choice([1, 2, 4], n)
words = ["", "NA", "nan", "?", ".", "NULL", " N/A ", "none"]
kept = numpy.where(lost[:train], numpy.nan, x[:train])
held = ~lost[:train]
mean = numpy.array([numpy.average(x[:train, j][held[:, j]], weights=weight[:train][held[:, j]])
                    for j in range(d)])
filled = numpy.where(lost, mean, x)
names = ["x%d" % j for j in range(d)]

stay = [j for j in range(d) if j != 11]

def table(name, rows, cell, first, tail, columns=range(d)):
    with open(name, "w") as f:
        f.write(",".join([names[j] for j in columns] + first) + "\n")
        for i in rows:
            f.write(",".join([cell(i, j) for j in columns] + tail(i)) + "\n")

def lacking(i, j):
    return words[(7 * i + j) % len(words)] if lost[i, j] else repr(float(x[i, j]))

def known(i, j):
    return repr(float(filled[i, j]))

both = lambda i: [str(weight[i]), repr(float(y[i]))]
table("lacking.csv", range(train), lacking, ["w", "y"], both)
table("filled.csv", range(train), known, ["w", "y"], both, stay)
table("new.csv", range(train, n), lacking, [], lambda i: [])
table("known.csv", range(train, n), known, [], lambda i: [])
with open("lacking.svm", "w") as f, open("numbers.svm", "w") as g:
    for i in range(train):
        for file, word in (f, "NA"), (g, "-99"):
            file.write("%r:%d " % (float(y[i]), weight[i]))
            file.write(" ".join("%d:%s" % (j + 1, word if lost[i, j] else repr(float(x[i, j])))
                                for j in range(d)) + "\n")
with open("counts", "w") as f:
    f.write("%s\n" % [int(c) for j, c in enumerate(lost[:train].sum(0)) if j != 11])
END

import="--target y --weights w --type f64 --row-group 64"
# shellcheck disable=SC2086
must 0 import filled.csv -o filled.h5 $import
# shellcheck disable=SC2086
must 0 import lacking.csv -o dense.h5 $import
grep -q "^left out: 1 attribute, which more than 0.5 .*: 'x11'" must.err || fail "x11 is used"
# shellcheck disable=SC2086
must 3 import lacking.csv -o sparse.h5 $import --layout sparse --shards 3
must 0 import lacking.svm -o text.h5 --labels weighted --type f64 --row-group 64
must 0 import numbers.svm -o words.h5 --labels weighted --type f64 --row-group 64 --missing -99
for set in dense sparse text words; do
  must 0 inspect "$set.h5" --check --json
  "$PYTHON" - <<'END' || fail "$set: other counts of missing values"
import json, sys
sys.exit(json.load(open("must.out"))["missing"] != eval(open("counts").read()))
END
done

few="--budget 12 -s 4"
declare -A options=(
  [exploration]="$few" [hybrid]="$few" [exploitation]="--start 2,7,9"
  [rda-ito]="$few" [dantzig]="$few" [ssr]="$few"
)
# near ONE TWO: models with the same support, whose coefficients differ by little
near()
{
  local model
  for model in "$1" "$2"; do
    ranks 0 inspect "$model" --json >"$model.json"
  done
  "$PYTHON" - "$1" "$2" <<'END'
import json, sys
one, two = (json.load(open(name + ".json")) for name in sys.argv[1:])
far = [abs(a - b) for a, b in zip(one["coef"] + [one["intercept"]],
                                  two["coef"] + [two["intercept"]])]
sys.exit(one["support"] != two["support"] or max(far) > 1e-7 * max(map(abs, one["coef"] + [1])))
END
}
for solver in $(ranks 0 solvers | grep '^[a-z]' | grep -vx oomp); do # takes no weights
  for set in filled dense sparse; do
    # shellcheck disable=SC2086
    must 0 train $set.h5 -o $set.m.h5 --force --solver "$solver" ${options[$solver]:-}
  done
  near dense.m.h5 filled.m.h5 || fail "$solver: another model where values are missing"
  [[ $solver =~ prox|gradient|rda|sgd|sift ]] || near sparse.m.h5 filled.m.h5 ||
    fail "$solver: another model where values are missing from sparse data"
done
for set in dense sparse; do
  for solver in sift lasso aerr; do
    must 0 train $set.h5 -o one.h5 --force --solver $solver
    must 3 train $set.h5 -o three.h5 --force --solver $solver
    cmp one.h5 three.h5 || fail "$solver: other bytes on three ranks, $set"
  done
done

# --- the means of the training data stand for what new data lack
must 0 train dense.h5 -o model.h5 --solver lasso --lambda-ratio 0.01
must 0 verify model.h5 dense.h5
for like in dense.h5 model.h5; do
  must 0 import known.csv -o known.h5 --like $like --force
  must 0 predict model.h5 known.h5 -o known.txt --force
  for n in 0 2; do
    must $n import new.csv -o new.h5 --like $like --force
    must $n predict model.h5 new.h5 -o new.txt --force
    "$PYTHON" - <<'END' || fail "other predictions, like $like, $n ranks"
import numpy, sys
a, b = (numpy.loadtxt(f, skiprows=1, delimiter=",") for f in ("known.txt", "new.txt"))
sys.exit(int(a.shape != (60, 2) or abs(a - b).max() > 1e-9))
END
  done
done

# --- what import has left out is not predicted from, by names and, as there are fewer, by
# numbers; like the model its values are there
for i in $(seq 30); do
  echo "$((100 + i)),$((i * i % 7)),$((2 * (100 + i) + i * i % 7))"
done >whole.txt
printf ',1,200\n,2,200\n103,1,207\n' >half.txt
for case in yes:f32 yes:u8 no:f32; do
  as=(--target 3 --header "${case%:*}" --type "${case#*:}" --force)
  for text in whole half; do
    { [ "${case%:*}" = no ] || echo a,b,y; } | cat - $text.txt >$text.csv
  done
  must 0 import whole.csv -o whole.h5 "${as[@]}"
  must 0 train whole.h5 -o whole.m.h5 --solver lasso --lambda 0.001 --force
  must 2 import half.csv -o half.h5 "${as[@]}"
  why='half.h5: a was left out by import, .* model whole.m.h5 uses it' status=1
  [ "${case%:*}" = yes ] || why='for 2 attributes, .* has 1; import .* with --like' status=2
  for command in evaluate verify "predict -o no.csv"; do
    # shellcheck disable=SC2086
    refused 1 "$why" 2 $command whole.m.h5 half.h5
  done
  must 0 import whole.csv -o half.h5 --append
  refused 1 "$why" 0 evaluate whole.m.h5 half.h5
  refused $status "was left out by import|model is for 2 attributes, the data have 1" 0 \
    train half.h5 -o no.h5 --solver exploitation --start whole.m.h5
  must 0 import half.csv -o half.h5 --like whole.h5 --force
  must 0 predict whole.m.h5 half.h5 -o like.csv --force
  must 0 import half.csv -o half.h5 "${as[@]}" --max-missing 1
  must 0 predict whole.m.h5 half.h5 -o own.csv --force
  cmp like.csv own.csv || fail "--max-missing 1: other predictions than with --like"
done

# --- whole numbers, of which one is set aside: the model of the same values in f32
"$PYTHON" - <<'END'
import random
random.seed(8)
for name, values in ("u8", range(255)), ("i8", range(-127, 128)), ("u2", range(3)):
    with open(name + ".csv", "w") as f:
        f.write(",".join("x%d" % j for j in range(20)) + ",y\n")
        for i in range(300):
            row = [random.choice(values) for j in range(20)]
            f.write(",".join("" if random.random() < 0.1 else str(v) for v in row) +
                    ",%d\n" % (row[3] - row[7]))
END
for type in u8 i8 u2; do
  must 2 import $type.csv -o few.h5 --type $type --row-group 64 --force
  must 0 inspect few.h5 --check
  must 0 import $type.csv -o wide.h5 --row-group 64 --force
  must 2 train few.h5 -o few.model.h5 --solver lasso --force
  must 0 train wide.h5 -o wide.model.h5 --solver lasso --force
  must 0 predict few.model.h5 few.h5 -o few.txt --force
  must 0 predict wide.model.h5 wide.h5 -o wide.txt --force
  "$PYTHON" - <<'END' || fail "$type: another model than with f32"
import numpy, sys
a, b = (numpy.loadtxt(f, skiprows=1, delimiter=",") for f in ("few.txt", "wide.txt"))
sys.exit(int(a.shape != b.shape or abs(a - b).max() > 1e-6 * b[:, 1].std()))
END
done

# --- what is refused
refuse()
{
  if ranks 0 import "${@:2}" -o no.h5 --force 2>err; then fail "not refused: import ${*:2}"; fi
  grep -qF -- "$1" err || { fail "wanted '$1'" && cat err >&2; }
}
printf 'a,b,y\n1,NA,2\n3,4,5\n' >small.csv
refuse "small.csv:2:3: 'NA' found in column 2 (b), a missing value, which --missing error" \
  small.csv --missing error
sed 's/3,4/3,255/' small.csv >aside.csv
refuse "1 value is missing, for which u8 has the number 255, and that is there, too" \
  aside.csv --type u8 --max-missing 1
refuse "1 value is missing, which sparse data of type u8 cannot say" \
  small.csv --type u8 --layout sparse
printf 'a,b,y\n1,6,NA\n3,4,5\n' >target.csv
refuse "target.csv:2:5: 'NA' found" target.csv
printf '1 1:2 3:?\n2 1:2\n' >small.svm
refuse "small.svm:1:9: '?' found, expected a finite decimal number as value" \
  small.svm --missing error
printf 'a,b,y\n1,inf,2\n3,4,5\n' >infinite.csv
refuse "'inf' found" infinite.csv
must 0 import small.csv -o kept.h5 --max-missing 1 --missing 3,6
grep -q '^missing:  2 values' must.err || fail "--missing 3,6: $(cat must.err)"
must 0 import small.csv -o again.h5 --like kept.h5
grep -q '^missing:  2 values' must.err || fail "--missing was not taken over"

# --- what --missing names is missing in targets and weights, too, and is refused there
printf 'a,w,y\n1,1,2\n2,99,-9.0\n3,1,4\n' >named.csv
refuse "named.csv:3:6: '-9.0' found in column 3 (y), the target, a missing value" \
  named.csv --missing -9 --ignore w
refuse "named.csv:3:3: '99' found in column 2 (w), the weights, a missing value" \
  named.csv --missing 99 --weights w
sed 's/-9.0/9/' named.csv >known.csv
must 0 import known.csv -o named.h5 --missing -9 --target y
refuse "named.csv:3:6: '-9.0' found in column 3 (y), the target, a missing value" named.csv --like named.h5
printf 'a,y\n1,A\n2,unknown\n3,B\n' >class.csv
refuse "class.csv:3:3: 'unknown' found in column 2 (y), the target, a missing value" \
  class.csv --missing unknown --positive-class A
printf '1 1:2\n-9 1:3\n' >label.svm
refuse "label.svm:2:1: '-9' found, a missing value, expected a label" label.svm --missing -9
refuse "label.svm:2:1: '-9' found, a missing value, expected a label" label.svm --missing -9 --positive-class 1
printf '1:1 1:2\n1:99 1:3\n' >weight.svm
refuse "weight.svm:2:3: weight 99 found, a missing value" weight.svm --missing 99 --labels weighted
"$PYTHON" - <<'END'
import numpy
numpy.save("named.npy", numpy.array([[1, 2, 1], [5, -9, 1], [3, 4, 99]], dtype="f4"))
numpy.save("beside.npy", numpy.array([1, -9, 2], dtype="f8"))
END
refuse "named.npy: target -9 found for row 2, counted from 1, expected a finite number that is not missing" \
  named.npy --target 2 --missing -9
refuse "beside.npy: target -9 found for row 2" named.npy --target beside.npy --missing -9
refuse "named.npy: weight 99 found for row 3" named.npy --target 2 --weights 3 --missing 99
finish
