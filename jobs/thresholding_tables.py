#!/usr/bin/python3
# thresholding_tables.py COLUMN COMPARE.csv SUMMARY.tsv - means of compare.sh's runs
# SPDX-License-Identifier: MIT
"""A line for each solver and number of examples: mean and standard deviation of COLUMN,
number of runs, mean of the attributes observed, COLUMN of the constant model."""
import csv
import statistics
import sys

COLUMNS = ("solver", "examples", "mean", "deviation", "runs", "attributes", "constant")


def line(name, key, rows, constant):
    errors = [float(row[name]) for row in rows]
    deviation = statistics.stdev(errors) if len(errors) > 1 else 0.0
    attributes = statistics.fmean(float(row["attributes"]) for row in rows)
    return key + ("%.5g" % statistics.fmean(errors), "%.3g" % deviation, len(rows),
                  "%.4g" % attributes, "%.5g" % constant)


def main():
    name = sys.argv[1]
    with open(sys.argv[2]) as file:
        rows = list(csv.DictReader(file))
    constant = statistics.fmean(float(row[name]) for row in rows
                                if row["solver"] == "constant")
    points = {}
    for row in rows:
        if row["solver"] != "constant":
            points.setdefault((row["solver"], int(row["examples"])), []).append(row)
    with open(sys.argv[3], "w") as file:
        print(*COLUMNS, sep="\t", file=file)
        for key in sorted(points):
            print(*line(name, key, points[key], constant), sep="\t", file=file)


main()
