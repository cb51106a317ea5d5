#!/usr/bin/env bash
# arrays.sh - matrices of NumPy, SciPy, HDF5, AnnData and Matrix Market have the values that
# their programs gave them, on any ranks, with any memory; broken ones end in one line
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

"$PYTHON" - <<'END'
import gzip, os, zipfile
import h5py, numpy as np, scipy.io, scipy.sparse as sp

r = np.random.default_rng(5)
n, d = 211, 37
dense = r.normal(size=(n, d)).astype("f4")
X = sp.csr_matrix(np.where(r.random((n, d)) < 0.2, dense, 0))
y = np.round(dense[:, 0] - 2 * dense[:, 3] + r.normal(size=n), 3)
w = r.integers(0, 3, n)
np.savetxt("dense.csv", np.c_[dense, y], "%.9g", ",")
np.savetxt("weights.csv", np.c_[dense, y, w], "%.9g", ",")
np.savetxt("whole.csv", np.c_[r.integers(0, 200, (n, d)), y], "%.9g", ",")
with open("sparse.svm", "w") as f:
    for row, target in zip(X, y):
        f.write("%.9g" % target + "".join(" %d:%.9g" % e for e in zip(row.indices + 1, row.data)) + "\n")
np.save("y.npy", y)
np.save("w.npy", w)
np.save("column.npy", y.reshape(-1, 1))
np.save("short.npy", y[1:])
open("names.txt", "w").writelines("g%d\n" % j for j in range(d))
open("mark.txt", "w", encoding="utf-8-sig").writelines("g%d\n" % j for j in range(d))
gzip.open("mark.txt.gz", "wb").write(open("mark.txt", "rb").read())
open("turned.txt", "w").writelines("g%d\n" % j for j in range(d)[::-1])

# dense
np.save("c.npy", dense)
np.save("fortran.npy", np.asfortranarray(dense))
np.save("big.npy", dense.astype(">f4"))
np.save("double.npy", dense.astype("f8"))
np.save("turned.npy", dense[:, ::-1])
np.save("half.npy", dense.astype("f2"))
np.save("part1.npy", dense[:100])
np.save("part2.npy", dense[100:])
np.save("with_y.npy", np.c_[dense[:, :5], y, dense[:, 5:]].astype("f8"))
np.savez("two.npz", X=dense, y=y)
np.savez_compressed("packed.npz", X=dense, y=y, F=np.asfortranarray(dense))
gzip.open("z.npy.gz", "wb").write(open("c.npy", "rb").read())
scipy.io.mmwrite("array.mtx", dense, precision=9)
whole = np.loadtxt("whole.csv", delimiter=",")[:, :-1]
for kind in "u1", "i2", "<u4", ">i8", "u8":
    np.save("whole_%s.npy" % kind.strip("<>"), whole.astype(kind))
np.save("flags.npy", whole > 99)
open("flags_odd.npy", "wb").write(open("flags.npy", "rb").read()[:-n * d] + # any byte but 0 is true
    (np.where(whole > 99, r.integers(1, 256, (n, d)), 0)).astype("u1").tobytes())
np.save("flags01.npy", (whole > 99).astype("u1"))

lacks = dense.astype("f8")
lacks[r.random((n, d)) < 0.02] = np.nan
np.save("lacks.npy", lacks)
np.save("nines.npy", np.where(np.isnan(lacks), -9, lacks))
np.savetxt("lacks.csv", np.c_[lacks, y], "%.9g", ",")
gaps = X.copy()
gaps.data[::50] = np.nan
sp.save_npz("gaps.npz", gaps)
with open("gaps.svm", "w") as f:
    for row, target in zip(gaps, y):
        f.write("%.9g" % target + "".join(" %d:%.9g" % e for e in zip(row.indices + 1, row.data)) + "\n")

# sparse
for form in "csr", "csc", "coo":
    sp.save_npz(form + ".npz", X.asformat(form))
    sp.save_npz(form + "_plain.npz", X.asformat(form), compressed=False)
shuffled = X.tocoo()
order = r.permutation(shuffled.nnz)
cut = shuffled.nnz // 3  # some entries in two parts
value = shuffled.data.astype("f8")
half = value[order[:cut]] / 2
sp.save_npz("shuffled.npz", sp.coo_matrix((np.r_[value[order[cut:]], half, half],
    (np.r_[shuffled.row[order[cut:]], shuffled.row[order[:cut]], shuffled.row[order[:cut]]],
     np.r_[shuffled.col[order[cut:]], shuffled.col[order[:cut]], shuffled.col[order[:cut]]])), (n, d)))
backwards = X.copy()
for i in range(n):
    at = slice(X.indptr[i], X.indptr[i + 1])
    backwards.indices[at] = X.indices[at][::-1]
    backwards.data[at] = X.data[at][::-1]
backwards.has_sorted_indices = False
sp.save_npz("backwards.npz", backwards)
wide = X.copy()
wide.indices, wide.indptr = wide.indices.astype("i8"), wide.indptr.astype("i8")
sp.save_npz("wide.npz", wide)
scipy.io.mmwrite("columns.mtx", X.tocsc(), precision=9)
for name in "mark.mtx", "mark.text": # of UTF-8, in front
    open(name, "wb").write(b"\xef\xbb\xbf" + open("columns.mtx", "rb").read())

# a symmetric matrix, of which half is written
S = sp.random(30, 30, 0.2, random_state=3)
S = sp.csr_matrix(np.round((S + S.T).toarray(), 6))
scipy.io.mmwrite("symmetric.mtx", S, symmetry="symmetric", precision=9)
scipy.io.mmwrite("general.mtx", S, symmetry="general", precision=9)
scipy.io.mmwrite("pattern.mtx", X.astype(bool), field="pattern")
S = sp.csr_matrix((30, 4)) # without an entry, as a whole or in its first rows
for form in "csr", "csc", "coo":
    sp.save_npz("bare_%s.npz" % form, S.asformat(form))
scipy.io.mmwrite("bare.mtx", S)
late = sp.vstack([sp.csr_matrix((40000, 4)), sp.eye(4, format="csr")])
sp.save_npz("late.npz", late)
np.save("y40004.npy", np.arange(40004.0))
np.savetxt("late.csv", np.c_[late.toarray(), np.arange(40004)], "%g", ",")
ones = X.copy()
ones.data[:] = 1
sp.save_npz("ones.npz", ones)
np.save("y30.npy", np.arange(30.0))

# HDF5
def group(f, name, m, **attributes):
    g = f.create_group(name)
    g["data"], g["indices"], g["indptr"] = m.data, m.indices, m.indptr
    g.attrs.update(attributes)
    return g

with h5py.File("h.h5", "w") as f:
    f["y"] = y
    f["dense"] = dense
    f["double"] = dense.astype(">f8")
    f.create_dataset("gzip", data=dense, chunks=(50, 7), compression="gzip", shuffle=True)
    f.create_dataset("lzf", data=np.repeat(dense, 1, 0), chunks=(64, 37), compression="lzf")
    group(f, "csr", X, shape=X.shape, **{"encoding-type": "csr_matrix"})
    group(f, "csc", X.tocsc(), shape=X.shape, **{"encoding-type": "csc_matrix"})
    group(f, "bare", sp.csc_matrix((30, 4)), shape=(30, 4), **{"encoding-type": "csc_matrix"})
    group(f, "old", X, h5sparse_shape=X.shape, h5sparse_format="csr")
    ten = group(f, "matrix", X) # 10x: cells are columns
    ten["shape"] = np.array([d, n], "i4")
    ten["barcodes"] = np.array(["cell%d" % i for i in range(n)], "S")
    ten.create_group("features")["id"] = np.array(["g%d" % j for j in range(d)], "S")
with h5py.File("a.h5ad", "w") as f:
    f["X"] = dense
    f.create_group("layers")
    group(f["layers"], "counts", X, shape=X.shape, **{"encoding-type": "csr_matrix"})
    for name, size, prefix in ("obs", n, "cell"), ("var", d, "g"):
        g = f.create_group(name)
        g.attrs["_index"] = "index"
        g.create_dataset("index", data=[prefix + str(k) for k in range(size)], dtype=h5py.string_dtype())
    f["obs/score"] = y
    kind = f["obs"].create_group("kind")
    kind["codes"] = (y > 0).astype("i1")
    kind.create_dataset("categories", data=["low", "high"], dtype=h5py.string_dtype())
    masked = f["obs"].create_group("masked")
    masked["values"], masked["mask"] = np.arange(n), np.arange(n) == 4
words = np.where(y > 0, "gro\u00df", "klein") # the same classes as words of a file of their own
np.save("words_u.npy", words)
np.save("words_be.npy", words.astype(">U9"))
np.save("words_s.npy", np.char.encode(words, "utf-8"))
np.savez("words.npz", kind=words)
with h5py.File("words.h5", "w") as f:
    f.create_dataset("kind", data=[w.encode() for w in words])
    f.create_dataset("some/loose", data=list(words), dtype=h5py.string_dtype())
np.savetxt("kind.csv", np.c_[dense, np.where(y > 0, 1, -1)], "%.9g", ",")
END

# print NAME: the fingerprint of a data set
print_of()
{
  ranks 0 inspect "$1" --json | grep '"fingerprint"'
}

# same SET FILE OPTION...: the import has the values of the data set SET; on two ranks, too,
# of which a sample is tried
tries=0
same()
{
  local set=$1 n some=0
  shift
  tries=$((tries + 1))
  ! tried $tries 5 || some='0 2'
  for n in $some; do
    must $n import "$@" -o new.h5 --force
    [ "$(print_of new.h5)" = "$(print_of "$set")" ] || fail "$* on $n ranks: other values than $set"
  done
}

must 0 import dense.csv -o dense.h5
must 0 import sparse.svm -o sparse.h5
must 0 import whole.csv -o whole.h5 --type f32

# --- dense ---
for file in c fortran big double; do
  same dense.h5 $file.npy --target y.npy
done
same dense.h5 c.npy --target column.npy
same dense.h5 z.npy.gz --target two.npz:y
same dense.h5 part1.npy part2.npy --target y.npy
same dense.h5 two.npz:X --target two.npz:y
same dense.h5 packed.npz:X --target packed.npz:y
same dense.h5 packed.npz:F --target h.h5:/y
same dense.h5 array.mtx --target y.npy
for name in dense double gzip lzf; do
  same dense.h5 h.h5:/$name --target h.h5:/y
done
must 0 import with_y.npy --target 6 -o with.h5
[ "$(print_of with.h5)" = "$(print_of dense.h5)" ] || fail "a column of the array as target"
same with.h5 with_y.npy --like with.h5
must 0 import half.npy --target y.npy -o half.h5
for kind in u1 i2 u4 i8 u8; do
  same whole.h5 whole_$kind.npy --target y.npy --type f32
done
must 0 import flags.npy --target y.npy -o flags.h5
same flags.h5 flags01.npy --target y.npy
same flags.h5 flags_odd.npy --target y.npy
ranks 0 inspect flags.h5 --json >flags.json
[ "$(key flags.json type)" = '"u8"' ] || fail "truth values are not bytes"

# columns first, by blocks of rows: less memory than the array has bytes
must 0 import fortran.npy --target y.npy -o new.h5 --force --memory 20k
[ "$(print_of new.h5)" = "$(print_of dense.h5)" ] || fail "by blocks of rows: other values"
must 0 import csc.npz --target y.npy -o new.h5 --force --memory 40k
[ "$(print_of new.h5)" = "$(print_of sparse.h5)" ] || fail "sorted in parts: other values"

# --- sparse ---
for file in csr csr_plain csc csc_plain coo coo_plain shuffled backwards wide; do
  same sparse.h5 $file.npz --target y.npy
done
for name in csr csc old; do
  same sparse.h5 h.h5:/$name --target y.npy
done
for file in columns.mtx mark.mtx mark.text; do
  same sparse.h5 $file --target y.npy
done
must 0 import general.mtx --target y30.npy -o general.h5
same general.h5 symmetric.mtx --target y30.npy
must 0 import bare.mtx --target y30.npy -o bare.h5
ranks 0 inspect bare.h5 --json >bare.json
[ "$(key bare.json nonzeros)$(key bare.json attributes)" = 04 ] || fail "a matrix without entries"
for file in bare_csr.npz bare_csc.npz bare_coo.npz h.h5:/bare; do
  same bare.h5 $file --target y30.npy
done
must 0 import late.csv -o late.h5 --target 5 --layout sparse
same late.h5 late.npz --target y40004.npy
must 0 import ones.npz --target y.npy -o ones.h5
same ones.h5 pattern.mtx --target y.npy
must 0 import csr.npz --target y.npy --names names.txt -o named.h5
for names in mark.txt mark.txt.gz; do
  same named.h5 csr.npz --target y.npy --names $names
done
same named.h5 h.h5 --target y.npy # 10x, whose genes have names
same named.h5 a.h5ad:/layers/counts --target score

# --- missing values ---
must 0 import lacks.csv -o lacks.h5
same lacks.h5 lacks.npy --target y.npy
same lacks.h5 nines.npy --target y.npy --missing -9
must 0 import gaps.svm -o gaps.h5 --attributes 37
same gaps.h5 gaps.npz --target y.npy
refused 1 'lacks.npy: row [0-9]*, column [0-9]*, counted from 1: a missing value found, which --missing error refuses' 0 \
  import lacks.npy --target y.npy --missing error -o never.h5
refused 1 'nines.npy: row [0-9]*, column [0-9]*, counted from 1: .*(whole number 0..255|u8 has no room)' 0 \
  import nines.npy --target y.npy --missing -9 --type u8 -o never.h5

refused 2 '--missing -9,unk: c.npy holds numbers, and no words' 0 \
  import c.npy --target y.npy --missing -9,unk -o never.h5
for file in csr.npz columns.mtx h.h5:/csc; do
  refused 2 '--missing 0,-9: what sparse .* does not list is 0, and not missing' 0 \
    import $file --target y.npy --missing 0,-9 -o never.h5
done

# --- weights, tests, training; the same bytes on any ranks ---
must 0 import weights.csv --target 38 --weights 39 -o weights.h5
same weights.h5 c.npy --target y.npy --weights w.npy
for n in 1 2 3; do
  mkdir -p on$n
  must $n import csr.npz --target y.npy --test 0.2 -o on$n/set.h5
  must $n train on$n/set.h5 -o on$n/m.h5 --solver lasso
done
for n in 2 3; do
  cmp on1/set.h5 on$n/set.h5 && cmp on1/set.shards/00000.h5 on$n/set.shards/00000.h5 &&
    cmp on1/m.h5 on$n/m.h5 || fail "$n ranks: other bytes"
done
must 0 import sparse.svm --test 0.2 -o text.h5
must 0 train text.h5 -o text.m.h5 --solver lasso
[ "$(ranks 0 inspect text.m.h5 --json | grep '"objective"')" = \
  "$(ranks 0 inspect on1/m.h5 --json | grep '"objective"')" ] || fail "another model than of text"

# --- data like others: by places, by names; predictions ---
"$PYTHON" - <<'END'
import h5py, shutil
for name in "b", "bare":
    shutil.copy("a.h5ad", name + ".h5ad")
with h5py.File("bare.h5ad", "a") as f:
    del f["obs/index"], f["obs"].attrs["_index"]
END
must 0 import c.npy --target y.npy -o like.h5
must 0 train like.h5 -o like.m.h5 --solver lasso --lambda-ratio 0.01
must 0 import dense.csv --like like.h5 -o of_text.h5
for file in c.npy fortran.npy packed.npz:X; do
  must 0 import $file --like like.h5 -o bare.h5 --force
  must 0 predict like.m.h5 bare.h5 -o bare.csv --force
  must 0 predict like.m.h5 of_text.h5 -o text.csv --force
  cmp bare.csv text.csv || fail "$file: other predictions than of text"
done
must 0 import a.h5ad --target score -o cells.h5
grep -q 'obs column score' must.err || fail "nothing said of the column of the target"
must 0 train cells.h5 -o cells.m.h5 --solver lasso --lambda-ratio 0.1
seq 0 210 | sed 's/^/cell/' >cells.txt # the index of obs
must 0 import turned.npy --names turned.txt --ids cells.txt --like cells.h5 -o turned.h5
must 0 predict cells.m.h5 turned.h5 -o turned.csv
must 0 predict cells.m.h5 cells.h5 -o cells.csv
grep -q '^cell210,' cells.csv || fail "predictions without the names of obs"
mkdir given
must 0 import a.h5ad --ids cells.txt --target score -o given/cells.h5
cmp given/cells.h5 cells.h5 || fail "IDs of a file, the same: other bytes"
must 0 import a.h5ad b.h5ad --target score -o twice.h5
refused 1 'b.h5ad has IDs of examples and bare.h5ad has none' 2 \
  import bare.h5ad b.h5ad --target score -o never.h5
cmp turned.csv cells.csv || fail "columns in another order: other predictions"
must 0 import a.h5ad --like cells.m.h5 -o few.h5
must 0 predict cells.m.h5 few.h5 -o few.csv
cmp few.csv cells.csv || fail "like a model: other predictions"
sed 's/^g7$/other/' names.txt >other.txt
refused 1 "1 of the attributes of cells.h5 is missing, first 'g7'|column 8, 'other', is no attribute of cells.h5" 0 \
  import c.npy --names other.txt --like cells.h5 -o never.h5
must 0 import kind.csv -o kind.h5
ranks 0 inspect kind.h5 --json | grep '"rho_ridge"' >kind.one
must 0 import a.h5ad --target kind --positive-class high -o kind.h5 --force
grep -q "positive: 'high', [0-9]* of 211" must.err || fail "classes: $(cat must.err)"
ranks 0 inspect kind.h5 --json | grep '"rho_ridge"' | cmp - kind.one || fail "classes: other targets"

for file in words_u.npy words_be.npy words_s.npy words.npz:kind words.h5:/kind words.h5:some/loose; do
  must 2 import c.npy --target $file --positive-class groß -o kind.h5 --force
  grep -q "positive: 'groß', [0-9]* of 211" must.err || fail "$file: $(cat must.err)"
  ranks 0 inspect kind.h5 --json | grep '"rho_ridge"' | cmp - kind.one || fail "$file: other targets"
done
must 0 import part1.npy part2.npy --target a.h5ad:/obs/kind --positive-class high -o kind.h5 --force
ranks 0 inspect kind.h5 --json | grep '"rho_ridge"' | cmp - kind.one || fail "categories of another file"

# --- without a target, for train --targets ---
for file in c.npy csr.npz a.h5ad; do
  must 0 import $file --target none --ids cells.txt -o bare.h5 --force
  ranks 0 inspect bare.h5 --json >bare.json
  [ "$(key bare.json labelled)$(key bare.json targets)" = 'false[]' ] || fail "$file: labelled"
done

# --- what is asked for, or refused ---
refused 2 'c.npy: 211 x 37, and which are the targets' 0 import c.npy -o never.h5
refused 2 'two.npz: which of its arrays, X, y\? Name one as two.npz:X' 0 import two.npz --target y.npy -o never.h5
refused 1 "no array 'Z' in it, but X, y" 0 import two.npz:Z --target y.npy -o never.h5
refused 1 'h.h5: there is no /none in it' 0 import h.h5:/none --target y.npy -o never.h5
refused 1 'short.npy: 210 numbers found, expected 211' 2 import c.npy --target short.npy -o never.h5
refused 1 'names.txt: 37 names found, expected 38' 0 import with_y.npy --target 6 --names names.txt -o never.h5
refused 1 "target 'low' found for row .*--positive-class" 0 import a.h5ad --target kind -o never.h5
refused 1 "target 'klein' found for row .*--positive-class" 0 import c.npy --target words_u.npy -o never.h5
refused 1 'words_u.npy holds words, expected weights' 0 \
  import c.npy --target y.npy --weights words_u.npy -o never.h5
refused 1 'target nan found for row 5' 0 import a.h5ad --target masked -o never.h5
refused 2 '--names .*are for an array of NumPy; dense.csv is read as CSV' 0 import dense.csv --names names.txt -o never.h5
refused 2 'are for LIBSVM; c.npy is read as an array of NumPy' 0 import c.npy --zero-based -o never.h5
refused 1 'part2.npy is|columns found, expected 37 as in c.npy' 0 import c.npy with_y.npy --target y.npy -o never.h5
refused 1 'coo.npz: needs .* of memory on a rank, and --memory leaves' 0 \
  import coo.npz --target y.npy --memory 20k -o never.h5
refused 1 'with_y.npy:1:1: .*38 columns|with_y.npy: .*38 columns' 0 import with_y.npy --like dense.h5 --ignore 1,2 -o never.h5

# --- broken files: one line with the file and the place, and nothing left behind ---
"$PYTHON" - <<'END'
import io, zipfile
import numpy as np, scipy.sparse as sp, h5py

def npy(name, dtype="'<f4'", order="False", shape="(2, 3)", data=bytes(24), version=1):
    text = "{'descr': %s, 'fortran_order': %s, 'shape': %s, }\n" % (dtype, order, shape)
    size = len(text).to_bytes(2 if version == 1 else 4, "little")
    body = b"\x93NUMPY" + bytes([version, 0]) + size + text.encode() + data
    if name:
        open(name, "wb").write(body)
    return body

whole = npy("whole.npy")
for name, keep in ("head", 7), ("text", 30), ("data", len(whole) - 1):
    open("cut_%s.npy" % name, "wb").write(whole[:keep])
open("more.npy", "wb").write(whole + b"1234")
npy("huge.npy", shape="(4611686018427387904, 4611686018427387904)")
npy("huge2.npy", shape="(99999999999999999999999, 1)")
npy("large.npy", shape="(3000000000, 3000000000)")
npy("negative.npy", shape="(-2, 3)")
npy("shape.npy", shape="2")
npy("flat.npy", shape="(6,)")
npy("deep.npy", shape="(1, 2, 3)")
npy("none.npy", shape="(2, 0)", data=b"")
npy("empty.npy", shape="(0, 3)", data=b"")
npy("kind.npy", dtype="'<x4'")
npy("complex.npy", dtype="'<c8'")
npy("version.npy", version=9)
npy("order.npy", order="maybe")
npy("truths.npy", dtype="'<b4'")
open("no_order.npy", "wb").write(npy(None).replace(b"fortran_order", b"fortran_odder"))
np.save("objects.npy", np.array([[1, "a"]], dtype=object), allow_pickle=True)
np.save("records.npy", np.zeros(3, dtype=[("a", "f4"), ("b", "i4")]))
np.save("words.npy", np.array([["a", "b"]]))
np.save("word_list.npy", np.array(["a", "b"]))
for name, data in ("no_text", b"\0\0\x11\0" + b"a\0\0\0"), ("gap", b"\0\0\0\0" + b"a\0\0\0"):
    npy(name + ".npy", dtype="'<U2'", shape="(1,)", data=data)
np.save("one.npy", np.ones((1, 2)))
bad = np.ones((50, 4), "f4")
bad[16, 2] = np.inf
np.save("inf.npy", bad)
np.save("y50.npy", np.arange(50.0))
np.save("y2.npy", np.arange(2.0))
np.save("large_byte.npy", np.full((50, 2), 300))

def csr(name, data=None, indices=(0, 1, 2), indptr=(0, 1, 2, 3), shape=(3, 3), form=b"csr", **more):
    np.savez(name, format=form, data=np.ones(3, "f4") if data is None else data, shape=np.array(shape),
             indices=np.array(indices), indptr=np.array(indptr), **more)

csr("falls.npz", indptr=(0, 2, 1, 3))
csr("begin.npz", indptr=(1, 1, 2, 3))
csr("end.npz", indptr=(0, 1, 2, 9))
csr("beyond.npz", indices=(0, 1, 3))
csr("below.npz", indices=(0, -1, 2))
csr("lengths.npz", indices=(0, 1))
csr("rows.npz", shape=(4, 3))
csr("fractions.npz", indices=(0., 1., 2.))
csr("bsr.npz", form=b"bsr")
csr("sizes.npz", shape=(3,))
csr("many.npz", shape=(3, 4 * 10**9))
csr("csc_rows.npz", form=b"csc", indices=(0, 1, 3))
np.save("y3.npy", np.arange(3.0))
sp.save_npz("whole.npz", sp.csr_matrix(np.eye(300)))
b = open("whole.npz", "rb").read()
open("cut_end.npz", "wb").write(b[:-30])
open("cut_begin.npz", "wb").write(b[50:])
at = b.index(b"PK\x01\x02")
open("no_entry.npz", "wb").write(b[:at] + b"PK\x09\x09" + b[at + 4:])
open("offset.npz", "wb").write(b[:at + 42] + b"\xf0\xff\xff\x7f" + b[at + 46:])
open("claims.npz", "wb").write(b[:at + 24] + b"\xf0\xff\xff\x7f" + b[at + 28:])
middle = b.index(b"PK\x03\x04") + 60
open("flipped.npz", "wb").write(b[:middle] + bytes(40) + b[middle + 40:])
np.save("y300.npy", np.arange(300.0))
sp.save_npz("stored.npz", sp.csr_matrix(np.eye(300)), compressed=False)
np.savez("two.npz", X=np.eye(300), y=np.arange(300.0))
for name, item in ("stored", b"data.npy"), ("two", b"y.npy"): # a number that is another one
    b = bytearray(open(name + ".npz", "rb").read())
    b[b.index(item) + 1000] ^= 1
    open("other_%s.npz" % name, "wb").write(b)
with zipfile.ZipFile("bomb.npz", "w", zipfile.ZIP_DEFLATED) as z: # a megabyte that becomes 2^62 bytes
    z.writestr("X.npy", npy(None, shape="(1152921504606846976, 1)", data=bytes(1 << 20)))
with zipfile.ZipFile("no_array.npz", "w") as z:
    z.writestr("a.csv", "1,2\n")

with h5py.File("broken.h5", "w") as f:
    f["flat"] = np.zeros(6)
    f["deep"] = np.zeros((2, 3, 4))
    f["words"] = np.array([[b"a", b"b"]])
    f.create_group("empty")
    for name, indptr, indices, shape in (("falls", (0, 2, 1, 3), (0, 1, 2), (3, 3)),
        ("beyond", (0, 1, 2, 3), (0, 1, 7), (3, 3)), ("shape", (0, 1, 2, 3), (0, 1, 2), (9, 3))):
        g = f.create_group(name)
        g["data"], g["indices"], g["indptr"] = np.ones(3), np.array(indices), np.array(indptr)
        g.attrs["shape"], g.attrs["encoding-type"] = shape, "csr_matrix"
    f["outside"] = h5py.ExternalLink("h.h5", "/dense")
b = open("broken.h5", "rb").read()
open("cut.h5", "wb").write(b[:len(b) // 2])

head = "%%MatrixMarket matrix coordinate real general\n"
for name, text in {"end": head, "sizes": head + "3 x 1\n", "huge": head + "99999999999999999999 3 1\n1 1 1\n",
    "many": head + "3 3 9999999999\n1 1 1\n", "few": head + "3 3 2\n1 1 1\n",
    "more": head + "3 3 1\n1 1 1\n2 2 2\n", "row": head + "3 3 1\n4 1 1\n", "column": head + "3 3 1\n1 0 1\n",
    "value": head + "3 3 1\n1 1 x\n", "rest": head + "3 3 1\n1 1 1 1\n",
    "complex": head.replace("real", "complex") + "3 3 1\n1 1 1 1\n", "zero": head + "3 3 1\n1 1 \0\n",
    "square": head.replace("general", "symmetric") + "3 4 1\n1 1 1\n",
    "rows": head + "4000000000000 3 1\n1 1 1\n"}.items():
    open(name + ".mtx", "w").write(text)
END

# broken PATTERN FILE [TARGET]
broken()
{
  refused 1 "$1" 0 import "$2" --target "${3:-y2.npy}" -o never.h5
}
broken 'cut_head.npy: byte 7: no room' cut_head.npy
broken 'cut_text.npy: byte 8: a header longer' cut_text.npy
broken 'cut_data.npy: the header says 24 bytes of numbers, and 23 are there' cut_data.npy
broken 'more.npy: 4 bytes behind' more.npy
broken 'huge.npy: .*no file can hold' huge.npy
broken "huge2.npy: byte 10: a header without a 'shape'" huge2.npy
broken 'large.npy: .*no file can hold|large.npy: the header says' large.npy
broken "negative.npy: byte 10: a header without a 'shape'" negative.npy
broken "shape.npy: byte 10: a header without a 'shape'" shape.npy
broken 'flat.npy: an array of 1 dimension, expected 2' flat.npy
broken 'deep.npy: an array of 3 dimensions' deep.npy
broken 'none.npy: 2 x 0: no columns' none.npy
broken 'empty.npy:.*at least one example|y2.npy: 2 numbers found, expected 0' empty.npy
broken "kind.npy: an array of type '<x4'" kind.npy
broken "complex.npy: an array of type '<c8'.*astype" complex.npy
broken "order.npy: byte 10: 'fortran_order' is neither True nor False" order.npy
broken "no_order.npy: byte 10: a header without 'fortran_order'" no_order.npy
broken "truths.npy: an array of type '<b4'" truths.npy
broken 'version.npy: byte 6: a version' version.npy
broken 'objects.npy: an array of Python objects.*numpy.save' objects.npy
broken 'records.npy: an array of records' records.npy
broken 'words.npy: an array of words' words.npy
broken 'word_list.npy: an array of 1 dimension, expected 2' word_list.npy
for file in no_text gap; do
  broken "$file.npy: word 0, counted from 0, is no text" one.npy $file.npy
done
broken 'inf.npy: row 17, column 3, counted from 1: inf found' inf.npy y50.npy
refused 1 'row 1, column 1, counted from 1: 300 found, expected a whole number 0..255' 0 \
  import large_byte.npy --target y50.npy --type u8 -o never.h5
for file in falls begin end beyond below lengths rows fractions bsr sizes csc_rows; do
  broken "$file.npz" $file.npz y3.npy
done
refused 1 'many.npz: a list of its 4000000000 columns needs more than' 0 \
  import many.npz --target 1 --memory 1M -o never.h5
broken 'falls.npz:indptr: item 2 is 1' falls.npz y3.npy
broken 'beyond.npz: row 2, counted from 0, has an entry in column 3, expected 0..2' beyond.npz y3.npy
broken 'csc_rows.npz: entry 2 is in row 3, expected 0..2' csc_rows.npz y3.npy
broken 'cut_end.npz: byte [0-9]*: no directory at the end' cut_end.npz y300.npy
for file in cut_begin no_entry offset claims flipped; do
  broken "$file.npz" $file.npz y300.npy
done
for n in 1 3; do
  refused 1 'other_stored.npz:data: its CRC-32 is [0-9a-f]{8}, and the archive says [0-9a-f]{8}; the file is damaged' \
    $n import other_stored.npz --target y300.npy -o never.h5
  refused 1 'other_two.npz:y: its CRC-32 is' $n import other_two.npz:X --target other_two.npz:y -o never.h5
done
refused 1 'other_stored.npz:data: its CRC-32 is' 0 \
  import stored.npz other_stored.npz --target y300.npy -o never.h5
broken 'bomb.npz:X: ' bomb.npz
broken 'no_array.npz: a zip archive of a.csv' no_array.npz
for path in flat deep words empty outside none; do
  broken "broken.h5: .*/$path" broken.h5:/$path
done
broken 'broken.h5:/falls/indptr: item 2 is 1' broken.h5:/falls y3.npy
broken 'broken.h5:/beyond: row 2, counted from 0, has an entry in column 7' broken.h5:/beyond y3.npy
broken 'broken.h5:/shape/indptr: 4 items, expected 10' broken.h5:/shape y3.npy
broken 'cut.h5: is not a whole HDF5 file' cut.h5
broken 'end.mtx:2:1: the file ends' end.mtx
broken 'sizes.mtx:2:3: ' sizes.mtx
broken 'huge.mtx:2:1: ' huge.mtx
broken 'many.mtx:2:1: more entries said' many.mtx y3.npy
broken 'few.mtx:[0-9]*:1: 1 entries found, expected 2' few.mtx y3.npy
broken 'more.mtx:4:1: more than the 1 entries' more.mtx y3.npy
broken 'row.mtx:3:1: row 4 found, expected 1..3' row.mtx y3.npy
broken 'column.mtx:3:2: column 0 found|column.mtx:3:3: column 0 found' column.mtx y3.npy
broken "value.mtx:3:5: 'x' found" value.mtx y3.npy
broken "rest.mtx:3:7: '1' found" rest.mtx y3.npy
broken 'complex.mtx:1:1: .*complex' complex.mtx y3.npy
broken 'zero.mtx:3:5: a byte 0' zero.mtx y3.npy
broken 'square.mtx:2:1: 3 x 4 found' square.mtx y3.npy
broken 'rows.mtx|y3.npy: 3 numbers found, expected 4000000000000' rows.mtx y3.npy
refused 1 'c.npy:y|leave the name out|no such file|No such file' 0 import c.npy:y --target y.npy -o never.h5

finish
