#!/usr/bin/python3
# text_lasso.py WORK LAMBDA - see text_lasso.sh
# SPDX-License-Identifier: MIT
"""Times of WORK.h5 (ours), WORK.svm (LIBLINEAR) and WORK/train.rds (glmnet) at equal
relative suboptimality."""
import json
import os
import resource
import subprocess
import sys

import numpy
from sklearn.datasets import load_svmlight_file

import bench

WORK, LAMBDA = sys.argv[1], float(sys.argv[2])
REPEATS = int(os.environ["REPEATS"])
PATIENCE = 120  # seconds of one run
LEVELS = (1e-3, 1e-5, 1e-7)
OURS = (3e-1, 1e-1, 5e-2, 2e-2, 1e-2, 3e-3, 1e-3, 1e-4, None)
PATHS = (1e-1, 1e-2, 1e-3, 1e-4, None)
LIBLINEAR = (1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 1e-6, 1e-7, 1e-8)
GLMNET = (1e-3, 1e-5, 1e-7, 1e-9, 1e-11)
TABLES = []


def cpu(command):
    """CPU seconds of a process: the least of some runs."""
    least = numpy.inf
    for _ in range(REPEATS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        least = min(least, after.ru_utime + after.ru_stime - before.ru_utime -
                    before.ru_stime)
    return least


def objective(x, y, coef, intercept, penalised):
    margin = y * (x @ coef + intercept)
    penalty = numpy.abs(coef).sum() + (abs(intercept) if penalised else 0)
    return numpy.logaddexp(0, -margin).mean() + LAMBDA * penalty


def ours(x, y, tolerance, path):
    given = [] if tolerance is None else ["--tolerance", str(tolerance)]
    how = ["--path", "100", "--path-min", "0.01", "--choose", "last"] if path else ["--lambda", str(LAMBDA)]
    seconds = cpu([bench.THRESHER, "train", WORK + ".h5", "-o", WORK + ".model.h5",
                   "--force", "--quiet", "--solver", "lasso", "--loss", "logistic",
                   "--intercept", "--no-standardize", *how, *given])
    model = bench.told("inspect", WORK + ".model.h5")
    if path:
        return seconds, model["objective"]
    coef = numpy.zeros(x.shape[1])
    coef[model["support"]] = model["coef"]
    return seconds, objective(x, y, coef, model["intercept"], False)


def liblinear(x, y, tolerance):
    name = WORK + ".liblinear"
    seconds = cpu(["liblinear-train", "-q", "-s", "6", "-B", "1", "-e", str(tolerance), "-c",
                   repr(1 / (LAMBDA * len(y))), WORK + ".svm", name])
    with open(name) as file:
        lines = file.read().split("\n")
    sign = 1 if lines[2].split()[1] == "1" else -1
    weight = sign * numpy.array([float(line) for line in lines[6:] if line.strip()])
    coef = numpy.zeros(x.shape[1])
    coef[:len(weight) - 1] = weight[:-1]
    return seconds, objective(x, y, coef, weight[-1], True)


def glmnet(lambdas, thresh):
    """Seconds and objective at the last lambda."""
    script = os.environ["SOURCE"] + "/tests/bench/text_lasso.R"
    told = subprocess.run(["Rscript", "--vanilla", script, WORK, str(REPEATS), lambdas, str(thresh)],
                          check=True, capture_output=True, text=True,
                          timeout=PATIENCE * REPEATS).stdout
    run = json.loads(told)
    return run["seconds"], run["objective"]


def walk(name, tolerances, fit):
    """What fit returns for falling tolerances, up to the first without an answer in
    PATIENCE seconds."""
    runs = []
    for tolerance in tolerances:
        try:
            runs.append(fit(tolerance))
        except subprocess.TimeoutExpired:
            print("%s, tolerance %s: no answer in %d s" % (name, tolerance, PATIENCE),
                  flush=True)
            break
    return runs


def with_a_penalty():
    """The least objective where the intercept has a penalty, too: an attribute of ones."""
    name = WORK + ".ones"
    with open(WORK + ".svm") as file, open(name + ".svm", "w") as out:
        lines = [line.rstrip("\n") for line in file]
        last = 1 + max(int(line.rsplit(" ", 1)[-1].split(":")[0]) for line in lines
                       if ":" in line)
        out.writelines("%s %d:1\n" % (line.rstrip(), last) for line in lines)
    bench.run(0, "import", name + ".svm", "-o", name + ".h5", "--force", "--layout", "sparse")
    bench.run(0, "train", name + ".h5", "-o", name + ".model.h5", "--force", "--solver",
              "lasso", "--loss", "logistic", "--no-intercept", "--lambda", LAMBDA,
              "--no-standardize", "--tolerance", "1e-11")
    return bench.told("inspect", name + ".model.h5")["objective"]


def fastest(runs, best, level):
    """The least seconds at which the objective is as near to the best as that."""
    return min((s for s, value in runs if value <= best * (1 + level)), default=numpy.inf)


def table(title, tools):
    """tools: name: (runs, least objective known of its problem)."""
    print(title + ": CPU seconds")
    print("%-16s" % "suboptimality", *("%10s" % name for name in tools))
    rows = {}
    for level in LEVELS:
        rows["%g" % level] = {name: fastest(runs, best, level)
                              for name, (runs, best) in tools.items()}
        print("%-16g" % level, *("%10.2f" % value for value in rows["%g" % level].values()),
              flush=True)
    TABLES.append({"title": title, "rows": rows})


def main():
    x, y = load_svmlight_file(WORK + ".svm", n_features=None)
    mine = walk("thresher", OURS, lambda tolerance: ours(x, y, tolerance, False))
    theirs = walk("LIBLINEAR", LIBLINEAR, lambda tolerance: liblinear(x, y, tolerance))
    greatest = float(bench.told("inspect", WORK + ".model.h5")["lambda_max"])
    lambdas = "%r,%r,20" % (greatest, LAMBDA)
    r = walk("glmnet", GLMNET, lambda thresh: glmnet(lambdas, thresh))
    best = min(value for _, value in mine + r)
    table("%s, logistic, lambda %g" % (WORK, LAMBDA),
          {"thresher": (mine, best), "liblinear": (theirs, with_a_penalty()),
           "glmnet": (r, best)})
    mine = walk("thresher", PATHS, lambda tolerance: ours(x, y, tolerance, True))
    lambdas = "%r,%r,100" % (greatest, greatest / 100)
    r = walk("glmnet", GLMNET, lambda thresh: glmnet(lambdas, thresh))
    best = min(value for _, value in mine + r)
    table("%s, logistic, path of 100 to 0.01, objective at its end" % WORK,
          {"thresher": (mine, best), "glmnet": (r, best)})
    with open(WORK + ".text.json", "w") as file:
        json.dump(TABLES, file, indent=1)


main()
