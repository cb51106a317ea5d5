#!/usr/bin/env bash
# oomp.sh - oomp: only true attributes, at any end; the same on any ranks; its limits
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

paper=(--solver oomp --no-intercept --no-standardize)

# learn NAME ARGUMENT...: NAME.h5, the same on one rank and on two, and NAME.json
learn()
{
  local name=$1
  shift
  must 0 train "$@" -o "$name.h5" --force &&
    ranks 0 inspect "$name.h5" --json >"$name.json"
  learned=$((learned + 1)) # in the ordinary suite every second one on two ranks, too
  tried $learned 2 || return 0
  must 2 train "$@" -o two.h5 --force
  cmp "$name.h5" two.h5 || fail "$*: another model on two ranks"
}
learned=1

# is WHAT VALUE WANTED
is()
{
  [ "$2" = "$3" ] || fail "$1: $2, wanted $3"
}

must 0 generate oomp -o data.h5 --examples 300000 --attributes 16 --seed 3
ranks 0 inspect data.h5 --json >inspect.json
compare "log2 d true ones" "len($(key inspect.json truth.support))" == 4

# --- s known: the whole support, the largest coefficient first, with its guarantee
learn known data.h5 "${paper[@]}" --mu 0 -s 4
compare "the order" "$(key known.json selected)" == '[0, 1, 2, 3]'
compare "guarantee" "$(key known.json guarantee)" == 0.8
compare "constants" "$(key known.json assumed.mu)" == 0
compare "costs" "$(key known.json cost.try_select)" '>' "$(key known.json cost.optim)"
compare "bound of values" "abs($(key known.json assumed.bound) - 0.5)" '<' 1e-4
ranks 0 inspect known.h5 | sed -n '/^\[model\]/,$p' >deck.ini
must 0 train data.h5 --deck deck.ini -o again.h5
cmp known.h5 again.h5 || fail "the deck makes another model"

# --- a limit of examples: fewer of them, the same ones first
learn few data.h5 "${paper[@]}" --mu 0 --max-examples 30000
compare "fewer attributes" "len($(key few.json selected))" '<' 4
compare "the same first" "$(key few.json selected)" == \
  "$(key known.json selected)[:len($(key few.json selected))]"
compare "examples" "$(key few.json ledger.examples)" '<' 70000

# --- s unknown: what remains falls below a bound
learn below data.h5 "${paper[@]}" --mu 0 --stop-below 0.5 --telemetry below.jsonl
compare "remaining" "$(key below.json remaining_bound)" '<=' 0.5
# told while the run goes on: above the bound until the last look, then that of the model
"$PYTHON" - "$(key below.json remaining_bound)" <<'END' || fail "another bound in the telemetry"
import json
import sys
told = [json.loads(line).get("remaining_bound") for line in open("below.jsonl")]
told = [bound for bound in told if bound is not None]
looks = [bound for bound in told if bound != told[-1]]
sys.exit(told[-1] != float(sys.argv[1]) or len(looks) < 10 or min(looks) <= 0.5)
END
compare "and is more than what is left" "$(key below.json remaining_bound)" '>' 0.125

# --- standardized, with an intercept and the default constants
learn plain data.h5 --solver oomp
compare "wrong ones" "len(set($(key plain.json selected)) - {0, 1, 2, 3})" == 0
compare "some" "len($(key plain.json selected))" '>' 0

# --- examples that serve twice end the guarantee
learn twice data.h5 "${paper[@]}" --passes 3
compare "guarantee" "$(key twice.json guarantee)" == 0
grep -q 'no guarantee' must.err || fail "no word on the guarantee"

# --- over many problems, wherever they end: no wrong attribute
wrong=0 runs=0
for seed in $(seq "$(long && echo 40 || echo 2)"); do
  for design in orthogonal toeplitz,correlation=0.1; do
    for end in "--max-examples 20000" "--max-examples 200000"; do
      source=oomp:examples=200000,attributes=32,design=$design,seed=$seed
      # shellcheck disable=SC2086
      must 0 train --source "$source" -o run.h5 --force "${paper[@]}" --mu 0.1 $end
      ranks 0 inspect run.h5 --json >run.json
      runs=$((runs + 1))
      [ "$(key run.json selected 2>/dev/null)" = null ] && continue
      "$PYTHON" -c 'import json; import sys
sys.exit(any(k >= 5 for k in json.load(open("run.json")).get("selected", [])))' ||
        wrong=$((wrong + 1))
    done
  done
done
compare "runs with a wrong attribute, of $runs" "$wrong" '<=' "0.2 * $runs"

# --- the bound on what remains, with nothing selected, beside numpy on the text
"$PYTHON" - <<'END'
import random
random.seed(5)
with open("text.csv", "w") as f:
    f.write("y," + ",".join("x%d" % j for j in range(12)) + "\n")
    for i in range(900):
        x = [random.uniform(-1, 2) for j in range(12)]
        f.write(",".join("%.7g" % v for v in [3 * x[2] + random.uniform(1, 4)] + x) + "\n")
END
must 0 import text.csv -o text.h5 --target y --type f64
for units in "" "--no-standardize --delta 0.3"; do
  # shellcheck disable=SC2086
  learn assumed text.h5 --solver oomp --mu 0.9 --stop-below 1000 $units --telemetry told.jsonl
  tail -n 1 told.jsonl >told.json
  is "told as a condition" "$(key told.json remaining_bound)" null
  is "by its number" "$(key told.json if_assumed.remaining_bound)" \
    "$(key assumed.json if_assumed.remaining_bound)"
  is "no bound by what is assumed" "$(key assumed.json remaining_bound)" null
  is "nor an end by it" "$(key assumed.json ended_by)" '"examples"'
  grep -q 'does not end by --stop-below' must.err || fail "no word on --stop-below"
  grep -q 'if rho is at least .* (assumed) and smoothness .* (assumed): the coeff' must.err ||
    fail "the bound is printed without its condition"
  compare "guarantee by mu alone" "$(key assumed.json guarantee)" '>' 0
  # shellcheck disable=SC2086
  learn nothing text.h5 --solver oomp $units
  is "no guarantee by what is assumed" "$(key nothing.json guarantee)" null
  compare "but on a condition" "$(key nothing.json if_assumed.guarantee)" '>' 0
  is "which is told" "$(key nothing.json assumed_from.mu)" '"assumed"'
  # shellcheck disable=SC2086
  learn bound text.h5 --solver oomp --mu 0.9 --rho "$(key assumed.json assumed.rho)" \
    --smoothness "$(key assumed.json assumed.smoothness)" $units
  compare "the same, given" "$(key bound.json remaining_bound)" == \
    "$(key assumed.json if_assumed.remaining_bound)"
  "$PYTHON" - "$units" >bound.txt <<'END'
import math
import sys
import numpy
rows = numpy.loadtxt("text.csv", delimiter=",", skiprows=1)
y, x = rows[:, 0] - rows[:, 0].mean(), rows[:, 1:] - rows[:, 1:].mean(0)
own = 1 if sys.argv[1] else (1 / x.std(0)).max()
x = x if sys.argv[1] else x / x.std(0)
n, d = x.shape
delta = (0.3 if sys.argv[1] else 0.1) / 4
rho, smooth, m, span = x.var(0).min(), x.var(0).max(), abs(x).max(), abs(y).max()
log = math.log(8 * d * n * n / delta)
terms = x * y[:, None]
most = numpy.maximum(terms.var(0, ddof=1), span ** 2 * smooth * m ** 2 / (1000 * rho))
conf = numpy.sqrt(8 * most * log / n) + 28 * m * span * log / (3 * (n - 1))
print(own * math.sqrt(smooth / rho ** 3) * (abs(terms.mean(0)) + conf).max())
END
  compare "nothing selected" "$(key bound.json selected)" == '[]'
  compare "bound on the rest" \
    "abs($(key bound.json remaining_bound) / $(cat bound.txt) - 1)" '<' 1e-4
done

# --- what ends a run, and whether it has done all that was asked
learn three text.h5 --solver oomp --mu 0.9 -s 4
is "of four asked for none" "$(key three.json ended_by)" '"examples"'
is "is not complete" "$(key three.json complete)" false
is "four" "$(key known.json ended_by)" '"sparsity"'
is "are" "$(key known.json complete)" true
is "a limit" "$(key few.json ended_by)" '"limit"'
is "a bound" "$(key below.json ended_by)" '"bound"'
must 0 train data.h5 "${paper[@]}" -o all.h5 --mu 0 --max-attributes 100000 --report all.json
is "report" "$(key all.json ended_by)" '"limit"'
ranks 0 inspect all.h5 >all.txt
grep -q '^ended by: *limit' all.txt || fail "inspect does not tell what ended the run"

# --- no false statement, whatever the correlation and the constants that are given
"$PYTHON" - "$(long && echo 20 || echo 1)" >claims.txt <<'END'
import json
import math
import os
import re
import subprocess
import sys

D, S = 16, 4
TRUE = [(1 - k / S) / math.sqrt(S) for k in range(S)]
GIVEN = ("", "--mu 0.8 --stop-below 0.25", "--mu 0.5 --rho 1 --smoothness 1 --stop-below 0.3",
         "--no-standardize --no-intercept --mu 0.8 --stop-below 0.25", "-s 4 --stop-below 5")
program = os.environ["THRESHER"]
false = wrong = runs = stated = 0


def run(*arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True)


for correlation in (0, 0.5, 0.8, 0.9):
    for seed in range(int(sys.argv[1])):
        for given in GIVEN:
            source = (f"oomp:examples=500000,attributes={D},design=toeplitz,"
                      f"correlation={correlation},seed={seed + 1}")
            told = run("train", "--source", source, "--solver", "oomp", "-o", "claims.h5",
                       "--force", *given.split()).stderr
            model = json.loads(run("inspect", "claims.h5", "--json").stdout)
            selected = model["selected"]
            left = [b for k, b in enumerate(TRUE) if k not in selected]
            rms = math.sqrt(sum(b * b for b in left) / len(left)) if left else 0
            printed = re.findall(r"choice: *(if)?.*mean square below ([0-9.e+-]+),", told)
            bounds = [float(b) * 1.01 for condition, b in printed if not condition]
            bounds += [b for b in [model["remaining_bound"]] if b is not None]
            if model["ended_by"] == "bound":
                bounds.append(float(given.split()[-1]))
            stated += len(bounds) > 0
            false += any(rms > b for b in bounds)
            false += model["ended_by"] == "sparsity" and len(selected) != S
            false += model["complete"] != (model["ended_by"] in ("sparsity", "bound", "nothing left"))
            runs += 1
            wrong += model["guarantee"] is not None and any(k >= S for k in selected)
print(false, wrong, stated, runs)
END
read -r false wrong stated runs <claims.txt
compare "false statements, of $runs" "$false" == 0
compare "bounds are stated" "$stated" '>=' "$runs / 3"
compare "wrong attributes under a guarantee, of $runs" "$wrong" '<=' "0.2 * $runs"

# --- sparse data are the same data: rare attributes that have dropped out do not
# shift the others
"$PYTHON" - <<'END'
import random
random.seed(2)
true = {7: 0.5, 21: 1.0, 40: 0.4}
with open("rare.txt", "w") as f:
    for i in range(60000):
        x = {j: random.choice((-1, 1)) for j in range(120)
             if random.random() < (0.5 if j in true else 0.003)}
        y = sum(true.get(j, 0) * v for j, v in x.items()) + random.uniform(-0.1, 0.1)
        f.write("%.6f " % y + " ".join("%d:%d" % (j + 1, v) for j, v in x.items()) + "\n")
END
for layout in sparse dense; do
  must 0 import rare.txt -o "$layout.h5" --layout "$layout" --type f64
  learn "rare-$layout" "$layout.h5" "${paper[@]}" --mu 0.3 --rho 0.5 --smoothness 1 -s 5
done
compare "some have dropped out" "$(key rare-dense.json cost.try_select)" '<' "60000 * 100"
for what in selected cost.try_select; do
  compare "$what of sparse data" "$(key rare-sparse.json $what)" == \
    "$(key rare-dense.json $what)"
done
compare "bound of sparse data" "abs($(key rare-sparse.json remaining_bound) / \
  $(key rare-dense.json remaining_bound) - 1)" '<' 1e-9

# --- nothing stands out
must 0 generate oomp -o small.h5 --examples 300 --attributes 16
must 0 train small.h5 -o small-model.h5 --solver oomp
grep -q 'no attribute stands out for certain in 300 examples' must.err ||
  fail "no word on a model that is zero"

# --- how fast the coefficients of generated data fall: of a model that knows them, without noise
for decay in 0 0.5 1 2; do
  must 0 generate oomp -o decay.h5 --examples 400 --attributes 16 --support 4 --noise 0 \
    --decay $decay --force
  must 0 train decay.h5 -o fit.h5 --force --solver omp --oracle fit --no-intercept
  ranks 0 inspect fit.h5 --json >fit.json
  for k in 1 2 3; do
    compare "decay $decay: coefficient $k" \
      "abs($(key fit.json coef)[$k] / $(key fit.json coef)[0] - (1 - $k / 4) ** $decay)" '<' 1e-5
  done
done

# --- what it refuses
printf 'y,a,w\n1,2,1\n2,3,2\n3,1,1\n' >weights.csv
must 0 import weights.csv -o weights.h5 --target y --weights w
refused 2 "do not hold for weights" 0 train weights.h5 -o no.h5 --solver oomp
refused 2 "squared loss only" 0 train data.h5 -o no.h5 --solver oomp --loss logistic
refused 2 "correlation is of --design toeplitz" 0 generate oomp -o no.h5 --examples 9 \
  --attributes 4 --correlation 0.3
refused 2 "mu" 0 train data.h5 -o no.h5 --solver oomp --mu 1
finish
