#!/usr/bin/env bash
# export.sh - a model as a table, as JSON and as a function in C gives the numbers of
# predict, the function to the last bit; any name is told in each form
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
if ! "$PYTHON" -c 'import h5py, numpy' 2>/dev/null; then
  echo "skipped: $PYTHON has no h5py or numpy"
  exit 77
fi
rm -rf ./*

# Attributes of many scales, far from 0, with names that look like the ends of fields,
# lines, comments and strings; targets and classes of some of them.
cat >make.py <<'END'
import csv, json, numpy
draw = numpy.random.default_rng(5)
n, d = 400, 24
names = ["tab\there", "line\nend", "\rreturn", "*/ int x; /*", "??/", "back\\slash",
         "\\t", '"quoted"', "(intercept)", "", "\x1b[31m", "\u202eturned", "L" * 300,
         "Größe", "/" * 9, "*" * 8 + "/", "?" * 9 + "\\", "\x00"[:0] + "'%s%n", "a,b",
         "#define x", "$(id)", "\\x41", "NA", "two words"]
assert len(names) == len(set(names)) == d
x = draw.standard_normal((n, d)) * numpy.exp(3 * draw.standard_normal(d)) + 5
x[:, 3] += 1e4
coef = draw.standard_normal(d) / x.std(0)
y = (x - x.mean(0)) @ coef + 3 + draw.standard_normal(n) / 4

def write(path, header, rows):
    with open(path, "w", newline="", encoding="utf-8") as f:
        out = csv.writer(f)
        out.writerows([header] * (header is not None))
        out.writerows(rows)
text = [["%.9g" % v for v in row] for row in x]
write("squared.csv", names + ["t\n*/"], [r + ["%.9g" % t] for r, t in zip(text, y)])
write("labels.csv", names + ["t"], [r + ["yes*/" if t > 3 else "no"] for r, t in zip(text, y)])
json.dump(names, open("names.json", "w"))
with open("sparse.svm", "w") as f:
    for i in range(n):
        row = numpy.sort(draw.permutation(3000)[:40])
        row[0] = draw.integers(9)
        value = draw.standard_normal(40) * 10.0 ** draw.integers(-6, 6, 40)
        score = value[0] - (7 in row) + draw.standard_normal() / 9
        row, at = numpy.unique(row, return_index=True)
        f.write("%d " % (score > 0) + " ".join("%d:%.9g" % (j + 1, v)
                for j, v in zip(row, value[at])) + "\n")
# terms from the smallest to the largest, one far beyond the others, none at all
rows = [[v * 10.0 ** e for v in (1.5, -2.25, 3.0625)] for e in range(-320, 200, 13)]
rows += [[1e-310, 1e150, -1e150], [1e300, 1, 1], [0, 0, 0], [-0.0, 5e-324, 0]]
write("scales.csv", None, [["%.17g" % v for v in row] for row in rows[:-4] + rows[-2:]])
write("far.csv", None, [["%.17g" % v for v in row] for row in rows[-4:-3]])
write("beyond.csv", None, [["%.17g" % v for v in row] for row in rows[-3:-2]])
small = draw.standard_normal((50, 3))
write("small.csv", None, [list(r) + [r @ [1, 2, -3] + draw.standard_normal() / 9] for r in small])
END
"$PYTHON" make.py

# check.py MODEL KIND TEXT [DATA]: the exported MODEL.* against MODEL.out, the predictions of TEXT,
# and against what inspect knows; the means against those of DATA, which it was trained on.
cat >check.py <<'END'
import csv, ctypes, json, math, re, sys, h5py, numpy
name, kind, path = sys.argv[1:4]
model = json.load(open(name + ".model.json"))
want = {int(r["row"]): r for r in csv.DictReader(open(name + ".out"))}
d = model["attributes"]

if path.endswith(".svm"):
    lines = [line.split() for line in open(path)]
    x = numpy.zeros((len(lines), d))
    for i, line in enumerate(lines):
        for entry in line[1:]:
            j, v = entry.split(":")
            if int(j) <= d:
                x[i, int(j) - 1] = float(v)
else:
    rows = list(csv.reader(open(path, newline="", encoding="utf-8")))
    rows = rows[1:] if model["names"] is not None else rows
    x = numpy.array([[float(v) for v in r[:d]] for r in rows])
assert sorted(want) == list(range(len(x))), "rows"
split = numpy.full(len(x), 1)
if len(sys.argv) > 4:
    with h5py.File(sys.argv[4]) as f:
        split[f["row"][:]] = f["split"][:]
single = model["text"]["format"] is not None and kind != "f64"

# --- the table ---
def unescaped(field):
    return re.sub(rb"\\(x[0-9a-f]{2}|.)", lambda m: bytes([int(m[1][1:], 16)]) if m[1][:1] == b"x"
                  else {b"t": b"\t", b"n": b"\n", b"r": b"\r", b"\\": b"\\"}[m[1]], field)

text = open(name + ".tsv", "rb").read()
assert text.endswith(b"\n") and not re.search(b"[\x00-\x08\x0b-\x1f\x7f\"]", text), "the table"
assert "\u202e" not in text.decode(), "a turn of direction"
table = [line.split(b"\t") for line in text[:-1].split(b"\n")]
assert table[0] == b"attribute name coefficient standardized order mean".split()
assert all(len(line) == 6 for line in table), "fields"
assert table[1] == [b"(intercept)", b"", table[1][2], b"", b"", b""], table[1]
intercept, members = float(table[1][2]), table[2:]
support = [int(m[0]) for m in members]
coef = numpy.array([float(m[2]) for m in members])
assert intercept == model["intercept"] and support == model["support"], "the support"
assert list(coef) == model["coef"], "coefficients"
names = [unescaped(m[1]).decode() for m in members]
if model["names"] is None:
    assert not any(names), "names from nowhere"
else:
    known = json.load(open("names.json"))
    assert names == [known[j] for j in support], names
for m, c in zip(members, model["standardized_coef"]):
    assert float(m[3]) == c, m
order = {j: k + 1 for k, j in enumerate(model.get("selected", []))}
assert [m[4].decode() for m in members] == [str(order.get(j, "")) for j in support], "order"
mean = numpy.array([float(m[5]) for m in members])
stored = x.astype(numpy.float32).astype(float) if single else x
train = stored[split == 0][:, support]
if len(train):
    room = 1e-7 * (abs(train).mean(0) + 1e-300)
    assert (abs(train.mean(0) - mean) <= room).all(), (train.mean(0), mean)
terms = stored[:, support] * coef
product = [math.fsum(row) + intercept for row in terms]
for i in range(len(x)):
    room = 1e-15 * (1 + abs(terms[i]).sum() + abs(intercept)) if len(support) else 0
    got = float(want[i]["prediction"])
    assert abs(product[i] - got) <= room, (i, product[i], got)

# --- JSON ---
own = json.load(open(name + ".json"))
assert [m["attribute"] for m in own["members"]] == support and own["intercept"] == intercept
assert [m["coefficient"] for m in own["members"]] == list(coef)
assert [m["standardized"] for m in own["members"]] == model["standardized_coef"]
assert [m["mean"] for m in own["members"]] == list(mean)
assert [m["order"] for m in own["members"]] == [order.get(j) for j in support]
assert [m["name"] for m in own["members"]] == (model["names"] or [None] * len(support))
for key in "solver", "loss", "attributes", "dataset_fingerprint":
    assert own[key] == model[key], key
assert own["settings"] == model["deck"] and own["settings"]["solver"] == own["solver"]
assert own["target"] == {"squared.csv": "t\n*/", "labels.csv": "t"}.get(path), own["target"]
assert own["positive_class"] == ("yes*/" if name == "labels" else None)
assert own["type"] == ("f64" if kind == "f64" else "f32")

# --- C ---
library = ctypes.CDLL("./" + name + ".so")
doubles = numpy.ctypeslib.ndpointer(numpy.float64)
for call in library.thresher_predict, library.thresher_predict_members:
    call.restype, call.argtypes = ctypes.c_double, [doubles]
for i in range(len(x)):
    whole = library.thresher_predict(numpy.ascontiguousarray(x[i]))
    alone = library.thresher_predict_members(numpy.append(x[i][support], 0))
    gap, filled = numpy.array(x[i]), numpy.array(x[i])
    lost = support[i % max(len(support), 1):][:2]
    gap[lost], filled[lost] = math.nan, mean[[support.index(j) for j in lost]]
    assert library.thresher_predict(gap) == library.thresher_predict(filled), (i, "missing")
    assert "%.17g" % whole == want[i]["prediction"] == "%.17g" % alone, (i, whole, alone, want[i])
if kind in ("logistic", "margin"):
    probability = library.thresher_probability
    probability.restype, probability.argtypes = ctypes.c_double, [ctypes.c_double]
    for z in (-1e9, -800, -.25, 0, 3, 1e9):
        p = 1 / (1 + math.exp(-z)) if z > -700 else 0
        if kind == "margin":
            p = min(max((1 + z) / 2, 0), 1)
        assert math.isclose(probability(z), p, rel_tol=1e-15), z
for i in range(len(x) * (kind == "logistic")):
    p = probability(float(want[i]["prediction"]))
    assert math.isclose(p, float(want[i]["probability"]), rel_tol=1e-15), (i, p, want[i])
assert hasattr(library, "thresher_probability") == (kind in ("logistic", "margin"))
print(name, len(x), "examples,", len(support), "attributes")
END

# exported NAME KIND TEXT [DATA]: NAME.model.h5, which has predicted TEXT as NAME.out, in all forms.
strict=(-pedantic -Wall -Wextra -Werror -Wconversion -Wmissing-prototypes)
exported()
{
  ranks 0 inspect "$1.model.h5" --json >"$1.model.json"
  must 0 export "$1.model.h5" -o "$1.tsv"
  must 0 export "$1.model.h5" --as json -o "$1.json"
  must 0 export "$1.model.h5" --as c -o "$1.c"
  "${CC:-cc}" -std=c99 -O0 "${strict[@]}" -c -o /dev/null "$1.c" || fail "$1.c is no C99"
  "${CC:-cc}" -std=c11 -O3 "${strict[@]}" -fPIC -shared -o "$1.so" "$1.c" -lm &&
    "$PYTHON" check.py "$@" || fail "$1 as $2 predicts otherwise than $3"
}

# learn NAME KIND TEXT OPTION... -- OPTION...: import by the first options, train by the others.
learn()
{
  local name=$1 kind=$2 text=$3 import=()
  shift 3
  while [ "$1" != -- ]; do
    import+=("$1")
    shift
  done
  must 0 import "$text" -o "$name.h5" --row-group 64 --test 0.1 "${import[@]}"
  must 0 train "$name.h5" -o "$name.model.h5" "${@:2}"
  must 0 predict "$name.model.h5" "$name.h5" -o "$name.out" --split all
  exported "$name" "$kind" "$text" "$name.h5"
}

# alike NAME: the same from several ranks, and on the standard output.
alike()
{
  local form
  for form in tsv json c; do
    ranks $((${#form} - 1)) export "$1.model.h5" --as $form >out -q || fail "$1: --as $form"
    cmp out "$1.$form" || fail "$1: --as $form to the standard output"
  done
  must 3 predict "$1.model.h5" "$1.h5" -o ranks.out --split all --force
  cmp "$1.out" ranks.out || fail "$1: other predictions on 3 ranks"
}

learn squared squared squared.csv --target 25 --shards 2 -- --solver lasso --lambda-ratio 0.001
learn labels logistic labels.csv --target 25 --positive-class 'yes*/' -- --solver lasso --lambda-ratio 0.01
learn sparse logistic sparse.svm --layout sparse -- --loss logistic --solver lasso --lambda-ratio 0.1
learn hinge margin sparse.svm --layout sparse -- --loss squared-hinge --solver os-prox-sgd \
  --lambda-ratio 0.1 --epochs 3
learn double f64 squared.csv --target 25 --type f64 -- --solver sift
learn pursuit order squared.csv --target 25 -- --solver omp -s 6
[ "$(cut -f 5 pursuit.tsv | sed 1,2d | sort | xargs)" = '1 2 3 4 5 6' ] ||
  fail "the order of omp: $(cut -f 5 pursuit.tsv | xargs)"
learn empty squared squared.csv --target 25 -- --solver lasso --lambda-ratio 1
[ "$(wc -l <empty.tsv)" -eq 2 ] || fail "a support from nowhere"
alike squared
alike sparse

# the prediction of an example does not depend on the others that are there
head -n 150 sparse.svm >some.svm
for size in 32 4096; do
  must 0 import some.svm -o some.h5 --like sparse.h5 --force --row-group $size --no-shuffle
  must 0 predict sparse.model.h5 some.h5 -o some.csv --force
  sort sparse.out >all.sorted
  ! sort some.csv | comm -23 - all.sorted | grep . ||
    fail "row groups of $size: other predictions"
done

# numbers of any size
must 0 import small.csv -o small.h5 --type f64 --target 4
must 0 train small.h5 -o scales.model.h5 --solver lasso --lambda-ratio 0.001
for text in far scales; do
  must 0 import $text.csv -o far.h5 --like small.h5 --force --no-shuffle
  must 0 predict scales.model.h5 far.h5 -o scales.out --force
  rm -f scales.tsv scales.json scales.c
  exported scales f64 $text.csv
done
"$PYTHON" -c 'import ctypes, math
predict = ctypes.CDLL("./scales.so").thresher_predict
predict.restype = ctypes.c_double
for bad in 1e300, math.inf, -math.inf:
    for k in range(3):
        x = [1.0] * 3
        x[k] = bad
        assert math.isnan(predict((ctypes.c_double * 3)(*x))), (bad, k)' ||
  fail "a prediction of what is no number"

# what stands for missing values, beside values of every type
"$PYTHON" - <<'END'
import numpy
draw = numpy.random.default_rng(3)
x = draw.integers(0, 3, (200, 6))
y = x @ [1, -2, .5, 0, 3, .25] + draw.normal(size=200) / 9
with open("gaps.csv", "w") as f:
    f.write("a,b,c,d,e,f,y\n")
    for row, t in zip(numpy.where(draw.random(x.shape) < .2, "", x.astype(str)), y):
        f.write(",".join(row) + ",%.9g\n" % t)
END
for type in u2 u8 i8 f32 f64; do
  must 0 import gaps.csv -o gaps.h5 --type $type --force
  must 0 train gaps.h5 -o gaps.model.h5 --solver lasso --lambda-ratio 0.01 --force
  must 0 predict gaps.model.h5 gaps.h5 -o gaps.out --force
  must 0 export gaps.model.h5 --as c -o gaps.c --force
  "${CC:-cc}" -std=c99 -O2 -fPIC -shared -o gaps_$type.so gaps.c -lm
  "$PYTHON" - $type <<'END' || fail "$type: the function gives other bits than predict"
import csv, ctypes, math, sys
predict = ctypes.CDLL("./gaps_%s.so" % sys.argv[1]).thresher_predict
predict.restype = ctypes.c_double
rows = list(csv.reader(open("gaps.csv")))[1:]
for line in csv.DictReader(open("gaps.out")):
    x = [float(v) if v else math.nan for v in rows[int(line["row"])][:6]]
    assert predict((ctypes.c_double * 6)(*x)) == float(line["prediction"]), line
END
done

# what cannot be written leaves nothing
refused 1 'trained on genotypes with alleles.* --as tsv' 2 \
  export squared.model.h5 --as plink-score -o new.tsv
refused 1 'cannot write no/new.c: No such file' 0 export squared.model.h5 --as c -o no/new.c
refused 1 'squared.tsv' 0 export squared.model.h5 -o squared.tsv
refused 2 'output squared.model.h5 is an input' 0 \
  export squared.model.h5 -o squared.model.h5 --force
refused 2 '--as xml: must be tsv, json, c or plink-score' 0 export squared.model.h5 --as xml
refused 1 'squared.h5' 0 export squared.h5 -o new.tsv
refused 1 'squared.csv' 0 export squared.csv -o new.tsv
head -c 3000 squared.model.h5 >cut.h5
refused 1 'cut.h5' 2 export cut.h5 -o new.tsv
must 0 export squared.model.h5 -o empty.tsv --force
cmp empty.tsv squared.tsv || fail "--force"
for form in tsv json c; do
  rc=0
  "$THRESHER" export squared.model.h5 --as $form >/dev/full 2>full.err || rc=$?
  [ "$rc" -eq 1 ] && [ "$(grep -c '^thresher: ' full.err)" -eq 1 ] ||
    fail "--as $form to a full device: status $rc: $(cat full.err)"
done
finish
