#!/usr/bin/env bash
# competitors.sh - rda-ito, dantzig, ssr: they learn, keep the budget, have the same
# bytes on any ranks, layout and memory, and refuse what does not go together
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

# learn NAME ARGUMENT...: NAME.h5, and NAME.json from inspect
learn()
{
  local name=$1
  shift
  must 0 train "$@" -o "$name.h5" --force && ranks 0 inspect "$name.h5" --json >"$name.json"
}

# error MODEL DATA: the relative loss on test data
error()
{
  ranks 0 evaluate "$1.h5" "$2.h5" --json >scores.json
  key scores.json relative_loss
}

# small: three cells of attributes, so that three ranks have some; easy: few attributes
small="--examples 900 --attributes 700 --support 5 --test 0.2 --noise 0.5 --seed 3"
must 0 generate murata -o data.h5 $small
must 0 generate murata -o shards.h5 $small --shards 3
must 0 generate murata -o easy.h5 --examples 12000 --attributes 40 --support 4 --test 0.2

# --- the ledger, and the same bytes
ranks=3
for solver in rda-ito dantzig ssr whole; do
  ranks=$((5 - ranks)) # 2 and 3 in turn
  options="--solver $solver -s 6 --budget 200"
  seen=200
  [ $solver != whole ] || options="--solver ssr --passes 2 --validation 0.2" seen=700
  learn model data.h5 $options
  compare "$solver: most of one" "$(key model.json ledger.max_attributes_per_example)" == $seen
  compare "$solver: attributes" "$(key model.json ledger.attributes)" == \
    "$seen * $(key model.json ledger.examples)"
  [ $solver = whole ] ||
    compare "$solver: one pass" "$(key model.json ledger.examples)" == 720
  must $ranks train data.h5 -o ranks.h5 --force $options
  cmp model.h5 ranks.h5 || fail "$solver: another model on $ranks ranks"
  must 2 train data.h5 -o stream.h5 --force $options --memory 1M
  cmp model.h5 stream.h5 || fail "$solver: another model from a stream"
  must 0 train shards.h5 -o layout.h5 --force $options
  cmp model.h5 layout.h5 || fail "$solver: another model from three shards"
  ranks 0 inspect model.h5 | sed -n '/^\[model\]/,$p' >deck.ini
  must 0 train data.h5 --deck deck.ini -o deck.h5 --force
  cmp model.h5 deck.h5 || fail "$solver: the deck makes another model"
done

# --- they learn: what is left of the loss of the mean
for solver in rda-ito dantzig ssr; do
  learn easy-$solver easy.h5 --solver $solver -s 4 --budget 12
  compare "$solver" "$(error easy-$solver easy)" '<' 0.3
  compare "$solver: members" "len($(key easy-$solver.json support))" '<=' 4
done
learn whole easy.h5 --solver ssr
compare "ssr, whole" "$(error whole easy)" '<' 0.21
learn all easy.h5 --solver rda-ito -s 4 --budget 40
compare "rda-ito, all of them" "$(error all easy)" '<' 0.21

# --- steps that are too long begin anew
must 0 train easy.h5 -o model.h5 --force --solver rda-ito -s 4 --budget 12 --eta 5
grep -q 'begin anew with --eta' must.err || fail "no word on the steps"
compare "after them" "$(error model easy)" '<' 0.6

# --- labels are regressed, weights and names count, a constant target is no failure
awk 'BEGIN { srand(2); print "y,w,a,b,c,d,e"
  for (i = 0; i < 3000; i++) {
    for (j = 0; j < 5; j++) x[j] = rand() - 0.5
    print (x[1] > 0 ? "yes" : "no") "," 1 + i % 3 "," x[0] "," x[1] "," x[2] "," x[3] "," x[4] } }' \
  >labels.csv
must 0 import labels.csv -o labels.h5 --target y --weights w --positive-class yes --test 0.2
for solver in rda-ito dantzig ssr; do
  learn model labels.h5 --solver $solver -s 1 --budget 4
  grep -q '"b"' model.json || fail "$solver: not attribute b"
  ranks 0 evaluate model.h5 labels.h5 --json >scores.json
  compare "$solver: labels" "$(key scores.json auc)" '>' 0.95
done
awk 'BEGIN { srand(2); for (i = 0; i < 50; i++) print 3, "1:" rand(), "2:" rand(), "3:" rand() }' \
  >same.svm
must 0 import same.svm -o same.h5
for solver in rda-ito dantzig ssr; do
  learn model same.h5 --solver $solver -s 1 --budget 3
  compare "$solver: a constant" "$(key model.json intercept)" == 3
done

# --- refusals
untrained '--sparsity, the most' data.h5 --solver rda-ito --budget 20
untrained '--budget, the most' data.h5 --solver dantzig -s 3
untrained 'must be at least 8' data.h5 --solver rda-ito -s 6 --budget 7
untrained 'must be at least 8' data.h5 --solver dantzig -s 6 --budget 7
untrained 'more than the 700' data.h5 --solver dantzig -s 6 --budget 701
untrained 'needs --sparsity' data.h5 --solver ssr --budget 7
untrained 'squared loss only' labels.h5 --solver ssr --loss logistic
untrained 'has no --eta theory' data.h5 --solver rda-ito -s 6 --budget 20 --eta theory
untrained '--eta' data.h5 --solver dantzig -s 6 --budget 20 --eta 1
untrained '8000008000000 bytes' --source murata:examples=1000,attributes=1000000 \
  --solver dantzig -s 3 --budget 10

finish
