#!/usr/bin/env bash
# several.sh - predict and evaluate with several models between commas: the columns and the
# scores of each are those that it has alone
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

"$PYTHON" - <<'END'
import random
random.seed(3)
g = lambda: random.gauss(0, 1)
def table(name, n, holes, scale):
    with open(name, "w") as f:
        print("id,a,b,c,d,e,y", file=f)
        for k in range(n):
            x = [round(scale + g(), 3) for _ in range(5)]
            y = round(x[0] - 2 * x[2] + x[3] / 2 + g() / 4, 3)
            x = ["" if holes and random.random() < .1 else v for v in x]
            print("p%d" % k, *x, y, sep=",", file=f)
table("train.csv", 400, True, 0)
table("other.csv", 300, True, 2)
table("whole.csv", 350, False, 0)
with open("labels.csv", "w") as f, open("train.csv") as t:
    for k, line in enumerate(t):
        x, y = line.rstrip().rsplit(",", 1)
        print(x, y if k == 0 else int(float(y) > 0), sep=",", file=f)
with open("sparse.svm", "w") as f:
    for k in range(500):
        x = {j: round(g(), 3) for j in random.sample(range(1, 200), 12)}
        y = round(x.get(3, 0) - x.get(150, 0) + g() / 4, 3)
        print(y, *("%d:%s" % (j, x[j]) for j in sorted(x)), file=f)
END
for name in train other whole labels; do
  must 0 import $name.csv -o $name.h5 --target y --id id --row-group 64
done
must 0 import sparse.svm -o sparse.h5 --row-group 64 --shards 3
mkdir models
lasso="--solver lasso"
must 0 train train.h5 -o models/a.h5 $lasso --lambda-ratio 0.3
must 0 train train.h5 -o b.h5 $lasso --lambda-ratio 1e-3
must 0 train other.h5 -o c.h5 $lasso --lambda-ratio 1e-2 # other means, the same names
must 0 train labels.h5 -o odds.h5 $lasso --lambda-ratio 1e-2
must 0 train train.h5 -o 'with,comma.h5' $lasso --lambda-ratio 0.1
must 0 train sparse.h5 -o s.h5 $lasso --lambda-ratio 0.2
must 0 train sparse.h5 -o t.h5 $lasso --lambda-ratio 1e-2

# alike DATA MODEL...: columns and scores of all are those of each
alike()
{
  local data=$1 n model
  shift
  for model in "$@"; do
    must 0 predict "$model" $data -o "alone.$(basename "$model").csv" --force
    ranks 0 evaluate "$model" $data --json >"alone.$(basename "$model").json" 2>/dev/null
  done
  for n in 0 3; do
    must $n predict "$(IFS=,; echo "$*")" $data -o all.csv --force || return 0
    ranks $n evaluate "$(IFS=,; echo "$*")" $data --json >all.json 2>said
    "$PYTHON" - "$@" <<'END' || fail "$data, $* on $n ranks"
import csv, json, os, sys
got = list(csv.reader(open("all.csv")))
scores = json.load(open("all.json"))
if len(scores) != len(sys.argv) - 1:
    sys.exit("%d scores" % len(scores))
want = None
for path, score in zip(sys.argv[1:], scores):
    name = os.path.basename(path)
    alone = list(csv.reader(open("alone.%s.csv" % name)))
    for k, column in enumerate(alone[0]):
        if k > 0:
            alone[0][k] = name[:-3] + ("" if column == "prediction" else "." + column)
    want = alone if want is None else [w + r[1:] for w, r in zip(want, alone)]
    if score.pop("model") != path or score != json.load(open("alone.%s.json" % name)):
        sys.exit("scores of %s" % path)
if got != want:
    sys.exit("got %s, wanted %s" % (got[:2], want[:2]))
END
  done
}

alike train.h5 models/a.h5 b.h5
alike whole.h5 b.h5 c.h5 odds.h5 models/a.h5
alike train.h5 b.h5 c.h5 models/a.h5 # values are missing, and means differ
alike other.h5 c.h5 b.h5
alike sparse.h5 s.h5 t.h5

# a name with a comma is that of one model, as long as there is such a file
must 0 predict 'with,comma.h5' train.h5 -o comma.csv
[ "$(head -n 1 comma.csv)" = id,prediction ] || fail "a comma in a name: $(head -n 1 comma.csv)"
# models of one name go by their paths
cp b.h5 models/b.h5
must 0 predict b.h5,models/b.h5 train.h5 -o paths.csv
[ "$(head -n 1 paths.csv)" = id,b.h5,models/b.h5 ] || fail "one name twice: $(head -n 1 paths.csv)"
ranks 0 evaluate b.h5,c.h5 train.h5 >scores.txt 2>said || fail "scores as text"
[ "$(grep -c '^model ' scores.txt)" -eq 2 ] || fail "scores as text: $(cat scores.txt)"

refused 2 'b.h5 is given twice' 0 predict b.h5,b.h5 train.h5 -o no.csv
refused 2 'a name of a model is missing between commas' 2 predict b.h5,,c.h5 train.h5 -o no.csv
refused 1 'absent.h5' 0 predict b.h5,absent.h5 train.h5 -o no.csv
refused 1 's.h5 is for ' 2 predict b.h5,s.h5 train.h5 -o no.csv
refused 2 'verify: give one model at a time' 0 verify b.h5,c.h5 train.h5
finish
