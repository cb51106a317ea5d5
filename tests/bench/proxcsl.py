#!/usr/bin/python3
# proxcsl.py - see proxcsl.sh
# SPDX-License-Identifier: MIT
"""Thresher and proxCSL on train.svm and test.svm: seconds to equal objectives at LAMBDAS, and
to the first model within .1 % of the best test accuracy over SWEEP."""
import json
import os
import shutil
import statistics
import subprocess
import time

import numpy
from sklearn.datasets import load_svmlight_file

import bench

RANKS, REPEATS = os.environ["RANKS"], int(os.environ["REPEATS"])
LAMBDAS = os.environ.get("LAMBDAS", "1e-4 1e-5 1e-6").split()
SWEEP = os.environ.get("SWEEP", "1e-3 3e-4 1e-4 3e-5 1e-5 3e-6 1e-6").split()
UPDATES = 8  # of proxCSL, at most
SWEEP_UPDATES = 2  # as its own sweeps make
LONG = 5  # seconds of a run that is not repeated
LEVELS = (0.3, 0.1, 1e-2, 1e-3, 1e-5, 1e-7)
NEAR = 1e-3  # of the best test accuracy
TOLERANCES = (3e-1, 1e-1, 3e-2, 1e-2, 1e-3, None)
# The start is the mean of the ranks' own models; that of OWA, a second fit of these, is slower
# and further off. alpha draws to the model before; adaptive chooses it by trials.
STARTS = (("adaptive", "naive", "0", "yes"), ("alpha 1e-6", "naive", "1e-6", "no"),
          ("alpha 1e-5", "naive", "1e-5", "no"))


class Data:
    def __init__(self):
        loaded = load_svmlight_file("train.svm"), load_svmlight_file("test.svm")
        # One more than there are: proxCSL's first fit takes the last one for an intercept
        # without a penalty. An attribute that is always 0 stays out of the model.
        self.attributes = max(x.shape[1] for x, _ in loaded) + 1
        (self.x, self.y), (self.test, self.test_y) = (
            load_svmlight_file(name + ".svm", n_features=self.attributes)
            for name in ("train", "test"))
        if len(set(self.y) | set(self.test_y)) != 2:
            raise SystemExit("proxcsl.py: wanted two labels")
        high = self.y.max()
        self.y, self.test_y = (numpy.where(y == high, 1, -1) for y in (self.y, self.test_y))

    def deal(self):
        """The examples to the ranks, in a random order, as part.train.RANK.svm."""
        for name, y in (("train", self.y), ("test", self.test_y)):
            with open(name + ".svm") as file:
                lines = [line.split("#")[0].split(None, 1) for line in file if line.strip()]
            if any(len(line) < 2 or ":" not in line[1] for line in lines):
                raise SystemExit("proxcsl.py: %s.svm has an example without entries, which "
                                 "proxCSL's reader leaves out" % name)
            order = numpy.random.default_rng(1).permutation(len(lines))
            for rank in range(int(RANKS)):
                with open("part.%s.%d.svm" % (name, rank), "w") as file:
                    file.writelines("%d %s\n" % (y[i], lines[i][1].rstrip())
                                    for i in order[rank::int(RANKS)])

    def objective(self, coef, lam):
        return (numpy.logaddexp(0, -self.y * (self.x @ coef)).mean() +
                float(lam) * numpy.abs(coef).sum())

    def accuracy(self, coef, intercept=0.0):
        return ((self.test @ coef + intercept > 0) == (self.test_y > 0)).mean()


def medians(runs):
    return tuple(statistics.median(values) for values in zip(*runs))


def ours(data, *options):
    """Seconds and those of the busiest rank's processor, coefficients, intercept."""
    runs = []
    while len(runs) < REPEATS and (not runs or runs[0][0] < LONG):
        bench.run(int(RANKS), "train", "data.h5", "-o", "models/m.h5", "--force", "--quiet",
                  "--report", "models/report.json", *options)
        with open("models/report.json") as file:
            report = json.load(file)
        runs.append((report["seconds"], max(r["user_seconds"] for r in report["per_rank"])))
    model = bench.told("inspect", "models/m.h5")
    coef = numpy.zeros(data.attributes)
    coef[model["support"]] = model["coef"]
    return medians(runs), coef, model["intercept"]


def lasso(data, lam, tolerance):
    given = [] if tolerance is None else ["--tolerance", tolerance]
    return ours(data, "--solver", "lasso", "--loss", "logistic", "--no-intercept", "--lambda",
                lam, "--no-standardize", *given)


def theirs(data, lambdas, updates, start, alpha, adaptive):
    """lambda: what each number of updates takes, and its coefficients."""
    runs, loading = {}, []
    for _ in range(REPEATS):
        told = subprocess.run(
            [*bench.LAUNCH, RANKS, "./proxcsl", "part.train", "part.test", str(data.attributes),
             "models/p", start, str(updates), alpha, adaptive, *lambdas],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            timeout=int(os.environ["LIMIT"])).stderr
        for line in told.splitlines():
            if not line.startswith("{"):
                continue
            line = json.loads(line)
            if "loading" in line:
                loading.append(line["loading"])
            else:
                runs.setdefault((line["lambda"], line["updates"]), []).append(
                    (line["seconds"], line["user"]))
    models = {lam: [(medians(runs[i, k]), numpy.fromfile("models/p.%d.%d" % (i, k)))
                    for k in range(updates + 1)] for i, lam in enumerate(lambdas)}
    return models, statistics.median(loading)


def cell(found):
    """The first of (cost, how), cheapest by the clock, as text."""
    if not found:
        return "%-42s" % "no answer"
    (seconds, user), how = min(found)
    return "%-42s" % ("%6.2f s %6.2f user  %s" % (seconds, user, how))


def equal_objective(data, starts):
    print("\nSeconds to the objective, and those of the busiest rank's processor")
    for lam in LAMBDAS:
        mine = [(cost, data.objective(coef, lam), "tolerance %s" % (t or "1e-9"))
                for t in TOLERANCES for cost, coef, _ in (lasso(data, lam, t),)]
        other = [(cost, data.objective(coef, lam), "%s, %d updates" % (name, k))
                 for name, models in starts.items()
                 for k, (cost, coef) in enumerate(models[lam])]
        best = min(value for _, value, _ in mine + other)
        print("lambda %s, least objective %.9g, proxCSL's least %.9g" %
              (lam, best, min(value for _, value, _ in other)))
        for level in LEVELS:
            print("  suboptimality %-6g" % level, *(
                "%-9s" % name + cell([(cost, how) for cost, value, how in tool
                             if value <= best * (1 + level)])
                for name, tool in (("thresher", mine), ("proxCSL", other))), flush=True)


def sweep(costs):
    """costs: per lambda, falling, those of its models in turn and whether they are near the
    best: seconds from the first lambda to the first such model."""
    spent = numpy.zeros(2)
    for lam, models in costs:
        for k, (cost, near) in enumerate(models):
            if near:
                total = tuple(spent + cost)
                return [(total, "at lambda %s, model %d" % (lam, k + 1))]
        spent += models[-1][0]
    return []


def equal_accuracy(data, starts):
    tools = {"thresher lasso, tolerance %s" % t: [
        (lam, [(cost, data.accuracy(coef))]) for lam in SWEEP
        for cost, coef, _ in (lasso(data, lam, t),)] for t in (3e-1, 1e-1, 3e-2)}
    tools["thresher os-prox-sgd"] = [
        (lam, [(cost, data.accuracy(coef, intercept))]) for lam in SWEEP
        for cost, coef, intercept in (
            ours(data, "--solver", "os-prox-sgd", "--loss", "logistic", "--lambda", lam,
                 "--epochs", 10, "--no-standardize"),)]
    cost, coef, intercept = ours(data)
    tools["thresher, no option"] = [("its own", [(cost, data.accuracy(coef, intercept))])]
    for name, models in starts.items():
        tools["proxCSL " + name] = [(lam, [(cost, data.accuracy(coef))
                                           for cost, coef in models[lam]]) for lam in SWEEP]
    best = max(a for runs in tools.values() for _, models in runs for _, a in models)
    print("\nTest accuracy: best %.4f. One model within %g of it; from the largest lambda of the "
          "sweep to the first such model" % (best, NEAR))
    for name, runs in tools.items():
        near = [(lam, [(cost, a >= best - NEAR) for cost, a in models]) for lam, models in runs]
        print("%-32s best %.4f  one %s sweep %s" % (
            name, max(a for _, models in runs for _, a in models),
            cell([(cost, "lambda %s, model %d" % (lam, k + 1)) for lam, models in near
                  for k, (cost, good) in enumerate(models) if good]), cell(sweep(near))),
              flush=True)


def main():
    shutil.rmtree("models", ignore_errors=True)
    os.mkdir("models")
    data = Data()
    data.deal()
    began = time.time()
    bench.run(int(RANKS), "import", "train.svm", "-o", "data.h5", "--no-shuffle", "--layout",
              "sparse", "--attributes", data.attributes, "--force")
    print("%d + %d examples, %d attributes, %s ranks" % (
        len(data.y), len(data.test_y), data.attributes - 1, RANKS))
    print("text to the form that is trained on: thresher's import %.2f s" % (time.time() - began),
          end="", flush=True)
    starts, loading = {}, 0
    for name, *how in STARTS:
        starts[name], loading = theirs(data, LAMBDAS, UPDATES, *how)
    print(", proxCSL's, in each run, %.2f s" % loading)
    equal_objective(data, starts)
    starts = {name: theirs(data, SWEEP, SWEEP_UPDATES, *how)[0] for name, *how in STARTS}
    equal_accuracy(data, starts)


main()
