#!/usr/bin/env bash
# penalties.sh - the elastic net of solver lasso, factors of penalties and bounds of
# coefficients: solutions as NumPy and scikit-learn find them, certificates, chosen paths, the
# same model on any ranks and after a stop, what is refused
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
if ! "$PYTHON" -c 'import numpy' 2>/dev/null; then
  echo "skipped: $PYTHON has no numpy"
  exit 77
fi
rm -rf ./*

"$PYTHON" "$SOURCE/tests/program/penalties.py" make
for name in numbers labels; do
  must 0 import "$name.csv" -o "$name.h5" --target y --type f64 --no-shuffle --shards 3
  must 0 import "$name.csv" -o "sparse_$name.h5" --target y --type f64 --layout sparse --no-shuffle
done
must 0 import weights.csv -o weights.h5 --target y --weights w --type f64 --no-shuffle

holds()
{
  ranks 0 verify "$@" >verify.out 2>verify.err || fail "verify $*: $(cat verify.err)"
  grep -q '^certificate  *holds$' verify.out || fail "$1: the certificate"
}

# exact DATA WORDS OPTION...: a model, to be compared with the references; words: of
# penalties.py
models=0
exact()
{
  local data=$1 words=$2 loss=squared
  shift 2
  [[ $data != *labels ]] || loss=logistic
  models=$((models + 1))
  must 0 train "$data.h5" -o exact.h5 --force --solver lasso --loss $loss "$@"
  ranks 0 inspect exact.h5 --json >exact$models.json
  holds exact.h5 "$data.h5"
  echo "${data#sparse_}.csv $loss exact$models.json $words" >>list.txt
}
# also: in the long suite alone
also()
{
  ! long || exact "$@"
}
net=(--penalty elastic-net --mix)
for data in numbers sparse_numbers labels sparse_labels; do
  also $data mix=0.5 "${net[@]}" 0.5 --lambda-ratio 0.02
done
exact numbers mix=0.05 "${net[@]}" 0.05 --lambda-ratio 0.1 --standardize
also weights mix=0.3 "${net[@]}" 0.3 --lambda-ratio 0.05 --standardize
also numbers 'mix=0.4 unpenalised=3,7' "${net[@]}" 0.4 --lambda-ratio 0.05 --unpenalised x3,x7
exact sparse_labels 'mix=0.4 unpenalised=3,7' "${net[@]}" 0.4 --lambda-ratio 0.05 --unpenalised x3,x7 \
  --standardize
cat >weights.txt <<'END'
# by name and by number, with 0 for no penalty
x2 0.5
5	2
x3, 0

  x20   1e1
x9,0
END
also numbers 'mix=1 weights=weights.txt' --penalty-weights weights.txt --lambda-ratio 0.05
exact sparse_labels 'mix=0.5 weights=weights.txt unpenalised=30' "${net[@]}" 0.5 --lambda-ratio 0.05 \
  --penalty-weights weights.txt --unpenalised 30,x3
compare "no penalty on" "$(key exact$models.json unpenalised)" == '["x3", "x9", "x30"]'
printf 'x2 -0.05\nx9 0\n4,-0.2\n' >low.txt
printf '# none for others\nx8 0\nx20 0.3\n3\t0.1\n' >high.txt
also numbers 'lower=0' --positive --lambda-ratio 0.02
exact sparse_labels 'mix=0.5 lower=0' "${net[@]}" 0.5 --positive --lambda-ratio 0.02 --standardize
exact weights 'lower=-0.1 upper=0.2' --lower -0.1 --upper 0.2 --lambda-ratio 0.02 --standardize
also labels 'mix=0.5 upper=0 unpenalised=7' "${net[@]}" 0.5 --upper 0 --lambda-ratio 0.1 \
  --unpenalised 7
exact sparse_numbers 'mix=0.8 lower=low.txt upper=high.txt' "${net[@]}" 0.8 --lambda-ratio 0.02 \
  --lower low.txt --upper 8:0,20:0.3,3:0.1 --standardize
for data in numbers sparse_numbers labels sparse_labels weights; do
  for ratio in 0.5 0.001; do
    also $data mix=0.2 "${net[@]}" 0.2 --lambda-ratio $ratio --screen none
    also $data 'mix=0.7 unpenalised=0,39' "${net[@]}" 0.7 --lambda-ratio $ratio --standardize \
      --unpenalised 0,39
    also $data 'mix=0.6 lower=-0.1 upper=0.2' "${net[@]}" 0.6 --lambda-ratio $ratio --lower -0.1 \
      --upper 0.2
  done
done

"$PYTHON" "$SOURCE/tests/program/penalties.py" check <list.txt || fail "other solutions than NumPy's"

# --- the whole of l1 is l1: all of the model but its deck
told()
{
  ranks 0 inspect "$1" --json |
    "$PYTHON" -c 'import json, sys; m = json.load(sys.stdin); del m["deck"]; print(m)'
}
all=(numbers)
! long || all+=(sparse_labels)
for data in "${all[@]}"; do
  must 0 train "$data.h5" -o l1.h5 --force --solver lasso --path 20
  must 0 train "$data.h5" -o whole.h5 --force --solver lasso --path 20 "${net[@]}" 1
  told l1.h5 >l1.txt
  told whole.h5 >whole.txt
  cmp l1.txt whole.txt || fail "$data: with a mix of 1 it is not l1"
done

# --- a path chosen by folds: on any ranks, gone on with, certified, printed
for data in "${all[@]}"; do
  job=(train "$data.h5" --solver lasso "${net[@]}" 0.5 --folds 3 --path 25 --standardize --force)
  must 0 "${job[@]}" -o one.h5
  rc=0
  THRESHER_STOP_AT=7 ranks 0 "${job[@]}" -o again.h5 --checkpoint kept >out 2>err || rc=$?
  compare "$data: status of a stopped run" "$rc" == 3
  must 3 "${job[@]}" -o again.h5 --checkpoint kept
  cmp one.h5 again.h5 || fail "$data: a run that goes on, on three ranks, has another model"
  ranks 0 verify one.h5 "$data.h5" --retrain >verify.txt || fail "$data: $(cat verify.txt)"
  ranks 0 inspect one.h5 --path --json >path.json
  compare "$data: lambdas" "len($(key path.json path.lambda))" '>' 10
done
ranks 0 train numbers.h5 --solver lasso "${net[@]}" 0.25 --dry-run >plan.txt
grep -q '^penalty: elastic-net, mix 0.25, 100 lambdas' plan.txt || fail "the plan: $(cat plan.txt)"

# --- factors: the same model on any ranks; they are weights of groups, and who has these has them
job=(train numbers.h5 --solver lasso "${net[@]}" 0.5 --folds 3 --path 20 --force)
must 0 "${job[@]}" --penalty-weights weights.txt -o one.h5
must 2 "${job[@]}" --penalty-weights weights.txt -o two.h5
cmp one.h5 two.h5 || fail "factors: another model on two ranks"
ranks 0 verify one.h5 numbers.h5 --retrain >verify.txt || fail "factors: $(cat verify.txt)"
{
  printf '%s\n' '2 weight=0.5' '5 weight=2' '3 weight=0' '9 weight=0' '20 weight=10'
  seq 0 39 | grep -vxE '2|5|3|9|20'
} >groups.txt
solvers=(lasso)
! long || solvers+=(saga)
for solver in "${solvers[@]}"; do
  job=(train numbers.h5 --solver "$solver" --lambda-ratio 0.1 --force)
  must 0 "${job[@]}" --groups groups.txt -o groups.h5
  must 0 "${job[@]}" --penalty-weights weights.txt -o factors.h5
  for name in groups factors; do
    ranks 0 inspect $name.h5 --json >$name.json
  done
  for what in coef support unpenalised lambda_max; do
    compare "$solver: $what by groups" "'$(key groups.json $what)'" == "'$(key factors.json $what)'"
  done
done
rc=0
saga=(train numbers.h5 --solver saga --checkpoint begun -o saga.h5 --force --lambda-ratio 0.1)
THRESHER_STOP_AT=1 ranks 0 "${saga[@]}" --penalty-weights weights.txt >out 2>err || rc=$?
compare "status of a stopped run" "$rc" == 3
refused 2 "with 'unpenalised 3,9' where this one has" 0 "${saga[@]}"

# --- bounds: the same model on any ranks and after a stop; the deck makes it again
job=(train numbers.h5 --solver lasso --folds 3 --path 20 --lower low.txt --upper high.txt --force)
must 0 "${job[@]}" -o one.h5
rc=0
THRESHER_STOP_AT=9 ranks 0 "${job[@]}" -o again.h5 --checkpoint bounded >out 2>err || rc=$?
compare "bounds: status of a stopped run" "$rc" == 3
must 2 "${job[@]}" -o again.h5 --checkpoint bounded
cmp one.h5 again.h5 || fail "bounds: a run that goes on, on two ranks, has another model"
ranks 0 verify one.h5 numbers.h5 --retrain >verify.txt || fail "bounds: $(cat verify.txt)"
ranks 0 inspect one.h5 | sed -n '/^\[model\]/,$p' >deck.ini
grep -q '^lower = 2:-0.050*[0-9]*,4:-0.2[0-9]*,9:' deck.ini || fail "the deck: $(cat deck.ini)"
must 0 train numbers.h5 --deck deck.ini -o deck.h5
cmp one.h5 deck.h5 || fail "bounds: the deck makes another model"
must 0 train numbers.h5 -o bounded.h5 --solver lasso --positive --lambda-ratio 0.02
must 0 train numbers.h5 -o free.h5 --solver lasso --lambda-ratio 0.02
"$PYTHON" - <<'END' || fail "cannot take the deck of another model"
import h5py
with h5py.File("free.h5", "r") as free, h5py.File("bounded.h5", "r") as bounded:
    assert (free["coef"][:] < 0).any() and (bounded["coef"][:] > 0).all()
END

# --- what is refused
bounds=(train numbers.h5 -o never.h5 --solver lasso)
refused 2 '[-]-lower 0.5: must be a lower bound, 0 or below' 0 "${bounds[@]}" --lower 0.5
refused 2 '[-]-upper -1: must be an upper bound, 0 or above' 0 "${bounds[@]}" --upper -1
refused 2 '[-]-upper 3:-1: must be an upper bound' 0 "${bounds[@]}" --upper 3:-1
refused 1 'low.txt:1:4: -0.05 found, expected an upper bound, 0 or above' 2 "${bounds[@]}" \
  --upper low.txt
refused 2 'positive is --lower 0; leave one of them out' 0 "${bounds[@]}" --positive --lower -1
refused 2 'attribute 9 has no penalty, and so no bounds' 0 "${bounds[@]}" --lower low.txt \
  --unpenalised x9
refused 2 'are for the penalties l1 and elastic-net, not for group' 0 "${bounds[@]}" --positive \
  --penalty group --groups groups.txt
refused 2 'radius does not go with --positive' 0 "${bounds[@]}" --positive --radius 1
for solver in saga ridge; do
  refused 2 "solver $solver does not use --positive; leave it out, or use solver lasso" 0 \
    train numbers.h5 -o never.h5 --solver $solver --positive
done
factors=(train numbers.h5 -o never.h5 --solver lasso --penalty-weights)
echo 'v9 2' >wrong.txt
refused 2 '[-]-penalty-weights: v9 is not the name of an attribute' 0 "${factors[@]}" wrong.txt
printf 'x1 2\nx2 -1\n' >wrong.txt
refused 1 'wrong.txt:2:4: -1 found, expected a factor, 0 or above' 0 "${factors[@]}" wrong.txt
printf 'x1 2\nx2\n' >wrong.txt
refused 1 'wrong.txt:2:1: expected an attribute, a blank, and a factor' 0 "${factors[@]}" wrong.txt
printf 'x1 2\n1 3\n' >wrong.txt
refused 2 '[-]-penalty-weights: attribute 1 is there twice' 0 "${factors[@]}" wrong.txt
printf '40 3\n' >wrong.txt
refused 2 '[-]-penalty-weights: attribute 40 is not within 0..39' 0 "${factors[@]}" wrong.txt
seq -f 'x%g 0' 0 39 >wrong.txt
refused 2 'no attribute is left that has a penalty' 0 "${factors[@]}" wrong.txt
refused 1 'none.txt: No such file' 0 "${factors[@]}" none.txt
refused 2 '[-]-penalty-weights counts only with --penalty l1 or elastic-net' 0 "${factors[@]}" \
  weights.txt --groups groups.txt
refused 2 '[-]-penalty-weights counts only with --penalty l1 or elastic-net' 0 "${factors[@]}" \
  weights.txt --penalty group
refused 2 'solver omp does not use --penalty-weights' 0 "${factors[@]}" weights.txt --solver omp
job=(train numbers.h5 -o never.h5 "${net[@]}" 0.5)
for solver in saga os-prox-sgd; do
  refused 2 "solver $solver does not take --penalty elastic-net" 0 "${job[@]}" --solver $solver
done
refused 2 'solver ridge does not use --penalty' 0 "${job[@]}" --solver ridge
refused 2 '[-]-radius is for penalties that are norms' 0 "${job[@]}" --solver lasso --radius 1
refused 2 '[-]-mix 0: must be above 0' 0 train numbers.h5 -o never.h5 --solver lasso "${net[@]}" 0
refused 2 '[-]-mix counts only with --penalty elastic-net or sparse-group' 0 train numbers.h5 \
  -o never.h5 --solver lasso --mix 0.5
finish
