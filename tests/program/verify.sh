#!/usr/bin/env bash
# verify.sh - every number of a certificate is verified: a model with one of
# them forged, and its checksums made right, is found; what is not is said
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
forge_tool=$1
rm -rf ./*

# verify MODEL DATA OPTION...: its status; output in verify.out and .err.
verify()
{
  local rc=0
  ranks 0 verify "$@" >verify.out 2>verify.err || rc=$?
  echo $rc
}

# forged DATA MODEL WORDS NAME FACTOR PLUS OPTION...: such a change is found, and
# told in these words.
forged()
{
  local data=$1 model=$2 words=$3
  "$forge_tool" "$model.h5" forged.h5 "${@:4:3}" ||
    fail "no forgery: $model, $4"
  if [ "$(verify forged.h5 "$data.h5" "${@:7}")" -ne 1 ]; then
    fail "$model: $4 * $5 + $6 is not found"
  elif ! grep -q "^thresher: forged.h5: the certificate does not hold: $words" \
    verify.err || [ "$(wc -l <verify.err)" -ne 1 ]; then
    fail "$model: $4 * $5 + $6 is found in other words: $(cat verify.err)"
  fi
}

# numbers DATA MODEL: what all models have. $off: what rounding cannot do to the
# sums of the model, which are floats where it is far from a solution.
numbers()
{
  forged "$@" lambda lambda 1.001 0
  forged "$@" lambda_max lambda_max 1.000001 0
  forged "$@" objective objective 1.000001 0
  forged "$@" objective objective nan 0
  forged "$@" gap gap 1 $off
  forged "$@" gap gap 0 0
  forged "$@" gap gap 0 -1
  forged "$@" dual_norm dual_norm 1 $off
  forged "$@" violation violation 1 $off
  forged "$@" violation violation 1 -1
  forged "$@" radius radius 1.00001 0
  forged "$@" radius radius 0 0
  forged "$@" confidence confidence 0.9 0
  forged "$@" active active 0 1e6
  forged "$@" active active 0 0
  forged "$@" screened_wrongly screened_wrongly 0 -1
  forged "$@" '[a-z ]*margin' margin.8 1 1
}

# margins DATA MODEL: one more anywhere, less than none.
margins()
{
  local k
  for ((k = 0; k < 9; k++)); do
    forged "$@" '[a-z ]*margin' margin.$k 1 1
  done
  forged "$@" 'margin 0' margin.0 1 -1000
}

# path DATA MODEL ENTRIES: what the last one bounds, and all when the model is
# trained anew ($anew: in any case). $scale: what rounding cannot do to lambda_max.
path()
{
  local k data=$1 model=$2 last=$(($3 - 1))
  forged $data $model 'the path has' path_size 1 -1
  for ((k = 0; k <= last; k++)); do
    forged $data $model "lambda $k of the path" path.$k.lambda $scale 0
    forged $data $model "[a-z ]*entry" path.$k.gap 0 0
    forged $data $model "[a-z ]*entry" path.$k.gap 0 nan
    forged $data $model "[a-z ]*entry" path.$k.objective inf 0
    forged $data $model "entry $k of the path" path.$k.support_size 1 1e6
    forged $data $model '[a-z ]*entry' path.$k.objective 1.2 0 $anew
    forged $data $model '[a-z ]*entry' path.$k.objective 0.8 0 $anew
    [ $k -lt $last ] || continue
    forged $data $model "entry $k of the path" \
      path.$k.objective 1.000001 0 --retrain
    forged $data $model "entry $k of the path" path.$k.gap 1.001 0 --retrain
    forged $data $model "entry $k of the path" path.$k.support_size 1 1 --retrain
  done
  forged $data $model 'the last entry' path.$last.objective 1.0000001 0
  forged $data $model 'the last entry' path.$last.gap 1.0000001 0
  forged $data $model 'the last entry' path.$last.support_size 1 -1
}

# holds DATA MODEL WORDS: it does, also trained anew; not compared is what the
# words say.
holds()
{
  compare "status of $2" "$(verify "$2.h5" "$1.h5" --json)" == 0
  cp verify.out plainly.json
  "$PYTHON" - "$3" <<'END' || fail "$2: not compared is something else"
import json, re, sys
told = json.load(open("plainly.json"))
print(told["not_compared"])
assert told["wrong"] is None and told["holds"]
assert re.fullmatch(sys.argv[1], told["not_compared"] or "")
END
  compare "status of $2, trained anew" \
    "$(verify "$2.h5" "$1.h5" --json --retrain)" == 0
  compare "not compared then" "'$(key verify.out not_compared)'" == "'null'"
}

must 0 generate toeplitz -o data.h5 --examples 200 --attributes 300 --support 6
must 0 generate toeplitz -o other.h5 --examples 200 --attributes 300 --seed 2
train()
{
  must "$1" train "$2.h5" -o "$3.h5" "${@:4}"
}
off=1e-5 scale=1.00001 anew=
seq 0 299 | paste -d - - - >groups.txt # of two

train 2 data plain --solver lasso --lambda-ratio 0.1 --intercept --standardize
holds data plain ''
numbers data plain
margins data plain
forged data plain active active 1 1
forged data plain active active 1 -1
forged data plain screened_wrongly screened_wrongly 1 1
forged data plain screened_wrongly screened_wrongly 1 1 --retrain

train 2 data paths --solver lasso --no-standardize --path 6 --path-min 0.1 --choose last \
  --penalty group --groups groups.txt
holds data paths 'objective, gap and support size of 5 entries of the path.*'
numbers data paths
path data paths 6

train 2 data net --solver lasso --path 6 --path-min 0.1 --choose last --standardize \
  --penalty elastic-net --mix 0.5
holds data net 'objective, gap and support size of 5 entries of the path.*'
numbers data net
forged data net norm norm 1.00001 0
path data net 6

train 2 data steps --solver prox-sgd --no-standardize --loss squared --epochs 3 --path 3
holds data steps 'objective, gap and support size of 2 entries of the path.*'
off=0.01 scale=1.001 anew=--retrain
numbers data steps
forged data steps active active 1 -1
path data steps 3
off=1e-5

train 2 data online --solver os-prox-sgd --no-standardize --lambda-ratio 0.3
holds data online 'active, beyond its range; screened_wrongly'
numbers data online
forged data online 'active is .*trained anew' active 1 1 --retrain
forged data online 'screened_wrongly is .*trained anew' screened_wrongly 1 1 \
  --retrain

must 0 generate murata -o stream.h5 --examples 22000 --attributes 40 --support 4
train 2 stream sampled --solver os-prox-sgd --no-standardize --epochs 1 --lambda-ratio 0.3 \
  --confidence 0.9
ranks 0 inspect sampled.h5 --json >sampled.json
compare "confidence of a stream" "abs($(key sampled.json confidence) - 0.9)" '<' 1e-12
holds stream sampled 'active, beyond its range; screened_wrongly'
forged stream sampled confidence confidence 1.01 0
forged stream sampled confidence confidence 0 0.95

# Coefficients with other last bits, as another processor makes them: all numbers
# are found again within rounding, and the path, trained anew, within its gaps.
"$forge_tool" paths.h5 rounded.h5 coef 1.0000000000000002 0
compare "status of other bits" "$(verify rounded.h5 data.h5)" == 0
compare "status of other bits, trained anew" \
  "$(verify rounded.h5 data.h5 --retrain)" == 0
grep -q '^not compared .*other last bits' verify.out ||
  fail "other bits: not compared is something else"
forged data rounded 'entry 2 of the path' path.2.objective 1.00001 0 --retrain
forged data plain objective coef 1.00001 0

# Values far from 0, where a solver's own last numbers have other bits than the
# certificate: a path ends with those of the certificate.
awk 'BEGIN { srand(5); for (i = 0; i < 200; i++) { line = ""; y = 0
  for (j = 0; j < 20; j++) { x = 1e5 + rand(); y += j < 4 ? (j + 1) * x : 0
    line = line sprintf("%.12g,", x) }
  print line sprintf("%.12g", y + 0.3 * rand()) } }' >far.csv
must 0 import far.csv -o far.h5 --type f64 --target 21
train 2 far offset --solver lasso --path 7 --choose last --standardize
holds far offset 'objective, gap and support size of 6 entries of the path.*'

# Means of a million deviations: what an intercept loses on its way to the data's own
# units and back is rounding, and a coefficient or a gap that is wrong is still found.
means="1e6 1e7"
! long || means="5e5 1e6 3e6 1e7"
for mean in $means; do
  "$PYTHON" - "$mean" <<'END' >means.csv
import numpy, sys
draw = numpy.random.default_rng(990)
z = draw.normal(size=(1500, 20))
x = z + float(sys.argv[1]) * numpy.where(numpy.arange(20) % 2, 1, -1)
y = 1.5 * z[:, 0] - z[:, 3] + draw.normal(size=1500)
print(",".join(["v%d" % j for j in range(20)] + ["y"]))
for row in numpy.column_stack([x, y]):
    print(",".join("%.17g" % v for v in row))
END
  for layout in dense sparse; do
    must 0 import means.csv -o means.h5 --target y --type f64 --layout $layout --force
    for solver in "ridge --factor auto" "ridge --factor cg" lasso prox-sgd; do
      # shellcheck disable=SC2086
      train 0 means means.model --force --solver $solver
      compare "status of $solver, $layout, means of $mean" \
        "$(verify means.model.h5 means.h5)" == 0
      forged means means.model '[a-z_]* is' coef 1.001 0

      case $solver in
      ridge*) forged means means.model gap gap 1 1e-8 ;;
      *) forged means means.model '[a-z]* is' gap 1 1e-3 ;;
      esac
    done
  done
done

# Trained anew on other data: no.
refused 2 '--retrain needs the data that the model was trained on' 0 \
  verify plain.h5 other.h5 --retrain
# The same verdict on all ranks.
must 3 verify paths.h5 data.h5 --retrain
"$forge_tool" paths.h5 forged.h5 path.2.objective 1.001 0
rc=0
ranks 2 verify forged.h5 data.h5 --retrain >verify.out 2>verify.err || rc=$?
compare "status on two ranks" "$rc" == 1
grep -q '^thresher: forged.h5: .* entry 2 of the path' verify.err ||
  fail "two ranks: another message"
finish
