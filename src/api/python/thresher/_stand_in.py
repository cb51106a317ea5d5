# _stand_in.py - what estimators need of scikit-learn where it is not installed
# SPDX-License-Identifier: MIT
"""The few manners of scikit-learn that do not need it."""

import inspect

import numpy as np


class NotFittedError(ValueError, AttributeError):
    """An estimator is used before it was fitted."""


class DataConversionWarning(UserWarning):
    """Data are taken as something else than they are."""


class BaseEstimator:
    """get_params and set_params, by the arguments of __init__."""

    @classmethod
    def _get_param_names(cls):
        return sorted(name for name in inspect.signature(cls.__init__).parameters if name != "self")

    def get_params(self, deep=True):
        return {name: getattr(self, name) for name in self._get_param_names()}

    def set_params(self, **params):
        for name, value in params.items():
            if name not in self._get_param_names():
                raise ValueError(f"Invalid parameter {name!r} for estimator {self!r}")
            setattr(self, name, value)
        return self

    def __repr__(self):
        given = [f"{name}={value!r}" for name, value in self.get_params().items()
                 if value not in (None, False)]
        return f"{type(self).__name__}({', '.join(given)})"


class RegressorMixin:
    """The score of a regression."""

    _estimator_type = "regressor"

    def score(self, X, y, sample_weight=None):
        """The coefficient of determination of the predictions."""
        y = np.asarray(y, dtype=np.float64)
        weights = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight)
        mean = np.average(y, weights=weights)
        residual = np.sum(weights * (y - self.predict(X)) ** 2)
        total = np.sum(weights * (y - mean) ** 2)
        return 1.0 - residual / total


class ClassifierMixin:
    """The score of a classification."""

    _estimator_type = "classifier"

    def score(self, X, y, sample_weight=None):
        """The share of right predictions."""
        return np.average(np.asarray(y) == self.predict(X), weights=sample_weight)
