#!/usr/bin/env python3
"""robust_reference.py - targets with outliers, and slow, independent solutions of

    minimise  mean of the loss of the error + lambda sum_j s_j |b_j|,  s_j: deviations

    robust_reference.py make SEED LAYOUT NAME     writes NAME.svm, LIBSVM text
    robust_reference.py scale NAME                a tenth of the distance between quartiles
    robust_reference.py check NAME MODEL.json LOSS SCALE SHARE   exit status 1: not the solution

The losses are written as the least, over a split of each error into two parts, of a square
of the one and the size of the other. Accelerated proximal gradient steps. Shares no code
with Thresher.
SPDX-License-Identifier: MIT
"""
import json
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from descend import descend  # noqa: E402

N, D = 300, 60


def make(seed, layout, name):
    r = np.random.default_rng(seed)
    X = np.float32(r.normal(size=(N, D)))
    if layout == "sparse":
        X *= r.random((N, D)) < 0.15
    b = np.zeros(D)
    b[:6] = r.normal(size=6) * 2
    y = 5 + X @ b + r.normal(size=N) * 0.5 + 30 * r.standard_t(1, size=N) * (r.random(N) < 0.1)
    with open(name + ".svm", "w") as file:
        for i in range(N):
            print(repr(float(y[i])), *(f"{j + 1}:{X[i, j]:.9g}" for j in range(D) if X[i, j]),
                  file=file)


def read(name):
    lines = [line.split() for line in open(name + ".svm")]
    X = np.zeros((N, D))
    for i, line in enumerate(lines):
        for field in line[1:]:
            j, value = field.split(":")
            X[i, int(j) - 1] = np.float32(value)
    return X, np.array([float(line[0]) for line in lines])


class Loss:
    """of errors p - y: the envelope of max(low e, high e) with parameter bend"""

    def __init__(self, name, scale, share):
        quantile = name == "quantile"
        self.bend = scale if quantile else 1.0
        self.low, self.high = (-share, 1 - share) if quantile else (-scale, scale)

    def far(self, e):
        """the part of an error that counts linearly"""
        return np.where(e > self.bend * self.high, e - self.bend * self.high,
                        np.where(e < self.bend * self.low, e - self.bend * self.low, 0))

    def mean(self, e):
        far = self.far(e)
        return np.mean((e - far) ** 2 / (2 * self.bend) + np.maximum(self.low * far, self.high * far))

    def slope(self, e):
        return (e - self.far(e)) / self.bend


def solve(X, y, loss, lam, steps=60000):
    s = X.std(0)
    Z = np.column_stack([(X - X.mean(0)) / s, np.ones(N)])
    penalty = np.append(np.full(D, lam), 0)
    size = loss.bend / np.linalg.eigvalsh(Z.T @ Z / N)[-1]
    b = np.append(np.zeros(D), np.median(y))

    def step(at):
        new = at - size * (Z.T @ loss.slope(Z @ at - y) / N)
        return np.sign(new) * np.maximum(np.abs(new) - size * penalty, 0)

    b = descend(b, step, steps)
    return loss.mean(Z @ b - y) + lam * np.abs(b[:-1]).sum()


def check(name, model, loss, scale, share):
    X, y = read(name)
    model = json.load(open(model))
    loss = Loss(loss, float(scale), float(share))
    lam = model["lambda"]
    coef = np.zeros(D)
    coef[model["support"]] = model["coef"]
    own = loss.mean(X @ coef + model["intercept"] - y) + lam * np.abs(coef * X.std(0)).sum()
    reference = solve(X, y, loss, lam)
    print(f"{name}: lambda {lam:.4g}, {len(model['support'])} members, objective {own:.12g}, "
          f"reference {reference:.12g}, said {model['objective']:.12g}, gap {model['gap']:.2g}")
    good = own <= reference + 1e-8 * max(1, abs(reference))
    # deviations of sparse data are floats in a data set
    good = good and abs(own - model["objective"]) <= 1e-7 * abs(own)
    good = good and model["gap"] <= 2e-8 * abs(own)
    sys.exit(not good)


if sys.argv[1] == "make":
    make(int(sys.argv[2]), sys.argv[3], sys.argv[4])
elif sys.argv[1] == "scale":
    print(repr(0.1 * float(np.subtract(*np.quantile(read(sys.argv[2])[1], [0.75, 0.25],
                                                    method="inverted_cdf")))))
else:
    check(*sys.argv[2:7])
