#!/usr/bin/python3
# compare_data.py NAME.h5 - a data set as LIBSVM text, rows in stored order
# SPDX-License-Identifier: MIT
"""A part of compare.sh. Test rows and training rows alike; example weights and the
names of attributes are not in the text. Values are in full precision."""
import os
import sys

import h5py
import numpy as np


def unpacked(file):
    """Type u2: row r of a group is in two bits of byte r / 4."""
    values = file["packed"][:][:, :, None] >> np.array([0, 2, 4, 6]) & 3
    values = values.reshape(len(values), -1)
    height = file.attrs["row_group"]
    return np.hstack([values[:, g * height:g * height + n]
                      for g, n in enumerate(file["group/count"])])


def dense(file):
    """Columns and values of each row."""
    columns = file["X"][:] if "X" in file else unpacked(file)
    for row in np.ascontiguousarray(columns.T):
        kept = np.flatnonzero(row)
        yield kept, row[kept]


def entries(path, first, groups):
    """Rows, columns and values of a sparse shard."""
    with h5py.File(path) as shard:
        piece = shard["piece"][:]
        runs = np.diff(piece[::(len(piece) - 1) // len(groups)])
        count, attribute = shard["count"][:], shard["attribute"][:]
        rows = np.repeat(np.repeat(groups, runs), count) + shard["row"][:]
        return rows, np.repeat(attribute, count) + first, shard["value"][:]


def sparse(file):
    groups = file["group/first"][:]
    folder = os.path.dirname(os.path.abspath(file.filename))
    parts = [entries(os.path.join(folder, path.decode()), first, groups)
             for path, first in zip(file["shard/path"], file["shard/first"])]
    rows, columns, values = (np.concatenate(part) for part in zip(*parts))
    order = np.lexsort((columns, rows))
    columns, values = columns[order], values[order]
    ends = np.cumsum(np.bincount(rows, minlength=len(file["y"])))
    for low, high in zip(np.concatenate(([0], ends[:-1])), ends):
        yield columns[low:high], values[low:high]


def main():
    with h5py.File(sys.argv[1]) as file:
        digits = "%d:%.17g" if file.attrs["type"] == b"f64" else "%d:%.9g"
        rows = sparse(file) if file.attrs["layout"] == b"sparse" else dense(file)
        for target, (columns, values) in zip(file["y"][:], rows):
            words = [digits % pair for pair in zip((columns + 1).tolist(),
                                                   values.tolist())]
            sys.stdout.write(" ".join(["%.17g" % target] + words) + "\n")


main()
