#!/usr/bin/env bash
# anndata.sh - files that AnnData has written, of old and new versions: every value, every
# name of obs and var, and the targets are those that h5py reads; a model is trained
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
data=${THRESHER_DATA:-$SOURCE/../shared/data}/formats
if [ ! -f "$data/adata-v0.7.8.h5ad" ]; then
  echo "skipped: no files of AnnData in $data (set THRESHER_DATA)"
  exit 77
fi
rm -rf ./*

cat >compare.py <<'END'
"""compare.py FILE.h5ad NAME: all matrices of a file against the data sets of them"""
import glob
import os
import subprocess
import sys

import h5py
import numpy as np

path, column = sys.argv[1:3]
program = os.environ["THRESHER"]


def words(a):
    return [w.decode() if isinstance(w, bytes) else str(w) for w in a]


def names(f, table):
    """The names of the rows of a table, a group or a data set of records."""
    t = f[table]
    if isinstance(t, h5py.Dataset):
        return words(t[t.dtype.names[0]])
    return words(t[t.attrs.get("_index", "_index")][()])


def whole(item, shape):
    """A matrix of any form, entry by entry."""
    if isinstance(item, h5py.Dataset):
        return item[()]
    made = np.zeros(shape)
    kind = item.attrs.get("encoding-type", item.attrs.get("h5sparse_format", "csr"))
    start, index, value = item["indptr"][()], item["indices"][()], item["data"][()]
    for k in range(len(start) - 1):
        for at in range(start[k], start[k + 1]):
            place = (k, index[at]) if "csr" in str(kind) else (index[at], k)
            made[place] += value[at]
    return made


def stored(name):
    """Values, targets, names and IDs of a data set of one shard, in the order of input."""
    with h5py.File(name) as m, h5py.File(glob.glob(name[:-3] + ".shards/*")[0]) as s:
        y, n = m["y"][()], len(m["y"])
        if "X" in m:
            X = m["X"][()].T.astype(float)
        else:
            X = np.zeros((n, m.attrs["attributes"]))
            groups = m["group/first"][()]
            runs = np.diff(s["piece"][()][:: (len(s["piece"]) - 1) // len(groups)])
            rows = np.repeat(np.repeat(groups, runs), s["count"]) + s["row"]
            X[rows, np.repeat(s["attribute"], s["count"])] = s["value"]
        order = np.argsort(m["row"][()])
        return X[order], y[order], words(m["names"][()]), np.array(words(m["ids"][()]))[order]


with h5py.File(path) as f:
    people = names(f, "obs")
    table = f["obs"]
    y = np.array(table[column], float)
    found = [("X", "var")]
    found += [("layers/" + name, "var") for name in f.get("layers", [])]
    found += [(raw, v) for raw, v in (("raw/X", "raw/var"), ("raw.X", "raw.var")) if raw in f]
    for matrix, var in found:
        genes = names(f, var)
        want = whole(f[matrix], (len(people), len(genes)))
        said = subprocess.run([program, "import", path + ":/" + matrix, "--target", column,
                               "--type", "f64", "--shards", "1", "--row-group", "64", "--force",
                               "-o", "made.h5"], capture_output=True, text=True)
        assert said.returncode == 0, said.stderr
        X, target, attributes, ids = stored("made.h5")
        assert X.shape == want.shape, (matrix, X.shape, want.shape)
        for i in range(X.shape[0]):
            for j in range(X.shape[1]):
                assert X[i, j] == want[i, j], (matrix, i, j, X[i, j], want[i, j])
        assert (target == y).all(), matrix
        assert attributes == genes, (matrix, attributes[:3], genes[:3])
        assert list(ids) == people, (matrix, ids[:3], people[:3])
        print("%s: %d x %d, %d not zero, as h5py reads it" % (matrix, *X.shape, (X != 0).sum()))
END
"$PYTHON" compare.py "$data/adata-v0.7.8.h5ad" float64 >found ||
  fail "version 0.7.8"
"$PYTHON" compare.py "$data/adata-v0.5.0.h5ad" n_counts >>found ||
  fail "version 0.5.0"
cat found
[ "$(wc -l <found)" -eq 6 ] || fail "a matrix was left out"

# What has two categories is a class; a model is trained, and its predictions have names
must 2 import "$data/adata-v0.5.0.h5ad" --target phase --positive-class G1 -o phase.h5
grep -q "^positive: 'G1', 501 of 700 examples" must.err || fail "classes: $(cat must.err)"
must 0 train phase.h5 -o phase.m.h5 --solver lasso --lambda-ratio 0.2
must 0 predict phase.m.h5 phase.h5 -o phase.csv
grep -q '^AAAGCCTGGCTAAC-1,' phase.csv || fail "no names: $(head -n 3 phase.csv)"
finish
