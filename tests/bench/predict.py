#!/usr/bin/python3
"""predict.py WHAT SEEDS - plain training, no option given, over many seeds.

murata N: the paper's problem with N examples: the squared error of the model beyond
that of least squares on the true support with all examples (exploitation, refitted), in
units of support size times noise variance over N; how often the strict support won.
noise N D: nothing to find: models that are not empty, R2 below that of the mean.
SPDX-License-Identifier: MIT
"""
import json
import os
import subprocess
import sys

import numpy

THRESHER = os.environ["THRESHER"]


def run(*arguments):
    return subprocess.run([THRESHER, *map(str, arguments)], check=True,
                          capture_output=True, text=True).stdout


def show(path):
    return json.loads(run("inspect", path, "--json"))


def error_of(model, wanted):
    """Attributes are independent, of variance 1: errors are sums of squares."""
    coef = numpy.zeros(len(wanted))
    coef[model["support"]] = model["coef"]
    return ((coef - wanted) ** 2).sum() + model["intercept"] ** 2


def murata(examples, seed):
    run("generate", "murata", "-n", examples, "-d", 500, "--seed", seed,
        "-o", "p.h5", "--force", "-q")
    truth = show("p.h5")["truth"]
    wanted = numpy.zeros(500)
    wanted[truth["support"]] = truth["coef"]
    run("train", "p.h5", "-o", "p.model.h5", "--force", "-q")
    run("train", "p.h5", "-o", "best.h5", "--force", "-q", "--solver", "exploitation",
        "--start", ",".join(map(str, truth["support"])), "--passes", 2, "--refit", "yes")
    model = show("p.model.h5")
    least = error_of(show("best.h5"), wanted)
    unit = len(truth["support"]) / examples
    return (error_of(model, wanted) - least) / unit, model["chosen"]["kind"]


def noise(examples, attributes, seed):
    draw = numpy.random.default_rng(seed)
    table = draw.standard_normal((examples, attributes + 1))
    numpy.savetxt("n.csv", table, delimiter=",", fmt="%.5g")
    run("import", "n.csv", "-o", "n.h5", "--force", "-q")
    run("train", "n.h5", "-o", "n.model.h5", "--force", "-q")
    model = show("n.model.h5")
    return sum(c * c for c in model["coef"]), len(model["support"])


def main():
    what, seeds, *numbers = sys.argv[1:]
    numbers = [int(n) for n in numbers]
    if what == "murata":
        found = [murata(*numbers, 100 + k) for k in range(int(seeds))]
        print(f"murata, {numbers[0]} examples, {seeds} seeds: worst excess "
              f"{max(f[0] for f in found):.3f}, strict support chosen in "
              f"{sum(f[1] == 'strict' for f in found)}")
    else:
        found = [noise(*numbers, 500 + k) for k in range(int(seeds))]
        print(f"noise, {numbers[0]} x {numbers[1]}, {seeds} seeds: not empty "
              f"{sum(f[1] > 0 for f in found)}, mean R2 below the mean's "
              f"{numpy.mean([f[0] for f in found]):.4f}, worst {max(f[0] for f in found):.3f}")


main()
