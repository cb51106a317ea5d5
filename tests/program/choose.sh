#!/usr/bin/env bash
# choose.sh - lambda is chosen by cross-validation where none is given, and the path is kept:
# in the file, in what inspect prints, in predictions at any lambda; the same on any number
# of ranks
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
if ! "$PYTHON" -c 'import h5py, numpy, scipy' 2>/dev/null; then
  echo "skipped: $PYTHON has no h5py or SciPy"
  exit 77
fi
rm -rf ./*

"$PYTHON" - <<'END'
import random
random.seed(5)
for name, labels in (("numbers", False), ("labels", True)):
    with open(name + ".csv", "w") as f:
        print(*["v%d" % j for j in range(25)], "y", sep=",", file=f)
        for i in range(160):
            x = [round(random.gauss(1, 2), 3) for j in range(25)]
            y = x[3] - 0.7 * x[8] + 0.4 * x[20] + random.gauss(0, 3)
            print(*x, int(y > 0.7) if labels else round(y, 4), sep=",", file=f)
END
for data in numbers labels; do
  must 0 import $data.csv -o $data.h5 --target y --test 0.2 --force
  must 0 train $data.h5 -o $data.m.h5 --solver lasso --telemetry $data.jsonl --force
  ranks 0 inspect $data.m.h5 --json >$data.json
  ranks 0 inspect $data.m.h5 --path --json >$data.path.json
  ranks 0 inspect $data.m.h5 --path >$data.path.txt
  ranks 0 verify $data.m.h5 $data.h5 --retrain >verify.txt || fail "$data: $(cat verify.txt)"
  must 2 train $data.h5 -o other.h5 --solver lasso --force
  cmp $data.m.h5 other.h5 || fail "$data: another model on two ranks"
done

# The path in the file is what is printed; its losses choose; telemetry tells the folds.
check_path()
{
  "$PYTHON" - "$1" <<'END' || fail "$1: the path"
import csv, h5py, json, sys
import numpy as np
from scipy.sparse import csr_matrix
data = sys.argv[1]
model = json.load(open(data + ".json"))
shown = json.load(open(data + ".path.json"))
lines = [json.loads(line) for line in open(data + ".jsonl")]
with h5py.File(data + ".m.h5") as f:
    g = f["path"]
    kept = csr_matrix((g["data"][:], g["indices"][:], g["indptr"][:]),
                      shape=(len(g["lambda"]), model["attributes"])).toarray()
    lam, loss, se, size = (g[k][:] for k in ("lambda", "loss", "se", "size"))
    intercept, names = g["intercept"][:], list(g["names"][:])
    best, one, chosen = (int(g.attrs[k]) for k in ("best", "1se", "chosen"))
    assert g.attrs["penalty"] == b"l1" and g.attrs["folds"] == 5
    assert (g["deviation"][:] > 0).all() and len(g["mean"]) == len(names)
for table in (model["path"], shown["path"]):
    for key, value in (("lambda", lam), ("loss", loss), ("se", se), ("size", size)):
        assert np.array_equal(table[key], value), key
assert model["chosen_lambda"] == {"best": lam[best], "1se": lam[one]}
assert best == np.argmin(loss) == chosen
assert one == np.argmax(loss <= loss[best] + se[best]) and one < best
assert np.array_equal((kept != 0).sum(1), size) and size[0] == 0 and size.max() > 10
assert (np.diff(lam) < 0).all() and lam[0] == model["lambda_max"]
coef = np.zeros(model["attributes"])
coef[model["support"]] = model["coef"]
assert np.array_equal(coef, kept[chosen]) and model["intercept"] == intercept[chosen]
first = [(int(np.argmax(kept[:, j] != 0)), j) for j in np.flatnonzero((kept != 0).any(0))]
assert [lam[k] for k, _ in sorted(first)] == [e["lambda"] for e in shown["entered"]]
assert {e["attribute"] for e in shown["entered"]} == {j for _, j in first}
assert all(e["name"] == "v%d" % e["attribute"] for e in shown["entered"])
text = open(data + ".path.txt").read()
assert text.count("  best\n") == 1 and text.count("  1se\n") == 1
assert "chosen: " in text and shown["entered"][0]["name"] in text.split("entered:")[1]
assert [line["folds"] for line in lines] == [5] * len(lines)
assert sorted({line["fold"] for line in lines}) == list(range(6))
assert model["deck"]["choose"] == "best" and model["deck"]["path"] == 100
# predictions between two lambdas are those of the line, beyond the ends those of the end
x = np.array([[float(v) for v in row[:-1]] for row in csv.reader(open(data + ".csv"))
              if row[0] != "v0"])
np.savez("path.npz", kept=kept, lam=lam, intercept=intercept, x=x)
END
}
check_path numbers
check_path labels

# predictions LAMBDA COEFFICIENTS INTERCEPT: as NumPy computes them
predictions()
{
  must 0 predict numbers.m.h5 numbers.h5 --split all --lambda "$1" -o p.csv --force
  "$PYTHON" - "$1" "$2" <<'END' || fail "predictions at lambda $1"
import sys
import numpy as np
z = np.load("path.npz")
lam, kept, b0, x = z["lam"], z["kept"], z["intercept"], z["x"]
coef, start = eval(sys.argv[2])
got = np.loadtxt("p.csv", delimiter=",", skiprows=1)
want = x[got[:, 0].astype(int)] @ np.atleast_2d(coef).T + start
assert np.allclose(got[:, 1:], want, rtol=1e-5, atol=1e-5), abs(got[:, 1:] - want).max()
END
}
check_path numbers # the last of path.npz
between=$("$PYTHON" -c '
import numpy as np
lam = np.load("path.npz")["lam"]
print("%.17g" % (0.25 * lam[4] + 0.75 * lam[5]))')
predictions "$between" '(0.25 * kept[4] + 0.75 * kept[5], 0.25 * b0[4] + 0.75 * b0[5])'
predictions 1e-12 '(kept[-1], b0[-1])'
predictions 1e12 '(kept[0], b0[0])'
predictions all '(kept, b0)'
must 0 predict numbers.m.h5 numbers.h5 -o chosen.csv --force
must 0 predict numbers.m.h5 numbers.h5 --lambda best -o best.csv --force
cmp chosen.csv best.csv || fail "the model is not that of the best lambda"
must 0 predict numbers.m.h5 numbers.csv --lambda all -o text.csv --force
[ "$(grep -c 'matched by name' must.err)" -le 1 ] || fail "a note for each lambda: $(cat must.err)"
must 0 predict numbers.m.h5 numbers.h5 --split all --lambda all -o all.csv --force
"$PYTHON" - <<'END' || fail "predictions of text"
import numpy as np
text, data = (np.loadtxt(f, delimiter=",", skiprows=1) for f in ("text.csv", "all.csv"))
assert np.allclose(text[:, 1:], data[data[:, 0].argsort(), 1:], rtol=1e-6, atol=1e-6)
END
for lambda in best 1se "$between"; do # each has other attributes, which text is read for
  ranks 0 evaluate numbers.m.h5 numbers.h5 --split all --lambda "$lambda" --json >data.json
  ranks 0 evaluate numbers.m.h5 numbers.csv --lambda "$lambda" --json >text.json 2>text.err ||
    fail "text at $lambda: $(cat text.err)"
  compare "mse of text, $lambda" "abs($(key text.json mse) - $(key data.json mse))" '<' 1e-6
done

# the picture of a path, and what it is drawn from
if command -v gnuplot >/dev/null; then
  bash "$SOURCE/jobs/path.sh" labels.m.h5 --labels 3 --out "the path's" >picture.txt 2>&1 ||
    fail "the picture: $(cat picture.txt)"
  is_picture "the path's/path.png"
  "$PYTHON" - <<'END' || fail "the tables of the picture"
import csv, h5py
import numpy as np
from scipy.sparse import csr_matrix
def rows(name):
    with open("the path's/" + name, newline="") as f:
        return [r for r in csv.reader(f, delimiter="\t") if r]
with h5py.File("labels.m.h5") as f:
    g = f["path"]
    kept = csr_matrix((g["data"][:], g["indices"][:], g["indptr"][:])).toarray()
    scale = dict(zip(g["attribute"][:], g["deviation"][:]))
    lam, loss = g["lambda"][:], g["loss"][:]
ends = {"v%d" % j: kept[-1, j] * s for j, s in scale.items()}
largest = sorted(ends, key=lambda name: -abs(ends[name]))[:3]
labels = rows("labels.tsv")
assert sorted(r[4] for r in labels) == sorted(largest), labels
assert all(np.isclose(float(r[1]), ends[r[4]], rtol=1e-6) for r in labels)
assert all(np.diff([float(r[2]) for r in labels]) > 0)
assert len(rows("coefficients.tsv")) == len(scale) * len(lam)
assert np.allclose([float(r[1]) for r in rows("losses.tsv")], loss, rtol=1e-6)
END
  ! bash "$SOURCE/jobs/path.sh" numbers.h5 --out none 2>picture.txt && [ ! -e none ] ||
    fail "a picture of data: $(cat picture.txt)"
else
  left_out "pictures: no gnuplot"
fi

# attributes without a penalty are in all models of the path and of the folds
for ranks in 1 2; do
  must $((ranks == 1 ? 0 : 2)) train numbers.h5 -o bare$ranks.h5 --solver lasso \
    --unpenalised v3,v8 --folds 3 --path 30
done
cmp bare1.h5 bare2.h5 || fail "without a penalty: another model on two ranks"
ranks 0 verify bare1.h5 numbers.h5 >verify.txt || fail "without a penalty: $(cat verify.txt)"
"$PYTHON" - <<'END' || fail "a path with attributes without a penalty"
import h5py
import numpy as np
with h5py.File("bare1.h5") as f, h5py.File("numbers.m.h5") as penalised:
    g = f["path"]
    first = g["indices"][:g["indptr"][1]]
    assert list(first) == [3, 8] and min(np.diff(g["indptr"][:])) == 2
    assert g["loss"][0] < penalised["path/loss"][0]  # that of the zero model
END

ranks 0 evaluate numbers.m.h5 numbers.h5 --lambda all --json 2>all.err |
  "$PYTHON" -c 'import json, sys; print(*[m["lambda"] for m in json.load(sys.stdin)])' >all.txt
"$PYTHON" -c 'import json; print(*json.load(open("numbers.json"))["path"]["lambda"])' |
  cmp - all.txt || fail "evaluate --lambda all: $(cat all.err)"
must 0 train numbers.h5 -o one.h5 --solver lasso --choose 1se --folds 4
ranks 0 evaluate one.h5 numbers.h5 --json >chosen.json
ranks 0 evaluate one.h5 numbers.h5 --lambda 1se --json >1se.json
compare "the mse of 1se" "$(key chosen.json mse)" == "$(key 1se.json mse)"

# a fifth of many examples is held out; folds that are asked for are made
must 0 generate murata -o many.h5 --examples 6000 --attributes 20 --support 3 --force
ranks 0 train many.h5 --solver lasso --dry-run >plan.txt
grep -q 'chosen by a fifth of the examples' plan.txt || fail "the plan: $(cat plan.txt)"
must 0 train many.h5 -o many.m.h5 --solver lasso --path 12
ranks 0 inspect many.m.h5 --json >many.json
compare "parts that are held out" "$(key many.json folds)" == 1
ranks 0 train many.h5 --solver lasso --folds 3 --dry-run >plan.txt
grep -q 'chosen by 3 folds' plan.txt || fail "the plan: $(cat plan.txt)"

# what chooses nothing keeps nothing
must 0 train numbers.h5 -o last.h5 --solver lasso --path 6 --choose last --force
grep -q 'that of the last lambda of the path' must.err || fail "last: $(cat must.err)"
refused 1 'last.h5 keeps no path' 0 inspect last.h5 --path
refused 1 'last.h5 keeps no path' 0 predict last.h5 numbers.h5 --lambda best -o never.csv
refused 2 'neither a number above 0 nor best' 0 evaluate numbers.m.h5 numbers.h5 --lambda least
refused 2 'one model at a time' 0 evaluate numbers.m.h5,labels.m.h5 numbers.h5 --lambda all
refused 2 '[-]-folds counts only with' 0 train numbers.h5 -o never.h5 --solver lasso --lambda 1 \
  --folds 3
refused 2 '[-]-choose counts only with' 0 train numbers.h5 -o never.h5 --solver lasso \
  --lambda-ratio 0.1 --choose 1se
refused 2 'solver ridge does not use --folds' 0 train numbers.h5 -o never.h5 --solver ridge --folds 3
refused 2 '[-]-path goes with a model' 0 inspect numbers.h5 --path

# few examples, and classes of one
head -n 6 numbers.csv >few.csv
must 0 import few.csv -o few.h5 --target y --force
must 0 train few.h5 -o few.m.h5 --solver lasso --force
grep -q 'a tenth of lambda_max: examples are too few to choose it' must.err ||
  fail "few examples: $(cat must.err)"
refused 2 'too few to choose a lambda by' 0 train few.h5 -o never.h5 --solver lasso --path 5
awk -F, 'BEGIN { OFS = "," } NR > 1 { $NF = NR == 9 } { print }' numbers.csv >lone.csv
must 0 import lone.csv -o lone.h5 --target y --force
refused 1 'lambda cannot be chosen: 160 different examples .* of a class, are too few for 5 parts' \
  0 train lone.h5 -o never.h5 --solver lasso
finish
