#!/usr/bin/python3
"""omp.py DENSE TEXT FOLDS ROUNDS - solver omp beside scikit-learn (omp.sh).

SPDX-License-Identifier: MIT
"""
import os
import sys

import numpy
from sklearn.linear_model import OrthogonalMatchingPursuit, OrthogonalMatchingPursuitCV

from bench import coef_of, read_columns, run, timed, told

RANKS = int(os.environ["RANKS"])


def sizes(text):
    """EXAMPLESxATTRIBUTESxSUPPORT."""
    return [int(number) for number in text.split("x")]


def make(family, name, examples, attributes, *options):
    run(0, "generate", family, "-o", name, "--examples", examples, "--attributes", attributes,
        "--force", *options)


def train(ranks, name, *options):
    """User and wall seconds; one rank needs no launcher."""
    return run(ranks if ranks > 1 else 0, "train", name, "-o", "model.h5", "--force",
               "--solver", "omp", "--no-standardize", *options)


def passes(examples, attributes):
    return told("inspect", "model.h5")["ledger"]["attributes"] / examples / attributes


def least(pairs):
    """The least user and the least wall seconds."""
    return tuple(min(column) for column in zip(*pairs))


def fit(precompute, size, x, y):
    model = OrthogonalMatchingPursuit(n_nonzero_coefs=size, precompute=precompute)
    return timed(model.fit, x, y)[:2], model.coef_


def check(size, x, y):
    """Against a fit in double."""
    coef = coef_of("model.h5", x.shape[1])
    right = fit(False, size, x.astype(numpy.float64, order="F"), y)[1]
    same = set(numpy.flatnonzero(coef)) == set(numpy.flatnonzero(right))
    print("the same attributes as scikit-learn:", "yes" if same else "NO",
          "- largest difference of a coefficient: %.1e" % abs(coef - right).max())


def dense(text, rounds):
    """Thresher's times are of whole processes, scikit-learn's of the fit alone."""
    examples, attributes, size = sizes(text)
    make("toeplitz", "dense.h5", examples, attributes, "--support", 2 * size)
    times = {}

    def note(key, pair):
        times.setdefault(key, []).append(pair)

    for turn in range(rounds):
        note("own", train(1, "dense.h5", "-s", size))
        note("two", train(RANKS, "dense.h5", "-s", size))
        note("one", train(1, "dense.h5", "-s", 1))
        before = passes(examples, attributes)
        *reading, data = timed(read_columns, "dense.h5")
        note("reading", reading)
        note("no", fit(False, size, *data)[0])
        if turn == 0:
            note("auto", fit("auto", size, *data)[0])
            note("yes", fit(True, size, *data)[0])
    train(1, "dense.h5", "-s", size)
    times = {key: least(pairs) for key, pairs in times.items()}
    count = passes(examples, attributes)
    speed = told("bench", "memory")["read_gbs"] * 1e9
    must = (count - before) * 4 * examples * attributes / speed
    print(f"{examples} x {attributes}, {size} attributes: {count:.1f} passes, "
          f"one attribute {before:.1f}; user s, wall s")
    for key, name in (("own", "one rank"), ("two", f"{RANKS} ranks"), ("one", "one attribute"),
                      ("reading", "h5py reads"), ("auto", "scikit-learn, auto"),
                      ("no", "precompute no"), ("yes", "precompute yes")):
        print(f"{name:20} %.2f %.2f" % times[key])
    print("what follows the first attribute, over its reading: user %.2f, wall %.2f" %
          tuple((times["own"][k] - times["one"][k]) / must for k in range(2)))
    check(size, *data)


def sparse(text, rounds):
    examples, attributes, size = sizes(text)
    make("sparse", "text.h5", examples, attributes, "--density", 100 / attributes, "--support",
         2 * size)
    print(f"{examples} x {attributes} of text: user s, wall s, passes")
    for ranks in (1, RANKS):
        for chosen in (1, size):
            pair = least([train(ranks, "text.h5", "-s", chosen) for _ in range(rounds)])
            print(f"{chosen} attributes, {ranks} ranks: %.2f %.2f, {passes(examples, attributes):.1f}"
                  % pair, flush=True)


def folds(text, rounds):
    examples, attributes, size = sizes(text)
    make("toeplitz", "folds.h5", examples, attributes, "--support", size)
    own = least([train(1, "folds.h5") for _ in range(rounds)])
    model = OrthogonalMatchingPursuitCV(cv=5)
    peer = timed(model.fit, *read_columns("folds.h5"))[:2]
    chosen = set(told("inspect", "model.h5")["selected"])
    print(f"{examples} x {attributes}, {size} true attributes, as many as predict best: "
          f"%.2f %.2f, {passes(examples, attributes):.1f} passes, {len(chosen)} attributes" % own)
    print("scikit-learn's OrthogonalMatchingPursuitCV: %.2f %.2f, %d attributes, %d in common" %
          (*peer, model.n_nonzero_coefs_, len(chosen & set(numpy.flatnonzero(model.coef_)))))


if __name__ == "__main__":
    ROUNDS = int(sys.argv[4])
    dense(sys.argv[1], ROUNDS)
    sparse(sys.argv[2], ROUNDS)
    folds(sys.argv[3], ROUNDS)
