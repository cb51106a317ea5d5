#!/usr/bin/python3
# peers_data.py DATA.h5 FOLDER [--labels] [--raw] - a data set in the formats of others
# SPDX-License-Identifier: MIT
"""Write the training and the test examples of a Thresher data set as others
read them: FOLDER/{train,test}.npy (dense, C order) or .npz (SciPy, CSR), their
targets y_{train,test}.npy, and truth.npy, the attributes that matter.

--labels: targets become 1 where they are above the median of the training
targets, else -1, and LIBSVM text of both parts is written beside them.
--raw: plain copies of the training examples for peers_rds.R, which see.
"""
import argparse
import os

import h5py
import numpy as np
import scipy.sparse as sp


def read_dense(master):
    return master["X"][:].T


def read_sparse(master, folder):
    parts = []
    n = len(master["y"])
    groups = master["group/first"][:]
    for path, count in zip(master["shard/path"], master["shard/count"]):
        with h5py.File(os.path.join(folder, path.decode())) as shard:
            piece = shard["piece"][:]
            runs = np.diff(piece[:: (len(piece) - 1) // len(groups)])
            entries = shard["count"][:]
            rows = np.repeat(np.repeat(groups, runs), entries) + shard["row"]
            columns = np.repeat(shard["attribute"], entries)
            parts.append(
                sp.csr_matrix((shard["value"], (rows, columns)), (n, count)))
    return sp.hstack(parts, "csr")


def write_text(name, x, y):
    with open(name, "w") as out:
        for i in range(x.shape[0]):
            row = slice(x.indptr[i], x.indptr[i + 1])
            pairs = zip(x.indices[row] + 1, x.data[row])
            out.write("%d %s\n" %
                      (y[i], " ".join("%d:%g" % pair for pair in pairs)))


def write_raw(folder, x, y):
    sparse = sp.issparse(x)
    arrays = {"y": y.astype("<f8")}
    if sparse:
        x = x.tocsc()
        x.sort_indices()
        arrays.update(start=x.indptr.astype("<i4"), row=x.indices.astype("<i4"),
                      value=x.data.astype("<f8"))
    else:
        arrays["x"] = x.T
    arrays["shape"] = np.array([*x.shape, x.nnz if sparse else -1], "<i4")
    for name, array in arrays.items():
        np.ascontiguousarray(array).tofile(folder + "/" + name + ".raw")


def write_part(folder, part, x, y, args):
    name = folder + "/" + part
    if sp.issparse(x):
        x.sort_indices()
        sp.save_npz(name + ".npz", x, compressed=False)
    else:
        np.save(name + ".npy", np.ascontiguousarray(x))
    np.save(folder + "/y_" + part + ".npy", y)
    if args.labels:
        write_text(name + ".svm", x, y)
    if args.raw and part == "train":
        write_raw(folder, x, y)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data")
    parser.add_argument("folder")
    parser.add_argument("--labels", action="store_true")
    parser.add_argument("--raw", action="store_true")
    args = parser.parse_args()
    os.makedirs(args.folder, exist_ok=True)
    with h5py.File(args.data) as master:
        sparse = "X" not in master
        x = (read_sparse(master, os.path.dirname(args.data))
             if sparse else read_dense(master))
        y = master["y"][:]
        split = master["split"][:]
        if "truth" in master:  # generated
            np.save(args.folder + "/truth.npy", master["truth/support"][:])
    if args.labels:
        y = np.where(y > np.median(y[split == 0]), 1.0, -1.0)
    for number, part in enumerate(("train", "test")):
        wanted = np.flatnonzero(split == number)
        write_part(args.folder, part, x[wanted], y[wanted], args)


main()
