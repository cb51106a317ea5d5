#!/usr/bin/python3
# figures_tables.py PREFIX RUNS FOLDER... - tables of the figures from their runs
# SPDX-License-Identifier: MIT
"""Each FOLDER is RUNS/SET/LOSS/RUN with telemetry.jsonl, report.json and
model.json, beside RUNS/SET/data.json, which describes the data. A RUN called
`exact` is what the others of its SET and LOSS are compared with (without one,
the truth of the data is), and prox-sgd what they are timed against. Written:

PREFIX.curves.tsv        a line for each line of telemetry
PREFIX.coefficients.tsv  a line for each coefficient that is not zero, by
                         falling magnitude
PREFIX.summary.tsv       a line for each run; jobs/figures.sh describes it
Missing values are NaN.
"""
import csv
import json
import os
import sys

NOT_TRAINING = ("setup", "write")
NAN = float("nan")


def read_json(path):
    with open(path) as file:
        return json.load(file)


class Run:
    def __init__(self, runs, folder):
        self.set, self.loss, self.name = os.path.relpath(
            folder, runs).split(os.sep)
        self.model = read_json(folder + "/model.json")
        self.coef = dict(zip(self.model["support"], self.model["coef"]))
        with open(folder + "/telemetry.jsonl") as file:
            self.lines = [json.loads(line) for line in file]
        report = read_json(folder + "/report.json")
        self.seconds = report["seconds"] - sum(
            report["phases"][p]["seconds_max"] for p in NOT_TRAINING)
        self.data = read_json(os.path.join(runs, self.set, "data.json"))

    def key(self):
        return {"set": self.set, "loss": self.loss, "run": self.name}


def error(line):
    """Distance from the exact coefficients; on generated data from the true
    ones: the population error is noise^2 + norm2(b - b*)^2 there, noise 1."""
    if "population_mse" in line and "distance" not in line:
        return max(0.0, line["population_mse"] - 1) ** 0.5
    return line.get("distance", NAN)


def known(value):
    """Objectives and gaps are null where nothing is known of them."""
    return NAN if value is None else value


def curve(run):
    for line in run.lines:
        yield dict(run.key(), examples=line["examples"],
                   epochs=line["epochs"], seconds=line["seconds"],
                   active=line["active"], support=line["support_size"],
                   objective=known(line["objective"]), gap=known(line["gap"]),
                   distance=error(line))


def coefficients(key, coef):
    ordered = sorted(coef.values(), key=lambda value: -abs(value))
    for rank, value in enumerate(ordered, 1):
        yield dict(key, rank=rank, magnitude=abs(value))


def sibling(run, runs, name):
    """The run of that name on the same set with the same loss, or None."""
    for other in runs:
        if (other.set, other.loss, other.name) == (run.set, run.loss, name):
            return other
    return None


def exact_coef(run, runs):
    """Of the exact solution, else of the truth."""
    exact = sibling(run, runs, "exact")
    if exact:
        return exact.coef
    truth = run.data["truth"]
    return dict(zip(truth["support"], truth["coef"]))


def summary(run, runs):
    exact = exact_coef(run, runs)
    plain = sibling(run, runs, "prox-sgd")
    row = run.key()
    row["seconds"] = run.seconds
    row["ratio"] = run.seconds / plain.seconds if plain else NAN
    row["active"] = run.model["active"]
    row["support"] = len(run.coef)
    row["exact"] = len(exact)
    row["missed"] = len(exact.keys() - run.coef.keys())
    row["extra"] = len(run.coef.keys() - exact.keys())
    row["wrongly"] = run.model["screened_wrongly"]
    row["gap"] = run.model["gap"]
    row["distance"] = error(run.lines[-1]) if run.lines else NAN
    return row


def cell(value):
    return "%.5g" % value if isinstance(value, float) else value


def write(path, rows):
    rows = list(rows)
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(rows[0])
        writer.writerows([cell(v) for v in row.values()] for row in rows)


def all_coefficients(runs):
    for run in runs:
        yield from coefficients(run.key(), run.coef)
    for run in runs:
        if run.name == "prox-sgd" and not sibling(run, runs, "exact"):
            yield from coefficients(dict(run.key(), run="exact"),
                                    exact_coef(run, runs))


def main():
    prefix, folder = sys.argv[1:3]
    runs = [Run(folder, path) for path in sys.argv[3:]]
    write(prefix + ".curves.tsv", [
        line for run in runs if run.name != "exact" for line in curve(run)])
    write(prefix + ".coefficients.tsv", all_coefficients(runs))
    write(prefix + ".summary.tsv", [summary(run, runs) for run in runs])


main()
