#!/usr/bin/python3
"""oomp.py SEEDS ATTRIBUTES... - online OMP on its paper's problems (oomp.sh).

SPDX-License-Identifier: MIT
"""
import json
import math
import os
import subprocess
import sys

THRESHER = os.environ["THRESHER"]
DELTA = 0.1
DESIGNS = {"orthogonal": (0.0, 0.0), "toeplitz": (0.1, 0.1)}  # correlation, mu


def run(*arguments):
    return subprocess.run([THRESHER, *map(str, arguments)], check=True, capture_output=True,
                          text=True).stdout


def law(attributes, rho):
    """s*, and the smallest eigenvalue of the covariance of s* neighbours."""
    import numpy
    size = max(1, round(math.log2(attributes)))
    corr = rho ** abs(numpy.subtract.outer(numpy.arange(size), numpy.arange(size)))
    return size, float(numpy.linalg.eigvalsh(corr / 12)[0]), float(
        numpy.linalg.eigvalsh(corr / 12)[-1])


def cost_of_omp(attributes, size, least, mu):
    """s* d n + s*^2 n with the examples of equation 42 (Zhang 2009)."""
    smallest = (1 / size) / math.sqrt(size)
    n = (18 * 0.25 * math.log(4 * attributes / DELTA)
         / ((1 - mu) ** 2 * least ** 2 * smallest ** 2))
    return (size * attributes + size ** 2) * n


def learn(attributes, design, seed, limit, *options):
    rho, mu = DESIGNS[design]
    size, least, most = law(attributes, rho)
    source = f"oomp:examples={limit},attributes={attributes},design={design},seed={seed}"
    if rho:
        source += f",correlation={rho}"
    run("train", "--source", source, "-o", "model.h5", "--force", "--solver", "oomp",
        "--no-intercept", "--no-standardize", "--delta", DELTA, "--mu", mu, "--rho", least,
        "--smoothness", most, *options)
    return json.loads(run("inspect", "model.h5", "--json")), size, least, mu


def study(attributes, design, seeds):
    ratios, whole, wrong = [], 0, 0
    for seed in range(1, seeds + 1):
        told, size, least, mu = learn(attributes, design, seed, 20000000, "-s",
                                      max(1, round(math.log2(attributes))))
        cost = told["cost"]["try_select"] + told["cost"]["optim"]
        ratios.append(math.log2(cost / cost_of_omp(attributes, size, least, mu)))
        whole += sorted(told["selected"]) == list(range(size))
        wrong += any(k >= size for k in told["selected"])
    mean = sum(ratios) / len(ratios)
    print(f"{attributes:6} {design:11} {whole:4} of {seeds} {wrong:6} {mean:8.2f} "
          f"{min(ratios):8.2f} {max(ratios):8.2f}", flush=True)


if __name__ == "__main__":
    print("attributes design  found whole  wrong  log2(C_OOMP/C_OMP): mean, least, most")
    for text in sys.argv[2:]:
        for name in DESIGNS:
            study(int(text), name, int(sys.argv[1]))
