#!/usr/bin/python3
"""sampling.py SIZES VALUES - examples per second of the solvers that sample (sampling.sh).

SPDX-License-Identifier: MIT
"""
import json
import os
import subprocess
import sys

THRESHER = os.environ["THRESHER"]
ROUNDS = 3
SECONDS = 1.5  # that the longer run should take, about


def run(*arguments):
    subprocess.run([THRESHER, *map(str, arguments)], check=True, capture_output=True)


def seconds(name, solver, moments, passes):
    run("train", name, "-o", "model.h5", "--force", "--solver", solver, "--moments", moments,
        "--budget", 5, "--batch", 256, "--passes", passes, "--validation", 0, "--no-standardize",
        "--report", "run.json")
    with open("run.json") as f:
        told = json.load(f)
    return told["seconds"], told["examples"]


def rate(name, solver, moments):
    """Of the passes between a short run and a long one: the file is read in both."""
    time, examples = seconds(name, solver, moments, 1)
    short = max(1, int(1e5 / examples))
    long = short + max(1, int(SECONDS * 1e6 / examples))
    least = [min(seconds(name, solver, moments, passes)[0] for _ in range(ROUNDS))
             for passes in (short, long)]
    return (long - short) * examples / (least[1] - least[0])


def main(sizes, values):
    ways = [(s, m) for s in ("aerr", "aelr") for m in ("known", "two-phase", "uniform")]
    rates = {}
    print(f"{'attributes':>10} " + " ".join(f"{s} {m:>9}" for s, m in ways)
          + "   million examples a second")
    for size in sizes:
        run("generate", "kukliansky", "-o", "speed.h5", "--examples", values // size,
            "--attributes", size, "--alpha", -1, "--type", "u8", "--force")
        rates[size] = [rate("speed.h5", *way) for way in ways]
        print(f"{size:10} " + " ".join(f"{r / 1e6:14.2f}" for r in rates[size]), flush=True)
    few, many = rates[min(sizes)], rates[max(sizes)]
    print("time ratio " + " ".join(f"{a / b:14.2f}" for a, b in zip(few, many)))


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1].split()], int(sys.argv[2]))
