# _estimators.py - regression and classification in the manners of scikit-learn
# SPDX-License-Identifier: MIT
"""Estimators. Their keywords are the options of `thresher train`, from its own table."""

import ctypes
import sys
import time
import warnings

import numpy as np

from . import _data, _library as lib
from ._model import Model

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.exceptions import DataConversionWarning, NotFittedError
except ImportError:  # scikit-learn is not needed
    from ._stand_in import (BaseEstimator, ClassifierMixin, DataConversionWarning, NotFittedError,
                            RegressorMixin)


# ---- keywords from the library's table of options ----


def _keyword(option):
    """max-examples is max_examples; lambda, which Python has for itself, is lambda_."""
    name = option.replace("-", "_")
    return name + "_" if name == "lambda" else name


_OPTIONS = {_keyword(name): name for name in lib.options()}
_OWN = {"storage": None, "memory": None, "comm": None, "verbose": False}


def _describe_options():
    lines = ["Options of `thresher train`, each None (its default) unless given:", ""]
    for k, (keyword, _) in enumerate(_OPTIONS.items()):
        lines += [f"{keyword}", f"    {lib.option_help(k)}"]
    return "\n".join(lines)


_OWN_HELP = """
storage
    How values in memory are stored: "f32", "f64", "u8" or "i8"; None: 8-bit integers as they
    are, all others as f32, as `thresher import` does.
memory
    Bytes of values that a rank may keep; None: a fifth of its share of the machine's memory.
comm
    A communicator of mpi4py, all of whose ranks call fit with the same arguments; None: this
    process alone.
verbose
    Write progress and notices to standard error.
"""


def _with_options(cls):
    """Give a class an __init__ with a keyword for each option, as scikit-learn looks for."""
    names = list(_OPTIONS)
    arguments = ", ".join([f"{name}=None" for name in names] +
                          [f"{name}={value!r}" for name, value in _OWN.items()])
    lines = [f"def __init__(self, *, {arguments}):"]
    lines += [f"    self.{name} = {name}" for name in names + list(_OWN)]
    space = {}
    exec("\n".join(lines), space)  # as dataclasses and namedtuples do
    cls.__init__ = space["__init__"]
    cls.__init__.__qualname__ = cls.__qualname__ + ".__init__"
    cls.__doc__ = f"{cls.__doc__}\n\n{_describe_options()}\n{_OWN_HELP}"
    return cls


def _as_text(value):
    """The value of an option as `thresher train` takes it."""
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (float, np.floating)):
        return repr(int(value)) if float(value).is_integer() and abs(value) < 2**53 else repr(
            float(value))
    if isinstance(value, dict):
        return ",".join(f"{key}:{_as_text(item)}" for key, item in value.items())
    if isinstance(value, (list, tuple, np.ndarray)):
        return ",".join(_as_text(item) for item in value)
    return str(value)


# ---- a run ----


class _Following:
    """What the library calls back during a run. An exception in Python, such as
    KeyboardInterrupt, stops the run and is raised when it has ended."""

    SHOWN = 0.5  # seconds between two lines of progress
    KEPT = 1000  # records of progress, about

    def __init__(self, verbose):
        self.verbose = verbose
        self.failure = None
        self.notices = []
        self.records = []
        self._step = 1
        self._shown = 0.0
        self._updates = 0
        # the library has their addresses: they must stay
        self.listener = lib.Listener(None, lib.ON_PROGRESS(self._guarded(self._on_progress)),
                                     lib.ON_NOTICE(self._guarded(self._on_notice)),
                                     lib.ON_STOP(self._on_stop))

    def _guarded(self, function):
        def guarded(_, argument):
            try:
                function(argument)
            except BaseException as failure:
                self.failure = self.failure or failure
        return guarded

    def _on_progress(self, progress):
        now = progress.contents
        self._updates += 1
        if self._updates % self._step == 0:
            self.records.append({"updates": now.updates, "examples": now.examples,
                                 "observed": now.observed, "support_size": now.support_size,
                                 "loss": now.loss, "done": now.done})
            if len(self.records) > self.KEPT:
                self.records = self.records[1::2]
                self._step *= 2
        if self.verbose and time.monotonic() - self._shown > self.SHOWN:
            self._shown = time.monotonic()
            share = f"{100 * now.done:3.0f} % " if now.done >= 0 else ""
            print(f"\rthresher: {share}update {now.updates}, loss {now.loss:.4g}, "
                  f"{now.support_size} attributes ", end="", file=sys.stderr, flush=True)

    def _on_notice(self, text):
        self.notices.append(text.decode("utf-8", "replace"))
        if self.verbose:
            print("thresher: " + self.notices[-1], file=sys.stderr, flush=True)

    def _on_stop(self, _):
        try:  # a signal that has come is raised in here
            return int(self.failure is not None)
        except BaseException as failure:
            self.failure = failure
            return 1

    def ended(self):
        if self._shown > 0:
            print(file=sys.stderr, flush=True)


# ---- what both estimators do ----


def _columns_of(X, matrix):
    """The columns that users see: those of a frame, words as one."""
    return len(X.columns) if _data.is_frame(X) else matrix.shape[1]


class _Estimator(BaseEstimator):
    """Keywords, checks, and a run of training."""

    _loss = None  # unless another one is given

    def _more_tags(self):
        return {"allow_nan": True, "X_types": ["2darray", "sparse"]}

    def __sklearn_is_fitted__(self):
        return hasattr(self, "n_features_in_") or hasattr(self, "model_")

    def _check_fitted(self):
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet; call "
                                 "'fit' first")

    def _agreed(self, check):
        """What a check of this rank's arguments gives; where it fails on any rank, it fails on
        all of them, as others would wait for it."""
        result = failure = None
        try:
            result = check()
        except Exception as error:
            failure = error
        if self.comm is not None:
            texts = self.comm.allgather(None if failure is None else str(failure))
            told = [(rank, text) for rank, text in enumerate(texts) if text is not None]
            if failure is None and told:
                failure = lib.ThresherValueError("rank %d: %s" % told[0])
        if failure is not None:
            raise failure
        return result

    def _configure(self):
        config = lib.Handle("config_free")
        lib.call("config_create", config.out)
        given = {option: getattr(self, keyword) for keyword, option in _OPTIONS.items()}
        if given.get("loss") is None and self._loss is not None:
            given["loss"] = self._loss
        for option, value in given.items():
            if value is not None:
                lib.call("config_set", config.pointer, option.encode(), _as_text(value).encode())
        if self.storage not in _data.STORAGE:
            raise ValueError(f"storage={self.storage!r}, expected one of "
                             f"{', '.join(map(repr, _data.STORAGE))}")
        return config

    def _open(self, team, X, y, weights):
        memory = int(self.memory or 0)
        if _data.is_path(X):
            return _data.open_path(team, X, memory)
        return X.open(team, y, weights, storage=self.storage, memory=memory)

    def _train(self, config, X, y, weights):
        """One model. X: a path or a matrix of the library."""
        began = time.monotonic()
        following = _Following(self.verbose)
        model = lib.Handle("model_free")
        with lib.team(self.comm) as team, self._open(team, X, y, weights) as data:
            stored = time.monotonic()
            try:
                lib.call("train", model.out, config.pointer, data.pointer,
                         ctypes.byref(following.listener))
            except lib.ThresherError:
                if following.failure is None:
                    raise
            finally:
                following.ended()
            if following.failure is not None:
                model.close()
                raise following.failure
        self.progress_ = following.records
        self._seconds = (stored - began, time.monotonic() - stored)
        self._notices = following.notices
        return Model(model)

    def _take_X(self, X, reset):
        """A matrix of the library, or the path; look at its attributes."""
        if _data.is_path(X):
            return X
        columns = None if reset else getattr(self, "_columns", None)
        if columns is not None and _data.is_frame(X):
            self._check_names(X)
            X = X[list(self._frame_columns)]
        matrix = _data.Matrix(X, columns)
        if reset:
            self._columns = matrix.columns
            self._frame_columns = list(X.columns) if _data.is_frame(X) else None
            self._keep_names(X)
            self.n_features_in_ = _columns_of(X, matrix)
            self._attributes = matrix.shape[1]
            self.attribute_names_ = matrix.names
        else:
            self._check_count(X, matrix)
        return matrix

    def _keep_names(self, X):
        texts = _data.is_frame(X) and all(isinstance(name, str) for name in X.columns)
        if texts:
            self.feature_names_in_ = np.asarray(X.columns, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _check_names(self, X):
        known = self._frame_columns
        if list(X.columns) == known:
            return
        missing = sorted({str(name) for name in known if name not in set(X.columns)})
        unknown = sorted({str(name) for name in X.columns if name not in set(known)})
        lines = ["The feature names should match those that were passed during fit."]
        if unknown:
            lines += ["Feature names unseen at fit time:"] + [f"- {name}" for name in unknown[:5]]
        if missing:
            lines += ["Feature names seen at fit time, yet now missing:"] + [
                f"- {name}" for name in missing[:5]]
        if not unknown and not missing:
            lines += ["Feature names must be in the same order as they were in fit.", ""]
        raise ValueError("\n".join(lines))

    def _check_count(self, X, matrix):
        self._warn_of_names(X)
        if matrix.shape[1] != self._attributes:
            raise ValueError(f"X has {_columns_of(X, matrix)} features, but {type(self).__name__} is "
                             f"expecting {self.n_features_in_} features as input")

    def _warn_of_names(self, X):
        named = hasattr(self, "feature_names_in_")
        if named and not _data.is_frame(X):
            warnings.warn(f"X does not have valid feature names, but {type(self).__name__} was "
                          "fitted with feature names", stacklevel=4)
        elif not named and _data.is_frame(X):
            warnings.warn(f"X has feature names, but {type(self).__name__} was fitted without "
                          "feature names", stacklevel=4)

    def _take_y(self, y, rows):
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but "
                             "the target y is None")
        y = np.asarray(y)
        if y.ndim == 2 and y.shape[1] == 1:
            warnings.warn("A column-vector y was passed when a 1d array was expected. Please "
                          "change the shape of y to (n_samples, ), for example using ravel()",
                          DataConversionWarning, stacklevel=4)
            y = y.ravel()
        if y.ndim != 1:
            raise ValueError(f"y should be a 1d array, got an array of shape {y.shape} instead")
        if y.dtype.kind == "c":
            raise ValueError("Complex data not supported: give real targets")
        if len(y) != rows:
            raise ValueError(f"Found input variables with inconsistent numbers of samples: "
                             f"[{rows}, {len(y)}]")
        if rows < 2:
            raise ValueError("Found array with 1 sample(s) (n_samples = 1) while a minimum of 2 "
                             "is required to train on")
        return y

    def _take_weights(self, sample_weight, rows):
        if sample_weight is None:
            return None
        weights = np.asarray(sample_weight, dtype=np.float64)
        if weights.ndim == 0:
            weights = np.full(rows, float(weights))
        if weights.shape != (rows,):
            raise ValueError(f"sample_weight has shape {weights.shape}, expected ({rows},)")
        return weights

    def _keep(self, models, path):
        """What is known after a fit."""
        first = models[0]
        self.model_ = first if len(models) == 1 else None
        self.models_ = models
        if path:
            self.n_features_in_ = self._attributes = first.attributes
            self._columns = self._frame_columns = self.attribute_names_ = None
        self.n_iter_ = max(max(model.ledger["passes"], 1) for model in models)
        ledgers = [model.ledger for model in models]
        self.ledger_ = ledgers[0] if len(models) == 1 else ledgers
        self.path_ = first.path if len(models) == 1 else [model.path for model in models]
        self.report_ = {
            "solver": first.solver, "loss": first.loss, "settings": first.settings,
            "ledger": self.ledger_, "support_size": [len(model.support) for model in models],
            "certificate": [model.certificate for model in models],
            "notices": self._notices, "seconds_to_store": self._seconds[0],
            "seconds_to_train": self._seconds[1], "version": lib.ask("version").decode()}
        del self._notices, self._seconds

    def _dense(self, model):
        """The coefficients of all columns."""
        coef = np.zeros(self._attributes)
        coef[model.columns] = model.coefficients
        return coef

    def _predictor(self, X):
        self._check_fitted()
        X = self._take_X(X, reset=False)
        return np.column_stack([model.predict(X) for model in self.models_])


# ---- regression ----


@_with_options
class ThresherRegressor(RegressorMixin, _Estimator):
    """Sparse linear regression under an attribute budget.

    X is an array, a sparse matrix of SciPy, a frame of pandas, or the path of a data set that
    `thresher import` has made, which has its targets itself. NaN is a missing value; the mean of
    the training examples stands for it. The model has the same bytes as that of `thresher train`
    on a file with the same values.

    After `fit`: coef_ (n_features), intercept_, support_ (columns that are used), n_iter_
    (passes), n_features_in_, feature_names_in_, attribute_names_ (of coef_; a column of words of a
    frame has an attribute for each word), ledger_ (what was observed), path_ (of lambda, or
    None), report_ (settings and seconds), progress_, model_ (`Model`)."""

    def fit(self, X, y=None, sample_weight=None):
        """Train. y: a number for each example; None for the path of a data set."""
        config, X, y, weights = self._agreed(lambda: self._look(X, y, sample_weight))
        with config:
            model = self._train(config, X, y, weights)
        self._keep([model], _data.is_path(X))
        self.coef_ = self._dense(model)
        self.intercept_ = model.intercept
        self.support_ = model.columns
        return self

    def _look(self, X, y, sample_weight):
        """Arguments of fit as the library takes them."""
        X = self._take_X(X, reset=True)
        if _data.is_path(X):
            return self._configure(), X, None, None
        y = self._take_y(y, X.shape[0]).astype(np.float64)
        if not np.isfinite(y).all():
            raise ValueError("Input y contains NaN, infinity or a value too large: targets must "
                             "be finite")
        return self._configure(), X, y, self._take_weights(sample_weight, X.shape[0])

    def predict(self, X):
        """The prediction of each example; with loss="poisson" its mean."""
        predictor = self._predictor(X)[:, 0]
        return np.exp(predictor) if self.loss == "poisson" else predictor


# ---- classification ----


class _OnlyWith:
    """A method that there is for some losses alone."""

    def __init__(self, function):
        self.function = function
        self.__doc__ = function.__doc__

    def __get__(self, estimator, cls):
        if estimator is None:
            return self.function
        loss = estimator.loss or "logistic"
        if loss != "logistic":
            raise AttributeError(f"{self.function.__name__} needs loss='logistic', not "
                                 f"loss={loss!r}, whose predictions are no log odds")
        return self.function.__get__(estimator, cls)


@_with_options
class ThresherClassifier(ClassifierMixin, _Estimator):
    """Sparse linear classification under an attribute budget, by logistic loss unless another one
    is given.

    X as of ThresherRegressor. The larger of two classes is the positive one. With more than two
    classes there is a model of each against all others (models_).

    After `fit`: classes_, coef_ (1 or n_classes, n_features), intercept_ (the same), support_
    (columns that any model uses), and the others as of ThresherRegressor; with more than two
    classes ledger_ and path_ are lists."""

    _loss = "logistic"

    def fit(self, X, y=None, sample_weight=None):
        """Train. y: a class for each example; None for the path of a data set, whose targets are
        -1 and 1."""
        config, X, targets, weights = self._agreed(lambda: self._look(X, y, sample_weight))
        with config:
            models = [self._train(config, X, target, weights) for target in targets]
        self._keep(models, _data.is_path(X))
        self.coef_ = np.vstack([self._dense(model) for model in models])
        self.intercept_ = np.array([model.intercept for model in models])
        self.support_ = np.flatnonzero(self.coef_.any(axis=0))
        return self

    def _look(self, X, y, sample_weight):
        """Arguments of fit as the library takes them; the targets of each model."""
        X = self._take_X(X, reset=True)
        if _data.is_path(X):
            self.classes_ = np.array([-1, 1])
            return self._configure(), X, [None], None
        y = self._take_classes(y, X.shape[0])
        weights = self._take_weights(sample_weight, X.shape[0])
        return self._configure(), X, self._signs(y, weights), weights

    def _take_classes(self, y, rows):
        y = self._take_y(y, rows)
        if y.dtype.kind == "f":
            if not np.isfinite(y).all():
                raise ValueError("Input y contains NaN, infinity or a value too large: classes "
                                 "must be finite")
            if (y != np.floor(y)).any():
                raise ValueError("Unknown label type: continuous targets; give classes, or use "
                                 "ThresherRegressor")
        return y

    def _signs(self, y, weights):
        """Targets of the models: 1 of the class, -1 of all others."""
        self.classes_, code = np.unique(y, return_inverse=True)
        counted = code if weights is None else code[weights > 0]
        present = np.unique(counted)
        if len(present) < 2:
            raise ValueError("ThresherClassifier needs examples of 2 classes, and the data have "
                             "1 class")
        if len(self.classes_) == 2:
            return [np.where(code == 1, 1.0, -1.0)]
        return [np.where(code == k, 1.0, -1.0) for k in range(len(self.classes_))]

    def decision_function(self, X):
        """The linear predictor: with logistic loss log odds of the positive class; with more than
        two classes one column for each."""
        predictor = self._predictor(X)
        return predictor[:, 0] if len(self.classes_) == 2 else predictor

    def predict(self, X):
        """The class of each example."""
        predictor = self.decision_function(X)
        code = (predictor > 0).astype(int) if predictor.ndim == 1 else predictor.argmax(axis=1)
        return self.classes_[code]

    @_OnlyWith
    def predict_proba(self, X):
        """Probabilities of the classes."""
        predictor = self.decision_function(X)
        with np.errstate(over="ignore"):
            p = 1.0 / (1.0 + np.exp(-predictor))
        if p.ndim == 1:
            return np.column_stack([1.0 - p, p])
        total = p.sum(axis=1, keepdims=True)
        return np.where(total > 0, p / np.where(total > 0, total, 1), 1.0 / p.shape[1])

    @_OnlyWith
    def predict_log_proba(self, X):
        """Logarithms of these."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))
