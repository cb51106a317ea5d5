#!/usr/bin/python3
"""omp.py EXAMPLES ATTRIBUTES SPARSITY - solver omp beside scikit-learn's (omp.sh).

SPDX-License-Identifier: MIT
"""
import json
import os
import subprocess
import sys
import time

import h5py
import numpy
from sklearn.linear_model import OrthogonalMatchingPursuit, OrthogonalMatchingPursuitCV

THRESHER = os.environ["THRESHER"]
LAUNCH = ["sh", os.environ["SOURCE"] + "/jobs/launch.sh"]
ROUNDS = 3


def run(ranks, *arguments):
    """Seconds, and what it printed."""
    start = [] if ranks == 0 else [*LAUNCH, str(ranks)]
    limit = {**os.environ, "THRESHER_LIMIT": os.environ["LIMIT"]}
    began = time.time()
    done = subprocess.run([*start, THRESHER, *map(str, arguments)], check=True, env=limit,
                          capture_output=True, text=True)
    return time.time() - began, done.stdout


def train(data, ranks, *options):
    """Seconds, the model, the report."""
    seconds, _ = run(ranks, "train", data, "-o", "model.h5", "--force", "--solver", "omp",
                     "--report", "run.json", "--memory", "4G", *options)
    with open("run.json") as f:
        return seconds, json.loads(run(0, "inspect", "model.h5", "--json")[1]), json.load(f)


def make(name, examples, attributes, support):
    run(0, "generate", "murata", "-o", name, "--examples", examples, "--attributes",
        attributes, "--support", support, "--force")


def read(name):
    with h5py.File(name) as f:
        return numpy.asfortranarray(f["X"][:].T), f["y"][:]


def timed(task, *arguments):
    began = time.time()
    made = task(*arguments)
    return time.time() - began, made


def least(rows):
    return [min(column) for column in zip(*rows)]


def dense(examples, attributes, sparsity):
    make("dense.h5", examples, attributes, sparsity)
    times, one, two = [], [], []
    for _ in range(ROUNDS):
        reading, (x, y) = timed(read, "dense.h5")
        usual, peer = timed(OrthogonalMatchingPursuit(n_nonzero_coefs=sparsity).fit, x, y)
        plain, _ = timed(OrthogonalMatchingPursuit(n_nonzero_coefs=sparsity,
                                                   precompute=False).fit, x, y)
        del x, y
        times.append((reading, usual, plain))
        one.append(train("dense.h5", 1, "-s", sparsity, "--no-standardize"))
        two.append(train("dense.h5", 2, "-s", sparsity, "--no-standardize"))
    coef = numpy.zeros(attributes)
    coef[one[0][1]["support"]] = one[0][1]["coef"]
    same = set(one[0][1]["support"]) == set(numpy.flatnonzero(peer.coef_))
    reading, usual, plain = least(times)
    mine = min(row[0] for row in one)
    print(f"{examples} x {attributes}, {sparsity} attributes: supports "
          f"{'agree' if same else 'DIFFER'}, coefficients by {abs(coef - peer.coef_).max():.1e}")
    print(f"scikit-learn: {usual:.2f} s, precompute=False {plain:.2f} s, and {reading:.2f} s "
          "to read the file")
    print(f"one rank: {mine:.2f} s, two ranks: {min(row[0] for row in two):.2f} s; "
          f"{(usual + reading) / mine:.1f} and {(plain + reading) / mine:.1f} times as fast")
    report = min((row[2] for row in one),
                 key=lambda told: told["phases"]["gradient"]["seconds_max"])
    passes = report["phases"]["gradient"]["calls"]
    seconds = report["phases"]["gradient"]["seconds_max"]
    ideal = 4e-9 * passes * examples * attributes / report["read_gbs"]
    print(f"{passes} passes in {seconds:.2f} s, {seconds / ideal:.2f} times that of reading; "
          f"the run {report['seconds'] / ideal:.2f} times")


def folds(examples, attributes):
    make("folds.h5", examples, attributes, 20)
    x, y = read("folds.h5")
    theirs, peer = timed(OrthogonalMatchingPursuitCV(cv=5, max_iter=40).fit, x, y)
    mine, model, _ = train("folds.h5", 1)
    print(f"five folds, {examples} x {attributes}: {mine:.2f} s, {len(model['support'])} "
          f"attributes; scikit-learn, at most 40: {theirs:.2f} s, "
          f"{numpy.count_nonzero(peer.coef_)}")


if __name__ == "__main__":
    dense(*map(int, sys.argv[1:4]))
    folds(4000, 2000)
