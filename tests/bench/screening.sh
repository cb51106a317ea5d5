#!/usr/bin/env bash
# screening.sh [FOLDER] - real data at lambda_max / 2: exact, and what it costs
# SPDX-License-Identifier: MIT
#
# Each data set and loss: `lasso` against a slow solution that shares no code
# with it (tests/program/lasso_reference.py: objective 1e-8 relative, gap <= 1e-8, the
# same support), and `os-prox-sgd`, with max(200000 / n, 30) epochs and its final
# check, against the same: attributes of the support that are missing, too many,
# and those that checks had to re-admit. Then the seconds of training, medians of
# REPEATS (15: some take a tenth of a second), of fs-prox-sgd, also with
# --screen-rule paper, and of os-prox-sgd over those of prox-sgd in as many
# epochs. One rank without a launcher; SETS, LOSSES: some of them.
set -euo pipefail
RANKS=0
. "$(dirname "$0")/bench.sh"
sets=${SETS:-colon-cancer leukemia.train duke-breast-cancer arcene.train
  dexter.train dorothea.train rcv1sub.train mnist35.train}
losses=${LOSSES:-squared logistic}
repeats=${REPEATS:-15}

"$PYTHON" -c 'import numpy, scipy' 2>/dev/null || {
  echo "skipped: no NumPy and SciPy (sh jobs/packages.sh peers)"
  exit 77
}

import() # SET
{
  need_data "$1.svm.xz"
  [ -e "$1.h5" ] || must 0 import "$DATA/$1.svm.xz" -o "$1.h5"
}

# judge SET LOSS SOLVER OPTION...: train and compare with the reference
judge()
{
  local name=$1-$2-$3
  must 0 train "$1.h5" -o "$name.h5" --force --loss "$2" --solver "$3" \
    --lambda-ratio 0.5 --no-intercept --no-standardize "${@:4}" --report "$name.run.json"
  ranks 0 inspect "$name.h5" --json >"$name.json"
  "$PYTHON" "$SOURCE/tests/program/lasso_reference.py" "$DATA/$1.svm.xz" "$2" 0.5 \
    "$name.json" >"$name.reference.json" || fail "$name: not the solution"
  "$PYTHON" - "$name" <<'END'
import json, sys
name = sys.argv[1]
model, found, run = (json.load(open(name + end)) for end in (
    ".json", ".reference.json", ".run.json"))
mine, theirs = set(model["support"]), set(found["support"])
print("%-40s %9.1e %9.1e %5d %7d %5d %11d %9.3f" % (
    name, abs(model["objective"] / found["objective"] - 1), model["gap"],
    len(theirs), len(theirs - mine), len(mine - theirs),
    model["screened_wrongly"], run["seconds"]))
END
}

exact()
{
  local set loss n
  printf '%-40s %9s %9s %5s %7s %5s %11s %9s\n' 'set, loss, solver' objective \
    gap exact missing extra re-admitted seconds
  printf '%-40s %9s %9s %5s %7s %5s %11s\n' 'wanted' '<= 1e-8' '<= 1e-8' '' 0 0 ''
  for set in $sets; do
    import "$set"
    n=$(ranks 0 inspect "$set.h5" --json |
      sed -n 's/^ *"training": \([0-9]*\).*/\1/p')
    for loss in $losses; do
      judge "$set" "$loss" lasso
      judge "$set" "$loss" os-prox-sgd --epochs $((200000 / n > 30 ? 200000 / n : 30))
    done
  done
}

# median_seconds NAME: of training, without reading and writing
median_seconds()
{
  "$PYTHON" - "$1".*.json <<'END'
import json, statistics, sys
def seconds(path):
    run = json.load(open(path))
    return run["seconds"] - sum(
        run["phases"][p]["seconds_max"] for p in ("setup", "write"))
print("%.4g" % statistics.median(map(seconds, sys.argv[1:])))
END
}

# timed SET EPOCHS SOLVER NAME OPTION...
timed()
{
  must 0 train "$1.h5" -o time.h5 --force --solver "$3" --epochs "$2" \
    --lambda-ratio 0.5 --no-intercept --no-standardize "${@:5}" --report "$1.$4.json"
}

# ratios SET EPOCHS
ratios()
{
  local solver k plain
  import "$1"
  for ((k = 0; k < repeats; k++)); do
    for solver in prox-sgd fs-prox-sgd os-prox-sgd; do
      timed "$1" "$2" $solver "$solver.$k"
    done
    timed "$1" "$2" fs-prox-sgd "printed.$k" --screen-rule paper
  done
  plain=$(median_seconds "$1.prox-sgd")
  echo "$1, $2 epochs: prox-sgd takes $plain s"
  compare "$1: os-prox-sgd over prox-sgd" \
    "$(median_seconds "$1.os-prox-sgd") / $plain" '<=' 0.5
  compare "$1: prox-sgd over fs-prox-sgd" \
    "$plain / $(median_seconds "$1.fs-prox-sgd")" '>=' 5
  echo "$1: with the printed rule: $plain / $(median_seconds "$1.printed")"
}

exact
ratios colon-cancer 3000
ratios leukemia.train 2000
for set in $sets; do
  remove "$set.h5"
done
finish
