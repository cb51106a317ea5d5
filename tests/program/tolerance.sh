#!/usr/bin/env bash
# tolerance.sh - --tolerance with stochastic solvers: a run that ends by it has a
# model whose certificate says so, and where it does not end so that is said
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

must 0 generate murata -n 100 -d 1000 --seed 1 -o wide.h5
must 0 generate toeplitz -n 60 -d 500 --seed 1 -o close.h5

# holds TOLERANCE SET OPTION...: the gap is that small, or all epochs are over and
# the note names both gaps. Exactly one of the two.
holds()
{
  local wanted=$1 set=$2
  shift 2
  ranks 0 train "$set.h5" -o model.h5 --force --tolerance "$wanted" "$@" \
    >train.out 2>notes || fail "status of $set $*"
  ranks 0 inspect model.h5 --json >model.json
  "$PYTHON" - "$wanted" notes model.json <<'END' || fail "$set $wanted: $*"
import json, re, sys
wanted, model = float(sys.argv[1]), json.load(open(sys.argv[3]))
gap, passes = model["gap"], model["passes"]
note = re.search("used up at a gap of (.*), not (.*?):", open(sys.argv[2]).read())
print(gap, passes, note and note.groups())
if (gap <= wanted) == bool(note):
    sys.exit("gap and note do not agree")
if note and (passes < 1000 or abs(float(note[1]) - gap) > 1e-5 * gap):
    sys.exit("the note is not true")
END
}

# checks that knew less than the certificate: the iterate before it was pruned, on
# the attributes that were left
holds 0.1 wide --solver fs-prox-sgd --no-standardize
holds 0.1 wide --solver svrg --no-standardize --no-intercept
for solver in saga svrg fs-prox-sgd; do
  for tolerance in 0.3 0.03 0.003; do
    holds $tolerance wide --solver $solver
    holds $tolerance close --solver $solver --no-intercept --lambda-ratio 0.3
  done
done

# what may help: not what is there already
ranks 0 train wide.h5 -o model.h5 --force --solver prox-sgd --no-standardize --tolerance 1e-5 \
  --epochs 4 >train.out 2>notes
grep -q 'used up.* give --standardize, a larger --epochs' notes ||
  fail "no advice: $(cat notes)"
ranks 0 train wide.h5 -o model.h5 --force --solver prox-sgd --no-standardize --tolerance 1e-5 \
  --epochs 4 --standardize >train.out 2>notes
grep -q 'used up.* give a larger --epochs' notes || fail "advice: $(cat notes)"

# centred and scaled values are rounded to float: not what the gap ends at
for solver in saga svrg os-prox-sgd; do
  for options in --intercept '--standardize --no-intercept'; do
    # shellcheck disable=SC2086
    must 0 train close.h5 -o model.h5 --force --solver $solver $options \
      --lambda-ratio 0.3 --tolerance 1e-12
    ranks 0 inspect model.h5 --json >model.json
    compare "gap of $solver $options" "$(key model.json gap)" \
      '<=' 1e-12
    must 0 verify model.h5 close.h5
  done
done

# on the way there nothing depends on the ranks
for run in 'close saga --lambda-ratio 0.3 --tolerance 1e-11' \
  'close os-prox-sgd --lambda-ratio 0.3 --tolerance 1e-11' \
  'wide svrg --no-intercept --tolerance 0.1'; do
  read -r set solver options <<<"$run"
  for n in 1 3; do
    # shellcheck disable=SC2086
    must $n train "$set.h5" -o "on$n.h5" --force --solver "$solver" $options
  done
  cmp on1.h5 on3.h5 || fail "$run: ranks matter"
done
finish
