"""penalties.py make | penalties.py check <LIST

make: the tables numbers.csv, labels.csv and weights.csv. check: lasso models with an
elastic net beside a plain proximal gradient method that Newton's steps end, and beside
scikit-learn where that has the problem; exit status 1, and why, when they differ. A line of
the list is TABLE LOSS MODEL.json KEY=VALUE...: mix, the share of l1; unpenalised=J,J;
weights=FILE of factors.
SPDX-License-Identifier: MIT
"""
import json
import sys

import numpy as np


def make():
    """Forty attributes that share a factor, with means and zeros."""
    random = np.random.default_rng(11)
    x = random.normal(size=(150, 40)) + 0.7 * random.normal(size=(150, 1))
    x = x * np.exp(0.5 * random.normal(size=40)) + 0.5 * random.normal(size=40)
    x[random.random(x.shape) < 0.5] = 0
    signal = x[:, :8] @ random.normal(size=8) + x[:, 20]
    signal -= signal.mean()
    y = signal + random.normal(size=150)
    labels = (random.random(150) < 1 / (1 + np.exp(-signal))).astype(int)
    weight = random.choice([0, 0.5, 1, 3], size=150)
    names = ",".join(["y"] + ["x%d" % j for j in range(40)])
    for name, target, extra in (("numbers", y, None), ("labels", labels, None),
                                ("weights", y, weight)):
        with open(name + ".csv", "w") as out:
            print(names + ("" if extra is None else ",w"), file=out)
            for i, row in enumerate(x.tolist()):
                tail = [] if extra is None else [extra[i].item()]
                print(",".join(map(repr, [target[i].item()] + row + tail)), file=out)


def slopes(loss, p, y):
    return p - y if loss == "squared" else -y / (1 + np.exp(y * p))


def values(loss, p, y):
    return (p - y) ** 2 / 2 if loss == "squared" else np.logaddexp(0, -y * p)


def objective_of(loss, a, y, eta, b, l1, ridge):
    return eta @ values(loss, a @ b, y) + l1 @ abs(b) + ridge @ b ** 2 / 2


def descend(x, y, eta, loss, l1, ridge, b, step, steps):
    """Proximal gradient steps with momentum, begun anew where they go uphill."""
    z, t = b, 1
    for _ in range(steps):
        v = z - step * x.T @ (eta * slopes(loss, x @ z, y))
        new = np.sign(v) * np.maximum(abs(v) - step * l1, 0) / (1 + step * ridge)
        t = 1 if (new - b) @ (z - new) > 0 else t
        later = (1 + np.sqrt(1 + 4 * t * t)) / 2
        z = new + (t - 1) / later * (new - b)
        b, t = new, later
    return b


def polish(x, y, eta, loss, l1, ridge, b):
    """Newton's steps on the coefficients that are not 0, while their signs stay."""
    for _ in range(8):
        s = np.flatnonzero(b)
        p = x @ b
        curve = np.ones(len(y)) if loss == "squared" else 1 / (2 + 2 * np.cosh(p))
        g = (x.T @ (eta * slopes(loss, p, y)) + l1 * np.sign(b) + ridge * b)[s]
        h = x[:, s].T @ ((eta * curve)[:, None] * x[:, s]) + np.diag(ridge[s])
        new = b.copy()
        new[s] -= np.linalg.lstsq(h, g, rcond=1e-13)[0]
        if (new * b < 0).any():
            break
        b = new
    return b


def solve(x, y, eta, loss, l1, ridge):
    """The least weighted mean loss + sum of l1 |b| + ridge b^2 / 2, with a constant."""
    n, d = x.shape
    a = np.hstack([x - eta @ x, np.ones((n, 1))])
    l1, ridge = np.append(l1, 0), np.append(ridge, 0)
    most = 0.25 if loss == "logistic" else 1
    step = 1 / (most * np.linalg.eigvalsh(a.T @ (eta[:, None] * a))[-1])
    b = np.zeros(d + 1)
    for _ in range(500):
        b = descend(a, y, eta, loss, l1, ridge, b, step, 300)
        b = polish(a, y, eta, loss, l1, ridge, b)
        slope = a.T @ (eta * slopes(loss, a @ b, y))
        pull = slope + ridge * b
        off = np.where(b == 0, np.maximum(abs(pull) - l1, 0), abs(pull + l1 * np.sign(b)))
        if off.max() < 1e-12:
            return b[:d], objective_of(loss, a, y, eta, b, l1, ridge), slope[:d]
    sys.exit("the reference finds no solution: %g" % off.max())


def sklearn_net(x, y, eta, lam, mix):
    """The objective that scikit-learn's coordinate descent finds; None: it is not here."""
    try:
        from sklearn.linear_model import ElasticNet
    except ImportError:
        return None
    net = ElasticNet(alpha=lam, l1_ratio=mix, tol=1e-14, max_iter=10 ** 6)
    net.fit(x, y, sample_weight=eta * len(y))
    b = np.append(net.coef_, net.intercept_)
    a = np.hstack([x, np.ones((len(y), 1))])
    whole = np.append(np.full(x.shape[1], lam), 0)
    return objective_of("squared", a, y, eta, b, mix * whole, (1 - mix) * whole)


def read(table, loss, told):
    """x, y and weights of sum 1, in the units of the solver, and these units"""
    data = np.loadtxt(table, delimiter=",", skiprows=1)
    x, y = data[:, 1:41], data[:, 0]
    eta = data[:, 41] if data.shape[1] > 41 else np.ones(len(y))
    eta = eta / eta.sum()
    unit = np.ones(40)
    if told["deck"]["standardize"] in ("yes", True):
        unit = np.sqrt(eta @ (x - eta @ x) ** 2)
    return x / unit, y if loss == "squared" else 2 * y - 1, eta, unit


def check(table, loss, told, options):
    """how far the model is off, over how far it may be"""
    x, y, eta, unit = read(table, loss, told)
    mix, lam = float(options["mix"]), told["lambda"]
    factor = np.ones(40)
    if "weights" in options:
        for line in open(options["weights"]):
            if line.strip() and not line.startswith("#"):
                name, value = line.replace(",", " ").split()
                factor[int(name.lstrip("x"))] = float(value)
    for j in filter(None, options.get("unpenalised", "").split(",")):
        factor[int(j)] = 0
    none = np.where(factor > 0, 1e9, 0)  # nothing but what has no penalty
    slope = solve(x, y, eta, loss, none, 0 * none)[2]
    held = factor > 0
    lambda_max = (abs(slope[held]) / (mix * factor[held])).max()
    b, objective, _ = solve(x, y, eta, loss, lam * mix * factor, lam * (1 - mix) * factor)
    coef = np.zeros(40)
    coef[told["support"]] = told["coef"]
    norm = mix * factor @ abs(b) + (1 - mix) / 2 * factor @ b ** 2
    faults = {
        "lambda_max": abs(told["lambda_max"] / lambda_max - 1) / 1e-9,
        "objective": abs(told["objective"] / objective - 1) / 1e-8,
        "coefficients": abs(coef * unit - b).max() / 1e-4,
        "norm": abs(told["norm"] - norm) / (1e-4 * max(norm, 1)),
        "gap": told["gap"] / 1e-8,
    }
    other = None
    if loss == "squared" and (factor == 1).all():
        other = sklearn_net(x, y, eta, lam, mix)
    if other is not None:
        faults["scikit-learn"] = abs(told["objective"] / other - 1) / 1e-8
    return faults


def check_all(lines):
    wrong = 0
    for line in lines:
        table, loss, model, *words = line.split()
        faults = check(table, loss, json.load(open(model)), dict(w.split("=") for w in words))
        for name, fault in faults.items():
            if not fault <= 1:
                wrong += 1
                print("%s: %s is %g times as far as it may be" % (line.strip(), name, fault))
    sys.exit(wrong > 0)


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make()
    else:
        check_all(sys.stdin)
