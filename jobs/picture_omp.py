#!/usr/bin/python3
# picture_omp.py DATA.h5 SEED K N... - scikit-learn's OMP on the first N examples
# SPDX-License-Identifier: MIT
"""One line for each N: omp, seed, N, attributes observed (all of them), error.

The attributes are independent and have variance 1, so the error of a model is
the squared distance of its coefficients from the true ones, and of its
intercept from 0. The true ones are in the data set.
"""
import sys
import warnings

import h5py
from sklearn.linear_model import OrthogonalMatchingPursuit


def main():
    path, seed, k = sys.argv[1:4]
    with h5py.File(path) as f:
        order = f["row"][:].argsort()
        x, y = f["X"][:].T[order].astype("f8"), f["y"][:][order]
        support, coef = f["truth/support"][:], f["truth/coef"][:]
    warnings.simplefilter("ignore")  # few examples: it says that it stopped early
    for n in map(int, sys.argv[4:]):
        model = OrthogonalMatchingPursuit(n_nonzero_coefs=int(k))
        model.fit(x[:n], y[:n])
        far = model.coef_.copy()
        far[support] -= coef
        error = (far ** 2).sum() + model.intercept_ ** 2
        print("omp", seed, n, n * x.shape[1], "%.6g" % error, sep="\t")


main()
