#!/usr/bin/python3
# peers_table.py - a table of all results in this folder: see peers.sh
# SPDX-License-Identifier: MIT
"""Markdown: WORK.results.json (peers_score.py), WORK.path.json (path.sh) and
WORK.text.json (text_lasso.py), ours beside the others, whoever is faster."""
import glob
import json
import math

KINDS = (("mse", "MSE %.4g"), ("log_loss", "log loss %.4g"))
NAMES = {"scikit-lasso": "scikit-learn Lasso", "scikit-omp": "scikit-learn OMP",
         "scikit-sgd": "scikit-learn SGD", "scikit-sgd_logistic": "scikit-learn SGD",
         "scikit-logistic": "scikit-learn l1 logistic", "liblinear": "LIBLINEAR"}


def seconds(value):
    if not math.isfinite(value):
        return "no answer"
    return "%.2g s" % value if value < 10 else "%.0f s" % value


def row(what, tool, value, ours, result):
    ratio = value / ours if tool != "Thresher" and math.isfinite(value) else math.nan
    print("| %s | %s | %s | %s | %s |" % (
        what, tool, seconds(value), "" if math.isnan(ratio) else "%.2g" % ratio, result))


def load(pattern):
    for name in sorted(glob.glob("*." + pattern + ".json")):
        with open(name) as file:
            yield name.split(".")[0], json.load(file)


def scores():
    for work, tools in load("results"):
        ours = tools.pop(work + ".thresher")
        for name, figures in [(".Thresher", ours), *tools.items()]:
            short = name.split(".", 1)[1]
            result = next(form % figures[key] for key, form in KINDS if key in figures)
            row(work, NAMES.get(short, short),
                figures["seconds"], ours["seconds"],
                result + ", %d of %d chosen are true" % (figures["true"],
                                                          figures["support"]))


def paths():
    for work, figures in load("path"):
        what = work + ", path of 100"
        row(what, "Thresher", figures["thresher"], figures["thresher"], "certified")
        for key, lambdas, thresh in zip(("glmnet", "precise"), figures["lambdas"],
                                        ("1e-7", "1e-12")):
            row(what, "glmnet, its call alone", figures[key], figures["thresher"],
                "thresh %s, %d solved" % (thresh, lambdas))


def texts():
    for _, tables in load("text"):
        for table in tables:
            for level, tools in table["rows"].items():
                ours = tools.pop("thresher")
                row(table["title"], "Thresher", ours, ours, "suboptimality " + level)
                for name, value in tools.items():
                    row(table["title"], NAMES.get(name, name), value, ours,
                        "suboptimality " + level)


print("| data | tool | time | over Thresher's | result |")
print("| --- | --- | --- | --- | --- |")
scores()
paths()
texts()
