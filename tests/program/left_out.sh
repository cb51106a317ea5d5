#!/usr/bin/env bash
# left_out.sh - attributes that too many examples lack are left out of every format: the data
# set has the bytes of one that was imported without them, in any memory and on any ranks; names,
# groups, --like and predict go by what is left
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*
mkdir one two

# x4 and x9 lack most values, and the words of `shape` are seldom there
"$PYTHON" - <<'END'
import numpy as np, scipy.sparse as sp
r = np.random.default_rng(1)
n, d = 300, 12
x = np.round(r.normal(size=(n, d)), 3)
y = np.round(x[:, 1] - x[:, 10], 3)
lost = r.random((n, d)) < 0.03
for j in 4, 9:
    lost[:, j] = r.random(n) < 0.7
color = r.choice(["red", "blue", "green"], n)
shape = [r.choice(["a", "b"]) if r.random() < 0.2 else "" for i in range(n)]
cell = lambda i, j: "" if lost[i, j] else repr(float(x[i, j]))
with open("bare.csv", "w") as f, open("named.csv", "w") as g, open("text.svm", "w") as h:
    print(*(f"x{j}" for j in range(d)), "color", "shape", "y", sep=",", file=g)
    for i in range(n):
        row = [cell(i, j) for j in range(d)]
        print(*row, y[i], sep=",", file=f)
        print(*row, color[i], shape[i], y[i], sep=",", file=g)
        print(y[i], *(f"{j + 1}:{v or 'NA'}" for j, v in enumerate(row)), file=h)
full = np.where(lost, np.nan, x)
thin = np.where(lost | (r.random((n, d)) < 0.1), full, 0)
np.save("y.npy", y)
np.save("full.npy", full)
sp.save_npz("thin.npz", sp.csr_matrix(thin))
open("names", "w").write("".join(f"x{j}\n" for j in range(d)))
END

# alike OPTIONS... -- FILE OPTIONS...: as imported with the options before --, which leave out
# what is left out otherwise
alike()
{
  local given=()
  while [ "$1" != -- ]; do given+=("$1") && shift; done
  shift
  must 0 import "$@" "${given[@]}" -o two/a.h5 --force
  ! grep -q 'which more than' must.err || fail "something is left out, still: $*"
  must 0 import "$@" -o one/a.h5 --force
  grep -q '^left out: .*which more than 0.5 of the training examples lack: ' must.err ||
    fail "nothing said: $*: $(cat must.err)"
  if ! cmp one/a.h5 two/a.h5 || ! cmp one/a.shards/00000.h5 two/a.shards/00000.h5; then
    fail "other bytes than without the columns: $*"
  fi
}
# fingerprint NAME
fingerprint()
{
  must 0 inspect "$1" --json
  sed -n 's/.*"fingerprint": "\([0-9a-f]*\)".*/\1/p' must.out
}
alike --ignore x4,x9,shape -- named.csv --target y
grep -q "'x4', 'x9', 'shape=a', 'shape=b'" must.err || fail "$(cat must.err)"
must 2 import named.csv --target y -o one/a.h5 --force --memory 20k --threads 2
cmp one/a.h5 two/a.h5 || fail "other bytes on two ranks, in little memory"
must 0 inspect one/a.h5 --check
# sparse shards keep room by what was expected
must 0 import named.csv --target y --layout sparse --memory 20k -o sparse.h5
must 0 import named.csv --target y --layout sparse --ignore x4,x9,shape -o thin.h5
[ "$(fingerprint sparse.h5)" = "$(fingerprint thin.h5)" ] || fail "other sparse data"
must 0 inspect sparse.h5 --check
alike --ignore 5,10 -- bare.csv
must 0 train one/a.h5 -o bare.m.h5 --solver lasso
must 0 predict bare.m.h5 one/a.h5 -o got.csv
must 0 predict bare.m.h5 bare.csv -o all.csv
cmp got.csv all.csv || fail "other predictions of a table without a header"
alike --ignore 5,10 -- full.npy --target y.npy
alike --ignore x4,x9 -- full.npy --target y.npy --names names --type f64
alike --ignore 5,10 -- thin.npz --target y.npy

# --- New data know what was left out
must 0 import named.csv --target y -o first.h5
must 0 train first.h5 -o m.h5 --solver lasso
must 0 import named.csv --like first.h5 -o like.h5
grep -q '^left out: 3 columns of 15' must.err || fail "--like: $(cat must.err)"
must 0 predict m.h5 like.h5 -o got.csv --force
must 0 predict m.h5 first.h5 -o all.csv --force
cmp got.csv all.csv || fail "other predictions with --like"
must 0 predict m.h5 named.csv -o all.csv --force
cmp got.csv all.csv || fail "other predictions of the table itself"
for file in full.npy thin.npz; do
  must 0 import "$file" --target y.npy -o array.h5 --force
  must 0 train array.h5 -o array.m.h5 --solver lasso --force
  must 0 import "$file" --like array.h5 --target none -o again.h5 --force
  must 0 predict array.m.h5 array.h5 -o all.csv --force
  for name in again.h5 "$file"; do
    must 0 predict array.m.h5 "$name" -o got.csv --force
    cmp got.csv all.csv || fail "other predictions of $name"
  done
done
must 0 import named.csv --append -o first.h5
must 0 inspect first.h5 --check
must 0 import named.csv --target y --max-missing 1 -o whole.h5
must 0 train whole.h5 -o whole.m.h5 --solver lasso --lambda-ratio 1e-4
refused 1 'first.h5: x4 was left out by import, .* model whole.m.h5 uses it' 0 \
  evaluate whole.m.h5 first.h5

# --- Groups go by the numbers in the file
printf '0-5 9\n6-8 10 11\n' >groups
must 0 import bare.csv -o grouped.h5 --groups groups
"$PYTHON" - <<'END' || fail "other groups"
import h5py
with h5py.File("grouped.h5") as f:
    g = f["attribute_groups"]
    found = [list(map(int, g[name][:])) for name in ("first", "count", "group")]
    assert found == [[0, 5], [5, 5], [0, 5]], found
END

# --- LIBSVM text: what is left is called by its indices, unless all were asked for
must 0 import text.svm -o text.h5
must 2 import text.svm -o one/text.h5 --threads 2
cmp text.h5 one/text.h5 || fail "LIBSVM text on two ranks"
must 0 inspect text.h5 --check --json
"$PYTHON" - <<'END' || fail "LIBSVM text: other names"
import json
assert json.load(open("must.out"))["names"] == [str(j) for j in range(1, 13) if j not in (5, 10)]
END
must 0 train text.h5 -o text.m.h5 --solver lasso
must 0 predict text.m.h5 text.svm -o got.csv --force
must 0 predict bare.m.h5 bare.csv -o all.csv --force
cmp got.csv all.csv || fail "LIBSVM text: other predictions than of the table"
must 0 import text.svm --like text.h5 -o like.h5 --force
grep -qE '^left out: [0-9]+ values of 2 indices that text.h5 does not have' must.err ||
  fail "LIBSVM text with --like: $(cat must.err)"
must 0 import text.svm -o all.h5 --attributes 12
grep -q '^zeros:    2 attributes, .* are all 0, as --attributes numbers all: index 5, index 10' \
  must.err || fail "--attributes: $(cat must.err)"
must 0 inspect all.h5 --json
grep -q '"attributes": 12' must.out || fail "--attributes"
printf 'a,b,y\nNA,NA,1\nNA,NA,2\n3,4,5\n' >none.csv
refused 1 'none.csv: no attribute is left, as more than 0.5 of the training examples lack each of the 2' 0 \
  import none.csv -o no.h5
finish
