#!/usr/bin/env bash
# hashed_arrays.sh - sparse arrays of very many columns: those that occur are attributes, called
# by their numbers, and the data set is that of the same LIBSVM text; the cost does not follow the
# number of columns
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*
mkdir three

# hashed.svm and the same in all formats; new.* with other examples, which have columns that the
# first ones have not
"$PYTHON" - <<'END'
import h5py, numpy as np, scipy.sparse as sp
r = np.random.default_rng(2)
columns = 2**40
ids = np.unique(np.r_[r.integers(1, columns, 700), columns - 1])
unseen = np.setdiff1d(r.integers(1, columns, 90), ids)

def write(name, n, known):
    where = np.sort(np.array([r.choice(len(ids), 9, replace=False) for i in range(n)]), 1)
    column = ids[where].reshape(-1)
    if known:
        start = 9 * np.arange(n + 1)
        column[:] = np.sort(np.resize(ids, (n, 9)), 1).reshape(-1)
    else:
        column = np.sort(np.c_[ids[where], r.choice(unseen, n)], 1).reshape(-1)
        start = 10 * np.arange(n + 1)
    value = np.round(r.normal(size=len(column)), 3).astype("f4")
    y = np.array([float(value[start[i]:start[i + 1]][column[start[i]:start[i + 1]] < columns // 3].sum())
                  for i in range(n)])
    row = np.repeat(np.arange(n), np.diff(start))
    mix = r.permutation(len(column))
    shape = np.array([n, columns])
    np.save(name + ".y.npy", y)
    np.savez(name + ".csr.npz", data=value, indices=column, indptr=start, shape=shape, format=np.array(b"csr"))
    np.savez(name + ".coo.npz", data=value[mix], row=row[mix], col=column[mix], shape=shape, format=np.array(b"coo"))
    with h5py.File(name + ".in.h5", "w") as f:
        g = f.create_group("X")
        g.attrs.update({"encoding-type": "csr_matrix", "shape": shape})
        g["data"], g["indices"], g["indptr"] = value, column, start
    with open(name + ".mtx", "w") as f:
        print("%%MatrixMarket matrix coordinate real general", file=f)
        print(n, columns, len(column), file=f)
        for k in mix: # counted from 1
            print(row[k] + 1, column[k], repr(float(value[k])), file=f)
    with open(name + ".svm", "w") as f:
        for i in range(n):
            some = range(start[i], start[i + 1])
            print(repr(float(y[i])), *(f"{column[k]}:{float(value[k])!r}" for k in some), file=f)
write("hashed", 300, True)
write("new", 40, False)
# columns first: 400,000 of them, of which 30 occur
C = sp.random(50, 30, 0.3, format="csc", random_state=3, dtype="f4")
np.save("c.y.npy", np.arange(50.0))
at = np.sort(r.choice(400000, 30, replace=False))
count = np.zeros(400000, int)
count[at] = np.diff(C.indptr)
np.savez("c.npz", data=C.data, indices=C.indices, indptr=np.r_[0, np.cumsum(count)],
         shape=np.array([50, 400000]), format=np.array(b"csc"))
np.save("at.npy", at[np.diff(C.indptr) > 0])
END

fingerprint()
{
  must 0 inspect "$1" --json
  sed -n 's/.*"fingerprint": "\([0-9a-f]*\)".*/\1/p' must.out
}
# SciPy counts from 0, Matrix Market from 1
must 0 import hashed.svm -o text.h5 --zero-based
must 0 import hashed.svm -o text1.h5
wanted=$(fingerprint text.h5)
[ -n "$wanted" ] || fail "no fingerprint"
for file in csr.npz coo.npz in.h5:/X mtx; do
  must 0 import "hashed.$file" --target hashed.y.npy -o got.h5 --force
  grep -q "^indices:  [0-9]* occur, up to $((2 ** 40 - 1)): these alone are attributes, named so" must.err ||
    fail "$file: $(cat must.err)"
  [ "$(fingerprint got.h5)" = "$wanted" ] || fail "$file: another data set than of the text"
  must 0 inspect got.h5 --check
  [ "$file" = mtx ] && like=text1.h5 || like=text.h5
  must 0 import "new.$file" --like $like --target new.y.npy -o new.h5 --force
  grep -qE "^left out: 40 values of [1-9][0-9]* indices that $like does not have" must.err ||
    fail "$file, --like: $(cat must.err)"
done
must 3 import hashed.csr.npz --target hashed.y.npy -o three/a.h5 --threads 2
must 3 import hashed.mtx --target hashed.y.npy -o three/b.h5 --threads 2
must 0 import hashed.csr.npz --target hashed.y.npy -o a.h5
cmp a.h5 three/a.h5 || fail "other bytes on three ranks"
[ "$(fingerprint three/b.h5)" = "$wanted" ] || fail "Matrix Market on three ranks"

# --- Models: of new data the columns that they use
must 0 train text.h5 -o m.h5 --solver lasso
must 0 train text1.h5 -o m1.h5 --solver lasso
must 0 predict m.h5 new.svm -o wanted.csv
for file in csr.npz coo.npz in.h5:/X mtx; do
  [ "$file" = mtx ] && model=m1.h5 || model=m.h5
  must 0 import "new.$file" --like $model --target none -o part.h5 --force
  grep -qE "^left out: [0-9]+ values of [0-9]+ indices that $model does not use" must.err ||
    fail "$file, --like model: $(cat must.err)"
  must 0 predict $model part.h5 -o got.csv --force
  cmp wanted.csv got.csv || fail "$file: other predictions"
done
must 0 predict m.h5 new.csr.npz -o got.csv --force
cmp wanted.csv got.csv || fail "other predictions of the file itself"

# --- Columns first; all of them where they are asked for
must 0 import c.npz --target c.y.npy -o c.h5
"$PYTHON" - <<'END' || fail "other names of columns that occur"
import h5py, numpy
assert (h5py.File("c.h5")["names"][:] == numpy.load("at.npy")).all()
END
must 0 import c.npz --target c.y.npy -o all.h5 --attributes 400000
must 0 inspect all.h5 --json
grep -q '"attributes": 400000' must.out || fail "--attributes"

# --- It takes the memory of what occurs
"$PYTHON" - <<'END' || fail "memory of an import"
import os, resource, subprocess
subprocess.run([os.environ["THRESHER"], "import", "hashed.csr.npz", "--target", "hashed.y.npy", "-o", "little.h5"],
               check=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 100000
END
finish
