#!/usr/bin/env python3
"""unpenalised.py make | unpenalised.py check TABLE LOSS MODEL.json LIST RATIO

make: the tables numbers.csv and labels.csv. check: a lasso model with
attributes without a penalty against a plain proximal gradient method, and its
lambda_max against a fit of these attributes alone; exit status 1, and why, when
they differ.
SPDX-License-Identifier: MIT
"""
import json
import sys

import numpy as np


def make():
    """Sixty attributes that share a factor, with means; x5 is a covariate."""
    random = np.random.default_rng(7)
    x = random.normal(size=(300, 60)) + 0.7 * random.normal(size=(300, 1))
    x = x * np.exp(0.3 * random.normal(size=60)) + random.normal(size=60)
    signal = x[:, :6] @ random.normal(size=6) + x[:, 20]
    signal -= signal.mean()
    noise = random.normal(size=300)
    labels = (random.random(300) < 1 / (1 + np.exp(-signal))).astype(int)
    names = ",".join(["y"] + ["x%d" % j for j in range(60)])
    for name, y in ("numbers", signal + noise), ("labels", labels):
        with open(name + ".csv", "w") as out:
            print(names, file=out)
            for target, row in zip(y.tolist(), x.tolist()):
                print(",".join(map(repr, [target] + row)), file=out)


def slopes(loss, p, y):
    if loss == "squared":
        return p - y
    if loss == "logistic":
        return -y / (1 + np.exp(y * p))
    return -y * np.maximum(0, 1 - y * p)


def values(loss, p, y):
    if loss == "squared":
        return (p - y) ** 2 / 2
    if loss == "logistic":
        return np.logaddexp(0, -y * p)
    return np.maximum(0, 1 - y * p) ** 2 / 2


def solve(x, y, loss, penalty):
    """The least mean loss + sum of penalty |b|, with a constant; its slopes."""
    n, d = x.shape
    a = np.hstack([x - x.mean(0), np.ones((n, 1))])
    penalty = np.append(penalty, 0)
    most = 0.25 if loss == "logistic" else 1
    step = n / (most * np.linalg.eigvalsh(a.T @ a)[-1])
    b = z = np.zeros(d + 1)
    t = 1
    for _ in range(200000):
        v = z - step * a.T @ slopes(loss, a @ z, y) / n
        new = np.sign(v) * np.maximum(abs(v) - step * penalty, 0)
        t = 1 if (new - b) @ (z - new) > 0 else t  # begin anew
        later = (1 + np.sqrt(1 + 4 * t * t)) / 2
        z = new + (t - 1) / later * (new - b)
        moved, b, t = abs(new - b).max(), new, later
        if moved < 1e-14 * max(1, abs(b).max()):
            break
    objective = values(loss, a @ b, y).mean() + penalty @ abs(b)
    return b[:d], objective, a.T @ slopes(loss, a @ b, y)[:, None] / n


def check(table, loss, model, exempt, ratio):
    data = np.loadtxt(table, delimiter=",", skiprows=1)
    x, y = data[:, 1:], data[:, 0]
    y = y if loss == "squared" else 2 * y - 1
    told = json.load(open(model))
    exempt = [int(j) for j in exempt.split(",")]
    alone, _, _ = solve(x[:, exempt], y, loss, np.zeros(len(exempt)))
    rest = np.full(x.shape[1], 1e9)  # nothing but the exempt ones
    rest[exempt] = 0
    _, _, slope = solve(x, y, loss, rest)
    lambda_max = abs(np.delete(slope[:-1], exempt)).max()
    penalty = np.full(x.shape[1], told["lambda"])
    penalty[exempt] = 0
    b, objective, _ = solve(x, y, loss, penalty)
    coef = np.zeros(x.shape[1])
    coef[told["support"]] = told["coef"]
    faults = {
        "lambda_max": abs(told["lambda_max"] / lambda_max - 1) / 1e-7,
        "lambda": abs(told["lambda"] / (ratio * lambda_max) - 1) / 1e-7,
        "objective": abs(told["objective"] - objective) / 1e-8,
        "coefficients": abs(coef - b).max() / 1e-4,
        "alone": abs(coef[exempt] - alone).max() / 1e-5 if ratio >= 1 else 0,
    }
    if told["unpenalised"] != ["x%d" % j for j in exempt]:
        sys.exit("unpenalised: %s" % told["unpenalised"])
    for name, fault in faults.items():
        if not fault <= 1:
            sys.exit("%s: %g times as far as it may be" % (name, fault))


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make()
    else:
        check(*sys.argv[2:6], float(sys.argv[6]))
