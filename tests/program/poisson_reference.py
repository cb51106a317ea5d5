#!/usr/bin/env python3
"""poisson_reference.py - counts, and a slow, independent solution of their l1 problem

    minimise  mean of half the deviance + lambda sum_j s_j |b_j|,  s_j: deviations

    poisson_reference.py make SEED LAYOUT NAME   writes NAME.svm, LIBSVM text
    poisson_reference.py large SEED NAME         counts of millions
    poisson_reference.py check NAME MODEL.json MODEL.tsv   exit status 1: not the solution

Accelerated proximal gradient steps with a line search. Shares no code with Thresher.
SPDX-License-Identifier: MIT
"""
import json
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from descend import descend  # noqa: E402


def make(seed, layout, name):
    r = np.random.default_rng(seed)
    n, d = 300, 60
    X = np.float32(r.normal(size=(n, d)))
    if layout == "sparse":
        X *= r.random((n, d)) < 0.15
    b = np.zeros(d)
    b[:6] = r.normal(size=6) * 0.6
    level = (-2, 0.5, 6)[seed % 3]  # rare, some, many
    y = r.poisson(np.exp(level + X @ b))
    with open(name + ".svm", "w") as file:
        for i in range(n):
            line = " ".join(f"{j + 1}:{X[i, j]:.9g}" for j in range(d) if X[i, j] != 0)
            print(y[i], line, file=file)


def large(seed, name):
    """Counts of millions by sparse attributes of different sizes."""
    r = np.random.default_rng(seed)
    n, d = 300, 40
    X = r.normal(size=(n, d)) * np.exp(r.normal(size=d)) * (r.random((n, d)) < 0.15)
    z = (X - X.mean(0)) / X.std(0)
    y = np.round(1e6 * np.exp(0.5 * (z[:, :4] @ r.normal(size=4) * 0.5 + r.normal())))
    with open(name + ".svm", "w") as file:
        for i in range(n):
            print(int(y[i]), *(f"{j + 1}:{X[i, j]:.6g}" for j in range(d) if X[i, j]), file=file)


def read(name):
    lines = [line.split() for line in open(name + ".svm")]
    X = np.zeros((len(lines), 60))
    for i, line in enumerate(lines):
        for field in line[1:]:
            j, value = field.split(":")
            X[i, int(j) - 1] = np.float32(value)
    return X, np.array([float(line[0]) for line in lines])


def value(p, y):
    own = np.where(y > 0, y * np.log(np.where(y > 0, y, 1)), 0)
    return np.mean(np.exp(p) - y * p - (y - own))


def solve(X, y, lam, steps=20000):
    """Coefficients of columns with mean 0 and deviation 1, and the intercept."""
    n, d = X.shape
    s = X.std(0)
    Z = np.column_stack([(X - X.mean(0)) / s, np.ones(n)])
    penalty = np.append(np.full(d, lam), 0)
    b = np.append(np.zeros(d), np.log(y.mean()))
    size = 1.0

    def step(at):
        nonlocal size
        size *= 1.01
        p = Z @ at
        slope = Z.T @ (np.exp(p) - y) / n
        here = np.mean(np.exp(p) - y * p)
        while True:
            new = at - size * slope
            new = np.sign(new) * np.maximum(np.abs(new) - size * penalty, 0)
            way = new - at
            q = Z @ new
            if np.mean(np.exp(q) - y * q) <= here + slope @ way + way @ way / (2 * size):
                return new
            size /= 2
            if size < 1e-18:
                return new

    return descend(b, step, steps)


def check(name, model, table):
    X, y = read(name)
    model = json.load(open(model))
    lam = model["lambda"]
    coef = np.zeros(X.shape[1])
    coef[model["support"]] = model["coef"]
    own = value(X @ coef + model["intercept"], y) + lam * np.abs(coef * X.std(0)).sum()
    best = solve(X, y, lam)
    p = ((X - X.mean(0)) / X.std(0)) @ best[:-1] + best[-1]
    reference = value(p, y) + lam * np.abs(best[:-1]).sum()
    print(f"{name}: lambda {lam:.4g}, {len(model['support'])} members, objective {own:.12g}, "
          f"reference {reference:.12g}, said {model['objective']:.12g}")
    good = own <= reference + 1e-8 * max(1, abs(reference))
    # deviations of sparse data are floats in a data set
    good = good and abs(own - model["objective"]) <= 1e-7 * abs(own)
    good = good and model["gap"] <= 2e-8 * abs(own)
    told = [line.split("\t") for line in open(table)][1:]
    good = good and abs(float(told[0][2]) - model["intercept"]) < 1e-12 * max(1, abs(own))
    sys.exit(not good)


if sys.argv[1] == "make":
    make(int(sys.argv[2]), sys.argv[3], sys.argv[4])
elif sys.argv[1] == "large":
    large(int(sys.argv[2]), sys.argv[3])
else:
    check(*sys.argv[2:5])
