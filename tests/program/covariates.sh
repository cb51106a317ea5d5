#!/usr/bin/env bash
# covariates.sh - columns of a table beside the attributes: solutions as numpy finds them, in every
# layout and on any ranks; new tables for a model; words and cases as targets; what is refused
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*
apart=$PWD.apart # for tables of runs that leave nothing here
rm -rf "$apart"
mkdir "$apart"

numpy() { "$PYTHON" "$SOURCE/tests/program/covariates.py" "$@"; }
numpy make
must 0 import x.csv -o dense.h5 --id id --target none --no-shuffle
must 0 import x.csv -o wide.h5 --id id --target none --type f64 --no-shuffle
must 0 import x.csv -o calls.h5 --id id --target none --type u2 --shards 2
must 0 import x.svm -o sparse.h5 --ids ids.txt --layout sparse
height=(--targets pheno.tsv --target height)
lasso=(--solver lasso --no-standardize --tolerance 1e-13 --force)

# --- exact, certified, and counted by themselves
for data in dense wide calls sparse; do
  must 0 train $data.h5 -o one.h5 "${height[@]}" --covariates cov.tsv "${lasso[@]}" --lambda 0.2
  ranks 0 inspect one.h5 --json >one.json
  numpy check one.json x.csv pheno.tsv height cov.tsv 0.2 || fail "$data: not what numpy finds"
  must 0 verify one.h5 $data.h5 "${height[@]}" --covariates cov.tsv
  grep -q 'those it was trained on' must.out || fail "$data: $(cat must.out)"
done
grep -q '196 of 200 examples matched, 15 values are missing; 4 are not in the table' must.err ||
  fail "what is matched: $(cat must.err)"
[ "$(key one.json attributes)" = 34 ] || fail "attributes: $(key one.json attributes)"
compare "no penalty" "$(key one.json unpenalised)" == "[30, 31, 32, 33]"
compare "ledger" "$(key one.json ledger.unpenalised_attributes)" '>=' 800
compare "budget" "$(key one.json ledger.max_attributes_per_example)" '<=' 30
must 0 train dense.h5 -o half.h5 --targets all.tsv --target height --covariates all.tsv:age,PC1 \
  "${lasso[@]}" --lambda 0.2
must 0 train dense.h5 -o same.h5 --targets all.tsv --target height --covariates all.tsv \
  "${lasso[@]}" --lambda 0.2
ranks 0 inspect same.h5 --json >same.json
[ "$(key same.json attributes)" = 34 ] || fail "a target is a covariate"

# --- words are classes
must 0 train dense.h5 -o case.h5 --targets pheno.tsv --target status --covariates cov.tsv \
  "${lasso[@]}" --loss logistic --lambda 0.05
grep -q "class 'case' is 1, of [0-9]* examples that count; control is -1" must.err ||
  fail "classes: $(cat must.err)"
ranks 0 inspect case.h5 --json >case.json
numpy check case.json x.csv pheno.tsv status cov.tsv 0.05 || fail "labels: not what numpy finds"
[ "$(key case.json text.positive_class)" = '"case"' ] || fail "the class is forgotten"
must 0 train dense.h5 -o turned.h5 --targets pheno.tsv --target status --positive-class control \
  "${lasso[@]}" --lambda 0.05
grep -q "class 'control' is 1" must.err || fail "a class that is named: $(cat must.err)"
must 0 evaluate turned.h5 dense.h5 --targets pheno.tsv --target status
grep -q "class 'control' is 1" must.err || fail "the class of a model: $(cat must.err)"
must 0 train dense.h5 -o plink.h5 --targets plink.tsv "${lasso[@]}" --loss logistic --lambda 0.05
grep -q "class '2' is 1, of 50 examples that count; 1 is -1, of 50; 0 is missing" must.err ||
  fail "cases of PLINK: $(cat must.err)"
refused 1 "kind' are more than two words, such as 'a', 'b' and 'c'; name the one" 0 train dense.h5 \
  -o no.h5 --targets three.tsv
must 0 train dense.h5 -o three.h5 --targets three.tsv --positive-class b "${lasso[@]}"
refused 1 "no target 'kind' is of the class 'z'" 0 train dense.h5 -o no.h5 --targets three.tsv \
  --positive-class z

# --- the same model on any ranks, and of every kind of solver
for solver in "lasso --lambda 0.2" "hybrid -s 4 --budget 12" sift "omp -s 3" \
  "os-prox-sgd --lambda-ratio 0.2 --epochs 2"; do
  read -ra words <<<"--solver $solver"
  job=("${height[@]}" --covariates cov.tsv --force "${words[@]}")
  for data in calls sparse; do
    must 0 train $data.h5 -o one.h5 "${job[@]}"
    must 3 train $data.h5 -o this.h5 "${job[@]}"
    cmp one.h5 this.h5 || fail "$solver, $data: another model on three ranks"
  done
done

# --- a run that was stopped goes on with the same table, and with no other
kept=(train calls.h5 -o kept.h5 "${height[@]}" --solver os-prox-sgd --no-standardize
  --lambda-ratio 0.2 --epochs 3
  --checkpoint kept)
! THRESHER_STOP_AT=1 ranks 0 "${kept[@]}" --covariates cov.tsv >stop.out 2>stop.err ||
  fail "not stopped"
sed 's/\t0\.\([0-9]*\)$/\t1.\1/' cov.tsv >changed.tsv
refused 2 'kept' 0 "${kept[@]}" --covariates changed.tsv --cache "$apart"
must 2 "${kept[@]}" --covariates cov.tsv
must 0 train calls.h5 -o whole.h5 "${height[@]}" --solver os-prox-sgd --no-standardize \
  --lambda-ratio 0.2 --epochs 3 \
  --covariates cov.tsv
cmp whole.h5 kept.h5 || fail "a run that was gone on with has another model"

# --- other tables: by name, a new word is 0 for all, and told; also for a file
must 0 train dense.h5 -o model.h5 "${height[@]}" --covariates cov.tsv "${lasso[@]}" --lambda 0.2
ranks 0 inspect model.h5 --json >model.json
for n in 0 2; do
  rm -rf other.tsv.thresher
  must $n predict model.h5 dense.h5 -o new.csv --force --covariates other.tsv
  grep -q '3 words are not in model.h5: 0 for all' must.err || fail "new words: $(cat must.err)"
  numpy predict model.json x.csv other.tsv new.csv || fail "predictions with another table"
done
must 0 predict model.h5 x.csv -o file.csv --covariates other.tsv
cmp file.csv new.csv || fail "predictions of a file"

# --- missing values by words that are told, in both tables and for a model
sed 's/NA/-99.0/' pheno.tsv >coded.tsv
sed 's/NA/unknown/' cov.tsv >unsaid.tsv
for n in 0 3; do
  must $n train dense.h5 -o coded.h5 --targets coded.tsv --target height --covariates unsaid.tsv \
    --missing=-99,unknown "${lasso[@]}" --lambda 0.2
  grep -q '196 of 200 examples matched, 15 values are missing' must.err ||
    fail "words for missing values: $(cat must.err)"
done
for job in "model.h5 cov.tsv" "coded.h5 unsaid.tsv" "model.h5 unsaid.tsv --missing unknown"; do
  read -ra words <<<"$job"
  must 2 predict "${words[0]}" dense.h5 -o coded.csv --force --covariates "${words[@]:1}"
  [ -e coded.first ] || cp coded.csv coded.first
  cmp coded.first coded.csv || fail "missing values by words: other predictions: $job"
done
words=(--targets coded.tsv --target height --covariates unsaid.tsv)
must 0 evaluate model.h5 dense.h5 "${height[@]}" --covariates cov.tsv --json
cp must.out first.out
for n in 0 2; do
  must $n evaluate coded.h5 dense.h5 "${words[@]}" --json
  cmp first.out must.out || fail "the model forgets how targets are missing"
  must $n verify coded.h5 dense.h5 "${words[@]}"
  grep -q 'those it was trained on' must.out || fail "words for missing values: $(cat must.out)"
done
must 0 verify model.h5 dense.h5 "${words[@]}" --missing=-99,unknown
grep -q 'those it was trained on' must.out || fail "words for missing values: $(cat must.out)"
sed 's/NA/unsure/' pheno.tsv >unsure.tsv
must 0 train dense.h5 -o unsure.h5 --targets unsure.tsv --target status --missing unsure \
  "${lasso[@]}" --loss logistic --lambda 0.05
must 2 evaluate unsure.h5 dense.h5 --targets unsure.tsv --target status
grep -q "control is -1, of [0-9]*$" must.err || fail "a word for missing is a class: $(cat must.err)"
# beside FID and IID -9 is missing too, and a model takes the words that it was trained with
awk -F'\t' -v OFS='\t' 'NR == 1 { print "FID", "IID", $3, $4; next }
  { print 1, $2, $3 == "NA" ? -9 : $3, $4 }' cov.tsv >nine.tsv
awk -F'\t' -v OFS='\t' '$3 == -9 && n++ % 2 { $3 = "unknown" } { print }' nine.tsv >told.tsv
must 0 train dense.h5 -o nine.h5 "${height[@]}" --covariates nine.tsv "${lasso[@]}" --lambda 0.2
must 0 train dense.h5 -o told.h5 "${height[@]}" --covariates told.tsv --missing unknown \
  "${lasso[@]}" --lambda 0.2
must 0 predict nine.h5 dense.h5 -o nine.csv --covariates nine.tsv
must 2 predict told.h5 dense.h5 -o told.csv --covariates told.tsv
cmp nine.csv told.csv || fail "missing values beside FID and IID"
refused 2 '--missing unknown contradicts nine.h5, where it is -9' 0 predict nine.h5 dense.h5 \
  -o no.csv --covariates told.tsv --missing unknown
refused 1 "'unknown' found" 0 predict model.h5 dense.h5 -o no.csv --covariates unsaid.tsv
refused 1 "pheno.tsv:7:4: the value of column 2 .height. is missing, and --missing error" 0 train \
  dense.h5 -o no.h5 "${height[@]}" --missing error
refused 1 "plink.tsv:5:[0-9]*: the value of column 3 .sick. is missing, and --missing error" 0 train \
  dense.h5 -o no.h5 --targets plink.tsv --missing error
refused 2 '--missing counts only with --targets TABLE' 0 verify model.h5 dense.h5 --missing 5
refused 2 '--missing is for a file that is imported' 0 train dense.h5 -o no.h5 --missing 5

# --- several targets, of a file, and several models on one
must 2 train x.csv -o m.h5 --id id --targets pheno.tsv --target height,status --covariates cov.tsv \
  "${lasso[@]}" --lambda 0.1
for name in height status; do
  must 0 predict m.$name.h5 x.csv -o $name.csv --covariates cov.tsv
done
must 2 predict m.height.h5,m.status.h5 x.csv -o both.csv --covariates cov.tsv
paste -d, height.csv <(cut -d, -f2- status.csv) | tail -n +2 >want.csv
tail -n +2 both.csv | cmp - want.csv || fail "several models with covariates"

# --- values of a kept table that are damaged are seen; the next run imports the table anew
cp cov.tsv own.tsv
job=(dense.h5 "${height[@]}" --covariates own.tsv "${lasso[@]}" --lambda 0.2)
must 2 train "${job[@]}" -o own.h5
"$PYTHON" "$SOURCE/tests/support/damage_values.py" own.tsv.thresher/*.shards/00000.h5 ||
  fail "no values to damage"
ranks 2 train "${job[@]}" -o no.h5 2>damaged.err && fail "damaged covariates were used"
grep -q 'damaged, run the command again: it imports own.tsv anew' damaged.err ||
  fail "damaged covariates: $(cat damaged.err)"
[ ! -e no.h5 ] || fail "a model of damaged covariates"
must 2 train "${job[@]}" -o anew.h5
cmp own.h5 anew.h5 || fail "damaged covariates: another model"

# --- memory of a join is in the plan
must 0 train dense.h5 -o no.h5 "${height[@]}" --covariates cov.tsv --solver lasso --dry-run
refused 1 'to find its rows for the 200 examples of dense.h5 takes' 2 train dense.h5 -o no.h5 \
  "${height[@]}" --memory 10K

# --- what is refused
refused 2 'model model.h5 has covariates \(sex=F, sex=M, ..\); give a table' 2 predict model.h5 \
  dense.h5 -o no.csv
must 0 train dense.h5 -o plain.h5 "${height[@]}" "${lasso[@]}"
refused 2 'plain.h5 has no covariates' 0 predict plain.h5 dense.h5 -o no.csv --covariates cov.tsv
job=(train dense.h5 -o no.h5 "${height[@]}" --solver lasso --no-standardize)
refused 1 "cov.tsv:1:1: no column 'width' found" 0 "${job[@]}" --covariates cov.tsv:age,width
refused 1 "no ID .* is one of dense.h5" 0 "${job[@]}" --covariates strange.tsv
refused 1 "more than 100 different ones, 'note'; name the columns that are covariates: \
--covariates words.tsv:COLUMN" 2 "${job[@]}" --covariates words.tsv
refused 1 "no training example has a value of 'bmi'" 2 "${job[@]}" --covariates empty.tsv \
  --cache "$apart"
refused 2 'has no attributes without a penalty, as covariates are' 0 train dense.h5 -o no.h5 \
  "${height[@]}" --covariates cov.tsv --solver oomp -s 3
refused 1 'gone.tsv' 2 "${job[@]}" --covariates gone.tsv
finish
