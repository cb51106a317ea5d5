#!/usr/bin/python3
"""curve.py [--at N,N,..] NAME... - the table of NAME.SEED.jsonl and .json.

Mean over the seeds of the population mean squared error after N examples (the
last update before; at the end: the model that was written), of the attributes
observed, and of the examples until the error first was at most 1.05.
SPDX-License-Identifier: MIT
"""
import argparse
import glob
import json
import math


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else math.nan


def read_curve(path):
    with open(path) as file:
        lines = [json.loads(line) for line in file if line.strip()]
    return [line for line in lines if line.get("population_mse") is not None]


def error_at(curve, examples):
    seen = [r["population_mse"] for r in curve if r["examples"] <= examples]
    return seen[-1] if seen else math.nan


def examples_to(curve, level, final):
    for record in curve:
        if record["population_mse"] <= level:
            return record["examples"]
    return curve[-1]["examples"] if curve and final <= level else math.inf


def row(name, places):
    paths = sorted(glob.glob(glob.escape(name) + ".[0-9]*.jsonl"))
    curves = [read_curve(path) for path in paths]
    finals = []
    for path in paths:
        with open(path[: -len("l")]) as file:
            finals.append(json.load(file)["population_mse"])
    cells = [f"{mean(error_at(c, n) for c in curves):9.4f}" for n in places]
    cells.append(f"{mean(finals):9.4f}")
    cells.append(f"{mean(c[-1]['attributes'] for c in curves if c):13.4g}")
    reached = [examples_to(c, 1.05, f) for c, f in zip(curves, finals)]
    cells.append(f"{mean(reached):9.0f}")
    cells.append(" ".join(f"{n:.0f}" for n in reached))
    return f"{name:18s}{len(paths):6d} " + " ".join(cells)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--at", default="5000,10000,20000,40000,90000")
    parser.add_argument("names", nargs="+")
    options = parser.parse_args()
    places = [int(n) for n in options.at.split(",")]
    head = [f"{n:9d}" for n in places] + ["    final", "   attributes", "  to 1.05"]
    print(f"{'':18s}{'seeds':>6s} " + " ".join(head) + " each")
    for name in options.names:
        print(row(name, places))


main()
