#!/usr/bin/python3
# thresholding_tables.py - means of compare.sh's runs, and what they say
# SPDX-License-Identifier: MIT
"""thresholding_tables.py summary COLUMN SUMMARY.tsv COMPARE.csv [PRINTED.csv]
    A line for each solver and number of examples: mean and standard deviation of COLUMN,
    number of runs, mean of the attributes observed, COLUMN of the constant model. The
    solvers of PRINTED.csv ran in the form that the paper prints: SOLVER-printed.
thresholding_tables.py say FIGURE DATA SUMMARY.tsv
    What the paper says of the figure, and what the summary says.
"""
import csv
import statistics
import sys

from claims import alike, below, case, missing, near, read_table, sentence, well_below

COLUMNS = ("solver", "examples", "mean", "deviation", "runs", "attributes", "constant")
NOISE = {"synthetic": 1.0, "real": 0.0}  # the error of the best model

# What the text says in section 6
CLAIMS = {
    "synthetic": ("figure 1", "hybrid ends below exploration, both end below rda-ito and "
                  "dantzig, and dantzig is the worst"),
    "real": ("figure 2", "hybrid ends lowest, exploration is near dantzig, and rda-ito is "
             "slow"),
}
WHAT = {"synthetic": "excess of the mean squared error over the noise",
        "real": "share of the constant model's error"}
RECONSTRUCTED = "dantzig and rda-ito are reconstructed: their papers were not at hand in full"


def synthetic(errors):
    return [well_below("hybrid", "exploration", errors),
            below("exploration", "rda-ito", errors), below("exploration", "dantzig", errors),
            below("rda-ito", "dantzig", errors)]


def real(errors):
    return [below("hybrid", "exploration", errors), below("hybrid", "dantzig", errors),
            alike("exploration", "dantzig", errors), below("dantzig", "rda-ito", errors)]


PARTS = {"synthetic": synthetic, "real": real}


def line(name, key, rows, constant):
    errors = [float(row[name]) for row in rows]
    deviation = statistics.stdev(errors) if len(errors) > 1 else 0.0
    attributes = statistics.fmean(float(row["attributes"]) for row in rows)
    return key + ("%.6g" % statistics.fmean(errors), "%.3g" % deviation, len(rows),
                  "%.4g" % attributes, "%.5g" % constant)


def read_runs(path, ending):
    with open(path) as file:
        for row in csv.DictReader(file):
            plain = row["solver"] == "constant"
            yield dict(row, solver=row["solver"] + ("" if plain else ending))


def summary(name, out, *paths):
    rows = [row for path, ending in zip(paths, ("", "-printed"))
            for row in read_runs(path, ending)]
    constant = statistics.fmean(float(row[name]) for row in rows
                                if row["solver"] == "constant")
    points = {}
    for row in rows:
        if row["solver"] != "constant":
            points.setdefault((row["solver"], int(row["examples"])), []).append(row)
    with open(out, "w") as file:
        print(*COLUMNS, sep="\t", file=file)
        for key in sorted(points):
            print(*line(name, key, points[key], constant), sep="\t", file=file)


def in_form(ending, errors):
    """The errors, with hybrid and exploration in one of their forms."""
    ours = {name: errors.get(name + ending) for name in ("hybrid", "exploration")}
    return {**errors, **ours}


def why_alike(figure, errors):
    if figure != "synthetic" or missing(("hybrid", "exploration"), errors):
        return ""
    if not near(errors["hybrid"], errors["exploration"]):
        return ""
    return ("hybrid and exploration are alike there, since a last fit on the support gives "
            "exploration what exploitation is for")


def say(figure, data, path):
    rows = read_table(path)
    most = max(int(row["examples"]) for row in rows)
    errors = {row["solver"]: float(row["mean"]) - NOISE[figure] for row in rows
              if int(row["examples"]) == most}
    where = "%s at %s examples%s" % (WHAT[figure], f"{most:,}", data and " of " + data)
    cases = []
    for ending, form in (("-printed", where + ", in the printed forms"),
                         ("", "with the program's defaults")):
        these = in_form(ending, errors)
        cases.append(case(form, these, PARTS[figure](these)))
    print(sentence(CLAIMS[figure], *cases, why_alike(figure, errors),
                   {"dantzig", "rda-ito"} & errors.keys() and RECONSTRUCTED))


if __name__ == "__main__":
    {"summary": summary, "say": say}[sys.argv[1]](*sys.argv[2:])
