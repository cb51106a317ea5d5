#!/usr/bin/python3
# peers_fit.py METHOD FOLDER MODEL.npz [KEY=VALUE...] - fit with scikit-learn
# SPDX-License-Identifier: MIT
"""Read FOLDER/train.npy or .npz and FOLDER/y_train.npy, fit METHOD, write
support, coef and intercept. KEY=VALUE goes to scikit-learn as it is. Nothing
that the method does not need is imported, since start-up is part of the time."""
import os
import sys

import numpy as np


def lasso(options):
    from sklearn.linear_model import Lasso
    return Lasso(**options)


def omp(options):
    from sklearn.linear_model import OrthogonalMatchingPursuit
    return OrthogonalMatchingPursuit(**options)


def sgd(options):
    from sklearn.linear_model import SGDRegressor
    return SGDRegressor(penalty="l1", tol=None, **options)


def sgd_logistic(options):
    from sklearn.linear_model import SGDClassifier
    return SGDClassifier("log_loss", penalty="l1", tol=None, **options)


def logistic(options):
    from sklearn.linear_model import LogisticRegression
    return LogisticRegression("l1", **options)


METHODS = {m.__name__: m for m in (lasso, omp, sgd, sgd_logistic, logistic)}


def read(folder):
    if os.path.exists(folder + "/train.npy"):
        return np.load(folder + "/train.npy")
    import scipy.sparse as sp
    return sp.load_npz(folder + "/train.npz")


def value(text):
    try:
        return float(text) if "." in text or "e-" in text else int(text)
    except ValueError:
        return {"True": True, "False": False}.get(text, text)


def main():
    method, folder, model = sys.argv[1:4]
    options = dict(word.split("=") for word in sys.argv[4:])
    fitted = METHODS[method]({k: value(v) for k, v in options.items()})
    fitted.fit(read(folder), np.load(folder + "/y_train.npy"))
    coef = np.ravel(fitted.coef_)
    support = np.flatnonzero(coef)
    np.savez(model, support=support, coef=coef[support],
             intercept=np.ravel(fitted.intercept_)[0])


main()
