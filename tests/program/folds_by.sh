#!/usr/bin/env bash
# folds_by.sh - examples with one value of a column stay in one fold, however the column is
# named, on any ranks and shards; a choice by such folds does not learn families by heart
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
if ! "$PYTHON" -c 'import h5py, numpy' 2>/dev/null; then
  echo "skipped: $PYTHON has no h5py"
  exit 77
fi
rm -rf ./*

# Families whose members are alike in all attributes, and whose target has a part of its own:
# who has seen a brother knows that part, and nobody else does. The second table has other
# families; `sites` are three, of very different sizes.
"$PYTHON" - <<'END'
import random
random.seed(7)
wide = 30
coef = [random.gauss(0, 1) if j < 3 else 0 for j in range(wide)]
def people(name, families, first):
    rows = []
    for f in range(first, first + families):
        common = [random.gauss(0, 1) for j in range(wide)]
        own = random.gauss(0, 3)
        for member in range(1 + f % 8):
            x = [c + random.gauss(0, 0.15) for c in common]
            y = sum(a * b for a, b in zip(coef, x)) + own + random.gauss(0, 0.3)
            site = "north" if f % 9 == 0 else "south" if f % 3 == 0 else "west coast"
            rows.append((f, member, site, x, y))
    random.shuffle(rows)
    with open(name + ".csv", "w") as out:
        print("fam", "site", *["v%d" % j for j in range(wide)], "y", sep=",", file=out)
        for f, member, site, x, y in rows:
            print(f, site, *["%.4f" % v for v in x], "%.4f" % y, sep=",", file=out)
    with open(name + ".ids", "w") as out:
        for f, member, *_ in rows:
            print("%d P%d_%d" % (f, f, member), file=out)
    return rows
rows = people("people", 50, 1)
people("others", 50, 101)
random.shuffle(rows)
for name, gone in (("table", 0), ("gaps", 7)):
    with open(name + ".tsv", "w") as out:
        print("FID", "IID", "kin", "place", "high", "all", sep="\t", file=out)
        for f, member, site, _, y in rows[gone:]:
            kin = "kin %d" % f if gone == 0 or f != 3 else "NA"
            print(f, "P%d_%d" % (f, member), kin, site, int(y > 0), "one", sep="\t", file=out)
END
for layout in dense sparse; do
  for shards in 1 3; do
    must 0 import people.csv --ids people.ids -o $layout$shards.h5 --target y --layout $layout \
      --shards $shards
  done
done
must 0 import others.csv --like dense1.h5 --ids others.ids -o others.h5

# path DATA NAME OPTION...
path()
{
  must "${RANKS:-0}" train "$1" -o "$2.h5" --solver lasso --path 40 --force "${@:3}"
  cp must.err "$2.err"
}

# --- one grouping by many names is one choice; the column stays an attribute
path dense1.h5 random
path dense1.h5 name --folds-by fam
many=(0 FID fid table.tsv:kin table.tsv:FID table.tsv:3)
for k in "${!many[@]}"; do
  path dense1.h5 "name$k" --folds-by "${many[k]}"
done
path dense1.h5 site --folds-by site
path dense1.h5 site1 --folds-by table.tsv:place
path sparse1.h5 thin --folds-by site
"$PYTHON" - <<'END' || fail "another grouping by another name"
import h5py
def of(name):
    with h5py.File(name + ".h5") as f:
        return [f["path"].attrs["folds"], f["path/loss"][:].tolist(), f["coef"][:].tolist(),
                f["support"][:].tolist()]
assert of("name") != of("random") and of("site") == of("site1") != of("name")
for k in range(6):
    assert of("name%d" % k) == of("name"), k
END
grep -q "^note: folds by fam: 50 groups of training examples, the largest of 8$" name.err ||
  fail "the note: $(cat name.err)"
grep -q "^note: folds by kin of table.tsv: 50 groups" <(
  ranks 0 train dense1.h5 --solver lasso --folds-by table.tsv:kin --dry-run 2>&1) ||
  fail "the note of a table"
ranks 0 inspect name.h5 >name.inspect
grep -q '^folds-by = fam$' name.inspect || fail "the deck: $(grep folds name.inspect)"
sed -n '/^\[model\]/,$p' name.inspect >deck.ini
must 0 train dense1.h5 --deck deck.ini -o deck.h5
cmp name.h5 deck.h5 || fail "the deck makes another model"

# --- the bytes of a model on any ranks and shards; sparse data choose likewise
RANKS=3 path dense3.h5 other --folds-by fam
cmp name.h5 other.h5 || fail "by an attribute: another model on 3 ranks and shards"
for kind in site:dense thin:sparse; do
  RANKS=2 path ${kind#*:}3.h5 other --folds-by site
  cmp ${kind%:*}.h5 other.h5 || fail "${kind#*:}: by words: another model on 2 ranks and 3 shards"
done
RANKS=2 path dense3.h5 other --folds-by table.tsv:kin
cmp name3.h5 other.h5 || fail "by a table: another model on 2 ranks"

# --- three sites are three folds: losses are those of the lasso without each of them
"$PYTHON" - <<'END' || fail "the losses by sites"
import csv, h5py
import numpy as np
rows = list(csv.DictReader(open("people.csv")))
site = np.array([r["site"] for r in rows])
y = np.array([float(r["y"]) for r in rows])
x = np.array([[float(r["fam"])] + [r["site"] == s for s in sorted(set(site))] +
              [float(r["v%d" % j]) for j in range(30)] for r in rows]).astype(np.float32)
x = (x - x.mean(0, dtype=float)) / x.std(0, dtype=float)
def lasso(x, y, lam):
    start, b = y.mean(), np.zeros(x.shape[1])
    x, mean = x - x.mean(0), x.mean(0)
    rest, square = y - start, (x ** 2).mean(0) + 1e-12
    for _ in range(300):
        for j in range(len(b)):
            z = b[j] + x[:, j] @ rest / len(y) / square[j]
            new = np.sign(z) * max(abs(z) - lam / square[j], 0)
            rest -= (new - b[j]) * x[:, j]
            b[j] = new
    return b, start - mean @ b
for name in ("site", "thin"):
    with h5py.File(name + ".h5") as f:
        g = f["path"]
        assert g.attrs["folds"] == 3, g.attrs["folds"]
        lam, loss = g["lambda"][6], g["loss"][6]
    want = 0
    for s in set(site):
        b, start = lasso(x[site != s], y[site != s], lam)
        want += ((y - start - x @ b)[site == s] ** 2).sum() / len(y)
    assert abs(loss / want - 1) < 1e-3, (name, loss, want)
END

# --- folds of single examples believe what they know of families; new families tell
for name in random name; do
  ranks 0 inspect $name.h5 --json >$name.json
  ranks 0 evaluate $name.h5 others.h5 --split all --json >$name.new.json 2>/dev/null
done
least()
{
  "$PYTHON" -c 'import json, sys; print(min(json.load(open(sys.argv[1]))["path"]["loss"]))' "$1.json"
}
compare "folds of single examples" "$(least random)" '<' "0.5 * $(key random.new.json mse)"
compare "folds of families" "abs($(least name) / $(key name.new.json mse) - 1)" '<' 0.35
compare "the error on new families" "$(key name.new.json mse)" '<' "$(key random.new.json mse)"

# --- omp and sift
for solver in omp sift; do
  job=(train dense1.h5 --solver "$solver" --seed 3 --force)
  must 0 "${job[@]}" -o $solver.random.h5
  must 0 "${job[@]}" -o $solver.h5 --folds-by fam
  must $((2 * (${#solver} / 4))) "${job[@]}" -o other.h5 --folds-by table.tsv:kin
  for name in $solver.random $solver other; do
    ranks 0 inspect $name.h5 --json >$name.json
    ranks 0 evaluate $name.h5 others.h5 --split all --json >$name.new.json 2>/dev/null
  done
  compare "$solver: coefficients by a table" \
    "'$(key $solver.json coef)'" == "'$(key other.json coef)'"
  compare "$solver: error on new families" "$(key $solver.new.json mse)" '<' \
    "$(key $solver.random.new.json mse)"
done

# --- labels, the table of targets, examples without a value
must 0 train dense1.h5 -o high.h5 --solver lasso --targets gaps.tsv --target high --folds-by kin
grep -q 'folds by kin of gaps.tsv: .* groups of training examples, .*; [0-9]* have no value, and' \
  must.err || fail "gaps: $(cat must.err)"
ranks 0 verify high.h5 dense1.h5 --targets gaps.tsv --target high --retrain >verify.txt ||
  fail "verify: $(cat verify.txt)"
must 0 train dense1.h5 -o covered.h5 --solver lasso --covariates table.tsv:place --folds-by place
grep -q 'folds by place: 3 groups' must.err || fail "a covariate: $(cat must.err)"
ranks 0 inspect covered.h5 --json >covered.json
compare "folds by a covariate" "$(key covered.json folds)" == 3

# --- a checkpoint belongs to its groups; verify chooses anew by them
rc=0
begun=(train dense1.h5 --solver lasso --checkpoint begun -o begun.h5 --folds-by table.tsv:kin)
THRESHER_STOP_AT=9 ranks 0 "${begun[@]}" >out 2>err || rc=$?
compare "status of a stopped run" "$rc" == 3
cp table.tsv kept.tsv
sed -i 's/kin 4[0-9]/kin 40/' table.tsv
refused 2 'folds' 0 "${begun[@]}"
mv kept.tsv table.tsv
must 0 "${begun[@]}"
must 0 train dense1.h5 --solver lasso -o whole.h5 --folds-by table.tsv:kin
cmp whole.h5 begun.h5 || fail "a run that goes on has another model"
ranks 0 verify name.h5 dense1.h5 --retrain >verify.txt || fail "verify: $(cat verify.txt)"
ranks 0 verify whole.h5 dense1.h5 --retrain --folds-by table.tsv:kin >verify.txt ||
  fail "verify: $(cat verify.txt)"
refused 2 'has no column kin; ' 0 verify whole.h5 dense1.h5 --retrain
refused 2 'folds-by counts only with --retrain' 0 verify whole.h5 dense1.h5 --folds-by fam

# --- many examples: a fifth of them, in whole groups; fewer sites than five are folds
awk 'BEGIN { srand(3); print "room,seat,a,b,y"
  for (i = 0; i < 6000; i++) { r = i % 40
    print "r" r "," r % 4 "," rand() "," rand() "," r + rand() } }' >rooms.csv
must 0 import rooms.csv -o rooms.h5 --target y
ranks 0 train rooms.h5 --solver lasso --folds-by room --dry-run >plan.txt 2>&1
grep -q 'chosen by a fifth of the examples' plan.txt || fail "the plan: $(cat plan.txt)"
ranks 0 train rooms.h5 --solver lasso --folds-by seat --dry-run >plan.txt 2>&1
grep -q 'chosen by 4 folds' plan.txt || fail "the plan: $(cat plan.txt)"
path rooms.h5 fifth --folds-by room
RANKS=2 path rooms.h5 other --folds-by room
cmp fifth.h5 other.h5 || fail "a fifth: another model on 2 ranks"
refused 2 'solver sift holds out single examples of 6000' 0 train rooms.h5 -o never.h5 \
  --folds-by room

# --- what is refused, on several ranks by all of them
job=(train dense1.h5 -o never.h5 --solver lasso)
refused 2 'folds-by: dense1.h5 has no column fan; did you mean fam[?]' 2 "${job[@]}" --folds-by fan
refused 2 'dense1.h5 has no column sites; did you mean site[?]' 0 "${job[@]}" --folds-by sites
refused 2 'with table.tsv has no column kim; did you mean kin[?]' 0 "${job[@]}" \
  --folds-by table.tsv:kim
refused 2 'has no column hospital; give an attribute' 0 "${job[@]}" --folds-by hospital
refused 2 'attribute 99 is not within 0[.][.]3[0-9]' 0 "${job[@]}" --folds-by 99
refused 2 'which column of the table' 0 "${job[@]}" --folds-by table.tsv
refused 1 '3 groups, fewer than the 4 folds' 2 "${job[@]}" --folds-by site --folds 4
refused 1 'all training examples belong together' 0 "${job[@]}" --folds-by table.tsv:all
refused 2 '[-]-folds-by counts only with --path and --choose best or 1se' 0 "${job[@]}" \
  --folds-by fam --lambda 1
refused 2 '[-]-folds-by counts only with' 0 "${job[@]}" --folds-by fam --choose last
refused 2 'solver hybrid does not use --folds-by; leave it out, or use solver sift or lasso' 0 \
  train dense1.h5 -o never.h5 --solver hybrid -s 5 --budget 10 --folds-by fam
refused 2 '[-]-folds-by counts only with --select predict' 0 train dense1.h5 -o never.h5 \
  --select truth --folds-by fam
refused 2 'in a single pass' 0 train dense1.h5 -o never.h5 --passes 1 --folds-by fam
refused 2 '[-]-folds-by counts only with the folds of omp' 0 train dense1.h5 -o never.h5 \
  --solver omp -s 4 --folds-by fam

# --- sift: one group of ten is unlike the others, and its examples alone do not end a path.
# The model predicts the others as it did before paths were cut
"$PYTHON" - <<'END'
import numpy as np
r = np.random.default_rng(3)
d = 600
b = np.zeros(d)
b[:300] = r.normal(size=300)
for name, n in ("alike", 2000), ("fresh", 3000):
    group = np.arange(n) % 10
    X = r.normal(size=(n, d))
    mean = X @ b / np.sqrt((b ** 2).sum())
    y = np.where(group == 0, -mean, mean) + .7 * r.normal(size=n)
    keep = group > 0 if name == "fresh" else group >= 0
    np.save(name + ".npy", np.column_stack([X, group]).astype("f4")[keep])
    np.save(name + ".y.npy", y[keep])
END
must 0 import alike.npy --target alike.y.npy -o alike.h5
must 0 import fresh.npy --target fresh.y.npy -o fresh.h5 --like alike.h5
for n in 1 3; do
  must "$n" train alike.h5 -o "unlike.$n.h5" --budget 601 --folds-by 600
done
cmp unlike.1.h5 unlike.3.h5 || fail "another model on 3 ranks"
ranks 0 evaluate unlike.1.h5 fresh.h5 --json >fresh.json
compare "nine groups of ten: r2" "$(key fresh.json r2)" '>=' 0.38
finish
