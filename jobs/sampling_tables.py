#!/usr/bin/python3
# sampling_tables.py - tables of sampling.sh from the results of its runs
# SPDX-License-Identifier: MIT
"""sampling_tables.py shuffle SEED
    lines of the standard input in a random order
sampling_tables.py part PANEL RUN FOLDER
    lines of the table of runs, from FOLDER/CURVE,RULE,ATTRIBUTES.score.json and
    .report.json; zero.score.json is of the zero model
sampling_tables.py summary PREFIX PART...
    PREFIX.tsv with all runs, PREFIX.summary.tsv with a line for each point:
    mean, deviation, number and worst of the relative losses, and the share of
    the runs that are worse than the zero model
"""
import glob
import json
import os
import random
import statistics
import sys

COLUMNS = ("data", "curve", "adagrad", "attributes", "run", "observed", "loss",
           "zero", "relative")
SUMMARY = ("data", "curve", "adagrad", "attributes", "runs", "mean", "deviation",
           "worst", "above_1")
CURVES = ("uniform", "two-phase", "known", "online", "offline")


def shuffle(seed):
    lines = sys.stdin.readlines()
    random.Random(int(seed)).shuffle(lines)
    sys.stdout.writelines(lines)


def read_json(path):
    with open(path) as file:
        return json.load(file)


def loss(path):
    """The exact one where the distribution is known."""
    score = read_json(path)
    known = score.get("population_mse")
    return score["mse"] if known is None else known


def part(panel, run, folder):
    zero = loss(folder + "/zero.score.json")
    for path in sorted(glob.glob(folder + "/*,*.score.json")):
        curve, rule, attributes = os.path.basename(path)[:-11].split(",")
        report = read_json(path.replace(".score.json", ".report.json"))
        mine = loss(path)
        print(panel, curve, rule, attributes, run,
              report["attributes_observed"], "%.6g" % mine, "%.6g" % zero,
              "%.6g" % (mine / zero), sep="\t")


def rows_of(path):
    with open(path) as file:
        for line in file:
            if not line.startswith("#"):
                yield dict(zip(COLUMNS, line.rstrip("\n").split("\t")))


def point(row):
    return row["data"], row["curve"], row["adagrad"], int(row["attributes"])


def summarise(key, values):
    deviation = statistics.stdev(values) if len(values) > 1 else 0.0
    return key + (len(values), "%.4g" % statistics.fmean(values),
                  "%.4g" % deviation, "%.4g" % max(values),
                  "%.3g" % (sum(v > 1 for v in values) / len(values)))


def write(path, head, rows):
    with open(path, "w") as file:
        for row in [head] + rows:
            print(*row, sep="\t", file=file)


def summary(prefix, *parts):
    rows = [row for path in parts for row in rows_of(path)]
    write(prefix + ".tsv", COLUMNS, [tuple(row.values()) for row in rows])
    groups = {}
    for row in rows:
        groups.setdefault(point(row), []).append(float(row["relative"]))
    data = list(dict.fromkeys(row["data"] for row in rows))
    order = sorted(groups, key=lambda k: (
        data.index(k[0]), CURVES.index(k[1]), k[2], k[3]))
    write(prefix + ".summary.tsv", SUMMARY,
          [summarise(key, groups[key]) for key in order])


if __name__ == "__main__":
    {"shuffle": shuffle, "part": part, "summary": summary}[sys.argv[1]](
        *sys.argv[2:])
