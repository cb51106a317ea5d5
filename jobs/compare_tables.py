#!/usr/bin/python3
# compare_tables.py - tables of compare.sh from the results of its runs
# SPDX-License-Identifier: MIT
"""compare_tables.py FOLDER EXAMPLES SEEDS
    FOLDER/compare.csv, summary.csv, bands.csv (the curves) and left_out.tsv from
    FOLDER/runs/seed-K/n-N/SOLVER/; the summary is of runs with EXAMPLES examples
compare_tables.py best FILE
    of lines RATIO FOLD LOSS SECONDS the ratio with the smallest mean loss over the
    folds, and the seconds of all
compare_tables.py order SEED
    the lines of the standard input in a random order, in which all parts have the
    labels in the same shares
"""
import csv
import json
import os
import random
import statistics
import sys

NAN = float("nan")
COLUMNS = ("solver", "seed", "examples", "attributes", "bytes_read", "seconds", "error",
           "family", "support", "relative", "mse", "r2", "auc", "log_loss", "drawn",
           "choice_seconds", "options")
SUMMARY = ("solver", "error", "error_low", "error_high", "attributes", "bytes_read",
           "seconds", "choice_seconds", "support", "relative", "auc", "log_loss", "seeds",
           "family")
AXES = ("attributes", "examples", "seconds", "bytes_read")
FAMILIES = ("budget", "sampling", "penalty", "whole", "peer", "constant")


def read(path, otherwise=None):
    if otherwise is not None and not os.path.exists(path):
        return otherwise
    with open(path) as file:
        return file.read().rstrip("\n")


def read_json(path):
    return json.loads(read(path))


def number(value):
    return NAN if value is None else float(value)


def order(seed):
    """Other targets than labels are in plain random order."""
    lines = sys.stdin.readlines()
    draw = random.Random(int(seed))
    draw.shuffle(lines)
    labels = [line.split(None, 1)[0] for line in lines]
    if len(set(labels)) == 2:
        count, place = {name: labels.count(name) for name in set(labels)}, {}
        keys = []
        for label in labels:
            place[label] = place.get(label, -1) + 1
            keys.append((place[label] + draw.random()) / count[label])
        lines = [line for _, line in sorted(zip(keys, lines))]
    sys.stdout.writelines(lines)


def best(path):
    """A fold whose run was refused, or that had seen enough, has no loss."""
    losses, seconds = {}, 0.0
    for line in read(path, "").splitlines():
        ratio, _, loss, took = line.split()
        if loss != "null":
            losses.setdefault(ratio, []).append(float(loss))
        seconds += float(took)
    most = max(map(len, losses.values()), default=0)
    means = {ratio: statistics.fmean(values) for ratio, values in losses.items()
             if len(values) == most}
    print(min(means, key=means.get) if means else 0.1, "%.6g" % seconds)


def error(score):
    return NAN if score["accuracy"] is None else 1 - score["accuracy"]


def row_of(folder):
    """A line of compare.csv; `relative` comes later."""
    seed, examples, solver = folder.split(os.sep)[-3:]
    score = read_json(folder + "/score.json")
    report = read_json(folder + "/report.json")
    choice = read(folder + "/choice", "\n0 0").splitlines()[1].split()
    command = read(folder + "/command", "").partition(" --solver ")[2]
    row = dict.fromkeys(COLUMNS, NAN)
    row.update(
        solver=solver, seed=int(seed[5:]), examples=int(examples[2:]),
        attributes=report["attributes_observed"],
        bytes_read=report.get("bytes_read", NAN), seconds=report["seconds"],
        error=error(score), family=read(folder + "/family"),
        support=report["support_size"], drawn=report["examples"],
        choice_seconds=float(choice[1]),
        options=command.partition(" #")[0].partition(" ")[2].strip())
    row.update((name, number(score[name])) for name in ("mse", "r2", "auc", "log_loss"))
    if score.get("population_mse") is not None: # exact, where the distribution is known
        row["mse"] = score["population_mse"]
    return row


def wanted(folder, seeds):
    """Runs of this comparison; earlier ones may lie beside them."""
    with open(folder + "/plan.tsv") as file:
        plan = [line.rstrip("\n").split("\t") for line in file]
    for seed in range(1, seeds + 1):
        for examples, solver in plan:
            path = "%s/runs/seed-%d/n-%s/%s" % (folder, seed, examples, solver)
            if os.path.exists(path + "/command"):
                yield path


def relate(rows):
    """To the constant model of the seed."""
    zero = {row["seed"]: row["mse"] for row in rows if row["solver"] == "constant"}
    for row in rows:
        least = zero.get(row["seed"], NAN)
        row["relative"] = row["mse"] / least if least > 0 else NAN
        if row["error"] != row["error"]:
            row["error"] = row["relative"]


def cell(value, digits):
    return "%.*g" % (digits, value) if isinstance(value, float) else value


def write(path, head, rows, digits=6):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows([cell(row[name], digits) for name in head] for row in rows)


def median(rows, name):
    values = [row[name] for row in rows if row[name] == row[name]]
    return statistics.median(values) if values else NAN


def middle(rows):
    """One line: medians, with the extremes of the error."""
    out = {"solver": rows[0]["solver"], "family": rows[0]["family"],
           "examples": rows[0]["examples"], "seeds": len(rows)}
    errors = [row["error"] for row in rows]
    out.update(error=median(rows, "error"), error_low=min(errors), error_high=max(errors))
    for name in AXES + ("choice_seconds", "support", "relative", "auc", "log_loss"):
        if name not in out:
            out[name] = median(rows, name)
    return out


def groups(rows, *names):
    found = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in names), []).append(row)
    return list(found.values())


def left_out(folder, paths):
    """Solvers with runs that were refused, the most frequent reason of each. Those
    that were never tried are in the file already."""
    reasons = {}
    for path in paths:
        reasons.setdefault(os.path.basename(path), []).append(
            read(path + "/refused", ""))
    with open(folder + "/left_out.tsv", "a") as file:
        for solver, told in reasons.items():
            refused = [reason for reason in told if reason]
            if refused:
                print(solver, len(refused), len(told),
                      max(refused, key=refused.count), sep="\t", file=file)


def tables(folder, examples, seeds):
    paths = list(wanted(folder, int(seeds)))
    left_out(folder, paths)
    rows = [row_of(path) for path in paths if not os.path.exists(path + "/refused")]
    relate(rows)
    write(folder + "/compare.csv", COLUMNS, rows)
    curves = [middle(group) for group in groups(rows, "solver", "examples")]
    curves.sort(key=lambda row: (FAMILIES.index(row["family"]), row["examples"]))
    write(folder + "/bands.csv", ("examples",) + SUMMARY, curves)
    last = [row for row in curves if row["examples"] == int(examples)]
    last.sort(key=lambda row: (row["error"], row["attributes"]))
    write(folder + "/summary.csv", SUMMARY, last, digits=4)


if __name__ == "__main__":
    if sys.argv[1] in ("best", "order"):
        {"best": best, "order": order}[sys.argv[1]](sys.argv[2])
    else:
        tables(*sys.argv[1:])
