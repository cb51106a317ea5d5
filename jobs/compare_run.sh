#!/usr/bin/env bash
# compare_run.sh data|choice|run|peer ARGUMENT... - a part of compare.sh
# SPDX-License-Identifier: MIT
#
# compare.sh exports what the comparison is of.
#   data SEED                        its rows, split: DIR/data/seed-SEED/
#   choice SEED N penalty|whole      the best --lambda-ratio, if not known:
#                                    DIR/runs/seed-SEED/n-N/choice.KIND
#   run SEED N SOLVER FAMILY OPTIONS a model of N examples and its errors:
#                                    DIR/runs/seed-SEED/n-N/SOLVER/
#   peer SEED N METHOD               the same by scikit-learn or glmnet
. "$(dirname "$0")/lib.sh"
set -euo pipefail
part_of compare source sparsity tests training numbers layout type attributes train limit
phase=$1
seed=$2
data=$out/data/seed-$seed

# text TEXT NAME.h5: the rows of a text as a data set like the one they come from
text()
{
  "$thresher" import "$1" -o "$2" --attributes "$attributes" --layout "$layout" \
    --type "$type" --no-shuffle --force --quiet
}

# taken N: the first examples of this seed: `examples`, and those for its error: `held`
taken()
{
  examples=("$data/$1.h5")
  held=("$data/test.h5")
  if [ -n "$source" ]; then
    examples=(--source "$source,examples=$1,seed=$seed")
    held=(--source "$source,examples=1,seed=$seed")
  fi
}

data()
{
  local n
  mkdir -p "$data"
  if [ ! -e "$data/train.svm" ]; then
    "$PYTHON" "$jobs/compare_tables.py" order "$seed" <"$out/data/all.svm" |
      awk -v t="$tests" -v n="$training" -v to="$data/" '
        NR <= t { print >(to "test.svm") }
        NR > t && NR <= t + n { print >(to "train.part") }'
    text "$data/test.svm" "$data/test.h5"
    mv "$data/train.part" "$data/train.svm"
  fi
  for n in $numbers; do
    if [ ! -e "$data/$n.done" ]; then
      head -n "$n" "$data/train.svm" >"$data/part.svm"
      text "$data/part.svm" "$data/$n.h5"
      : >"$data/$n.done"
    fi
  done
  rm -f "$data/part.svm"
}

# learn FOLDER OPTION...: a model of `examples` and its errors on `held`, in FOLDER;
# without success FOLDER/refused says in a line why
learn()
{
  local folder=$1 rc=0
  timeout --foreground -k 5 "$limit" "$thresher" train "${examples[@]}" -o "$folder/model.h5" --force --quiet \
    --seed "$seed" --report "$folder/report.json" "${@:2}" >"$folder/stdout" \
    2>"$folder/stderr" || rc=$?
  case $rc in
  0)
    "$thresher" evaluate "$folder/model.h5" "${held[@]}" --json --quiet \
      >"$folder/score.json" 2>"$folder/stderr" || rc=$?
    ;;
  124 | 137) echo "thresher: not done after $limit seconds (--limit)" >"$folder/stderr" ;;
  esac
  [ $rc -ne 0 ] || return 0
  { grep '^thresher: ' "$folder/stderr" || echo "status $rc"; } | tail -n 1 |
    sed "s|^thresher: ||; s|^train: ||; s|${examples[0]}: ||" >"$folder/refused"
  rm -f "$folder/score.json"
  return 1
}

# value NAME FILE: a number of a JSON file
value()
{
  sed -n "s/^  \"$1\": *\([^,]*\),*/\1/p; s/.*[{ ]\"$1\": *\([^,}]*\).*/\1/p" "$2" | sed -n 1p
}

# The folds of N examples that are tried, of five.
folds()
{
  [ "$1" -lt 100 ] && [ -z "$source" ] && echo 5 || echo 1
}

# What the numbers of a grid make of a fold, from the largest one until two in a row
# are worse than the best; those that are refused have no files.
try() # FOLD RATIOS SOLVER-OPTION...
{
  local ratio best="" loss worse=0
  for ratio in $2; do
    learn "$work" --lambda-ratio "$ratio" "${@:3}" || continue
    loss=$(value relative_loss "$work/score.json")
    echo "$ratio $1 $loss $(value seconds "$work/report.json")" >>"$work/tried"
    if [ "$loss" = null ]; then
      continue
    elif [ -z "$best" ] || awk "BEGIN { exit !($loss < $best) }"; then
      best=$loss worse=0
    else
      worse=$((worse + 1))
    fi
    [ $worse -lt 2 ] || return 0
  done
}

# A fold of N examples: `held`, and the others: `examples`.
fold() # N FOLD
{
  examples=("$work/fit.h5")
  held=("$work/held.h5")
  if [ -n "$source" ]; then
    examples=(--source "$source,examples=$1,seed=$seed,test=0.2")
    held=("${examples[@]}")
    return
  fi
  head -n "$1" "$data/train.svm" | awk -v f="$2" -v to="$work/" '
    { print >(to (NR % 5 == f ? "held.svm" : "fit.svm")) }'
  text "$work/held.svm" "$work/held.h5"
  text "$work/fit.svm" "$work/fit.h5"
  rm "$work/held.svm" "$work/fit.svm"
}

choice() # N KIND
{
  local fold grid result=$out/runs/seed-$seed/n-$1/choice.$2 extra own=lasso
  local settings="# $train $limit"
  [ "$(head -n 1 "$result" 2>/dev/null)" != "$settings" ] || return 0
  mkdir -p "$(dirname "$result")"
  work=$(mktemp -d "$out/runs/choice.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  grid="0.5 0.25 0.12 0.06 0.03 0.015 0.007 0.003 0.001"
  if [ "$2" = whole ]; then
    own=ridge
    grid="1 0.3 0.1 0.03 0.01 0.003 0.001 0.0003 0.0001"
    [ "$attributes" -le 2000 ] || own="ridge --factor cg"
  fi
  read -r -a extra <<<"--solver $own $train"
  for ((fold = 0; fold < $(folds "$1"); fold++)); do
    fold "$1" "$fold"
    try "$fold" "$grid" "${extra[@]}"
  done
  {
    echo "$settings"
    "$PYTHON" "$jobs/compare_tables.py" best "$work/tried"
  } >"$work/best"
  mv "$work/best" "$result"
}

# The options with the lambda that was chosen in place of @.
filled() # FAMILY OPTIONS
{
  local ratio
  case $2 in
  *@*)
    read -r ratio _ < <(sed -n 2p "$out/runs/seed-$seed/n-$n/choice.$1")
    echo "${2//@/$ratio}"
    ;;
  *) echo "$2" ;;
  esac
}

# Some solvers say only when they see the data that they want -s.
again() # FOLDER OPTION...
{
  grep -q 'needs --sparsity' "$1/refused" || return 1
  rm "$1/refused"
  learn "$@" -s "$sparsity"
}

run() # N SOLVER FAMILY OPTIONS
{
  local n=$1 folder=$out/runs/seed-$seed/n-$1/$2 own line
  read -r -a own <<<"--solver $2 $(filled "$3" "$4") $train"
  [ "$2" != constant ] || own=(--solver lasso --lambda-ratio 1)
  taken "$n"
  line="thresher train ${examples[*]} --seed $seed ${own[*]} # $limit"
  [ "$(cat "$folder/command" 2>/dev/null)" != "$line" ] || return 0
  mkdir -p "$folder"
  rm -f "$folder"/{command,refused,score.json,choice}
  echo "$3" >"$folder/family"
  case $4 in
  *@*) cp "$out/runs/seed-$seed/n-$n/choice.$3" "$folder/choice" ;;
  esac
  learn "$folder" "${own[@]}" || again "$folder" "${own[@]}" || true
  rm -f "$folder/model.h5"
  echo "$line" >"$folder/command"
  say "$folder"
}

peer() # N METHOD
{
  local folder=$out/runs/seed-$seed/n-$1/$2 line="$2 $limit"
  # What was missing may have been installed
  if [ "$(cat "$folder/command" 2>/dev/null)" = "$line" ] &&
    { [ ! -e "$folder/refused" ] || grep -q '^not done' "$folder/refused"; }; then
    return 0
  fi
  mkdir -p "$folder"
  rm -f "$folder"/{command,refused,score.json}
  echo peer >"$folder/family"
  head -n "$1" "$data/train.svm" >"$folder/train.svm"
  timeout --foreground -k 5 "$limit" "$PYTHON" "$jobs/compare_peers.py" "$2" "$folder/train.svm" \
    "$data/test.svm" "$attributes" "$folder" >"$folder/stdout" 2>"$folder/stderr" ||
    case $? in
    124 | 137) echo "not done after $limit seconds (--limit)" >"$folder/refused" ;;
    *) tail -n 1 "$folder/stderr" >"$folder/refused" ;;
    esac
  rm -f "$folder"/train.svm
  echo "$line" >"$folder/command"
  say "$folder"
}

say() # FOLDER
{
  local what mse
  if [ -e "$1/refused" ]; then
    what="left out: $(cut -c 1-150 "$1/refused")"
  else
    [ -n "$source" ] && mse=population_mse || mse=mse
    what=$(printf 'mse %.4g, %.2f s' "$(value $mse "$1/score.json")" \
      "$(value seconds "$1/report.json")")
  fi
  echo "${1#"$out/runs/"}: $what"
}

case $phase in
data) data ;;
choice) choice "${@:3}" ;;
run) run "${@:3}" ;;
peer) peer "${@:3}" ;;
esac
