# _model.py - a trained model
# SPDX-License-Identifier: MIT
"""Models: reading, writing, what they know, and what they predict."""

import ctypes
import os
import tempfile

import numpy as np

from . import _data, _library as lib


class Ledger(dict):
    """What was observed to train a model: draws (`examples`), `attributes` observed in all of
    them, and so on."""


def _array(pointer, count, dtype):
    if not pointer or count == 0:
        return np.zeros(0, dtype)
    return np.ctypeslib.as_array(pointer, (count,)).astype(dtype)


def _text(value):
    return None if value is None else value.decode("utf-8", "replace")


class Model:
    """A model of the library. Its parts are copies."""

    def __init__(self, handle):
        self._handle = handle

    @property
    def _pointer(self):
        return self._handle.pointer

    # ---- parts ----

    @property
    def attributes(self):
        """How many attributes the training data had."""
        return lib.ask("model_attributes", self._pointer)

    @property
    def support(self):
        """The attributes that it uses, by number, ascending."""
        return _array(lib.ask("model_support", self._pointer), self._size(), np.int64)

    def _size(self):
        return lib.ask("model_support_size", self._pointer)

    @property
    def columns(self):
        """The columns of a matrix that these attributes are."""
        return np.array([lib.ask("model_column", self._pointer, k) for k in range(self._size())],
                        dtype=np.int64)

    @property
    def coefficients(self):
        """One for each attribute of the support, in the data's own units."""
        return _array(lib.ask("model_coefficients", self._pointer), self._size(), np.float64)

    @property
    def intercept(self):
        return lib.ask("model_intercept", self._pointer)

    @property
    def names(self):
        """What the attributes of the support are called; None: the data had no names."""
        names = [_text(lib.ask("model_name", self._pointer, k)) for k in range(self._size())]
        return None if None in names else names

    @property
    def solver(self):
        return _text(lib.ask("model_solver", self._pointer))

    @property
    def loss(self):
        return _text(lib.ask("model_loss", self._pointer))

    @property
    def settings(self):
        """The options that it was trained with, as text."""
        found = {}
        while True:
            value = ctypes.c_char_p()
            name = lib.ask("model_setting", self._pointer, len(found), ctypes.byref(value))
            if name is None:
                return found
            found[_text(name)] = _text(value.value)

    @property
    def ledger(self):
        record = lib.ask("model_ledger", self._pointer)
        return Ledger((name, getattr(record, name)) for name, _ in record._fields_)

    @property
    def certificate(self):
        """lambda, objective and gap of a model with a penalty; None: it has none."""
        values = {name: lib.ask("model_" + name, self._pointer)
                  for name in ("lambda", "objective", "gap")}
        return None if np.isnan(values["lambda"]) else values

    @property
    def path(self):
        """The path on which lambda was chosen, as a dict of arrays, or None. coefficients is a
        SciPy CSR matrix of lambdas and attributes, or, without SciPy, a list of pairs."""
        record = lib.ask("model_path", self._pointer)
        points = record.points
        if points == 0:
            return None
        start = _array(record.start, points + 1, np.int64)
        parts = (_array(record.coefficient, int(start[-1]), np.float64),
                 _array(record.attribute, int(start[-1]), np.int64), start)
        return {"lambda": _array(record.lambda_, points, np.float64),
                "loss": _array(record.loss, points, np.float64),
                "se": _array(record.se, points, np.float64),
                "intercept": _array(record.intercept, points, np.float64),
                "size": np.diff(start), "best": record.best, "1se": record.one_se,
                "chosen": record.chosen, "folds": record.folds,
                "coefficients": _compressed(parts, (points, self.attributes))}

    # ---- files ----

    def write(self, path, force=False):
        """Write it to a file, as `thresher train -o` does."""
        with lib.team() as team:
            lib.call("model_write", self._pointer, team.pointer, os.fsencode(path), bool(force))

    def __getstate__(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.h5")
            self.write(path)
            with open(path, "rb") as file:
                return {"file": file.read()}

    def __setstate__(self, state):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.h5")
            with open(path, "wb") as file:
                file.write(state["file"])
            self._handle = _read(path)

    # ---- predictions ----

    def predict(self, X):
        """The linear predictor of each example: with logistic loss, log odds; with Poisson's,
        logarithms of means. X: a matrix, or the path of a data set, whose examples come in the
        order of its input."""
        if _data.is_path(X):
            return self._predict_path(X)
        matrix = X if isinstance(X, _data.Matrix) else _data.Matrix(X)
        prediction = np.empty(matrix.shape[0])
        lib.call("apply_sparse" if matrix.sparse else "apply_dense", self._pointer,
                 ctypes.byref(matrix.record), prediction.ctypes.data)
        return prediction

    def _predict_path(self, path):
        with lib.team() as team, _data.open_path(team, path) as data:
            count = lib.ask("data_count", data.pointer, lib.ALL)
            stored = np.empty(count)
            row = np.empty(count, dtype=np.int64)
            lib.call("predict", self._pointer, data.pointer, lib.ALL, stored.ctypes.data, None,
                     row.ctypes.data)
        return stored[np.argsort(row, kind="stable")]

    def __repr__(self):
        return (f"<thresher model: {self.solver}, {self._size()} of {self.attributes} "
                f"attributes>")


def _compressed(parts, shape):
    try:
        import scipy.sparse
    except ImportError:
        values, index, start = parts
        return [(index[a:b], values[a:b]) for a, b in zip(start, start[1:])]
    return scipy.sparse.csr_matrix(parts, shape=shape)


def _read(path):
    handle = lib.Handle("model_free")
    with lib.team() as team:
        lib.call("model_read", handle.out, team.pointer, os.fsencode(path))
    return handle


def read_model(path):
    """Read a model that `thresher train` or `Model.write` has written."""
    return Model(_read(path))
