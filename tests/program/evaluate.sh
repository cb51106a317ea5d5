#!/usr/bin/env bash
# evaluate.sh - scores and predictions against their definitions, computed
# again in Python from h5py; the same on any number of ranks
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
if ! "$PYTHON" -c 'import h5py, numpy' 2>/dev/null; then
  echo "skipped: $PYTHON has no h5py"
  exit 77
fi
rm -rf ./*

"$PYTHON" - <<'END'
import random
random.seed(3)
with open("labels.csv", "w") as f:
    print("a,b,c,d,y", file=f)
    for i in range(700):
        x = [round(random.gauss(0, 1), 3) for j in range(4)]
        y = 5 if x[0] - 0.5 * x[2] + random.gauss(0, 1) > 0 else 2
        print(*x, y, sep=",", file=f)
with open("weighted.csv", "w") as f:
    print("a,b,c,d,w,y", file=f)
    for i in range(600):
        x = [round(random.gauss(0, 1), 3) for j in range(4)]
        y = 1 if x[0] - 0.5 * x[2] + random.gauss(0, 1) > 0 else -1
        print(*x, random.choice((0, 0.5, 3)), y, sep=",", file=f)
with open("zero.csv", "w") as f:
    print("a,b,c,d,y", file=f)
    for i in range(9):
        print(0, i, i * i, 0.5, 0, sep=",", file=f)
END

# Ranks beside none: all; in the ordinary suite one of them, in turns, for one of the two
# commands.
last=0
agree()
{
  local model=$1 data=$2 split=$3 how=${4-} n tried="1 2 3"
  last=$((last + 1))
  long || tried=$((last / 2 % 3 + 1))
  ranks 0 evaluate $model $data --split $split $how --json >evaluate.0
  must 0 predict $model $data --split $split -o predict.0 --force
  for n in $tried; do
    if tried $last 2; then
      ranks $n evaluate $model $data --split $split $how --json >evaluate.$n
      cmp evaluate.0 evaluate.$n || fail "evaluate differs on $n ranks"
    fi
    if tried $((last + 1)) 2; then
      must $n predict $model $data --split $split -o predict.$n --force
      cmp predict.0 predict.$n || fail "predict differs on $n ranks"
    fi
  done
  ranks 0 inspect $model --json >model.json
  "$PYTHON" - $data $split $how <<'END' || fail "$model on $data, split $split"
import csv, h5py, json, math, sys
import numpy as np
data, split = sys.argv[1:3]
unweighted = "--unweighted" in sys.argv
with h5py.File(data) as f:
    X, y = f["X"][:].astype(float), f["y"][:]
    row, test = f["row"][:], f["split"][:]
    weight = f["weight"][:] if "weight" in f else np.ones(len(y))
    weighted = "weight" in f and not unweighted
keep = {"test": test == 1, "train": test == 0, "all": test >= 0}[split]
model, found = json.load(open("model.json")), json.load(open("evaluate.0"))
z = model["intercept"] + np.array(model["coef"]) @ X[model["support"]]
z, y, row, weight = z[keep], y[keep], row[keep], weight[keep]
order = np.argsort(row)
lines = list(csv.DictReader(open("predict.0")))
assert [int(l["row"]) for l in lines] == list(row[order])
assert np.allclose([float(l["prediction"]) for l in lines], z[order],
                   rtol=1e-9, atol=1e-9)
values = np.unique(y)
two, logistic = len(values) == 2, model["loss"] == "logistic"
if logistic:
    p = 1 / (1 + np.exp(-z))
    assert np.allclose([float(l["probability"]) for l in lines], p[order])
    fit = values[0] + (values[1] - values[0]) * p
else:
    assert "probability" not in lines[0]
    fit = z
if model["loss"] == "squared-hinge":
    fit = values[0] + (values[1] - values[0]) * np.clip((1 + z) / 2, 0, 1)
counts = weight > 0
z, y, fit = z[counts], y[counts], fit[counts]
weight = np.ones(counts.sum()) if unweighted else weight[counts]
share = weight / weight.sum()
mse = share @ (y - fit) ** 2
wanted = dict(n=len(y), weighted=weighted, mse=mse,
              r2=1 - mse / (share @ (y - share @ y) ** 2),
              auc=None, accuracy=None, log_loss=None)
if two:
    positive = y == values[1]
    p = (fit - values[0]) / (values[1] - values[0])
    c = np.clip(p, 1e-15, 1 - 1e-15)
    diff = z[positive][:, None] - z[~positive][None, :]
    pairs = weight[positive][:, None] * weight[~positive][None, :]
    ordered = (diff > 0) + 0.5 * (diff == 0)
    wanted["auc"] = (pairs * ordered).sum() / pairs.sum()
    wanted["accuracy"] = share @ ((p > 0.5) == positive)
    wanted["log_loss"] = -share @ np.where(positive, np.log(c), np.log1p(-c))
    if logistic:  # of the log odds, however far from 0
        wanted["log_loss"] = share @ np.logaddexp(0, -np.where(positive, z, -z))
def loss(z):
    label = np.where(y == values[-1], 1, -1)
    if model["loss"] == "squared":
        return weight @ (y - z) ** 2
    if logistic:
        return weight @ np.logaddexp(0, -label * z)
    return weight @ np.maximum(0, 1 - label * z) ** 2
wanted["relative_loss"] = loss(z) / loss(0 * z)
assert set(found) == set(wanted) | {"population_mse"}, \
    f"evaluate.sh has no formula of its own for {sorted(set(found) - set(wanted))}"
for key, value in wanted.items():
    if value is None:
        assert found[key] is None, (key, found[key])
    else:
        assert math.isclose(found[key], value, rel_tol=1e-9, abs_tol=1e-12), \
            (key, found[key], value)
with h5py.File(data) as f:
    generated = "truth" in f or any("truth" in k for k in f.keys())
if data.startswith("murata"):
    truth = np.zeros(X.shape[0]); truth[:13] = 1; truth[13:25] = -1
    delta = -truth
    delta[model["support"]] += model["coef"]
    value = 1 + delta @ delta + model["intercept"] ** 2
    assert math.isclose(found["population_mse"], value, rel_tol=1e-9)
else:
    assert found["population_mse"] is None
END
}

must 0 import labels.csv -o labels.h5 --test 0.3
must 0 train labels.h5 -o squared.h5 --solver hybrid -s 2 --budget 4
must 0 train labels.h5 -o logistic.h5 --solver hybrid -s 2 --budget 4 \
  --loss logistic
must 0 train labels.h5 -o hinge.h5 --solver lasso --loss squared-hinge
for split in test train all; do
  agree hinge.h5 labels.h5 $split
  agree squared.h5 labels.h5 $split
  agree logistic.h5 labels.h5 $split
done
must 0 generate murata -o murata.h5 --examples 3000 --attributes 200 --test 0.1
must 0 train murata.h5 -o murata-model.h5 --budget 60
agree murata-model.h5 murata.h5 test

# odds far from even, where probabilities are 0 and 1 to the last digit, and wrong
awk -F, 'NR == 1 { print; next }
  { print $1 * -300 "," $2 * -300 "," $3 * -300 "," $4 * -300 "," $5 }' labels.csv >far.csv
must 0 import far.csv -o far.h5 --like labels.h5
agree logistic.h5 far.h5 all
compare "log loss of wrong odds" "$(key evaluate.0 log_loss)" '>' 35

# a model that is worse than none is said so
must 2 evaluate logistic.h5 far.h5
grep -q 'relative_loss is above 1: the model is worse' must.err || fail "no word: $(cat must.err)"
must 2 evaluate squared.h5 far.h5
grep -q 'r2 is below 0: the model is worse' must.err || fail "no word: $(cat must.err)"
must 2 evaluate squared.h5 labels.h5
grep -q 'is worse' must.err && fail "a good model is called bad: $(cat must.err)"

# what train prints is in the units of evaluate: the end of sift, progress, report
must 0 train murata.h5 -o units.h5 --telemetry units.jsonl
grep -q 'mean squared error on unseen examples' must.err || fail "train: $(cat must.err)"
ranks 0 inspect units.h5 --json >units.json
compare "what is chosen by" "$(key units.json candidates_loss)" == '"mean squared error"'
ranks 0 evaluate units.h5 murata.h5 --json >test.json
compare "loss on unseen examples over mse" \
  "$(key units.json candidates.best.loss) / $(key test.json mse)" '>' 0.75
compare "loss on unseen examples over mse" \
  "$(key units.json candidates.best.loss) / $(key test.json mse)" '<' 1.33
for solver in "sift --select truth" "exploration -s 25 --budget 60" omp "aerr --budget 20" \
  "ogd-ridge" "prox-sgd --lambda-ratio 0.01" "ssr" "oomp"; do
  # shellcheck disable=SC2086
  must 0 train murata.h5 -o units.h5 --force --telemetry units.jsonl --force --solver $solver
  tail -n 1 units.jsonl >units.json
  compare "what the loss of $solver is" "$(key units.json loss_is)" == '"mean squared error"'
  ranks 0 evaluate units.h5 murata.h5 --split train --json >train.json
  echo "$solver: $(key units.json loss) at the end, mse $(key train.json mse)"
done
must 0 train murata.h5 -o path.h5 --solver lasso --path 5 --choose last --telemetry path.jsonl
tail -n 1 path.jsonl >path.json
compare "what the loss of lasso is" "$(key path.json loss_is)" == '"objective"'
grep -q 'the model is that of the last lambda of the path' must.err || fail "no word on the path"

# examples count by their weights; labels -1 and 1 that are regressed have an AUC
must 0 import weighted.csv -o weighted.h5 --weights w --test 0.3
must 0 train weighted.h5 -o regressed.h5 --loss squared --solver lasso \
  --lambda-ratio 0.1
must 0 train weighted.h5 -o classes.h5 --loss logistic --solver lasso \
  --lambda-ratio 0.1
agree regressed.h5 weighted.h5 test
agree classes.h5 weighted.h5 all
agree classes.h5 weighted.h5 train --unweighted
agree classes.h5 weighted.h5 all --unweighted # without those of weight 0
must 0 evaluate classes.h5 weighted.h5
grep -q '^weighted *yes$' must.out || fail "said: $(cat must.out)"
must 0 evaluate classes.h5 weighted.h5 --unweighted
grep -q '^weighted *no$' must.out || fail "said: $(cat must.out)"
must 0 evaluate squared.h5 labels.h5
! grep -q '^weighted' must.out || fail "there are no weights: $(cat must.out)"
ranks 0 evaluate regressed.h5 weighted.h5 --json >auc.json
compare "auc of labels that are regressed" "$(key auc.json auc)" '>' 0.7

# nothing over nothing is not a number
must 0 import zero.csv -o zero.h5
ranks 0 evaluate squared.h5 zero.h5 --json >zero.json
[ "$(key zero.json relative_loss)" = null ] ||
  fail "loss over no loss: $(cat zero.json)"
must 2 evaluate squared.h5 zero.h5
grep -q '^relative_loss *-$' must.out || fail "a dash: $(cat must.out)"

# the default split is test where there is one, else all
ranks 0 evaluate murata-model.h5 murata.h5 --json >default.json
compare "default split" "$(key default.json n)" == 300
must 0 generate murata -o whole.h5 --examples 500 --attributes 200
ranks 0 evaluate murata-model.h5 whole.h5 --json >default.json
compare "default split without test" "$(key default.json n)" == 500
refused 2 'split test: the data set has no such examples' 2 \
  evaluate murata-model.h5 whole.h5 --split test

refused 1 'for 200 attributes, data set labels.h5 has 4' 2 \
  evaluate murata-model.h5 labels.h5
refused 1 'murata.h5' 2 evaluate murata.h5 murata.h5
refused 1 'murata-model.h5' 2 evaluate murata-model.h5 murata-model.h5
refused 1 'labels.csv' 2 inspect labels.csv
refused 1 'predict.0' 2 predict murata-model.h5 murata.h5 -o predict.0
finish
