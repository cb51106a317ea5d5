#!/usr/bin/env bash
# weak_scaling.sh [OPTION...] - attributes grow with the ranks
# SPDX-License-Identifier: MIT
#
# Every rank has --attributes attributes (50,000) and observes --budget of them
# (5,000) of an example, 2,048 examples. Data are computed on demand (--source
# murata:...), so nothing is stored and d may be anything; --stored: generated
# and read instead. Afterwards the largest number of ranks trains at a quarter
# and a sixteenth of the attributes too: bytes per update against d.
#
# In DIR/summary.csv, efficiency is A(N) / (N A(1)), A being the attributes
# observed per second: work per rank is the same, but for a pass more or less.
if [ -z "${BASH_VERSION:-}" ]; then # sh weak_scaling.sh
  exec bash "$0" "$@"
fi
set -euo pipefail
. "$(dirname "$0")/scaling.sh"
examples=2048
attributes=50000
budget=5000
passes=4
solver=sift
stored=no
options "$@"

# train FOLDER RANKS ATTRIBUTES BUDGET
train()
{
  local what=(--source "murata:examples=$examples,attributes=$3")
  if [ $stored = yes ]; then
    what=("$made/$3.h5")
    [ -e "${what[0]}" ] || launch "$most" "$thresher" generate murata --quiet \
      -o "${what[0]}" --examples "$examples" --attributes "$3"
  fi
  run "$1" "$2" "${what[@]}" --solver "$solver" --budget "$4" \
    --passes "$passes"
}

for n in "${ranks[@]}"; do
  bench "$n"
done
for k in $(seq "$repeats"); do
  for n in "${ranks[@]}"; do
    train "$out/ranks-$n/run-$k" "$n" $((n * attributes)) $((n * budget))
  done
done
for part in 16 4 1; do
  train "$out/attributes-$((most * attributes / part))/run-1" "$most" \
    $((most * attributes / part)) $((most * budget / part))
done
summary --weak
