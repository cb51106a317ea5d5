#!/usr/bin/env bash
# unpenalised.sh - attributes without a penalty: solutions as numpy finds them,
# certificates, every solver takes them or says why not, the same model on any
# ranks, groups of weight 0, what is refused
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

list=5,20,33
"$PYTHON" "$SOURCE/tests/program/unpenalised.py" make
for name in numbers labels; do
  must 0 import "$name.csv" -o "$name.h5" --target y --type f64 --no-shuffle
done
must 0 import numbers.csv -o three.h5 --target y --type f64 --no-shuffle --shards 3

# --- exact, and certified; above lambda_max they are alone in the model
holds()
{
  ranks 0 verify "$@" >verify.out || fail "verify $*"
  grep -q '^certificate  *holds$' verify.out || fail "$1: the certificate"
}
for loss in squared logistic squared-hinge; do
  data=labels
  [ "$loss" = squared ] && data=numbers
  for ratio in 1.5 0.1; do
    must 0 train "$data.h5" -o lasso.h5 --force --solver lasso --no-standardize --loss "$loss" \
      --lambda-ratio "$ratio" --unpenalised "x33,5,x20"
    ranks 0 inspect lasso.h5 --json >lasso.json
    "$PYTHON" "$SOURCE/tests/program/unpenalised.py" check "$data.csv" "$loss" lasso.json \
      "$list" "$ratio" || fail "$loss at $ratio of lambda_max: not what numpy finds"
    holds lasso.h5 "$data.h5"
  done
done
compare "ledger: by themselves" "$(key lasso.json ledger.unpenalised_attributes)" '>=' 900
compare "ledger: not among the others" "$(key lasso.json ledger.max_attributes_per_example)" == 57

# --- every solver has them in its model, or says why it cannot
solvers_with unpenalised >takes
solvers_with epochs >penalised
ranked=' sift hybrid lasso omp os-prox-sgd rda saga ' # a run on three ranks
each_solver 4 20 0,1,2 >solvers
while read -r -u 7 solver options; do
  read -ra job <<<"train numbers.h5 -o one.h5 --force --solver $solver --unpenalised $list $options"
  if ! grep -qx -- "$solver" takes; then
    refused 2 "solver $solver has no attributes without a penalty: [a-z]" 0 "${job[@]}"
    continue
  fi
  ! grep -qx -- "$solver" penalised || job+=(--standardize --epochs 20)
  must 0 "${job[@]}"
  cp must.err "$solver.err"
  if [[ $ranked = *" $solver "* ]]; then
    job[1]=three.h5
    must 3 "${job[@]}" -o this.h5
    cmp one.h5 this.h5 || fail "$solver: another model on three ranks"
  fi
  ranks 0 inspect one.h5 --json >one.json
  compare "$solver: members" "len({$list} & set($(key one.json support)))" == 3
  compare "$solver: observed" "$(key one.json ledger.unpenalised_attributes)" '>' 0
  case $solver in
  exploration | hybrid)
    compare "$solver: chosen beside them" "len($(key one.json support))" == 7
    compare "$solver: in the budget" "$(key one.json ledger.max_attributes_per_example)" '<=' 20
    ;;
  exploitation) compare "$solver: members" "len($(key one.json support))" == 6 ;;
  sift | omp) ;;
  *) holds one.h5 numbers.h5 ;;
  esac
done 7<solvers
compare "solvers that take them" "$(wc -l <takes)" == 14
grep -q 'note: the model is that of --select truth: candidates' sift.err || fail "sift does not tell"
must 0 train numbers.h5 -o omp.h5 --solver omp -s 4 --unpenalised "$list"
ranks 0 inspect omp.h5 --json >omp.json
compare "omp: chosen beside them" "len($(key omp.json support))" == 7

# --- groups of weight 0 have no penalty; a tiny weight is told
seq 0 59 | grep -vxE '5|20|33' >single.txt
{ echo "5 20,33 weight=0" && cat single.txt; } >zero.txt
{ echo "5 20,33 weight=1e-6" && cat single.txt; } >tiny.txt
lasso=(train numbers.h5 --force --solver lasso --no-standardize --lambda-ratio 0.3)
must 0 "${lasso[@]}" -o list.h5 --unpenalised "$list"
must 0 "${lasso[@]}" -o zero.h5 --groups zero.txt
for name in list zero; do
  ranks 0 inspect "$name.h5" --json >"$name.json"
done
compare "by weight 0" "$(key zero.json coef)" == "$(key list.json coef)"
compare "by weight 0, told" "$(key zero.json unpenalised)" == "$(key list.json unpenalised)"
holds zero.h5 numbers.h5
must 0 "${lasso[@]}" -o tiny.h5 --groups tiny.txt
grep -q 'note: the weights of the groups lie between 1e-06 and 1, ' must.err ||
  fail "a tiny weight is not told"
must 0 "${lasso[@]}" -o this.h5 --penalty group --groups zero.txt
holds this.h5 numbers.h5

# --- the deck of a model makes it again; a checkpoint of others is not gone on with
ranks 0 inspect list.h5 | sed -n '/^\[model\]/,$p' >deck.ini
must 2 train numbers.h5 --deck deck.ini -o again.h5
cmp list.h5 again.h5 || fail "the deck makes another model"
rc=0
saga=(train numbers.h5 --solver saga --no-standardize --checkpoint kept -o saga.h5 --force)
THRESHER_STOP_AT=1 ranks 0 "${saga[@]}" --unpenalised "$list" >out 2>err || rc=$?
compare "status of a stopped run" "$rc" == 3
refused 2 "with 'unpenalised 5,20,33' where this one has 'unpenalised 5,20'" 0 "${saga[@]}" \
  --unpenalised 5,20
must 2 "${saga[@]}" --unpenalised "$list"
must 0 train numbers.h5 --solver saga --no-standardize -o whole.h5 --unpenalised "$list"
cmp whole.h5 saga.h5 || fail "a run that was gone on with has another model"

# --- what is refused
job=(train numbers.h5 -o never.h5 --solver lasso --no-standardize)
refused 2 '--unpenalised: attribute 5 is there twice' 2 "${job[@]}" --unpenalised 5,x5
refused 2 '--unpenalised: v9 is not the name of an attribute' 2 "${job[@]}" --unpenalised 3,v9
refused 2 '--unpenalised: attribute 60 is not within 0..59' 0 "${job[@]}" --unpenalised 60
refused 2 '--unpenalised: no attribute is left that has a penalty' 0 "${job[@]}" \
  --unpenalised "$(seq -s , 0 59)"
refused 2 '--select predict: candidates are compared with the mean alone' 0 train numbers.h5 \
  -o never.h5 --select predict --unpenalised 5
"$PYTHON" - <<'END'
lines = open("labels.csv").read().splitlines()
with open("apart.csv", "w") as out:
    print("apart," + lines[0], file=out)
    for line in lines[1:]:
        print(line.split(",")[0] + "," + line, file=out)
END
must 0 import apart.csv -o apart.h5 --target y
refused 1 'the attributes of --unpenalised separate the two labels' 2 train apart.h5 -o never.h5 \
  --solver lasso --no-standardize --unpenalised apart
finish
