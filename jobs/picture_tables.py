#!/usr/bin/python3
# picture_tables.py - the tables of picture.sh
# SPDX-License-Identifier: MIT
"""picture_tables.py point SOLVER SEED N D REPORT.json SCORE.json
    One line: what a run observed, and how far its model is from the truth.
picture_tables.py medians POINTS.tsv
    Median and quartiles of the lines of each solver and size, over the seeds.

A solver under a budget has observed what its ledger says. One that reads the
whole data set has observed n x d attributes, however often it read them. The
error is the population mean squared error less the variance of the noise, 1.
"""
import csv
import json
import statistics
import sys


def point(solver, seed, n, d, report, score):
    with open(report) as file:
        observed = json.load(file)["attributes_observed"]
    with open(score) as file:
        error = json.load(file)["population_mse"] - 1
    if solver == "lasso":
        observed = int(n) * int(d)
    print(solver, seed, n, observed, "%.6g" % error, sep="\t")


def quartiles(values):
    if len(values) < 2:
        return values * 3
    return statistics.quantiles(values, n=4, method="inclusive")


def medians(path):
    groups = {}
    with open(path) as file:
        for row in csv.DictReader(file, delimiter="\t"):
            key = (row["solver"], int(row["n"]))
            groups.setdefault(key, []).append(row)
    print("solver", "n", "seeds", "attributes", "low", "median", "high", sep="\t")
    for (solver, n), rows in sorted(groups.items()):
        seen = statistics.median(float(row["attributes"]) for row in rows)
        low, middle, high = quartiles([float(row["error"]) for row in rows])
        print(solver, n, len(rows), "%.6g" % seen,
              *("%.5g" % value for value in (low, middle, high)), sep="\t")


{"point": point, "medians": medians}[sys.argv[1]](*sys.argv[2:])
