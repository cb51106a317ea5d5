# _dataset.py - data sets of `thresher import` as arrays of NumPy, SciPy and pandas
# SPDX-License-Identifier: MIT
"""Reading data sets without the library, by h5py; the format is described in io/README.md."""

import os

import numpy as np

_CALLS = 4  # genotypes in a byte
_MISSING = {"u8": 255, "i8": -128, "u2": 3}  # stand for missing values where some are


class Data:
    """What `read_data` gives: X, y (or None), weights (or None), names (or None), ids (or None),
    and test, which is true of examples that are set apart for tests; in the order of the input."""

    def __init__(self, X, y, weights, names, ids, test):
        self.X = X
        self.y = y
        self.weights = weights
        self.names = names
        self.ids = ids
        self.test = test

    def to_pandas(self):
        """The attributes as a frame, and the target, if there is one, as its last column."""
        import pandas

        if hasattr(self.X, "tocsr"):
            frame = pandas.DataFrame.sparse.from_spmatrix(self.X, columns=self.names)
        else:
            frame = pandas.DataFrame(self.X, columns=self.names)
        if self.y is not None:
            frame["target"] = self.y
        if self.ids is not None:
            frame.index = self.ids
        return frame


def _word(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def _words(values):
    return np.array([_word(value) for value in values], dtype=object)


def _read_packed(file):
    """Genotypes, four in a byte."""
    packed = np.asarray(file["packed"]).astype(np.uint8)
    height = file.attrs["row_group"]
    values = (packed[:, :, None] >> [0, 2, 4, 6] & 3).reshape(len(packed), -1)
    return np.hstack([values[:, g * height:g * height + n]
                      for g, n in enumerate(file["group/count"])]).T


def _read_dense(file, kind):
    X = _read_packed(file) if kind == "u2" else np.asarray(file["X"]).T
    aside = _MISSING.get(kind)
    if "missing" in file.attrs and aside is not None:
        return np.where(X == aside, np.nan, X)
    return X


def _read_sparse(file, folder):
    import h5py
    import scipy.sparse

    parts = []
    groups = np.asarray(file["group/first"])
    for path, count in zip(file["shard/path"], file["shard/count"]):
        with h5py.File(os.path.join(folder, _word(path)), "r") as shard:
            piece = shard["piece"]
            runs = np.diff(piece[::(len(piece) - 1) // len(groups)])
            entries = np.asarray(shard["count"])
            rows = np.repeat(np.repeat(groups, runs), entries) + shard["row"]
            columns = np.repeat(shard["attribute"], entries)
            parts.append(scipy.sparse.csr_matrix((np.asarray(shard["value"]), (rows, columns)),
                                                 (len(file["y"]), count)))
    return scipy.sparse.hstack(parts, "csr")


def read_data(path):
    """Read a data set into memory, as `Data`: a NumPy array, or a SciPy CSR matrix where the data
    are sparse. Missing values are NaN. Needs h5py."""
    import h5py

    path = os.path.realpath(os.fspath(path))
    with h5py.File(path, "r") as file:
        if _word(file.attrs.get("format", "")) != "thresher data set":
            raise ValueError(f"{path} is no data set of Thresher; `thresher import` makes one")
        order = np.argsort(np.asarray(file["row"]), kind="stable")
        sparse = _word(file.attrs["layout"]) == "sparse"
        X = (_read_sparse(file, os.path.dirname(path)) if sparse
             else _read_dense(file, _word(file.attrs["type"])))
        y = np.asarray(file["y"])[order] if file.attrs.get("labelled", 1) else None
        weights = np.asarray(file["weight"])[order] if "weight" in file else None
        names = _words(file["names"]) if "names" in file else None
        ids = _words(file["ids"])[order] if "ids" in file else None
        test = (np.asarray(file["split"]) == 1)[order]
    return Data(X[order], y, weights, names, ids, test)
