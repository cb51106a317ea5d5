#!/usr/bin/env bash
# telemetry.sh - no field of a telemetry is 0 where a number is known, of any solver: what is not
# known is null or left out, and the zero model at the beginning of a fold has its objective
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*
cat >check.py <<'PYTHON'
import json, sys
name = sys.argv[1]
lines = [json.loads(line) for line in open(name + ".jsonl")]
zero = sum(float(v) for v in open("variance"))
def bad(line, what):
    line.pop("run", None)
    sys.exit("%s: %s: %s" % (name, what, line))
for line in lines:
    for key in "update", "examples", "attributes", "loss":
        if not line[key] > 0:
            bad(line, key)
    if "epochs" in line and not line["epochs"] > 0:
        bad(line, "epochs")
    for key in "objective", "lambda":
        if key in line and line[key] is not None and not line[key] > 0:
            bad(line, key)
    if line.get("gap") is not None and not line["objective"]:
        bad(line, "a gap of no objective")
    # the model is known, or nothing of it is; an empty one explains nothing
    if (line["support_size"] is None) != (line["population_mse"] is None):
        bad(line, "of the model")
    if line["support_size"] == 0 and not line["population_mse"] > 0.8 * zero:
        bad(line, "an empty support")
    # their models have all attributes, and are made at checks and at the end
    if name in ("ssr", "aerr", "aelr", "ogd-ridge", "eg-lasso") and line["support_size"] == 0:
        bad(line, "a support before there is a model")
    if line.get("fold") and line["support_size"] == 0 and not 0.3 * zero < line["objective"] < 0.7 * zero:
        bad(line, "the objective of the zero model")
if not lines:
    sys.exit("%s: no lines" % name)
print(name, len(lines), "lines", sum(line["support_size"] is None for line in lines), "without a model")
PYTHON
must 0 generate murata -o d.h5 -n 400 -d 30 --support 4 --seed 2
echo 5 >variance # four coefficients of 1, and noise of variance 1
steps=$(solvers_with epochs)
solvers=0
while read -r solver options; do
  ! saw -x -- "$solver" <<<"$steps" || [ "$solver" = lasso ] || options="$options --lambda-ratio 0.1 --epochs 8"
  # shellcheck disable=SC2086
  must 0 train d.h5 -o "$solver.h5" --solver "$solver" $options --telemetry "$solver.jsonl"
  "$PYTHON" check.py "$solver" || fail "$solver"
  solvers=$((solvers + 1))
done < <(each_solver 4 12 0,1,2,3)
[ "$solvers" -ge 23 ] || fail "$solvers solvers"
grep -c '"fold":[1-9]' lasso.jsonl | saw -x '[1-9][0-9]*' || fail "lasso had no folds"
finish
