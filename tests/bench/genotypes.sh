#!/usr/bin/env bash
# genotypes.sh [--quick] [FOLDER] - simulated genotypes: import, lasso and sift beside
# scikit-learn, glmnet, and plink with a score of what is associated
# SPDX-License-Identifier: MIT
#
# Generated genotypes (family genotypes, h2 0.5) become .bed files: 72 % of the people to
# train, 8 % to choose by, 20 % to test. Every tool runs on one core; SECONDS are those of
# the processor, for other programs may be at work. Ours: the lasso of 50 lambdas down to
# MIN (0.1) of lambda_max, every fifth of which is tried on the people to choose by, those
# around the best too, and sift as it is. plink: association, clumps by several thresholds, the best on the people to
# choose by. SIZES are EXAMPLESxATTRIBUTESxTRUE; at those that end in :own the others do
# not run. Usually 20000x200000x500:own and 4000x100000x200, with --quick 4000x20000x100.
set -euo pipefail
RANKS=1
sizes="20000x200000x500:own 4000x100000x200"
if [ "${1:-}" = --quick ]; then
  sizes=4000x20000x100
  shift
fi
. "$(dirname "$0")/bench.sh"
bench=$SOURCE/tests/bench
least=${MIN:-0.1}
export OMP_NUM_THREADS=1
genotypes=("$PYTHON" "$bench/genotypes.py")
thresher=("$THRESHER")
seconds() { "$PYTHON" -c 'import json, sys; print(json.load(open(sys.argv[1] + ".json"))[sys.argv[2]])' "$@"; }

# measured NAME COMMAND...: its seconds and its peak of memory
measured()
{
  "${genotypes[@]}" run "$@" >"$1.out" 2>&1 || fail "$*: $(cat "$1.out")"
}

# r2_of MODEL DATA
r2_of()
{
  must 0 evaluate "$1" "$2" --json
  key must.out r2
}

import_all()
{
  measured read dd if=train.bed of=/dev/null bs=4M
  measured import "${thresher[@]}" import train.bed -o train.h5 --force --threads 1
  for part in valid test; do
    must 0 import $part.bed -o $part.h5 --like train.h5 --force --quiet
  done
}

# The model of the k-th lambda of 50 is that of a path that ends there.
try_lambda()
{
  local k=$1 end found
  end=$("$PYTHON" -c "print(float($least) ** (($k - 1) / 49))")
  must 0 train train.h5 -o lasso.h5 --force --quiet --solver lasso --standardize \
    --path "$k" --path-min "$end" --choose last
  found=$(r2_of lasso.h5 valid.h5)
  if "$PYTHON" -c "raise SystemExit(not $found > $best)"; then
    best=$found
    chosen=$k
    printf '{"r2": %s, "ratio": %s}' "$(r2_of lasso.h5 test.h5)" "$end" >lasso.r2.json
  fi
}

# Every fifth, and those around the best.
choose_lambda()
{
  local k best=-9 chosen=0 coarse
  for ((k = 5; k <= 50; k += 5)); do
    try_lambda $k
  done
  coarse=$chosen
  for k in $((coarse - 2)) $((coarse + 2)) $((coarse - 1)) $((coarse + 1)); do
    [ "$k" -gt 50 ] || try_lambda "$k"
  done
}

ours()
{
  measured lasso "${thresher[@]}" train train.h5 -o last.h5 --force --solver lasso \
    --standardize --path 50 --path-min "$least" --choose last
  must 0 train train.h5 -o last.h5 --force --quiet --solver lasso --standardize \
    --path 50 --path-min "$least" --choose last --report lasso.report
  printf '{"r2": %s}' "$(r2_of last.h5 test.h5)" >lasso.last.json
  choose_lambda
  measured sift "${thresher[@]}" train train.h5 -o sift.h5 --force --report sift.report
  printf '{"r2": %s}' "$(r2_of sift.h5 test.h5)" >sift.r2.json
  for model in lasso sift; do
    compare "$model: peak of memory over what was planned" \
      "$(key $model.report peak_memory_per_rank) / ($(key $model.report planned_memory) + \
       $(key $model.report planned_stored) + 64e6)" '<=' 1
  done
}

# The plain way of geneticists: what is associated, one variant of each clump, a score.
plink_score()
{
  local used=() p
  measured plink.glm plink2 --bfile train --glm allow-no-covars --out glm --threads 1 \
    --memory 8000
  for p in 1e-8 1e-6 1e-5 1e-4 1e-3 1e-2; do
    plink1.9 --bfile train --clump glm.PHENO1.glm.linear --clump-snp-field ID \
      --clump-field P --clump-p1 $p --clump-p2 $p --clump-r2 0.1 --clump-kb 250 \
      --out clump.$p --threads 1 >/dev/null 2>&1 || continue
    [ -s clump.$p.clumped ] || continue
    awk 'NR == FNR { keep[$3] = 1; next }
      FNR == 1 { for (k = 1; k <= NF; k++) c[$k] = k; next }
      ($c["ID"] in keep) { print $c["ID"], $c["A1"], $c["BETA"] }' \
      clump.$p.clumped glm.PHENO1.glm.linear >score.$p
    for part in valid test; do
      plink2 --bfile $part --score score.$p 1 2 3 cols=+scoresums --out $part.$p \
        --threads 1 >/dev/null || fail "plink2 --score: $part, $p"
      used+=("$part.$p.sscore")
    done
  done
  "${genotypes[@]}" r2 plink "${used[@]}"
}

others()
{
  measured scikit "${genotypes[@]}" lasso "$least" scikit
  measured glmnet Rscript --vanilla "$bench/genotypes.R" "$least" glmnet.r2.json
  plink_score
  for tool in scikit glmnet plink; do
    compare "r2 of our lasso less that of $tool" \
      "$(seconds lasso.r2 r2) - $(seconds $tool.r2 r2)" '>=' -0.005
  done
  for tool in scikit glmnet; do
    compare "memory of $tool over that of our lasso" \
      "$(seconds $tool peak) / $(seconds lasso peak)" '>=' 10
    compare "seconds of a lambda of $tool over ours" \
      "$(seconds $tool.r2 seconds_per_lambda) / ($(seconds lasso cpu) / 50)" '>=' 1
  done
  compare "r2 of the last lambda less that of scikit-learn" \
    "abs($(seconds lasso.last r2) - $(seconds scikit.r2 last_r2))" '<=' 0.002
}

for size in ${SIZES:-$sizes}; do
  printf '\n== %s\n' "$size"
  IFS=x read -r examples attributes true <<<"${size%:own}"
  mkdir -p "$size"
  cd "$size"
  if [ ! -e train.bed ]; then
    must 0 generate genotypes -o all.h5 --examples "$examples" --attributes "$attributes" \
      --support "$true" --force
    "${genotypes[@]}" cohorts all.h5
    rm -rf all.h5 all.shards
  fi
  import_all
  ours
  case $size in
  *:own) ;;
  *) others ;;
  esac
  "${genotypes[@]}" table
  cd ..
  [ "${KEEP:-no}" = yes ] || rm -rf "$size"
done
finish
