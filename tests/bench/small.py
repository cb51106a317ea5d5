#!/usr/bin/python3
"""small.py WHAT SEEDS [N D] [-- OPTION...] - few examples: plain training, over many seeds.

line: y = x + e, 24 examples of one attribute: models that are empty.
noise N D: nothing to find: models that are not empty, mean R2 on fresh data, and that of
  scikit-learn's LassoCV.
sparse N D: ten attributes of 1, noise 1, independent and AR(0.6): the error beyond that
  of least squares on the true support, in units of 10 / N; what was chosen.
weak N D: the same with noise 5.
rare: one positive label of 1,000, noise in five designs: models that are empty.
equal: 80 examples of noise, each five times: attributes, and what is said of them.
sets FOLDER: real data, SEEDS random splits (tables FOLDER/*.csv without a header, target
  last, and those of scikit-learn): R2 or AUC beside LassoCV or LogisticRegressionCV.
SPDX-License-Identifier: MIT
"""
import collections
import glob
import json
import os
import subprocess
import sys
import warnings

import numpy

THRESHER = os.environ["THRESHER"]
OPTIONS = []
warnings.filterwarnings("ignore")


def run(*arguments):
    done = subprocess.run([THRESHER, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout, done.stderr


def learn(x, y, seed, test=None):
    """The model, what was said, and the score on test examples."""
    numpy.savetxt("small.csv", numpy.c_[x, y], fmt="%.9g", delimiter=",")
    held = []
    if test is not None:
        numpy.savetxt("small-test.csv", numpy.c_[test], fmt="%.9g", delimiter=",")
        held = ["--test-file", "small-test.csv"]
    run("import", "small.csv", *held, "--header", "no", "--type", "f64", "--no-shuffle",
        "-o", "small.h5", "--force", "-q")
    said = run("train", "small.h5", "-o", "small.model.h5", "--seed", 1 + seed, "--force",
               *OPTIONS)[1]
    model = json.loads(run("inspect", "small.model.h5", "--json")[0])
    score = None
    if test is not None:
        score = json.loads(run("evaluate", "small.model.h5", "small.h5", "--split", "test",
                               "--json")[0])
    return model, said, score


def kind_of(model):
    return (model.get("chosen") or {}).get("kind", "truth")


def line(seeds):
    empty = 0
    for seed in range(seeds):
        draw = numpy.random.default_rng(seed)
        x = draw.standard_normal(24)
        empty += not learn(x, x + draw.standard_normal(24), seed)[0]["support"]
    print(f"y = x + e, 24 examples, {seeds} seeds: empty {empty}")


def noise(seeds, n, d, peers=True):
    from sklearn.linear_model import LassoCV
    full, ours, theirs = 0, [], []
    for seed in range(seeds):
        draw = numpy.random.default_rng(5000 + seed)
        x, y = draw.standard_normal((n, d)), draw.standard_normal(n)
        z, t = draw.standard_normal((1000, d)), draw.standard_normal(1000)
        model = learn(x, y, seed)[0]
        full += len(model["support"]) > 0
        guess = z[:, model["support"]] @ numpy.array(model["coef"]) + model["intercept"]
        ours.append(1 - ((t - guess) ** 2).mean() / t.var())
        if peers:
            guess = LassoCV(max_iter=5000).fit(x, y).predict(z)
            theirs.append(1 - ((t - guess) ** 2).mean() / t.var())
    print(f"noise, {n} x {d}, {seeds} seeds: not empty {full}, mean R2 {numpy.mean(ours):.4f}, "
          f"median {numpy.median(ours):.4f}, worst {min(ours):.3f}", flush=True)
    if peers:
        gain = numpy.subtract(ours, theirs)
        print(f"  LassoCV mean {numpy.mean(theirs):.4f}, median {numpy.median(theirs):.4f}, "
              f"worst {min(theirs):.3f}; ours less LassoCV {gain.mean():+.4f} +- "
              f"{gain.std(ddof=1) / seeds ** 0.5:.4f} (a standard error)", flush=True)


def sparse(seeds, n, d, sigma=1.0):
    for ar in (0.0, 0.6):
        excess, kinds = [], collections.Counter()
        place = numpy.arange(d)
        root = numpy.linalg.cholesky(ar ** abs(place[:, None] - place))
        for seed in range(seeds):
            draw = numpy.random.default_rng(700 + seed)
            x = draw.standard_normal((n, d)) @ root.T
            truth = numpy.zeros(d)
            true = draw.permutation(d)[:10]
            truth[true] = draw.choice([-1, 1], 10)
            y = x @ truth + sigma * draw.standard_normal(n)
            model = learn(x, y, seed)[0]
            found, least = numpy.zeros(d), numpy.zeros(d)
            found[model["support"]] = model["coef"]
            b = numpy.linalg.lstsq(numpy.c_[numpy.ones(n), x[:, true]], y, rcond=None)[0]
            least[true] = b[1:]
            error = [(((c - truth) @ root) ** 2).sum() + at ** 2
                     for c, at in ((found, model["intercept"]), (least, b[0]))]
            excess.append((error[0] - error[1]) / (10 * sigma ** 2 / n))
            kinds[kind_of(model)] += 1
        print(f"{'weak' if sigma > 1 else 'sparse'}, {n} x {d}, AR {ar}, {seeds} seeds: excess "
              f"mean {numpy.mean(excess):.3f}, worst {max(excess):.3f}; {dict(kinds)}", flush=True)


def weak(seeds, n, d):
    sparse(seeds, n, d, 5.0)


def rare(seeds):
    kinds = {"counts": lambda draw, size: draw.poisson(0.05, size),
             "normal": lambda draw, size: draw.standard_normal(size),
             "rare 0/1": lambda draw, size: 1.0 * (draw.random(size) < 0.02),
             "heavy tails": lambda draw, size: draw.standard_t(2, size),
             "log-normal": lambda draw, size: numpy.exp(draw.standard_normal(size))}
    for name, table in kinds.items():
        empty = strict = 0
        for seed in range(seeds):
            draw = numpy.random.default_rng(9000 + seed)
            y = numpy.zeros(1000)
            y[draw.integers(1000)] = 1
            model, said, _ = learn(table(draw, (1000, 200)), y, seed)
            empty += not model["support"]
            strict += "is the strict support" in said
        print(f"one positive of 1000, {name}, {seeds} seeds: empty {empty}, called strict {strict}")


def equal(seeds):
    for seed in range(seeds):
        draw = numpy.random.default_rng(40 + seed)
        x, y = draw.standard_normal((80, 50)), draw.standard_normal(80)
        z, t = draw.standard_normal((2000, 50)), draw.standard_normal(2000)
        model, said, score = learn(numpy.tile(x, (5, 1)), numpy.tile(y, 5), seed, (z, t))
        loss = model.get("candidates", {}).get("best", {}).get("loss", numpy.nan)
        note = [text for text in said.splitlines() if "equal" in text]
        print(f"80 examples of noise, five times each: {len(model['support'])} attributes, loss "
              f"{loss:.3f}, on fresh data {score['mse']:.3f}; {note}", flush=True)


def tables(folder):
    from sklearn import datasets
    found = {"diabetes": datasets.load_diabetes(return_X_y=True)}
    iris, wine = datasets.load_iris(), datasets.load_wine()
    found["iris_versicolor"] = iris.data, 1.0 * (iris.target == 1)
    found["wine1"] = wine.data, 1.0 * (wine.target == 1)
    found["wine_alcohol"] = wine.data[:, 1:], wine.data[:, 0]
    cancer = datasets.load_breast_cancer()
    found["breast_cancer"] = cancer.data, 1.0 * cancer.target
    for path in sorted(glob.glob(os.path.join(folder, "*.csv"))):
        table = numpy.loadtxt(path, delimiter=",", ndmin=2)
        found[os.path.basename(path)[:-4]] = table[:, :-1], table[:, -1]
    return found


def fit_peer(x, y, z, labels):
    from sklearn.linear_model import LassoCV, LogisticRegressionCV
    from sklearn.preprocessing import StandardScaler
    scale = StandardScaler().fit(x)
    x, z = scale.transform(x), scale.transform(z)
    if not labels:
        return LassoCV(max_iter=5000).fit(x, y).predict(z)
    folds = 5 if min((y == 1).sum(), (y == 0).sum()) >= 5 else 3
    return LogisticRegressionCV(Cs=10, cv=folds, scoring="neg_log_loss", penalty="l1",
                                solver="liblinear").fit(x, y).predict_proba(z)[:, 1]


def split(x, y, labels, seed):
    """Ours, the peer's, and what they are divided by; or nothing."""
    from sklearn.metrics import roc_auc_score
    order = numpy.random.default_rng(777 + seed).permutation(len(y))
    count = max(2, len(y) // 4)
    test, train = order[:count], order[count:]
    few = min((y[train] == 1).sum(), (y[train] == 0).sum()) < 4
    if labels and (few or len(numpy.unique(y[test])) < 2):
        return None
    model, _, score = learn(x[train], y[train], seed, (x[test], y[test]))
    guess = fit_peer(x[train], y[train], x[test], labels)
    if labels:
        return score["auc"], roc_auc_score(y[test], guess), 1.0, kind_of(model)
    return (-score["mse"] * count, -((guess - y[test]) ** 2).sum(),
            ((y[test] - y[train].mean()) ** 2).sum(), kind_of(model))


def sets(seeds, folder):
    gaps = []
    for name, (x, y) in tables(folder).items():
        labels = len(numpy.unique(y)) == 2
        y = 1.0 * (y == y.max()) if labels else y
        parts = [p for p in (split(x, y, labels, seed) for seed in range(seeds)) if p]
        if not parts:
            continue
        ours, theirs, total = (sum(p[k] for p in parts) for k in range(3))
        gaps.append((ours - theirs) / total)
        kinds = collections.Counter(p[3] for p in parts)
        print(f"{name:18s} {len(y):5d} x {x.shape[1]:3d} {'auc' if labels else 'r2 '} ours "
              f"{ours / total + (not labels):.4f} peer {theirs / total + (not labels):.4f} "
              f"difference {gaps[-1]:+.4f} {dict(kinds)}", flush=True)
    gaps = numpy.array(gaps)
    print(f"{len(gaps)} sets: clip mean {gaps.clip(-0.2, 0.2).mean():+.4f}, worse by > .01 "
          f"{(gaps < -0.01).sum()}, by > .05 {(gaps < -0.05).sum()}, worst {gaps.min():+.3f}")


def main():
    global OPTIONS
    arguments = sys.argv[1:]
    if "--" in arguments:
        cut = arguments.index("--")
        arguments, OPTIONS = arguments[:cut], arguments[cut + 1:]
    what, seeds, *rest = arguments
    numbers = [int(n) if n.isdigit() else n for n in rest]
    globals()[what](int(seeds), *numbers)


main()
