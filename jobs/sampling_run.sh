#!/usr/bin/env bash
# sampling_run.sh PANEL RUN - a part of sampling.sh: all points of one run
# SPDX-License-Identifier: MIT
#
# sampling.sh exports what the run is of. The results are lines of
# DIR/runs/FIGURE/PANEL.RUN.tsv, with the settings on the line above them.
. "$(dirname "$0")/lib.sh"
set -euo pipefail
part_of sampling figure task kind budget rules points ratio train
panel=$1
run=$2
d=500 # simulated
part=$out/runs/$figure/$panel.$run.tsv
settings="# $thresher $task $budget '$rules' '$points' '$ratio' '$train'"
if [ -e "$part" ] && [ "$(head -n 1 "$part")" = "$settings" ]; then
  exit 0
fi
work=$(mktemp -d "$out/runs/$figure/$panel.$run.XXXXXX")
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

# The loss of a model: of the test rows, or of the distribution.
score() # NAME
{
  local test=("$out/data/$panel.test.h5")
  [ "$kind" = real ] ||
    test=(--source "kukliansky:n=1,d=$d,alpha=$panel,task=$task,seed=$run")
  "$thresher" evaluate "$work/model.h5" "${test[@]}" --json --quiet \
    >"$work/$1.score.json"
}

# learn NAME OPTION...: a model of `examples` and its loss
learn()
{
  "$thresher" train "${examples[@]}" -o "$work/model.h5" --force --no-intercept \
    --loss squared --seed "$run" --report "$work/$1.report.json" "${@:2}" \
    >"$work/said" 2>&1 || failed "$1"
  score "$1"
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

# sampled NAME-END RULE ATTRIBUTES: the solvers that see a few attributes
sampled()
{
  local moments solver=aerr n=$(($3 / budget))
  [ "$n" -ge 2 ] && [ "$n" -le "$most" ] || return 0
  [ "$task" = ridge ] || solver=aelr
  take "$n"
  for moments in uniform known two-phase; do
    learn "$moments,$1" --solver $solver --budget "$budget" --moments $moments \
      --adagrad "$2" --passes 1 --validation 0 "${own[@]}"
  done
}

# full NAME-END RULE ATTRIBUTES: those that see all
full()
{
  local solver=ogd-ridge n=$(($3 / d)) ball
  [ "$n" -ge 2 ] && [ "$n" -le "$most" ] || return 0
  [ "$task" = ridge ] || solver=eg-lasso
  take "$n"
  learn "online,$1" --solver $solver --adagrad "$2" --passes 1 --validation 0 \
    "${own[@]}"
  ball=$(radius)
  [ -e "$work/offline,auto,$3.score.json" ] || offline "offline,auto,$3" "$ball"
}

read -r -a own <<<"$train"
most=1000000000
if [ "$kind" = real ]; then
  d=$(cat "$out/data/$panel.d")
  "$PYTHON" "$jobs/sampling_tables.py" shuffle "$run" \
    <"$out/data/$panel.train.svm" >"$work/all.svm"
  most=$(wc -l <"$work/all.svm")
fi
zero
for attributes in $points; do
  for rule in $rules; do
    sampled "$rule,$attributes" "$rule" "$attributes"
    full "$rule,$attributes" "$rule" "$attributes"
  done
done
{
  echo "$settings"
  "$PYTHON" "$jobs/sampling_tables.py" part "$panel" "$run" "$work"
} >"$work/part.tsv"
mv "$work/part.tsv" "$part"
