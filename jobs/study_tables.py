#!/usr/bin/python3
# study_tables.py DIR RANKS_PER_NODE FORMAT - the page of study.sh from its runs
# SPDX-License-Identifier: MIT
"""Read DIR/runs/CASE/GROWTH/ranks-N/run-K and write

DIR/study.tsv       a line for each point: median, fastest and slowest of the runs'
                    seconds without setup and writing, work and waiting (means over the
                    ranks), efficiency, memory of a rank and of a node
DIR/study.bars.tsv  what the picture shows: work and waiting, by ranks
DIR/study.md        the page
Efficiency is T(1) / (N T(N)) for the same data, and T(1) / T(N) where examples or
attributes grow with the ranks, T(1) being that of the fewest ranks. A node's memory is
that of as many ranks as it has.
"""
import csv
import glob
import json
import os
import re
import statistics
import sys

NOT_TRAINING = ("setup", "write")
GROWTHS = {"same": "the same data", "examples": "examples grow with the ranks",
           "attributes": "attributes grow with the ranks", "cold": "files not in memory",
           "warm": "files in memory", "without": "no checkpoint",
           "with": "a checkpoint after every update", "text": "text"}
STRONG = ("same", "cold", "warm", "without", "with", "text")
ORDER = ("sift", "exploration", "hybrid", "path", "steps", "files", "checkpoint", "import")


def read_run(folder):
    """seconds, work, waiting and memory of a run; of an import seconds alone"""
    with open(folder + "/wall_seconds", encoding="ascii") as file:
        wall = float(file.read())
    if not os.path.exists(folder + "/report.json"):
        return {"seconds": wall, "work": wall, "waiting": 0.0, "memory": 0, "phases": {}}
    with open(folder + "/report.json", encoding="utf-8") as file:
        report = json.load(file)
    phases = {k: v for k, v in report["phases"].items() if k not in NOT_TRAINING}
    off = sum(report["phases"][k]["seconds_max"] for k in NOT_TRAINING)
    waiting = sum(p["waiting_mean"] for p in phases.values())
    seconds = report["seconds"] - off
    return {"seconds": seconds, "waiting": waiting, "work": max(0.0, seconds - waiting),
            "memory": report["peak_memory_per_rank"], "phases": phases}


def read_points(top):
    points = {}
    for folder in glob.glob(glob.escape(top) + "/runs/*/*/ranks-*/run-*"):
        case, growth, ranks = folder.split(os.sep)[-4:-1]
        key = (ORDER.index(case), list(GROWTHS).index(growth), int(ranks[6:]), case, growth)
        points.setdefault(key, []).append(read_run(folder))
    return {key[2:]: points[key] for key in sorted(points)}


def read_ceilings(top):
    """seconds of each strong study by as many runs at the same time, over their number"""
    turns = {}
    for folder in glob.glob(glob.escape(top) + "/runs/*/same/ranks-*/alone-*"):
        case, _, ranks = folder.split(os.sep)[-4:-1]
        seconds = []
        for path in glob.glob(glob.escape(folder) + "/*/report.json"):
            with open(path, encoding="utf-8") as file:
                report = json.load(file)
            seconds.append(report["seconds"] - sum(
                report["phases"][k]["seconds_max"] for k in NOT_TRAINING))
        turns.setdefault((int(ranks[6:]), case), []).append(max(seconds))
    return {key: statistics.median(found) / key[0] for key, found in turns.items()}


def median(runs, key):
    return statistics.median(run[key] for run in runs)


def rows_of(points, ceilings, per_node):
    first, rows = {}, []
    for (ranks, case, growth), runs in points.items():
        seconds = median(runs, "seconds")
        base = first.setdefault((case, growth), (ranks, seconds))
        share = base[0] / ranks if growth in STRONG else 1.0
        on_node = min(ranks, per_node) if per_node else ranks
        rows.append({
            "case": case, "growth": growth, "ranks": ranks,
            "nodes": -(-ranks // per_node) if per_node else 1,
            "seconds": seconds, "fastest": min(r["seconds"] for r in runs),
            "slowest": max(r["seconds"] for r in runs), "work": median(runs, "work"),
            "waiting": median(runs, "waiting"),
            "ceiling": ceilings.get((ranks, case), "") if growth == "same" else "",
            "efficiency": share * base[1] / seconds,
            "rank_mb": median(runs, "memory") / 1e6,
            "node_mb": on_node * median(runs, "memory") / 1e6, "runs": len(runs)})
    return rows


def cell(value):
    return "%.4g" % value if isinstance(value, float) else str(value)


def write_tsv(path, rows, columns):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([cell(row[c]) for c in columns] for row in rows)


def where(row):
    return str(row["ranks"]) if row["nodes"] == 1 else \
        "%d (%d nodes)" % (row["ranks"], row["nodes"])


def table(rows):
    yield "| ranks | seconds | fastest to slowest | work | waiting | at best | efficiency | " \
        "MB a rank | MB a node |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for r in rows:
        yield "| %s | %.3g | %.3g to %.3g | %.3g | %.3g | %s | %.2f | %s | %s |" % (
            where(r), r["seconds"], r["fastest"], r["slowest"], r["work"], r["waiting"],
            "%.3g" % r["ceiling"] if r["ceiling"] else "", r["efficiency"], *("%.0f" % r[k] if r[k] else "" for k in ("rank_mb", "node_mb")))


def phases_table(points, case, growth):
    """Work and waiting of each phase that takes a hundredth, on the most ranks."""
    ranks = max(n for n, c, g in points if (c, g) == (case, growth))
    runs = points[(ranks, case, growth)]
    total = median(runs, "seconds")
    names = [n for n, p in runs[0]["phases"].items() if p["seconds_mean"] >= total / 100]
    if names:
        yield ""
        yield "Phases on %d ranks, seconds of work and of waiting: " % ranks + ", ".join(
            "%s %.3g + %.3g" % (n, *(statistics.median(f(r["phases"][n]) for r in runs) for f in (
                lambda p: p["seconds_mean"] - p["waiting_mean"],
                lambda p: p["waiting_mean"]))) for n in names) + "."


def page(points, rows, machine, picture):
    yield "# How Thresher scales"
    yield ""
    yield machine
    yield ""
    yield "Seconds are medians of training without setup and writing; of an import, of the whole " \
        "process. Work and waiting are means over the ranks. At best: as many runs of one rank at the same " \
        "time take so long, over their number. Efficiency is 1 where nothing is lost."
    if picture:
        yield ""
        yield "![seconds of work and of waiting, by ranks](%s)" % picture
    for case, growth in dict.fromkeys((r["case"], r["growth"]) for r in rows):
        yield ""
        yield "## %s: %s" % (case, GROWTHS[growth])
        yield ""
        some = [r for r in rows if (r["case"], r["growth"]) == (case, growth)]
        yield from table(some)
        yield from phases_table(points, case, growth)


def machine_of(top):
    """what the first run's environment says"""
    for path in sorted(glob.glob(glob.escape(top) + "/runs/*/*/*/*/environment")):
        with open(path, encoding="utf-8") as file:
            told = dict(re.findall(r"^(\w+): +(.*)$", file.read(), re.M))
        return "%s, %s; %s; commit %s; %s." % (told["host"], told["cpu"], told["program"],
                                               told["commit"], told["began"][:10])
    return sys.exit("study_tables.py: no runs in " + top)


def main():
    top, per_node, form = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    points = read_points(top)
    machine = machine_of(top)
    rows = rows_of(points, read_ceilings(top), per_node)
    write_tsv(top + "/study.tsv", rows, list(rows[0]))
    for row in rows:
        row["where"] = where(row).replace(" (", "\\n(")
    write_tsv(top + "/study.bars.tsv", [r for r in rows if r["growth"] in list(GROWTHS)[:5]],
              ("case", "growth", "ranks", "where", "work", "waiting", "seconds", "fastest",
               "slowest", "ceiling"))
    with open(top + "/study.md", "w", encoding="utf-8") as file:
        file.write("\n".join(page(points, rows, machine, "study." + form)) + "\n")


main()
