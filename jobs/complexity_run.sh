#!/usr/bin/env bash
# complexity_run.sh ATTRIBUTES DESIGN OPTIM SEED - a part of complexity.sh: one run
# SPDX-License-Identifier: MIT
#
# Writes DIR/runs/d-ATTRIBUTES/DESIGN/OPTIM/seed-SEED/ with command and model.json.
. "$(dirname "$0")/lib.sh"
set -euo pipefail
part_of complexity
folder=$out/runs/d-$1/$2/$3/seed-$4
read -r size mu least most examples < <(
  "$PYTHON" "$jobs/complexity_tables.py" law "$1" "$2"
)
[ "$3" = ls ] || examples=$((10 * examples))
source=oomp:examples=$examples,attributes=$1,design=$2,seed=$4
[ "$2" = orthogonal ] || source=$source,correlation=0.1
command=("$thresher" train --source "$source" --solver oomp --optim "$3" -s "$size"
  --delta 0.1 --mu "$mu" --rho "$least" --smoothness "$most" --no-intercept
  --no-standardize --seed "$4" -o "$folder/model.h5")
if [ -e "$folder/model.json" ] && [ "$(cat "$folder/command")" = "${command[*]@Q}" ]; then
  exit 0
fi
mkdir -p "$folder"
rm -f "$folder/model.json"
echo "${command[*]@Q}" >"$folder/command"
if ! "${command[@]}" --force --quiet >"$folder/said" 2>&1 ||
  ! "$thresher" inspect "$folder/model.h5" --json >"$folder/part.json" 2>>"$folder/said"; then
  tail -n 3 "$folder/said" >&2
  echo "complexity.sh: $1 attributes, $2, $3, seed $4 has failed" >&2
  exit 255 # xargs starts no further run
fi
rm "$folder/model.h5"
mv "$folder/part.json" "$folder/model.json"
echo "$1 attributes, $2, $3, seed $4"
