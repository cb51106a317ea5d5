#!/usr/bin/env bash
# layouts.sh - the same model however the shards are stored and however
# little memory there is, for 350 combinations; the ordinary suite takes half of them
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

# table FILE EXAMPLES ATTRIBUTES: a CSV of five true attributes.
table()
{
  "$PYTHON" - "$@" <<'END'
import numpy as np, sys
n, d = int(sys.argv[2]), int(sys.argv[3])
draw = np.random.default_rng(5)
X = draw.standard_normal((n, d)).round(4)
y = X[:, :5] @ [1, -2, 3, 0.5, -1] + draw.standard_normal(n)
names = ",".join(f"a{j}" for j in range(d)) + ",y"
np.savetxt(sys.argv[1], np.column_stack([X, y]), "%.4f", ",", header=names,
           comments="")
END
}

store()
{
  "$PYTHON" - "$@" <<'END'
import h5py, sys
name, shards, options = sys.argv[1:]
for shard in shards.split(","):
    with h5py.File(f"{name}.shards/0000{shard}.h5", "r+") as f:
        x = f["X"][:]
        del f["X"]
        f.create_dataset("X", data=x, **eval(f"dict({options})"))
END
}

combinations=0
different=0

# both WHAT SET OPTION...: with and without prefetching, in the ordinary suite one of these
# in turn
turn=0
both()
{
  turn=$((turn + 1))
  ! tried $turn 2 || same "$@"
  ! tried $((turn + 1)) 2 || same "$@" --no-prefetch
}

# same WHAT SET OPTION...: trains, and compares with the first model of OPTIONs.
same()
{
  local what=$1 set=$2 model
  shift 2
  model=$(echo "$solver" | tr -c 'a-z0-9\n' _).h5
  must 0 train "$set.h5" -o this.h5 --force --solver $solver "$@" || return 0
  if [ ! -e "$model" ]; then
    mv this.h5 "$model"
    return
  fi
  combinations=$((combinations + 1))
  cmp -s "$model" this.h5 && return
  different=$((different + 1))
  fail "$what, --solver $solver $*: another model"
}

solvers=("sift" "sift --select truth" "exploration -s 5 --budget 15" "hybrid -s 5 --budget 15"
  "lasso --lambda-ratio 0.05" "prox-sgd --epochs 5 --lambda-ratio 0.05"
  "aerr --budget 6 --passes 3")

# is read directly take turns
table a.csv 300 30
must 0 import a.csv -o plain.h5 --shards 2 --row-group 64 --target y
for solver in "${solvers[@]}"; do
  same plain plain
  same plain plain --no-prefetch
done
cp -r plain.shards good
for shards in 0 1 0,1; do
  for options in 'chunks=(5,64),compression="gzip",shuffle=True' \
    'chunks=(4,64)' 'chunks=(15,100)' 'chunks=None'; do
    cp good/* plain.shards
    store plain "$shards" "$options"
    for solver in "${solvers[@]}"; do
      both "shards $shards, $options" plain
    done
  done
done
rm -r ./*.h5 plain.shards good

# memory around the sizes of what is read at once, shards of unequal width
table b.csv 400 17
must 0 import b.csv -o plain.h5 --shards 4 --row-group 64 --target y
for solver in "${solvers[@]}"; do
  same "all in memory" plain
  for memory in 1 4k 16k 33k 65k 67k 70k 72k 75k 78k 80k 85k; do
    both "--memory $memory" plain --memory "$memory"
  done
done
compare "combinations" "$combinations" ">=" 150
compare "of these with another model" "$different" == 0
finish
