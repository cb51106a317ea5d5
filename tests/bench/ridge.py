#!/usr/bin/python3
"""ridge.py SIZES EXAMPLES ATTRIBUTES - solver ridge beside dense references (ridge.sh).

SPDX-License-Identifier: MIT
"""
import json
import os
import sys

import h5py
import numpy
from sklearn.linear_model import Ridge

from bench import coef_of, read_columns, run, timed

LAMBDA = 0.01


def make(name, examples, attributes):
    run(0, "generate", "toeplitz", "-o", name, "--examples", examples, "--attributes",
        attributes, "--support", attributes // 4, "--type", "f64", "--force")
    with h5py.File(name) as f:
        return numpy.ascontiguousarray(f["X"][:].T), f["y"][:]


def reference(x, y):
    x = x - x.mean(axis=0)
    gram = x.T @ x / len(y)
    gram[numpy.diag_indices_from(gram)] += LAMBDA
    return numpy.linalg.solve(gram, x.T @ (y - y.mean()) / len(y))


def exactness(sizes):
    print(f"{'attributes':>10} {'own':>10} {'scalapack':>10} {'cg':>10}   relative error")
    for size in sizes:
        right = reference(*make("exact.h5", 2 * size, size))
        errors = []
        for way in ("own", "scalapack", "cg"):
            run(os.environ["RANKS"], "train", "exact.h5", "-o", "model.h5", "--force",
                "--solver", "ridge", "--lambda", LAMBDA, "--factor", way,
                "--no-standardize")
            found = coef_of("model.h5", size)
            errors.append(abs(found - right).max() / abs(right).max())
        print(f"{size:10} {errors[0]:10.1e} {errors[1]:10.1e} {errors[2]:10.1e}", flush=True)


def phases():
    with open("run.json") as f:
        told = json.load(f)["phases"]
    return told["gram"]["seconds_max"], told["solve"]["seconds_max"]


def train(ranks):
    user, wall = run(ranks, "train", "fast.h5", "-o", "model.h5", "--force", "--solver",
                     "ridge", "--lambda", LAMBDA, "--no-standardize", "--report", "run.json")
    return user, wall, *phases()


def speed(examples, attributes, rounds=3):
    """The least of several rounds, in turn, since machines are shared."""
    make("fast.h5", examples, attributes)
    peer, one, two = [], [], []
    for _ in range(rounds):
        *reading, data = timed(read_columns, "fast.h5")
        *fitting, _ = timed(Ridge(alpha=LAMBDA * examples, solver="cholesky").fit, *data)
        del data
        peer.append((*fitting, *reading))
        one.append(train(1))
        two.append(train(2))
    least = [[min(column) for column in zip(*rows)] for rows in (peer, one, two)]
    print(f"{examples} x {attributes}: user s, wall s; Gram s, factor s")
    print("scikit-learn %.2f %.2f, and to read the file before %.2f %.2f" % tuple(least[0]))
    print("one rank     %.2f %.2f; %.2f %.2f" % tuple(least[1]))
    print("two ranks    %.2f %.2f; %.2f %.2f" % tuple(least[2]))
    for name, k in (("Gram", 2), ("factor", 3)):
        print(f"efficiency of two ranks, {name}: {least[1][k] / least[2][k] / 2:.2f}")


if __name__ == "__main__":
    exactness([int(size) for size in sys.argv[1].split()])
    speed(int(sys.argv[2]), int(sys.argv[3]))
