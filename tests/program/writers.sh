#!/usr/bin/env bash
# writers.sh - import where there are fewer shards than ranks: every rank writes its part
# of a shard, the bytes are those of one rank, and what fails on one leaves nothing
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
export NO_ROOM=$1 REAL=$THRESHER ODD=
rm -rf ./*

# Rank $ODD has no room from its write $AFTER on into a shard.
export AFTER=0
THRESHER=$PWD/odd.sh
cat >odd.sh <<'END'
#!/bin/sh
if [ "${OMPI_COMM_WORLD_RANK:-${PMIX_RANK:-0}}" = "$ODD" ]; then
  export NO_ROOM_AFTER=$AFTER NO_ROOM_IN=.shards.partial LD_PRELOAD="$NO_ROOM"
fi
exec "$REAL" "$@"
END
chmod +x odd.sh

# Few attributes have most values, as in text; some are missing.
"$PYTHON" - <<'END'
import random
random.seed(3)
n, d = 900, 400
with open("text.csv", "w") as f:
    f.write("y,w," + ",".join(f"a{j}" for j in range(d)) + "\n")
    for i in range(n):
        row = [round(random.gauss(0, 1), 3) if random.random() < 3 / (1 + j) ** .5 else 0
               for j in range(d)]
        target, row[i % d] = row[0] + i % 7, "NA"
        f.write(f"{target},{i % 3}," + ",".join(map(str, row)) + "\n")
END
options=(text.csv --target y --test 0.1 --row-group 64 --quiet)

for layout in dense sparse; do
  for shards in 1 3; do
    more=(--layout "$layout" --shards "$shards")
    [ "$shards" -eq 1 ] || more+=(--weights w --type f64)
    mkdir one
    must 0 import -o one/out.h5 "${options[@]}" "${more[@]}"
    for n in 2 3 4; do
      [ "$shards" -eq 1 ] || [ $n -ne 3 ] || continue # a shard each
      mkdir many
      must $n import -o many/out.h5 "${options[@]}" "${more[@]}"
      diff -r one many || fail "$layout, $shards shards, $n ranks: other bytes"
      rm -r many
    done
    rm -r one
  done
done
# Each rank writes a part of the only shard, by several calls: whichever of them finds
# no room, at once or later, that ends the run.
lost='no[.]shards/00000[.]h5: (no space left|cannot be created)'
for ((ODD = 0; ODD < 4; ODD++)); do
  AFTER=$((5 * ODD)) refused 1 "^thresher: (rank $ODD: )?$lost" 4 \
    import -o no.h5 "${options[@]}" --layout dense
done
finish
