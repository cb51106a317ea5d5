#!/usr/bin/env python3
"""lasso_reference.py - a slow, independent solution of an l1 problem

    minimise  mean f(x_i'b; y_i) + lambda norm1(b)

on a LIBSVM file, by accelerated proximal gradient steps on a growing working
set, polished by Newton steps on the support. Shares no code with Thresher.

    lasso_reference.py FILE LOSS RATIO     prints a JSON object
    lasso_reference.py FILE LOSS RATIO MODEL.json   and compares: exit status 1
                       when the model is not the same
SPDX-License-Identifier: MIT
"""
import json
import lzma
import sys

import numpy as np
import scipy.sparse as sp

GAP = 1e-13  # over the objective of the zero model


def read(path):
    """X (n, d) sparse by columns, and y as +-1 where it has two values."""
    rows, columns, values, y = [], [], [], []
    opener = lzma.open if path.endswith(".xz") else open
    with opener(path, "rt") as file:
        for i, line in enumerate(file):
            fields = line.split()
            y.append(float(fields[0]))
            for field in fields[1:]:
                column, value = field.split(":")
                rows.append(i)
                columns.append(int(column) - 1)
                values.append(np.float32(value))
    x = sp.csc_matrix((np.array(values, float), (rows, columns)))
    y = np.array(y)
    low, high = y.min(), y.max()
    if len(np.unique(y)) == 2:
        labels = np.where(y == high, 1.0, -1.0)
    else:
        labels = None
    return x, y, labels, (low, high)


class Squared:
    bound = 1.0
    @staticmethod
    def value(z, y): return 0.5 * (z - y) ** 2
    @staticmethod
    def slope(z, y): return z - y
    @staticmethod
    def curve(z, y): return np.ones_like(z)
    @staticmethod
    def conjugate(u, y): return 0.5 * u ** 2 + u * y


class Logistic:
    bound = 0.25
    @staticmethod
    def value(z, y): return np.logaddexp(0, -y * z)
    @staticmethod
    def slope(z, y): return -y * np.exp(-np.logaddexp(0, y * z))
    @staticmethod
    def curve(z, y):
        p = np.exp(-np.logaddexp(0, y * z))
        return p * (1 - p)
    @staticmethod
    def conjugate(u, y):
        p = np.clip(-u * y, 0, 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            a = np.where(p > 0, p * np.log(p), 0)
            b = np.where(p < 1, (1 - p) * np.log1p(-p), 0)
        return a + b


class Hinge:
    bound = 1.0
    @staticmethod
    def value(z, y): return 0.5 * np.maximum(0, 1 - y * z) ** 2
    @staticmethod
    def slope(z, y): return -y * np.maximum(0, 1 - y * z)
    @staticmethod
    def curve(z, y): return (y * z < 1).astype(float)
    @staticmethod
    def conjugate(u, y):
        v = u * y
        return 0.5 * v ** 2 + v


LOSSES = {"squared": Squared, "logistic": Logistic, "squared-hinge": Hinge}


def gap(loss, x, y, b, z, lam):
    """Objective, duality gap and correlations X'theta / (n lambda)."""
    n = len(y)
    theta = loss.slope(z, y)
    correlation = -(x.T @ theta) / (n * lam)
    scale = max(1.0, np.abs(correlation).max())
    primal = loss.value(z, y).mean() + lam * np.abs(b).sum()
    dual = -loss.conjugate(theta / scale, y).mean()
    return primal, primal - dual, correlation


def fista(loss, w, y, b, lam, steps):
    """Accelerated proximal gradient with restarts on dense columns w."""
    n = len(y)
    lipschitz = loss.bound * np.linalg.norm(w, 2) ** 2 / n * 1.0001
    v, t = b.copy(), 1.0
    for _ in range(steps):
        g = w.T @ loss.slope(w @ v, y) / n
        new = v - g / lipschitz
        new = np.sign(new) * np.maximum(np.abs(new) - lam / lipschitz, 0)
        if (v - new) @ (new - b) > 0:
            t = 1.0
        t_new = (1 + np.sqrt(1 + 4 * t * t)) / 2
        v = new + (t - 1) / t_new * (new - b)
        b, t = new, t_new
    return b


def polish(loss, w, y, b, lam):
    """Newton steps on the support with its signs, while they help."""
    n = len(y)
    best = loss.value(w @ b, y).mean() + lam * np.abs(b).sum()
    for _ in range(20):
        s = np.flatnonzero(b)
        if len(s) == 0:
            break
        a, z = w[:, s], w @ b
        g = a.T @ loss.slope(z, y) / n + lam * np.sign(b[s])
        h = (a * loss.curve(z, y)[:, None]).T @ a / n
        step = np.linalg.lstsq(h, g, rcond=1e-12)[0]
        new = b.copy()
        new[s] = b[s] - step
        crossed = np.sign(new[s]) != np.sign(b[s])
        if crossed.any():  # up to where the first coefficient becomes 0
            ratio = b[s][crossed] / step[crossed]
            first = ratio.min()
            new[s] = b[s] - first * step
            new[s[crossed][ratio.argmin()]] = 0
        value = loss.value(w @ new, y).mean() + lam * np.abs(new).sum()
        if not value <= best + 1e-16:
            break
        done = np.abs(new - b).max() <= 1e-15 * max(1, np.abs(b).max())
        b, best = new, value
        if done:
            break
    return b


def solve(loss, x, y, ratio):
    n, d = x.shape
    zero = np.zeros(n)
    lam_max = np.abs(x.T @ loss.slope(zero, y)).max() / n
    lam = ratio * lam_max
    start = loss.value(zero, y).mean()
    b, z = np.zeros(d), zero
    for _ in range(60):
        primal, distance, correlation = gap(loss, x, y, b, z, lam)
        if distance <= GAP * start:
            break
        size = max(50, 2 * np.count_nonzero(b))
        worst = np.argsort(-np.abs(correlation))[:size]
        members = np.union1d(np.flatnonzero(b), worst)
        w = x[:, members].toarray()
        inner = b[members]
        for _ in range(40):
            inner = fista(loss, w, y, inner, lam, 500)
            inner = polish(loss, w, y, inner, lam)
            part = gap(loss, w, y, inner, w @ inner, lam)[1]
            if part <= 0.1 * GAP * start:
                break
        b = np.zeros(d)
        b[members] = inner
        z = x @ b
    return lam_max, lam, b, primal, distance, correlation


def compare(found, model, correlation):
    """What is wrong with a model, as a list of lines."""
    wrong = []
    for key, limit in (("lambda_max", 1e-9), ("lambda", 1e-9),
                       ("objective", 1e-8)):
        error = abs(model[key] - found[key]) / abs(found[key])
        if not error <= limit:
            wrong.append(f"{key}: {model[key]!r}, not {found[key]!r}")
    if not -1e-12 <= model["gap"] <= 1e-8:
        wrong.append(f"gap: {model['gap']!r}")
    if model["support"] != found["support"]:
        # equal columns share a coefficient in many ways
        stray = [j for j in model["support"] if abs(correlation[j]) < 1 - 1e-6]
        if stray or not found["ties"]:
            wrong.append(f"support: {model['support']}, not {found['support']}")
    return wrong


def main():
    if sys.argv[1:] == ["--help"]:
        print(__doc__.strip())
        return
    path, name, ratio = sys.argv[1], sys.argv[2], float(sys.argv[3])
    x, y, labels, _ = read(path)
    if name != "squared":
        y = labels
    lam_max, lam, b, primal, distance, correlation = solve(
        LOSSES[name], x, y, ratio)
    support = np.flatnonzero(b)
    equal = np.flatnonzero(np.abs(correlation) > 1 - 1e-7)
    found = {"lambda_max": lam_max, "lambda": lam, "objective": primal,
             "gap": distance, "support": [int(j) for j in support],
             "ties": len(equal) > len(support)}
    print(json.dumps(found))
    if len(sys.argv) > 4:
        with open(sys.argv[4]) as file:
            wrong = compare(found, json.load(file), correlation)
        for line in wrong:
            print(line, file=sys.stderr)
        sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
