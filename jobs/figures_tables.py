#!/usr/bin/python3
# figures_tables.py PREFIX RUNS FOLDER... - tables of the figures from their runs
# SPDX-License-Identifier: MIT
"""Each FOLDER is RUNS/SET/LOSS/RUN, or RUNS/SET/LOSS/RUN.seed-K for other seeds
than 1, with telemetry.jsonl, report.json and model.json. RUNS/SET/data.json
describes the data. The others of its SET and LOSS are compared with a RUN called
`exact`, or without one with the truth of the data. They are timed against
prox-sgd. Written:

PREFIX.curves.tsv        a line for each line of telemetry
PREFIX.coefficients.tsv  a line for each coefficient that is not zero, by
                         falling magnitude
PREFIX.bands.tsv         the curves of a run's seeds together: the medians of
                         their k-th lines, with the lowest and highest values
PREFIX.sizes.tsv         the same for their k-th largest coefficients
PREFIX.summary.tsv       a line for each run, medians over its seeds;
                         jobs/figures.sh describes it
Missing values are NaN.
"""
import csv
import json
import os
import statistics
import sys

NOT_TRAINING = ("setup", "write")
NAN = float("nan")


def read_json(path):
    with open(path) as file:
        return json.load(file)


class Run:
    def __init__(self, runs, folder):
        self.set, self.loss, name = os.path.relpath(
            folder, runs).split(os.sep)
        self.name, _, seed = name.partition(".seed-")
        self.seed = int(seed or 1)
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
        yield dict(run.key(), seed=run.seed, examples=line["examples"],
                   epochs=line["epochs"], seconds=line["seconds"],
                   active=line["active"], support=line["support_size"],
                   objective=known(line["objective"]), gap=known(line["gap"]),
                   distance=error(line))


def coefficients(key, coef):
    ordered = sorted(coef.values(), key=lambda value: -abs(value))
    for rank, value in enumerate(ordered, 1):
        yield dict(key, rank=rank, magnitude=abs(value))


def sibling(run, runs, name):
    """The run of that name on the same set with the same loss, if possible from
    the same seed, or None."""
    found = [other for other in runs if (other.set, other.loss, other.name)
             == (run.set, run.loss, name)]
    for other in found:
        if other.seed == run.seed:
            return other
    return found[0] if found else None


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


def same_run(runs):
    """Lists of the runs that differ by their seeds alone."""
    groups = {}
    for run in runs:
        groups.setdefault(tuple(run.key().values()), []).append(run)
    return list(groups.values())


def spread(values):
    """Median, lowest and highest of the values that are known."""
    good = [value for value in values if value == value]
    if not good:
        return NAN, NAN, NAN
    return statistics.median(good), min(good), max(good)


def together(lists):
    """The k-th rows of the lists, as far as half of the lists have one."""
    for k in range(max(map(len, lists))):
        rows = [rows[k] for rows in lists if k < len(rows)]
        if 2 * len(rows) >= len(lists):
            yield rows


def band(rows, plain, spreads):
    """One row: medians of the plain columns, spreads of the others."""
    out = {}
    for name in plain:
        out[name] = spread([row[name] for row in rows])[0]
    for name in spreads:
        out[name], out[name + "_low"], out[name + "_high"] = spread(
            [row[name] for row in rows])
    return out


def bands(group):
    run = group[0]
    key = dict(run.key(), seeds=len(group), n=run.data["training"],
               d=run.data["attributes"])
    for rows in together([list(curve(run)) for run in group]):
        yield dict(key, **band(rows, ["epochs"], [
            "seconds", "active", "support", "distance"]))


def sizes(groups):
    """A list for each seed of the coefficients of a run."""
    for (key, lists) in groups:
        for rows in together(lists):
            yield dict(key, rank=rows[0]["rank"],
                       **band(rows, [], ["magnitude"]))


def summaries(group, runs):
    rows = [summary(run, runs) for run in group]
    middle = group[0].key()
    middle["seeds"] = len(group)
    for name in rows[0]:
        if name not in middle:
            middle[name] = spread([row[name] for row in rows])[0]
    return middle


def cell(value):
    return "%.5g" % value if isinstance(value, float) else value


def write(path, rows):
    rows = list(rows)
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(rows[0])
        writer.writerows([cell(v) for v in row.values()] for row in rows)


def all_coefficients(groups, runs):
    """(key, a list of rows for each seed)"""
    for group in groups:
        key = group[0].key()
        yield key, [list(coefficients(key, run.coef)) for run in group]
    for group in groups:
        run = group[0]
        if run.name == "prox-sgd" and not sibling(run, runs, "exact"):
            key = dict(run.key(), run="exact")
            yield key, [list(coefficients(key, exact_coef(run, runs)))]


def main():
    prefix, folder = sys.argv[1:3]
    runs = [Run(folder, path) for path in sys.argv[3:]]
    groups = same_run(runs)
    sized = list(all_coefficients(groups, runs))
    write(prefix + ".curves.tsv", [
        line for run in runs if run.name != "exact" for line in curve(run)])
    write(prefix + ".bands.tsv", [
        line for group in groups if group[0].name != "exact"
        for line in bands(group)])
    write(prefix + ".coefficients.tsv", [
        dict(row, seed=k) for _, lists in sized
        for k, rows in enumerate(lists, 1) for row in rows])
    write(prefix + ".sizes.tsv", sizes(sized))
    write(prefix + ".summary.tsv", [summaries(group, runs) for group in groups])


main()
