# _data.py - what users have in memory, as the library takes it
# SPDX-License-Identifier: MIT
"""Matrices of NumPy, SciPy and pandas, and paths to data sets."""

import ctypes
import os

import numpy as np

from . import _library as lib

_TYPES = {np.dtype(np.float32): lib.F32, np.dtype(np.float64): lib.F64,
          np.dtype(np.uint8): lib.U8, np.dtype(np.int8): lib.I8}

STORAGE = {None: 0, "f32": 1, "f64": 2, "u8": 3, "i8": 4}


def is_path(X):
    return isinstance(X, (str, os.PathLike))


def is_sparse(X):
    return hasattr(X, "tocsr") and hasattr(X, "nnz")


def is_frame(X):
    return hasattr(X, "columns") and hasattr(X, "dtypes") and hasattr(X, "iloc")


def numbers(values):
    """Values in a type that the library takes, without a copy where they have one."""
    values = np.asarray(values)
    if values.dtype.kind == "c":
        raise ValueError("Complex data not supported: give real numbers")
    if values.dtype == np.bool_:
        return values.view(np.uint8)
    if values.dtype in _TYPES and values.dtype.isnative:
        return values
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise type(error)(f"X has values that are no numbers: {error}") from None


# ---- frames of pandas ----


class Columns:
    """How the columns of a frame become attributes: numbers as they are, words as one
    attribute for each word, called COLUMN=WORD. The words are those of the first frame."""

    def __init__(self, frame):
        self.columns = list(frame.columns)
        self.words = {}
        for k, name in enumerate(self.columns):
            column = frame.iloc[:, k]
            if not _is_numeric(column):
                known = column.dropna()
                self.words[k] = sorted({str(word) for word in known})
        self.names = [text for k, name in enumerate(self.columns)
                      for text in ([f"{name}={word}" for word in self.words[k]]
                                   if k in self.words else [str(name)])]

    def matrix(self, frame):
        if not self.words:
            return numbers(_to_numpy(frame))
        parts = []
        for k in range(len(self.columns)):
            column = frame.iloc[:, k]
            if k not in self.words:
                parts.append(_to_numpy(column.to_frame()).astype(np.float64))
                continue
            lacks = column.isna().to_numpy()
            text = np.array([str(word) for word in column], dtype=object)
            for word in self.words[k]:
                values = (text == word).astype(np.float64)
                values[lacks] = np.nan
                parts.append(values[:, None])
        return np.hstack(parts)


def _is_numeric(column):
    kind = getattr(column.dtype, "kind", "O")
    return kind in "biuf"


def _to_numpy(frame):
    """A frame of numbers; pandas' own NA becomes NaN."""
    try:
        values = frame.to_numpy()
        if values.dtype != object:
            return values
    except (TypeError, ValueError):
        pass
    return frame.to_numpy(dtype=np.float64, na_value=np.nan)


# ---- matrices ----


class Matrix:
    """A dense or sparse matrix, and the record that describes it to the library."""

    def __init__(self, X, columns=None):
        self.names = None
        self.columns = columns
        if is_frame(X):
            self.columns = columns or Columns(X)
            self.names = self.columns.names
            X = self.columns.matrix(X)
        if is_sparse(X):
            self._take_sparse(X)
        else:
            self._take_dense(X)
        self._check_shape()

    def _take_dense(self, X):
        values = np.asarray(X)
        if values.ndim == 0:
            raise ValueError("Expected 2D array, got scalar array instead. Reshape your data with "
                             "array.reshape(-1, 1) or array.reshape(1, -1)")
        if values.ndim == 1:
            raise ValueError(f"Expected 2D array, got 1D array instead, of shape {values.shape}. "
                             "Reshape your data with array.reshape(-1, 1) if it has one attribute, or "
                             "array.reshape(1, -1) if it has one example")
        if values.ndim > 2:
            raise ValueError(f"Found array with dim {values.ndim}, expected 2: rows are examples, "
                             "columns are attributes")
        values = numbers(values)
        if any(stride % values.itemsize for stride in values.strides):
            values = np.ascontiguousarray(values)
        self.sparse = False
        self.shape = values.shape
        self.held = (values,)
        strides = [stride // values.itemsize for stride in values.strides]
        self.record = lib.Dense(values.ctypes.data, _TYPES[values.dtype], *values.shape, *strides)

    def _take_sparse(self, X):
        if X.format not in ("csr", "csc"):
            X = X.tocsr()
        values = np.ascontiguousarray(numbers(X.data))
        index = _indices(X.indices)
        start = _indices(X.indptr)
        self.sparse = True
        self.shape = X.shape
        self.held = (values, index, start)
        self.record = lib.Sparse(values.ctypes.data, _TYPES[values.dtype], index.ctypes.data,
                                 start.ctypes.data, 8 * index.itemsize, 8 * start.itemsize,
                                 X.format == "csc", len(values), *X.shape)

    def _check_shape(self):
        rows, columns = self.shape
        if rows < 1:
            raise ValueError(f"Found array with 0 sample(s) (shape={self.shape}) while a minimum "
                             "of 1 is required.")
        if columns < 1:
            raise ValueError(f"Found array with 0 feature(s) (shape={self.shape}) while a minimum "
                             "of 1 is required.")

    def open(self, team, targets=None, weights=None, ids=None, storage=None, memory=0):
        """The matrix as data of the library; close them before the team."""
        beside = lib.Beside(storage=STORAGE[storage])
        held = []
        for name, values in (("targets", targets), ("weights", weights)):
            if values is not None:
                held.append(np.ascontiguousarray(values, dtype=np.float64))
                setattr(beside, name, held[-1].ctypes.data)
        for name, texts in (("names", self.names), ("ids", ids)):
            if texts is not None:
                held.append((ctypes.c_char_p * len(texts))(*[str(t).encode() for t in texts]))
                setattr(beside, name, held[-1])
        data = lib.Handle("data_close")
        lib.call("data_from_sparse" if self.sparse else "data_from_dense", data.out, team.pointer,
                 ctypes.byref(self.record), ctypes.byref(beside), memory)
        return data


def _indices(values):
    wanted = values.dtype if values.dtype in (np.dtype(np.int32), np.dtype(np.int64)) else np.int64
    return np.ascontiguousarray(values, dtype=wanted)


def open_path(team, path, memory=0):
    """A data set that `thresher import` has made."""
    data = lib.Handle("data_close")
    lib.call("data_open", data.out, team.pointer, os.fsencode(path), memory)
    return data
