#!/usr/bin/python3
# thresholding_tables.py COMPARE.csv SUMMARY.tsv - means of compare.sh's runs
# SPDX-License-Identifier: MIT
"""A line for each solver and number of examples: mean and standard deviation of the
mean squared error, number of runs, mean of the attributes observed."""
import csv
import statistics
import sys

COLUMNS = ("solver", "examples", "mean", "deviation", "runs", "attributes", "constant")


def line(key, rows, constant):
    errors = [float(row["mse"]) for row in rows]
    deviation = statistics.stdev(errors) if len(errors) > 1 else 0.0
    attributes = statistics.fmean(float(row["attributes"]) for row in rows)
    return key + ("%.5g" % statistics.fmean(errors), "%.3g" % deviation, len(rows),
                  "%.4g" % attributes, "%.5g" % constant)


def main():
    with open(sys.argv[1]) as file:
        rows = list(csv.DictReader(file))
    constant = statistics.fmean(float(row["mse"]) for row in rows
                                if row["solver"] == "constant")
    points = {}
    for row in rows:
        if row["solver"] != "constant":
            points.setdefault((row["solver"], int(row["examples"])), []).append(row)
    with open(sys.argv[2], "w") as file:
        print(*COLUMNS, sep="\t", file=file)
        for key in sorted(points):
            print(*line(key, points[key], constant), sep="\t", file=file)


main()
