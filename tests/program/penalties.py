"""penalties.py make | penalties.py check <LIST

make: the tables numbers.csv, labels.csv and weights.csv. check: lasso models with an
elastic net beside a plain proximal gradient method that Newton's steps end, and beside
scikit-learn where that has the problem; exit status 1, and why, when they differ. A line of
the list is TABLE LOSS MODEL.json KEY=VALUE...: mix, the share of l1; unpenalised=J,J;
weights=FILE of factors; lower and upper, numbers or files; binds, how many coefficients are at
a bound that is not 0.
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


class Problem:
    """The weighted mean loss + sum of l1 |b| + ridge b^2 / 2 within bounds, with a constant."""

    def __init__(self, x, y, eta, loss, l1, ridge, low, high):
        n, d = x.shape
        self.a = np.hstack([x - eta @ x, np.ones((n, 1))])
        self.y, self.eta, self.loss, self.d = y, eta, loss, d
        self.l1, self.ridge = np.append(l1, 0), np.append(ridge, 0)
        self.low, self.high = np.append(low, -np.inf), np.append(high, np.inf)

    def slope(self, b):
        return self.a.T @ (self.eta * slopes(self.loss, self.a @ b, self.y))

    def descend(self, b, step, steps):
        """Proximal gradient steps with momentum, begun anew where they go uphill."""
        z, t = b, 1
        for _ in range(steps):
            v = z - step * self.slope(z)
            new = np.sign(v) * np.maximum(abs(v) - step * self.l1, 0) / (1 + step * self.ridge)
            new = np.clip(new, self.low, self.high)
            t = 1 if (new - b) @ (z - new) > 0 else t
            later = (1 + np.sqrt(1 + 4 * t * t)) / 2
            z = new + (t - 1) / later * (new - b)
            b, t = new, later
        return b

    def polish(self, b):
        """Newton's steps on the coefficients inside, while their signs stay."""
        for _ in range(8):
            s = np.flatnonzero((b != 0) & (b > self.low) & (b < self.high))
            p = self.a @ b
            curve = np.ones(len(p)) if self.loss == "squared" else 1 / (2 + 2 * np.cosh(p))
            g = (self.slope(b) + self.l1 * np.sign(b) + self.ridge * b)[s]
            a = self.a[:, s]
            h = a.T @ ((self.eta * curve)[:, None] * a) + np.diag(self.ridge[s])
            new = b.copy()
            new[s] -= np.linalg.lstsq(h, g, rcond=1e-13)[0]
            if (new * b < 0).any() or (new > self.high).any() or (new < self.low).any():
                break
            b = new
        return b

    def off(self, b):
        """How far each coefficient is from optimal."""
        pull = self.slope(b) + self.ridge * b
        up, down = -pull - self.l1, pull - self.l1  # above 0: it wants to move there
        zero = np.maximum(np.where(self.high > 0, up, -1), np.where(self.low < 0, down, -1))
        moved = abs(pull + self.l1 * np.sign(b))
        moved = np.where((b == self.high) & (b > 0), np.maximum(-up, 0), moved)
        moved = np.where((b == self.low) & (b < 0), np.maximum(-down, 0), moved)
        return np.where(b == 0, np.maximum(zero, 0), moved).max()

    def solve(self):
        most = 0.25 if self.loss == "logistic" else 1
        step = 1 / (most * np.linalg.eigvalsh(self.a.T @ (self.eta[:, None] * self.a))[-1])
        b = np.zeros(self.d + 1)
        for _ in range(500):
            b = self.polish(self.descend(b, step, 300))
            if self.off(b) < 1e-12:
                return b[:-1], objective_of(self.loss, self.a, self.y, self.eta, b, self.l1,
                                            self.ridge), self.slope(b)[:-1]
        sys.exit("the reference finds no solution: %g" % self.off(b))


def sklearn_net(x, y, eta, lam, mix, positive):
    """The objective that scikit-learn's coordinate descent finds; None: it is not here."""
    try:
        from sklearn.linear_model import ElasticNet
    except ImportError:
        return None
    net = ElasticNet(alpha=lam, l1_ratio=mix, tol=1e-14, max_iter=10 ** 6, positive=positive)
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


def by_attribute(text, default):
    """a number for each attribute: the same for all, or those of a file"""
    try:
        return np.full(40, float(text))
    except ValueError:
        value = np.full(40, default)
    for line in open(text):
        if line.strip() and not line.startswith("#"):
            name, number = line.replace(",", " ").split()
            value[int(name.lstrip("x"))] = float(number)
    return value


def check(table, loss, told, options):
    """how far the model is off, over how far it may be"""
    x, y, eta, unit = read(table, loss, told)
    mix, lam = float(options.get("mix", "1")), told["lambda"]
    factor = by_attribute(options.get("weights", "1"), 1.0)
    for j in filter(None, options.get("unpenalised", "").split(",")):
        factor[int(j)] = 0
    held = factor > 0
    low = by_attribute(options.get("lower", "-inf"), -np.inf)
    high = by_attribute(options.get("upper", "inf"), np.inf)
    inner = np.where(held, low, -np.inf) * unit, np.where(held, high, np.inf) * unit
    none = np.where(held, 1e9, 0)  # nothing but what has no penalty
    slope = Problem(x, y, eta, loss, none, 0 * none, *inner).solve()[2][held]
    most = np.maximum(np.where(high[held] > 0, -slope, 0), np.where(low[held] < 0, slope, 0))
    lambda_max = (most / (mix * factor[held])).max()
    b, objective, _ = Problem(x, y, eta, loss, lam * mix * factor, lam * (1 - mix) * factor,
                              *inner).solve()
    coef = np.zeros(40)
    coef[told["support"]] = told["coef"]
    norm = mix * factor @ abs(b) + (1 - mix) / 2 * factor @ b ** 2
    beyond = held & ((coef < low) | (coef > high))
    faults = {
        "lambda_max": abs(told["lambda_max"] / lambda_max - 1) / 1e-9,
        "objective": abs(told["objective"] / objective - 1) / 1e-8,
        "coefficients": abs(coef * unit - b).max() / 1e-4,
        "norm": abs(told["norm"] - norm) / (1e-4 * max(norm, 1)),
        "gap": told["gap"] / 1e-8,
        "coefficients beyond bounds": 2 * beyond.sum(),
    }
    positive = (low == 0).all() and np.isinf(high).all()
    free = np.isinf(low).all() and np.isinf(high).all()
    other = None
    if loss == "squared" and (factor == 1).all() and (positive or free):
        other = sklearn_net(x, y, eta, lam, mix, positive)
    if other is not None:
        faults["scikit-learn"] = abs(told["objective"] / other - 1) / 1e-8
    if "binds" in options:
        at = ((coef == low) | (coef == high)) & (coef != 0)
        faults["bounds that bind"] = 0 if at.sum() == int(options["binds"]) else np.inf
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
