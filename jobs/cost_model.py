#!/usr/bin/python3
# cost_model.py [OPTION...] - predicted time of an update, by ranks and attributes
# SPDX-License-Identifier: MIT
"""Predict the time of one update from the figures of `thresher bench`.

An update has d' = d / w blocks of w = budget - s attributes, B rows for each,
R = B d' rows in all. On P ranks (m bytes all-reduced cost A(m), see below):

  gradient    B d values of the blocks, each rank its own: B d v / P bytes at the
              kernel's rate
  support     R rows of s members at their owners, evenly spread:
              R ceil(s/P) (v + 8) bytes at the read rate
  predict     their products, 8 R ceil(s/P); the sum of all, A(8 R)
  residual    every rank forms all R residuals: 48 R bytes
  select      three digits of all scores, 24 d / P bytes and 3 A(2 KiB); candidates
  gram        groups of 256 rows are dealt to the ranks: owners of S send to all who
              have one, these receive from all owners, 8 s bytes a row; s^2 flops a
              row; A(4 s^2)
  solve       least squares, s^3 / 3 flops; its solution, A(8 s)
  agree       6 agreements, A(8)

A(m) is the cheaper of recursive doubling, log2 P (a + m b), and Rabenseifner's
algorithm, 2 log2 P a + 2 m b (P - 1) / P: Hockney's latency a and inverse
bandwidth b. Network figures are those between two ranks of this machine unless
--latency and --bandwidth give those of a real network. Data are in memory, or
with --streamed read from disk. Not modelled: imbalance, noise, contention.

  --bench FILE...      `thresher bench --json` of 1 and of 2 ranks; default: run it
  --check FILE...      report.json of runs: predicted against measured time; a
                       bench.json one folder above is taken for its rates;
                       `files`: what was read from disk, by --disk
"""
import argparse
import csv
import json
import math
import os
import shutil
import subprocess
import sys

JOBS = os.path.dirname(os.path.abspath(__file__))
PHASES = ("gradient", "support", "predict", "residual", "select", "gram",
          "solve", "agree")
GROUP_ROWS = 256       # rows that one rank forms a Gram matrix of
AGREEMENTS = 6         # collective decisions of an update
DIGITS = 3             # rounds of a selection, 256 counts each
RESIDUAL_BYTES = 48    # per row: prediction, target, weight, residuals
RANKS = [4 ** k for k in range(8)]
ATTRIBUTES = [10 ** k for k in range(4, 10)]


class Machine:
    """Rates in bytes or flops per second, latency in seconds."""

    def __init__(self, read, gradient, flops, latency, bandwidth):
        self.read = read
        self.gradient = gradient
        self.flops = flops
        self.latency = latency
        self.bandwidth = bandwidth


class Update:
    """Sizes of one update: attributes, rows, support, bytes of a value."""

    def __init__(self, attributes, values, rows, support, value_bytes, gram):
        self.attributes = attributes
        self.values = values  # observed in the blocks
        self.rows = rows
        self.support = support
        self.value_bytes = value_bytes
        self.gram = gram


def update_of(attributes, options):
    support = min(options.support, attributes)
    budget = options.budget or max(64, attributes * options.share)
    width = max(1, min(budget, attributes) - support)
    blocks = math.ceil(attributes / width)
    return Update(attributes, options.batch * attributes,
                  options.batch * blocks, support, options.value_bytes,
                  not options.no_gram)


def all_reduce(machine, ranks, size):
    if ranks == 1:
        return 0.0
    rounds = math.ceil(math.log2(ranks))
    per_byte = 1 / machine.bandwidth
    doubling = rounds * (machine.latency + size * per_byte)
    halving = (2 * rounds * machine.latency +
               2 * size * per_byte * (ranks - 1) / ranks)
    return min(doubling, halving)


def gather(machine, ranks, size):
    """`size` bytes in all, collected on every rank."""
    if ranks == 1:
        return 0.0
    return math.ceil(math.log2(ranks)) * machine.latency + size / machine.bandwidth


def gram_seconds(machine, ranks, u):
    if not u.gram or u.support == 0:
        return 0.0, 0.0
    groups = math.ceil(u.rows / GROUP_ROWS)
    formed = min(u.rows, math.ceil(groups / ranks) * GROUP_ROWS)
    compute = formed * u.support ** 2 / machine.flops
    if ranks == 1:
        return compute, 0.0
    messages = min(groups, ranks - 1) + min(u.support, ranks - 1)
    own = math.ceil(u.support / ranks)
    size = 8 * max(formed * u.support, u.rows * own)
    exchange = messages * machine.latency + size / machine.bandwidth
    return compute, exchange + all_reduce(machine, ranks, 4 * u.support ** 2)


def parts(machine, ranks, u):
    """Seconds by phase: (computing, communicating)."""
    own = math.ceil(u.support / ranks)
    read = machine.read
    solve = u.support ** 3 / 3 / machine.flops if u.gram else 0.0
    return {
        "gradient": (u.value_bytes * u.values / ranks / machine.gradient, 0.0),
        "support": (u.rows * own * (u.value_bytes + 8) / read, 0.0),
        "predict": (8 * u.rows * own / read,
                    all_reduce(machine, ranks, 8 * u.rows)),
        "residual": (RESIDUAL_BYTES * u.rows / read, 0.0),
        "select": (DIGITS * 8 * u.attributes / ranks / read,
                   DIGITS * all_reduce(machine, ranks, 2048) +
                   gather(machine, ranks, 16 * (u.support + 64))),
        "gram": gram_seconds(machine, ranks, u),
        "solve": (solve, all_reduce(machine, ranks, 8 * u.support)),
        "agree": (0.0, AGREEMENTS * all_reduce(machine, ranks, 8)),
    }


def seconds(machine, ranks, u):
    return {name: sum(pair) for name, pair in parts(machine, ranks, u).items()}


def dominant(times):
    return max(times, key=times.get)


def crossovers(machine, u, most):
    """[(ranks, phase)]: from which power of two on a phase takes the most."""
    found, ranks = [], 1
    while ranks <= most:
        phase = dominant(seconds(machine, ranks, u))
        if not found or found[-1][1] != phase:
            found.append((ranks, phase))
        ranks *= 2
    return found


def read_json(path):
    with open(path) as file:
        return json.load(file)


def run_bench(ranks):
    program = os.environ.get("THRESHER",
                             JOBS + "/../build/release/thresher")
    done = subprocess.run(
        ["sh", JOBS + "/launch.sh", str(ranks), program, "bench", "memory",
         "ranks", "--json"],
        stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def gradient_rate(bench, options):
    """Bytes per second of one rank, blocks and their gradients."""
    if options.streamed:
        return options.disk * 1e9
    return (options.gradient or bench["gradient_f32_gbs"]) * 1e9


def machine_of(benches, options):
    """Rates from the bench of fewest ranks, the network from one of several."""
    benches = sorted(benches, key=lambda b: b.get("ranks", 1))
    one = benches[0]
    several = [b for b in benches if b.get("ranks", 1) > 1]
    latency, bandwidth = options.latency, options.bandwidth
    if (latency is None or bandwidth is None) and not several:
        sys.exit("cost_model.py: no bench of 2 ranks; give --latency and "
                 "--bandwidth")
    if latency is None:
        rounds = math.ceil(math.log2(several[0]["ranks"]))
        latency = several[0]["sum_8_us"] / rounds
    if bandwidth is None:
        bandwidth = (1 << 20) / several[0]["sum_1048576_us"] / 1e3
    return Machine(one["read_gbs"] * 1e9, gradient_rate(one, options),
                   options.gflops * 1e9, latency / 1e6, bandwidth * 1e9)


def show_table(machine, options):
    print("seconds of one update; B = %d, s = %d, latency %.3g us, "
          "bandwidth %.3g GB/s" % (options.batch, options.support,
                                   machine.latency * 1e6,
                                   machine.bandwidth / 1e9))
    print("%8s" % "ranks" + "".join("%18s" % ("d = %.0e" % d)
                                    for d in ATTRIBUTES))
    for ranks in RANKS:
        cells = []
        for d in ATTRIBUTES:
            times = seconds(machine, ranks, update_of(d, options))
            cells.append("%9.2e %-8s" % (sum(times.values()), dominant(times)))
        print("%8d" % ranks + "".join(cells))
    print("\nfrom how many ranks on a phase takes the most:")
    for d in ATTRIBUTES:
        steps = crossovers(machine, update_of(d, options), RANKS[-1])
        print("  d = %.0e  " % d + ", ".join(
            "%d: %s" % step for step in steps))


def write_table(machine, options):
    os.makedirs(options.out, exist_ok=True)
    path = options.out + "/cost_model.csv"
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("attributes", "ranks", "seconds") + PHASES)
        for d in ATTRIBUTES:
            for ranks in (2 ** k for k in range(15)):
                times = seconds(machine, ranks, update_of(d, options))
                writer.writerow(["%d" % d, ranks] + ["%.4g" % t for t in (
                    sum(times.values()), *(times[p] for p in PHASES))])
    print("wrote %s" % path)


def draw(options):
    """A picture of the table, where there is gnuplot."""
    if shutil.which("gnuplot") is None:
        print("no gnuplot, no picture (sh jobs/packages.sh jobs)")
        return
    what = "batch %d, %d members of the support, budget %s" % (
        options.batch, options.support, options.budget or
        "%g d" % options.share)
    style = JOBS.replace("'", "''")
    subprocess.run(["gnuplot", "-e", "folder = '.'; style = '%s/style.gp'; unfinished = "
                    "'.unfinished'; format = '%s'; what = '%s'" % (
                        style, options.format, what), JOBS + "/cost_model.gp"],
                   check=True, cwd=options.out)
    picture = options.out + "/cost_model"
    os.replace(picture + ".unfinished." + options.format, picture + "." + options.format)
    print("wrote %s/cost_model.%s" % (options.out, options.format))


def update_of_report(report, options):
    """The mean update of a run: its width from what was observed of a row."""
    rows = report["examples"] / report["updates"]
    support = report["support_size"]
    width = max(1.0, report["attributes_observed"] / report["examples"] - support)
    return Update(width * report["blocks"], width * rows, rows, support,
                  options.value_bytes,
                  report["phases"]["gram"]["seconds_mean"] > 0)


def rates_beside(path, machine, options):
    """Rates of a bench with as many ranks at work, where a study left one."""
    bench = os.path.join(os.path.dirname(path), "..", "bench.json")
    if os.path.exists(bench):
        machine.read = read_json(bench)["read_gbs"] * 1e9
        machine.gradient = gradient_rate(read_json(bench), options)


def predict_run(report, machine, options):
    """Seconds of a whole run by phase; a phase counts as often as it was."""
    phases, updates = report["phases"], report["updates"]
    times = seconds(machine, report["ranks"], update_of_report(report, options))
    refits = phases["gram"].get("calls", updates)
    times = {phase: t * (refits if phase in ("gram", "solve") else updates)
             for phase, t in times.items()}
    times["files"] = report["bytes_read"] / report["ranks"] / options.disk / 1e9
    return times


def check(benches, options):
    print("%-36s%8s%14s%14s%14s" % ("run", "ranks", "predicted s",
                                    "measured s", "pred./meas."))
    for path in options.check:
        report = read_json(path)
        phases = report["phases"]
        machine = machine_of(benches, options)
        rates_beside(path, machine, options)
        times = predict_run(report, machine, options)
        predicted = sum(times.values())
        measured = report["seconds"] - sum(
            phases[p]["seconds_max"] for p in ("setup", "write") if p in phases)
        print("%-36s%8d%14.3f%14.3f%14.2f" % (
            path[-36:], report["ranks"], predicted, measured,
            predicted / measured))
        for phase, time in times.items():
            found = phases.get(phase, {}).get("seconds_mean")
            print("  %-42s%14.3f" % (phase, time) +
                  ("" if found is None else "%14.3f" % found))


def parse(words):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--bench", nargs="+", default=[], metavar="FILE")
    add("--check", nargs="+", default=[], metavar="FILE")
    add("--batch", type=int, default=256, help="B, rows of a block (256)")
    add("--support", type=int, default=100, help="s, members of S (100)")
    add("--budget", type=int, help="s', attributes of an example")
    add("--share", type=float, default=0.1, help="s' / d without --budget (0.1)")
    add("--value-bytes", type=float, default=4, help="bytes of a value (4)")
    add("--no-gram", action="store_true", help="an update without refit")
    add("--gflops", type=float, default=10, help="dsyrk of a core (10)")
    add("--latency", type=float, help="us between two ranks")
    add("--bandwidth", type=float, help="GB/s between two ranks")
    add("--gradient", type=float, help="GB/s of the solver's kernel "
        "(gradient_f32_gbs; sift: sift_share_of_read of read_gbs)")
    add("--disk", type=float, default=1, help="GB/s of a rank from disk (1)")
    add("--streamed", action="store_true", help="blocks come from disk")
    add("--out", metavar="DIR", help="write cost_model.csv and a picture there")
    add("--format", choices=("png", "svg", "pdf"), default="png",
        help="of the picture (png, with 300 dots per inch)")
    return parser.parse_args(words)


def main():
    options = parse(sys.argv[1:])
    benches = ([read_json(path) for path in options.bench] or
               [run_bench(1), run_bench(2)])
    if options.check:
        check(benches, options)
        return
    machine = machine_of(benches, options)
    show_table(machine, options)
    if options.out:
        write_table(machine, options)
        draw(options)


if __name__ == "__main__":
    main()
