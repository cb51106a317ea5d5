#!/usr/bin/python3
# scaling_summary.py DIR [--weak] - tables of a scaling study from its runs
# SPDX-License-Identifier: MIT
"""Read DIR/ranks-N/run-K and DIR/ranks-N/bench.json and write

DIR/summary.csv, a line per number of ranks, medians over the runs:
  ranks
  seconds             training proper: the report's `seconds` without setup and
                      writing (wall_seconds is the whole process, launch and all)
  efficiency          strong: T(1) / (N T(N)); weak: A(N) / (N A(1)), A being
                      attributes observed per second; N = 1 or the fewest ranks
  share_of_read       bytes of attributes observed per second and rank / read_gbs
                      of `thresher bench` with as many ranks at work (of computed
                      data it says little)
  bytes_per_update    bytes sent by all ranks / updates
  speedup             efficiency * N, N relative to the fewest ranks
  ceiling             strong: the same of N runs of one rank at the same time,
                      which know nothing of each other; empty: not measured
  system_seconds, page_faults
                      of all ranks: time in the kernel, pages found for first
                      touches of memory
  wall_seconds, whole_efficiency, communication_seconds, read_gbs
  bandwidth_efficiency  read_gbs(N) / read_gbs(1): what memory allows
  updates, attributes_observed, peak_memory_per_rank, runs
  least_seconds, most_seconds
                      the fastest and the slowest run; the fastest is the better
                      guess on a machine that others use
  efficiency_low, efficiency_high
                      of the slowest and the fastest run, against the median of
                      the fewest ranks
DIR/phases.csv, seconds of each phase (mean over the ranks) by ranks;
DIR/by_attributes.csv, weak: bytes per update by attributes, ranks fixed.
"""
import csv
import glob
import json
import os
import statistics
import sys

NOT_TRAINING = ("setup", "write")


def read_json(path):
    with open(path) as file:
        return json.load(file)


def read_run(folder):
    report = read_json(folder + "/report.json")
    with open(folder + "/wall_seconds") as file:
        report["wall_seconds"] = float(file.read())
    phases = report["phases"]
    report["training"] = seconds_of(report)
    for key in ("system_seconds", "page_faults"):
        report[key] = sum(rank[key] for rank in report["per_rank"])
    report["communication"] = sum(
        phase["waiting_mean"] for name, phase in phases.items()
        if name not in NOT_TRAINING)
    return report


def seconds_of(report):
    """Of training proper."""
    phases = report["phases"]
    return report["seconds"] - sum(
        phases[p]["seconds_max"] for p in NOT_TRAINING if p in phases)


def seconds_side_by_side(folder):
    """The slowest of the runs at the same time, in the middle turn; or None."""
    turns = [[seconds_of(read_json(path)) for path in glob.glob(
        glob.escape(turn) + "/*/report.json")]
        for turn in glob.glob(glob.escape(folder) + "/alone-*")]
    return statistics.median(map(max, turns)) if turns else None


def read_runs(pattern):
    """The reports by the number in the folder's name, in its order."""
    runs = {}
    for folder in glob.glob(glob.escape(pattern) + "-[0-9]*"):
        found = [read_run(path) for path in glob.glob(
            glob.escape(folder) + "/run-*") if os.path.exists(
                path + "/report.json")]
        if found:
            runs[int(folder.rsplit("-", 1)[1])] = found
    return dict(sorted(runs.items()))


def median(runs, key):
    return statistics.median(run[key] for run in runs)


def summarise(ranks, runs, read_gbs):
    seconds = median(runs, "training")
    observed = median(runs, "bytes_observed")
    first = runs[0]
    return {
        "ranks": ranks,
        "seconds": seconds,
        "efficiency": None,
        "share_of_read": observed / seconds / ranks / (read_gbs * 1e9),
        "bytes_per_update": first["bytes_sent"] / max(first["updates"], 1),
        "speedup": None,
        "ceiling": None,
        "system_seconds": median(runs, "system_seconds"),
        "page_faults": median(runs, "page_faults"),
        "wall_seconds": median(runs, "wall_seconds"),
        "whole_efficiency": None,
        "communication_seconds": median(runs, "communication"),
        "read_gbs": read_gbs,
        "bandwidth_efficiency": None,
        "updates": first["updates"],
        "attributes_observed": first["attributes_observed"],
        "peak_memory_per_rank": median(runs, "peak_memory_per_rank"),
        "runs": len(runs),
        "least_seconds": min(run["training"] for run in runs),
        "most_seconds": max(run["training"] for run in runs),
        "efficiency_low": None,
        "efficiency_high": None,
    }


def set_efficiencies(rows, weak):
    base = rows[0]
    for row in rows:
        share = base["ranks"] / row["ranks"]
        if weak:
            share *= row["attributes_observed"] / base["attributes_observed"]
        for key, seconds in (("efficiency", "seconds"),
                             ("whole_efficiency", "wall_seconds")):
            row[key] = share * base[seconds] / row[seconds]
        row["speedup"] = row["efficiency"] * row["ranks"] / base["ranks"]
        row["efficiency_low"] = share * base["seconds"] / row["most_seconds"]
        row["efficiency_high"] = share * base["seconds"] / row["least_seconds"]
        row["bandwidth_efficiency"] = row["read_gbs"] / base["read_gbs"]


def set_ceilings(rows, folder):
    for row in rows:
        together = seconds_side_by_side("%s/ranks-%d" % (folder, row["ranks"]))
        if together is not None:
            row["ceiling"] = row["ranks"] * rows[0]["seconds"] / together


def cell(value):
    return "%.6g" % value if isinstance(value, float) else value


def write_csv(path, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(rows[0])
        writer.writerows([cell(v) for v in row.values()] for row in rows)


def phases_of(ranks, runs):
    row = {"ranks": ranks}
    for phase in runs[0]["phases"]:
        row[phase] = statistics.median(
            run["phases"][phase]["seconds_mean"] for run in runs)
    return row


def main():
    folder, weak = sys.argv[1], "--weak" in sys.argv
    runs = read_runs(folder + "/ranks")
    if not runs:
        sys.exit("scaling_summary.py: no runs in " + folder)
    rows = [summarise(n, runs[n], read_json(
        "%s/ranks-%d/bench.json" % (folder, n))["read_gbs"]) for n in runs]
    set_efficiencies(rows, weak)
    set_ceilings(rows, folder)
    write_csv(folder + "/summary.csv", rows)
    write_csv(folder + "/phases.csv", [phases_of(n, runs[n]) for n in runs])
    by_attributes = read_runs(folder + "/attributes")
    if by_attributes:
        write_csv(folder + "/by_attributes.csv", [
            {"attributes": d, "bytes_per_update": found[0]["bytes_sent"] /
             max(found[0]["updates"], 1)} for d, found in by_attributes.items()])


main()
