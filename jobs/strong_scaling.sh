#!/usr/bin/env bash
# strong_scaling.sh [OPTION...] - the same training on more and more ranks
# SPDX-License-Identifier: MIT
#
# One dense data set (--data NAME.h5, else generated: 2,048 examples of 100,000
# attributes, f32), small enough to stay in memory, trained with the same options
# by every number of ranks. Every model must have the same bytes. Default: 60
# passes of exploration with a budget of 25,100, of which 100 are the support's.
#
# In DIR/summary.csv, T being `seconds`, speedup is T(1) / T(N) and efficiency the
# speedup / N. The ceiling is the speedup that N runs of one rank have which know
# nothing of each other: N T(1) / T(N at the same time). It wants one rank among
# --ranks. The first turn warms memory, and is not counted.
if [ -z "${BASH_VERSION:-}" ]; then # sh strong_scaling.sh
  exec bash "$0" "$@"
fi
set -euo pipefail
. "$(dirname "$0")/scaling.sh"
examples=2048
attributes=100000
budget=25100
passes=60
solver=exploration
data=
options "$@"

if [ -z "$data" ]; then
  data=$made/data.h5
  launch "$most" "$thresher" generate murata -o "$data" --quiet \
    --examples "$examples" --attributes "$attributes"
fi
for n in "${ranks[@]}"; do
  bench "$n"
done
how=(--solver "$solver" --budget "$budget" --passes "$passes")
for n in "${ranks[@]}"; do
  warm "$n" "$data" "${how[@]}"
done
# Turn by turn, so that a change of the machine meets all alike
for k in $(seq "$repeats"); do
  for n in "${ranks[@]}"; do
    run "$out/ranks-$n/run-$k" "$n" "$data" "${how[@]}"
    cmp "$out/ranks-$fewest/run-1/model.h5" \
      "$out/ranks-$n/run-$k/model.h5"
    if [ "$fewest" -eq 1 ] && [ "$n" -gt 1 ]; then
      side_by_side "$out/ranks-$n/alone-$k" "$n" "$data" "${how[@]}"
    fi
  done
done
echo "all models are the same, byte for byte"
summary
