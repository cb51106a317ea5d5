#!/usr/bin/python3
"""sift.py TABLE RUNS [OPTION...] - the strict support of sift, over many seeds.

examples D S BUDGET N [CORRELATION]: examples of one pass after which the mean squared
error of the population was first at most 1.05 (noise of variance 1).
ends N: runs of N examples of the worked example's problem in one pass: the error of the
model beyond that of least squares on the true support with all examples, in units of
support size times noise variance over N; attributes missed, and false ones.
hard KIND: 10,000 examples, 200 attributes, 10 true ones, budget 40, default passes: the
model's error beyond the noise; beside it that of least squares on the true support.
noise N D: attributes that are chosen where nothing is to be found.
weights SOLVER LAYOUT PASSES: one true coefficient of 1, weights exp of its attribute:
how far it is from 1, and the intercept from 0.
SPDX-License-Identifier: MIT
"""
import json
import math
import os
import subprocess
import sys

import numpy

THRESHER = os.environ["THRESHER"]
FIRST_SEED = 300


def run(*arguments):
    return subprocess.run([THRESHER, *map(str, arguments)], check=True,
                          capture_output=True, text=True).stdout


def train(data, *options):
    run("train", *data, "-o", "s.model.h5", "--force", "-q", *options)
    return json.loads(run("inspect", "s.model.h5", "--json"))


def print_row(name, values, unit=""):
    values = numpy.array(values, float)
    print(f"{name}: mean {values.mean():.4g}, worst {values.max():.4g}{unit} "
          f"({len(values)} seeds)", flush=True)


# ---- examples to an error of 1.05 ----

def source_of(d, support, n, correlation, seed):
    family = "toeplitz" if correlation else "murata"
    more = f",correlation={correlation}" if correlation else ""
    return f"{family}:n={n},d={d},support={support},seed={seed}{more}"


def examples_to(d, support, budget, n, correlation, seed):
    source = source_of(d, support, n, correlation, seed)
    train(["--source", source], "--budget", budget, "--passes", 1, "--select", "truth",
          "--telemetry", "s.jsonl")
    with open("s.jsonl") as file:
        for line in map(json.loads, file):
            if line["population_mse"] <= 1.05:
                return line["examples"]
    return math.inf


def table_examples(runs, d, support, budget, n, correlation="0"):
    values = [examples_to(int(d), int(support), int(budget), int(n), float(correlation),
                          FIRST_SEED + k) for k in range(runs)]
    print_row(f"{d} attributes, {support} true, budget {budget}, correlation "
              f"{correlation}: examples to 1.05", values)


# ---- ends of runs ----

def error_of(model, wanted):
    """Attributes are independent, of variance 1: errors are sums of squares."""
    coef = numpy.zeros(len(wanted))
    coef[model["support"]] = model["coef"]
    return ((coef - wanted) ** 2).sum() + model["intercept"] ** 2


def end_of(n, seed):
    run("generate", "murata", "-n", n, "-d", 500, "--seed", seed, "-o", "s.h5",
        "--force", "-q")
    truth = json.loads(run("inspect", "s.h5", "--json"))["truth"]
    wanted = numpy.zeros(500)
    wanted[truth["support"]] = truth["coef"]
    least = error_of(train(["s.h5"], "--solver", "exploitation", "--start",
                           ",".join(map(str, truth["support"])), "--passes", 2,
                           "--refit", "yes"), wanted)
    model = train(["s.h5"], "--budget", 50, "--passes", 1, "--select", "truth")
    found = set(model["support"])
    true = set(truth["support"])
    return ((error_of(model, wanted) - least) * n / len(true), len(true - found),
            len(found - true))


def table_ends(runs, n):
    rows = [end_of(int(n), FIRST_SEED + k) for k in range(runs)]
    print_row(f"runs of {n} examples: excess", [r[0] for r in rows], " s sigma^2 / n")
    print(f"    missed {sum(r[1] for r in rows)}, false {sum(r[2] for r in rows)}")


# ---- hard designs ----

def hard_data(kind, n, d, draw):
    """x, coefficients, variance of the noise, standard deviation of the attributes."""
    s = 10
    x = draw.standard_normal((n, d))
    coef = numpy.where(numpy.arange(s) % 2, -1.0, 1.0)
    if kind == "lognormal":
        x = (numpy.exp(x) - math.exp(0.5)) / math.sqrt((math.e - 1) * math.e)
    elif kind.startswith("binary"):
        x = (draw.random((n, d)) < 0.01).astype(float)
        coef *= 3
    elif kind == "sizes":
        coef *= numpy.geomspace(2, 0.1, s)
    spread = math.sqrt(0.01 * 0.99) if kind.startswith("binary") else 1
    return x, coef, 5.0 if kind == "noise5" else 1.0, spread


def write(x, y, weight=None):
    columns = [x, y] + ([weight] if weight is not None else [])
    numpy.savetxt("s.csv", numpy.column_stack(columns), delimiter=",", fmt="%.7g")


def hard_of(kind, seed):
    n, d, s = 10000, 200, 10
    draw = numpy.random.default_rng(seed)
    x, coef, noise, spread = hard_data(kind, n, d, draw)
    y = x[:, :s] @ coef + noise * draw.standard_normal(n)
    write(x, y)
    run("import", "s.csv", "-o", "s.h5", "--force", "-q", "--layout",
        "sparse" if kind.endswith("sparse") else "dense")
    model = train(["s.h5"], "--budget", 40, "--select", "truth")
    error = numpy.zeros(d)
    error[model["support"]] = model["coef"]
    error[:s] -= coef
    mean = x.mean(axis=0)
    shift = model["intercept"] + error @ mean
    best = numpy.linalg.lstsq(numpy.column_stack([x[:, :s], numpy.ones(n)]), y, None)[0]
    least = ((best[:s] - coef) ** 2).sum() * spread ** 2
    return (error ** 2).sum() * spread ** 2 + shift ** 2, least


def table_hard(runs, kind):
    rows = [hard_of(kind, FIRST_SEED + k) for k in range(runs)]
    print_row(f"{kind}: excess", [r[0] for r in rows],
              f", least squares {numpy.mean([r[1] for r in rows]):.4g}")


# ---- nothing to be found ----

def noise_of(n, d, seed):
    draw = numpy.random.default_rng(seed)
    write(draw.standard_normal((n, d)), draw.standard_normal(n))
    run("import", "s.csv", "-o", "s.h5", "--force", "-q")
    return len(train(["s.h5"], "--select", "truth")["support"])


def table_noise(runs, n, d):
    print_row(f"noise, {n} x {d}: chosen",
              [noise_of(int(n), int(d), FIRST_SEED + k) for k in range(runs)])


# ---- weights ----

def weights_of(solver, layout, passes, seed):
    n, d = 20000, 100
    draw = numpy.random.default_rng(seed)
    x = draw.standard_normal((n, d))
    if layout == "sparse":
        x *= draw.random((n, d)) < 0.3
    write(x, x[:, 3] + draw.standard_normal(n), numpy.exp(x[:, 3]))
    run("import", "s.csv", "-o", "s.h5", "--force", "-q", "--layout", layout, "--target",
        d + 1, "--weights", d + 2)
    options = {"sift": ["--budget", 20, "--select", "truth"], "predict": [],
               "hybrid": ["--budget", 20, "-s", 1],
               "exploration": ["--budget", 20, "-s", 1],
               "exploitation": ["--start", "3"]}[solver]
    if solver not in ("sift", "predict"):
        options = ["--solver", solver, *options]
    model = train(["s.h5"], "--passes", passes, *options)
    coef = dict(zip(model["support"], model["coef"])).get(3, 0)
    return max(abs(coef - 1), abs(model["intercept"]))


def table_weights(runs, solver, layout, passes):
    print_row(f"weights, {solver}, {layout}, {passes} passes: off by",
              [weights_of(solver, layout, passes, FIRST_SEED + k) for k in range(runs)])


TABLES = {"examples": table_examples, "ends": table_ends, "hard": table_hard,
          "noise": table_noise, "weights": table_weights}
TABLES[sys.argv[1]](int(sys.argv[2]), *sys.argv[3:])
