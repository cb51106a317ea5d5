#!/usr/bin/env bash
# sampling_run.sh PANEL RUN - a part of sampling.sh: all points of one run
# SPDX-License-Identifier: MIT
#
# sampling.sh exports what the run is of. The results are lines of
# DIR/runs/FIGURE/PANEL.RUN.tsv, with the settings on the line above them. A RUN tune-K
# tries all factors of steps on some points, and its losses are those of examples that it
# holds out; the factors that were chosen are in DIR/runs/FIGURE/PANEL.factors.
. "$(dirname "$0")/lib.sh"
set -euo pipefail
part_of sampling figure task kind budget rules points ratio train tune tune_points
panel=$1
run=$2
trial=${run#tune-}
[ "$trial" = "$run" ] && trial= || run=$((1000000 + trial)) # data of its own
d=500 # simulated
part=$out/runs/$figure/$panel.$2.tsv
chosen=$out/runs/$figure/$panel.factors
settings="# $thresher $task $budget '$rules' '$points' '$ratio' '$train'"
[ -z "$trial" ] || settings="$settings tried at '$tune_points'"
[ "$tune" = no ] || [ -n "$trial" ] || settings="$settings $(tr '\n\t' '; ' <"$chosen")"
if [ -e "$part" ] && [ "$(head -n 1 "$part")" = "$settings" ]; then
  exit 0
fi
work=$(mktemp -d "$out/runs/$figure/$panel.$2.XXXXXX")
trap 'rm -rf "$work"' EXIT

# Data with N examples, the first ones of the run; sets `examples`.
take() # N
{
  if [ "$kind" = simulated ]; then
    examples=(--source "kukliansky:n=$1,d=$d,alpha=$panel,task=$task,seed=$run")
    return
  fi
  examples=("$work/$1.h5")
  if [ ! -e "$work/$1.h5" ]; then
    head -n "$1" "$work/all.svm" >"$work/text.svm"
    "$thresher" import "$work/text.svm" -o "$work/$1.h5" --attributes "$d" \
      --no-shuffle --quiet
  fi
}

failed() # NAME
{
  tail -n 3 "$work/said" >&2
  echo "sampling.sh: $figure, $panel, run $run: $1 has failed" >&2
  exit 255 # xargs starts no further run
}

# Some thousand examples behind all that a trial learns from
held_out()
{
  local most=${tune_points##* }
  if [ "$kind" = real ]; then
    test=("$work/held.h5")
  else
    test=(--source "kukliansky:n=$((10 * most / 9 / budget + 20)),d=$d,alpha=$panel,task=$task,seed=$run,test=0.1")
  fi
}

# The loss of a model: of the test rows, or of the distribution.
score() # NAME
{
  local test=("$out/data/$panel.test.h5")
  if [ -n "$trial" ]; then
    held_out
  elif [ "$kind" != real ]; then
    test=(--source "kukliansky:n=1,d=$d,alpha=$panel,task=$task,seed=$run")
  fi
  "$thresher" evaluate "$work/model.h5" "${test[@]}" --json --quiet \
    >"$work/$1.score.json"
}

# learn NAME OPTION...: a model of `examples` and its loss
learn()
{
  "$thresher" train "${examples[@]}" -o "$work/model.h5" --force --no-intercept \
    --no-standardize --loss squared --seed "$run" --report "$work/$1.report.json" "${@:2}" \
    >"$work/said" 2>&1 || failed "$1"
  score "$1"
}

# The factor of the next point downwards where some were tried, or of the first such point
chosen_factor() # CURVE RULE
{
  awk -F '\t' -v c="$1" -v r="$2" -v n="$attributes" '
    $1 == c && $2 == r && (best == "" || $3 <= n) { best = $4 }
    END { print best }' "$chosen"
}

# steps CURVE RULE SOLVER-OPTION...: a model with the factor that was chosen for a point, or
# in a trial one for each factor: some of them are too large for numbers.
steps()
{
  local curve=$1 rule=$2 factor own_factor=()
  if [ -z "$trial" ]; then
    factor=
    [ "$tune" = no ] || factor=$(chosen_factor "$curve" "$rule")
    [ -z "$factor" ] || own_factor=(--step-factor "$factor")
    learn "$curve,$rule,$attributes" "${@:3}" --adagrad "$rule" "${own_factor[@]}"
    return
  fi
  for factor in $(factors "$rule"); do
    (learn "$curve,$rule,$attributes,$factor" "${@:3}" --adagrad "$rule" \
      --step-factor "$factor") 2>>"$work/refused" || true
  done
}

# The factors that are tried: steps without AdaGrad are the proven ones, which are small.
factors() # RULE
{
  case $1 in
  none) echo 1 3 10 30 100 300 ;;
  *) echo 0.01 0.03 0.1 0.3 1 3 ;;
  esac
}

# A tenth of the examples are for choosing.
hold_out()
{
  local held=$((most / 10))
  tail -n "$held" "$work/all.svm" >"$work/held.svm"
  "$thresher" import "$work/held.svm" -o "$work/held.h5" --attributes "$d" --no-shuffle \
    --quiet
  most=$((most - held))
}

# The zero model is the lasso's at its largest penalty.
zero()
{
  take 50
  learn zero --solver lasso --lambda-ratio 1
}

# The radius that a solver in a ball has said.
radius()
{
  sed -n 's/^note: the radius of the l[12] ball is \([^,]*\),.*/\1/p' "$work/said"
}

# offline NAME RADIUS. None where the targets do not change: the zero model.
offline()
{
  if [ "$task" = ridge ]; then
    learn "$1" --solver ridge --lambda-ratio "$ratio"
  elif [ -z "$2" ]; then
    learn "$1" --solver lasso --lambda-ratio 1
  else
    learn "$1" --solver lasso --radius "$2"
  fi
}

# The solvers that see a few attributes
sampled() # RULE
{
  local moments solver=aerr n=$((attributes / budget))
  [ "$n" -ge 2 ] && [ "$n" -le "$most" ] || return 0
  [ "$task" = ridge ] || solver=aelr
  take "$n"
  for moments in uniform known two-phase; do
    steps "$moments" "$1" --solver $solver --budget "$budget" --moments $moments \
      --passes 1 --validation 0 "${own[@]}"
  done
}

# Those that see all
full() # RULE
{
  local solver=ogd-ridge n=$((attributes / d)) ball
  [ "$n" -ge 2 ] && [ "$n" -le "$most" ] || return 0
  [ "$task" = ridge ] || solver=eg-lasso
  take "$n"
  steps online "$1" --solver $solver --passes 1 --validation 0 "${own[@]}"
  [ -z "$trial" ] || return 0
  ball=$(radius)
  [ -e "$work/offline,auto,$attributes.score.json" ] ||
    offline "offline,auto,$attributes" "$ball"
}

read -r -a own <<<"$train"
most=1000000000
if [ "$kind" = real ]; then
  d=$(cat "$out/data/$panel.d")
  "$PYTHON" "$jobs/sampling_tables.py" shuffle "$run" \
    <"$out/data/$panel.train.svm" >"$work/all.svm"
  most=$(wc -l <"$work/all.svm")
fi
if [ -n "$trial" ]; then
  points=$tune_points
  [ "$kind" != real ] || hold_out
fi
zero
for attributes in $points; do
  for rule in $rules; do
    sampled "$rule"
    full "$rule"
  done
done
{
  echo "$settings"
  "$PYTHON" "$jobs/sampling_tables.py" "$([ -n "$trial" ] && echo trial || echo part)" \
    "$panel" "$2" "$work"
} >"$work/part.tsv"
mv "$work/part.tsv" "$part"
