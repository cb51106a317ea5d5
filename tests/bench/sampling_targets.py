#!/usr/bin/python3
# sampling_targets.py RUNS - losses of the solvers that sample attributes
# SPDX-License-Identifier: MIT
"""A run has data of its own (seed RUN), 500 attributes, 5 of an example observed,
one pass. The loss is the exact one of the distribution. Two forms: the paper's,
without an intercept, and the program's own.
Environment: OPTIONS, further options of train. Printed for each setting:

mean      of the runs' losses over those of the zero model, and its standard error
pooled    the mean of the losses over the mean of the zero model's
median    of the ratios
worst     of the ratios
above_1   the share of the runs that are worse than the zero model
"""
import concurrent.futures
import json
import os
import statistics
import subprocess
import sys

THRESHER = os.environ["THRESHER"]
# task, alpha, attributes observed, target of known, about of uniform
SETTINGS = [
    ("ridge", "-2", 5000, 0.16, None),
    ("ridge", "-2", 20000, 0.12, 0.24),
    ("ridge", "-1", 100000, 0.56, None),
    ("lasso", "-2", 20000, 0.31, 0.7),
    ("lasso", "-1", 20000, 0.74, None),
    ("ridge", "0", 20000, None, None),
]
MOMENTS = ("uniform", "two-phase", "known")
FORMS = {"paper": ["--no-intercept"], "default": []}
# of the paper: figures 1 and 2
RHO = {"0": (1, None), "-0.5": (0.91, 0.086), "-1": (0.55, 0.014),
       "-2": (0.05, 0.0033)}
BUDGET = 5
OPTIONS = os.environ.get("OPTIONS", "").split()


def call(*words):
    return subprocess.run([THRESHER, *words], check=True, text=True,
                          capture_output=True).stdout


def source(task, alpha, seed, n):
    return "kukliansky:n=%d,d=500,alpha=%s,task=%s,seed=%d" % (
        n, alpha, task, seed)


def loss(name, task, alpha, seed, n, *options):
    model = name + ".h5"
    call("train", "--source", source(task, alpha, seed, n), "-o", model,
         "--force", "--quiet", "--loss", "squared", "--seed", str(seed), *options)
    score = json.loads(call("evaluate", model, "--source",
                            source(task, alpha, seed, 1), "--json"))
    os.remove(model)
    return score["population_mse"]


def run(job):
    (task, alpha, attributes, _, _), form, moments, seed = job
    name = "-".join([task, "a" + alpha, str(attributes), form, moments,
                     str(seed)])
    zero = loss(name, task, alpha, seed, 50, "--solver", "lasso",
                "--lambda-ratio", "1", "--no-intercept", "--no-standardize")
    solver = {"ridge": "aerr", "lasso": "aelr"}[task]
    mine = loss(name, task, alpha, seed, attributes // BUDGET, "--solver",
                solver, "--budget", str(BUDGET), "--moments", moments,
                "--passes", "1", "--validation", "0", "--no-standardize", *FORMS[form], *OPTIONS)
    return mine, zero


def line(setting, form, moments, pairs):
    task, alpha, attributes, known, uniform = setting
    ratios = [mine / zero for mine, zero in pairs]
    error = statistics.stdev(ratios) / len(ratios) ** 0.5
    pooled = sum(m for m, _ in pairs) / sum(z for _, z in pairs)
    target = {"known": known and "<= %g" % known,
              "uniform": uniform and "about %g" % uniform}.get(moments)
    print("%-5s %-4s %7d %-8s %-9s %7.3f %7.3f %7.3f %7.3f %7.3f %7.2f   %s" % (
        task, alpha, attributes, form, moments, statistics.fmean(ratios), error,
        pooled, statistics.median(ratios), max(ratios),
        sum(r > 1 for r in ratios) / len(ratios), target or ""), flush=True)


def losses(runs):
    print("%-5s %-4s %7s %-8s %-9s %7s %7s %7s %7s %7s %7s   target" % (
        "task", "alph", "attrib.", "form", "moments", "mean", "error", "pooled",
        "median", "worst", "above_1"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for setting in SETTINGS:
            for form in FORMS:
                for moments in MOMENTS:
                    jobs = [(setting, form, moments, k)
                            for k in range(1, runs + 1)]
                    line(setting, form, moments, list(pool.map(run, jobs)))


def ratios():
    """rho_ridge and rho_lasso, where inspect has them."""
    for alpha, printed in RHO.items():
        for task, paper in zip(("ridge", "lasso"), printed):
            call("generate", "kukliansky", "-o", "rho.h5", "--force", "--quiet",
                 "--examples", "20000", "--attributes", "500", "--alpha", alpha,
                 "--task", task)
            found = json.loads(call("inspect", "rho.h5", "--json"))
            if "rho_" + task not in found:
                print("inspect has no rho_" + task)
                return
            print("alpha %-4s rho_%s %.4g, paper %s" % (
                alpha, task, found["rho_" + task], paper))


losses(int(sys.argv[1]))
ratios()
