#!/usr/bin/env python3
"""refit_data.py make SEED FILE.csv EXAMPLES ATTRIBUTES SUPPORT
   refit_data.py score SEED MODEL.json EXAMPLES ATTRIBUTES SUPPORT

Labels of a logistic model with known coefficients, and what a model loses on
them: its excess log loss over the true coefficients, in expectation over labels
on 100,000 fresh examples, beside that of the maximum-likelihood fit on the true
support of the same data. Prints a JSON object.
SPDX-License-Identifier: MIT
"""
import json
import sys

import numpy as np


def data(seed, n, d, s):
    """Standard normal attributes; coefficients 0.3 to 1.2 of either sign."""
    draw = np.random.default_rng(seed)
    beta = np.zeros(d)
    beta[:s] = draw.uniform(0.3, 1.2, s) * draw.choice([-1, 1], s)
    x = draw.standard_normal((n, d)).round(4)
    y = draw.random(n) < 1 / (1 + np.exp(-(x @ beta + 0.5)))
    return x, y, beta, draw


def log_loss(p, z):
    """Of predictions z, in expectation over labels of probability p."""
    return np.mean(np.logaddexp(0, z) - p * z)


def likelihood_fit(x, y, steps=30):
    """Newton's method; the last entry is the constant."""
    x = np.column_stack([x, np.ones(len(x))])
    b = np.zeros(x.shape[1])
    for _ in range(steps):
        p = 1 / (1 + np.exp(-(x @ b)))
        hessian = (x.T * (p * (1 - p))) @ x + 1e-9 * np.eye(len(b))
        b += np.linalg.solve(hessian, x.T @ (y - p))
    return b


def main():
    what, seed, file = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    n, d, s = map(int, sys.argv[4:7])
    x, y, beta, draw = data(seed, n, d, s)
    if what == "make":
        names = ",".join(f"a{j}" for j in range(d)) + ",y"
        np.savetxt(file, np.column_stack([x, y]), "%.4f", ",", header=names,
                   comments="")
        return
    with open(file) as text:
        model = json.load(text)
    coef = np.zeros(d)
    coef[model["support"]] = model["coef"]
    fresh = draw.standard_normal((100000, d))
    truth = fresh @ beta + 0.5
    p = 1 / (1 + np.exp(-truth))
    best = log_loss(p, truth)
    fit = likelihood_fit(x[:, :s], y)
    print(json.dumps({
        "excess": log_loss(p, fresh @ coef + model["intercept"]) - best,
        "likelihood": log_loss(p, fresh[:, :s] @ fit[:-1] + fit[-1]) - best,
        "largest": float(np.abs(coef).max(initial=0)),
        "missed": int(np.sum(coef[:s] == 0))}))


main()
