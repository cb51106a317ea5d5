#!/usr/bin/python3
"""layouts.py EXAMPLES ATTRIBUTES MEANS SOME REPEATS SOLVERS - either layout, means far from
zero (layouts.sh).

SPDX-License-Identifier: MIT
"""
import sys

import numpy

from bench import coef_of, run

FEW = ("--budget", 30, "-s", 6)
OPTIONS = {"exploration": FEW, "hybrid": FEW, "rda-ito": FEW, "dantzig": FEW,
           "exploitation": ("--start", "3,18,42"), "oomp": ("--mu", 0.1)}
LAYOUTS = ("dense", "sparse")


def write(mean, some, n, d):
    draw = numpy.random.default_rng(4)
    z = draw.standard_normal((n, d))
    x = z + mean
    if some:
        near = numpy.arange(d) % 3 != 0
        x[:, near] = numpy.where(draw.random((n, d)) < 0.1, z, 0)[:, near]
    y = 3 + z[:, [3, 18, 42, 57]] @ [2, -1.5, 1, 0.8] + draw.standard_normal(n)
    with open("rows.txt", "w") as f:
        for target, row in zip(y, x):
            f.write("%.17g " % target + " ".join(
                "%d:%.17g" % (j + 1, row[j]) for j in numpy.flatnonzero(row)) + "\n")
    for layout in LAYOUTS:
        run(0, "import", "rows.txt", "-o", layout + ".h5", "--layout", layout, "--type", "f64",
            "--row-group", 64, "--force")


def compare(solver, attributes, repeats):
    found, least = [], [numpy.inf, numpy.inf]
    for turn in range(repeats):
        for k, layout in enumerate(LAYOUTS):
            user, _ = run(0, "train", layout + ".h5", "-o", "model.h5", "--force", "--solver",
                          solver, *OPTIONS.get(solver, ()))
            least[k] = min(least[k], user)
            if turn == 0:
                found.append(coef_of("model.h5", attributes))
    dense, sparse = found
    off = abs(dense - sparse).max() / max(abs(dense).max(), 1e-9)
    differ = sum((dense != 0) != (sparse != 0))
    return differ, off, least[0], least[1]


def main():
    n, d, repeats = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[5])
    print(f"{'mean':>7} {'solver':20} {'differ':>6} {'apart':>8} {'dense s':>8} {'sparse s':>8} "
          "ratio")
    for mean in sys.argv[3].split():
        write(float(mean), sys.argv[4] == "yes", n, d)
        for solver in sys.argv[6].split():
            differ, off, dense, sparse = compare(solver, d, repeats)
            print(f"{mean:>7} {solver:20} {differ:6} {off:8.1e} {dense:8.2f} {sparse:8.2f} "
                  f"{sparse / max(dense, 0.01):5.2f}", flush=True)


if __name__ == "__main__":
    main()
