#!/usr/bin/python3
"""Weights of examples, over every solver of the table that takes them.

weights.py THRESHER: works in the present folder. THRESHER_LONG=yes: all solvers on all
sizes, layouts and targets; else each solver on one of them, in turns.
SPDX-License-Identifier: MIT
"""
import json
import os
import subprocess
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from solver_table import needed, solver_table  # noqa: E402

THRESHER = sys.argv[1]
LONG = os.environ.get("THRESHER_LONG") == "yes"
EXACT = {"lasso", "ridge", "omp", "saga", "svrg", "os-prox-sgd"}
failures = 0


def fail(text):
    global failures
    failures += 1
    print("FAILED:", text, file=sys.stderr)


def run(*arguments):
    done = subprocess.run(["timeout", "-k", "5", "900", THRESHER, *arguments],
                          capture_output=True, text=True)
    if done.returncode != 0:
        fail("thresher %s: %s" % (" ".join(arguments), done.stderr))
    return done.stdout


def options_of(row, truth):
    given = needed(row, sparsity=len(truth), budget=8, start=",".join(map(str, truth)))
    # folds are dealt by rows: where a row is there twice, another lambda may be chosen
    return [*given, *(["--lambda-ratio", "0.1"] if "folds" in row["options"] else [])]


def write(name, table):
    columns = table.shape[1] - 3
    head = ",".join("v%d" % j for j in range(columns)) + ",y,label,w"
    np.savetxt(name + ".csv", table, delimiter=",", fmt="%.17g", header=head, comments="")


def import_as(name, layout, target, weighted=True):
    """The data set made of a table, for one of its two targets."""
    other = "label" if target == "y" else "y"
    to = "%s-%s-%s.h5" % (name, layout, target)
    ignored = other if weighted else other + ",w"
    options = ["--weights", "w"] if weighted else []
    if not os.path.exists(to):
        run("import", name + ".csv", "-o", to, "-q", "--target", target, "--ignore", ignored,
            "--layout", layout, *options)
    return to


def train(data, *options):
    run("train", data, "-o", "model.h5", "-q", "--force", *options)
    model = json.loads(run("inspect", "model.h5", "--json"))
    return model["support"], np.array(model["coef"] + [model["intercept"]])


def far(a, b):
    """How far apart two models are; infinite where their supports differ."""
    if a[0] != b[0]:
        return np.inf
    return abs(a[1] - b[1]).max() / max(1, abs(b[1]).max())


def make(n, columns, truth, seed):
    """Rare attributes, so that both layouts may have them; weights are whole numbers."""
    draw = np.random.default_rng(seed)
    x = draw.normal(size=(n, columns)) * (draw.random((n, columns)) < 0.5)
    y = x[:, truth] @ np.array([2, 1.5, -1.5])[:len(truth)] + 0.5 * draw.normal(size=n)
    weight = draw.integers(1, 4, size=n)
    return np.c_[x.round(3), y.round(3), y > 0, weight]


def spoil(table, truth, seed):
    """A third has weight 0, and a code for "missing" where it matters."""
    draw = np.random.default_rng(seed)
    out = np.arange(len(table)) % 3 == 1
    table = table.copy()
    table[out, -1] = 0
    for j in truth:
        table[out, j] = -9999 * (draw.random(out.sum()) < 0.7)
    table[out, -3] = -9999
    return table


def zero_weights(name, truth, cases, table):
    """The model has the coefficients of the data without these rows, to the last bit."""
    for solver, (layout, target) in cases:
        models = []
        for kind in ("weighted", "kept"):
            data = import_as("%s-%s" % (name, kind), layout, target)
            models.append(train(data, "--solver", solver, *options_of(table[solver], truth)))
        if far(*models) != 0:
            fail("%s, %s, %s, %s: rows of weight 0 count: %s" %
                 (solver, name, layout, target, models))


def factors(name, truth, cases, table):
    """Powers of two change no bit; others no more than rounding does."""
    for solver, (layout, target) in cases:
        options = ["--solver", solver, *options_of(table[solver], truth)]
        plain = train(import_as(name + "-plain", layout, target), *options)
        for factor, most in (("2e20", 0), ("1e9", 1e-9), ("1e-9", 1e-9)):
            scaled = train(import_as("%s-%s" % (name, factor), layout, target), *options)
            if not far(plain, scaled) <= most:
                fail("%s, %s, %s, weights times %s: %s, %s" %
                     (solver, layout, target, factor, plain, scaled))


def repeats(name, truth, cases, table):
    """Methods whose end does not depend on the order of examples."""
    for solver, (layout, target) in cases:
        if solver not in EXACT:
            continue
        options = ["--solver", solver, *options_of(table[solver], truth)]
        if solver == "omp":
            options += ["-s", str(len(truth))]
        plain = train(import_as(name + "-plain", layout, target), *options)
        repeated = train(import_as(name + "-repeated", layout, target, False), *options)
        if not far(plain, repeated) <= 1e-6:
            fail("%s, %s, %s: repeated rows: %s, %s" %
                 (solver, layout, target, plain, repeated))


def evidence():
    """Weights far apart make no noise stand out."""
    found = 0
    for seed in range(20 if LONG else 4):
        draw = np.random.default_rng(seed)
        x = draw.normal(size=(1000, 60)) * (draw.random((1000, 60)) < 0.15)
        y = draw.normal(size=1000)
        write("noise%d" % seed, np.c_[x, y, y > 0, np.exp(1.2 * draw.normal(size=1000))])
        data = import_as("noise%d" % seed, "sparse" if seed % 2 == 0 else "dense", "y")
        found += len(train(data, "--select", "truth")[0])
    if found > (5 if LONG else 1):
        fail("%d attributes of noise are selected" % found)


def main():
    table = solver_table(THRESHER)
    table.pop("oomp")  # refuses weights
    shapes = [(layout, target) for layout in ("dense", "sparse") for target in ("y", "label")]
    if LONG:
        cases = [(solver, shape) for solver in table for shape in shapes]
    else:
        cases = [(solver, shapes[k % 4]) for k, solver in enumerate(table)]
    sizes = [("small", 400, 12, [0, 3])]
    if LONG:
        sizes.append(("big", 3000, 400, [0, 3, 7]))
    for name, n, columns, truth in sizes:
        plain = make(n, columns, truth, 7)
        spoilt = spoil(plain, truth, 8)
        write(name + "-plain", plain)
        write(name + "-weighted", spoilt)
        write(name + "-kept", spoilt[spoilt[:, -1] > 0])
        write(name + "-repeated", np.repeat(plain, plain[:, -1].astype(int), axis=0))
        for text, factor in (("2e20", 2.0 ** 20), ("1e9", 1e9), ("1e-9", 1e-9)):
            scaled = plain.copy()
            scaled[:, -1] *= factor
            write("%s-%s" % (name, text), scaled)
        zero_weights(name, truth, cases, table)
        factors(name, truth, cases, table)
        repeats(name, truth, [(solver, shape) for solver in EXACT for shape in shapes[1:3]],
                table)
    evidence()
    print("%d failures" % failures)
    sys.exit(failures > 0)


main()
