#!/usr/bin/env bash
# complexity_run.sh ATTRIBUTES DESIGN OPTIM SEED - a part of complexity.sh: one run
# SPDX-License-Identifier: MIT
#
# Writes DIR/runs/d-ATTRIBUTES/DESIGN/OPTIM/seed-SEED/ with command and model.json. OPTIM ssr
# is that solver, on 100, 200, 400, ... examples until it has the true attributes.
. "$(dirname "$0")/lib.sh"
set -euo pipefail
part_of complexity
folder=$out/runs/d-$1/$2/$3/seed-$4
read -r size mu least most examples < <(
  "$PYTHON" "$jobs/complexity_tables.py" law "$1" "$2"
)
[ "$3" != asgd ] || examples=$((10 * examples))
source=oomp:examples=$examples,attributes=$1,design=$2,seed=$4
[ "$2" = orthogonal ] || source=$source,correlation=0.1

failed()
{
  tail -n 3 "$folder/said" >&2
  echo "complexity.sh: $1 attributes, $2, $3, seed $4 has failed" >&2
  exit 255 # xargs starts no further run
}

# The first number of examples of which ssr keeps the true attributes, in the form of a model
# of oomp. Nothing but the truth tells that they are enough.
ssr()
{
  local n most=$examples true found=
  true=$(seq -s ', ' 0 $((size - 1)))
  for ((n = 100; n <= most; n *= 2)); do
    "$thresher" train --source "${source/examples=$most/examples=$n}" --solver ssr -s "$size" \
      --no-intercept --no-standardize --seed "$4" -o "$folder/model.h5" --force --quiet \
      >"$folder/said" 2>&1 || failed "$@"
    found=$("$thresher" inspect "$folder/model.h5" --json | tr -d '\n' |
      sed 's/.*"support": \[ *\([^]]*[0-9]\) *\].*/\1/; s/, */, /g')
    [ "$found" != "$true" ] || break
  done
  printf '{"selected": [%s], "examples_to_select": %d, "cost": {"try_select": %d, "optim": 0}}\n' \
    "$found" "$n" $((n * $1)) >"$folder/part.json"
}

oomp()
{
  "${command[@]}" --force --quiet >"$folder/said" 2>&1 || failed "$@"
  "$thresher" inspect "$folder/model.h5" --json >"$folder/part.json" 2>>"$folder/said" ||
    failed "$@"
}

command=("$thresher" train --source "$source" --solver oomp --optim "$3" -s "$size"
  --delta 0.1 --mu "$mu" --rho "$least" --smoothness "$most" --no-intercept
  --no-standardize --seed "$4" -o "$folder/model.h5")
[ "$3" != ssr ] || command=(ssr of "$source" from 100 examples)
if [ -e "$folder/model.json" ] && [ "$(cat "$folder/command")" = "${command[*]@Q}" ]; then
  exit 0
fi
mkdir -p "$folder"
rm -f "$folder/model.json"
echo "${command[*]@Q}" >"$folder/command"
if [ "$3" = ssr ]; then
  ssr "$@"
else
  oomp "$@"
fi
rm "$folder/model.h5"
mv "$folder/part.json" "$folder/model.json"
echo "$1 attributes, $2, $3, seed $4"
