#!/usr/bin/python3
# scaling_model.py --runs REPORT... - predicted time of a run on more ranks
# SPDX-License-Identifier: MIT
"""Predict a training, or an import, on many ranks from its reports on few.

The same command is run on several numbers of ranks (1, 2, 4 and 8, say), each
with --report. Two are enough for seconds. How bytes grow takes three above 1:
with two a note says that they are a guess. For each phase, and for all that is
in none of them, the model takes from the reports

  work        seconds(P) = fixed + divided / P, least squares, neither below 0
  operations  collective calls, the same on any number of ranks: of the report
              of most ranks. Where teams of ranks make paths at the end of sift,
              their calls depend on how many teams there are: this is a guess
              then. Reports of far fewer calls say nothing about bytes
  bytes       those of all ranks. What goes from rank to rank, because one reads
              what another owns, moves once: (P - 1) / P of as much as the report
              of most ranks tells. (Not so where active attributes are dealt anew
              because they have come to lie unevenly, of os-prox-sgd and its
              kin: a note says that this is a guess.) The others by least squares: what one tells,
              sums (P), joins (P - 1), and where each rank tells all of its own,
              P^2. In a selection that is 8 (2,048 + P) bytes of a rank at most;
              above 128 ranks selections take other calls, which are not modelled

and adds what a machine makes of it on P ranks:

  sums        an operation of m bytes takes A(m) of cost_model.py: Hockney's
              latency and bandwidth, the cheaper of two algorithms
  noise       all wait for the slowest rank: a share --noise of the work, its
              standard deviation, times sqrt(2 ln P) (largest of P normal ones)
  files       bytes read, all(P) = fixed + each * P: the slowest of a rank at
              --rank-gbs, a node's ranks together at --node-gbs, and all
              together at --osts times --ost-gbs; and a read of --read-kib takes
              --read-us beside it. What the reports took to read goes off
  start       --start seconds, and --start-rank of them for each rank

So start-up, both ends of sift, paths, checkpoints and the model's file are in it
as phases of the run, for every solver; and opening, parsing and writing for an
import, whose inputs are read within its work. Refused are reports of different
runs, phases that are not known, and more ranks than there are cells of 256
attributes to own: work would not divide as it did. Not modelled: a number of
updates that depends on the number of ranks (that is never so: models are equal).

  --check     reports of up to 8 ranks predict the others: exit status 1 where
              operations are off by more than 10 % (--most-off), or bytes by more
              than 30 % (--bytes-off)

Seconds are worth what the reports' are: of ranks with a core each.
"""
import argparse
import itertools
import json
import math
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from cost_model import Machine, all_reduce  # noqa: E402

PHASES = ("open", "parse", "setup", "draw", "support", "predict", "gradient", "select", "gram",
          "solve", "steps", "pass", "validate", "write", "other")
SAME = ("solver", "dataset_fingerprint", "attributes", "updates", "examples",
        "attributes_observed", "support_size", "input_bytes", "layout", "type", "row_group", "shards")
USUAL = (1, 4, 16, 64, 256, 1024, 4096)
CELL = 256            # attributes that are owned together
BASE = 8              # most ranks of the reports that --check predicts from
ALIKE = 1.5           # calls of reports that say something about each other
COUNTS = ("operations", "bytes_sent")


def refuse(why):
    sys.exit("scaling_model.py: " + why)


def least_squares(points, terms):
    """Coefficients through (P, y), none below 0, of as many terms as there are points, up to
    three: those that are closest, each point by its share of y, and the fewest of them."""
    best = None
    most = min(len(points), 3)
    for used in itertools.chain.from_iterable(
            itertools.combinations(range(len(terms)), k + 1) for k in range(most)):
        rows = [[terms[k](p) / max(y, 1e-12) for k in used] for p, y in points]
        solved = solve_normal(rows, [1.0 if y > 0 else 0.0 for _, y in points])
        if solved is None or min(solved) < 0:
            continue
        distance = sum((sum(c * v for c, v in zip(solved, row)) - (y > 0)) ** 2
                       for row, (_, y) in zip(rows, points))
        if best is None or distance < best[0] - 1e-9:
            best = (distance, dict(zip(used, solved)))
    return [best[1].get(k, 0.0) if best else 0.0 for k in range(len(terms))]


def solve_normal(rows, right):
    """Least squares by the normal equations, each column by its length; None if the unknowns cannot be told apart."""
    columns = [[row[k] for row in rows] for k in range(len(rows[0]))]
    lengths = [math.sqrt(sum(v * v for v in c)) for c in columns]
    if not all(lengths):
        return None
    columns = [[v / length for v in c] for c, length in zip(columns, lengths)]
    return solve_factored([[sum(v * w for v, w in zip(a, b)) for b in columns]
                           for a in columns],
                          [sum(v * y for v, y in zip(c, right)) for c in columns], lengths)


def solve_factored(gram, right, lengths):
    """gram x = right by elimination, x over lengths; None where a pivot is all but 0."""
    n = len(right)
    for i in range(n):
        if gram[i][i] <= 1e-12:
            return None
        for j in range(i + 1, n):
            share = gram[j][i] / gram[i][i]
            gram[j] = [v - share * w for v, w in zip(gram[j], gram[i])]
            right[j] -= share * right[i]
    solved = [0.0] * n
    for i in reversed(range(n)):
        solved[i] = (right[i] - sum(gram[i][j] * solved[j]
                                    for j in range(i + 1, n))) / gram[i][i]
    return [x / length for x, length in zip(solved, lengths)]


WORK = (lambda p: 1.0, lambda p: 1.0 / p)
BYTES = (lambda p: 1.0, float, lambda p: p - 1.0, lambda p: float(p * p))
MOVED = (lambda p: (p - 1.0) / p,)
SELECTED = 1024       # candidates that all ranks tell together, of two words each
FILES = (lambda p: 1.0, float)


class Curve:
    """Terms of P with their coefficients."""

    def __init__(self, points, terms):
        self.terms = terms
        self.coefs = least_squares(points, terms)

    def at(self, ranks):
        return sum(c * t(ranks) for c, t in zip(self.coefs, self.terms))


class Run:
    """What the reports of a run say about any number of ranks."""

    def __init__(self, reports):
        by_ranks = sorted(reports, key=lambda r: r["ranks"])
        self.imports = "input_bytes" in by_ranks[0]
        self.attributes = by_ranks[0]["attributes"]
        self.phases = {
            name: Phase(by_ranks, name) for name in PHASES
            if any(r["phases"].get(name, {}).get("calls", 0) for r in by_ranks)}
        self.reading = Curve([(r["ranks"], mean_reading(r)) for r in by_ranks], WORK)
        self.read = Curve([(r["ranks"], r.get("input_bytes", r.get("bytes_read")))
                           for r in by_ranks], FILES)
        self.memory = Curve([(r["ranks"], r["peak_memory_per_rank"]) for r in by_ranks],
                            WORK)

    def operations(self):
        return sum(phase.operations for phase in self.phases.values())

    def bytes(self, ranks):
        return sum(phase.bytes(ranks) for phase in self.phases.values())


class Phase:
    def __init__(self, reports, name):
        found = [(r["ranks"], r["phases"].get(name, {})) for r in reports]
        several = [(p, f) for p, f in found if p > 1]
        self.selects = name == "select"
        self.work = Curve([(p, max(0.0, f.get("seconds_mean", 0) - f.get("waiting_mean", 0)))
                           for p, f in found], WORK)
        each = [f.get("bytes_exchanged", 0) * p / (p - 1) for p, f in several]
        self.uneven = max(each) > ALIKE * min(each)
        self.operations = several[-1][1].get("operations", 0)
        several = [(p, f) for p, f in several
                   if f.get("operations", 0) >= self.operations / ALIKE]
        moved = [(p, f.get("bytes_exchanged", 0)) for p, f in several]
        self.moved = Curve(moved[-1:], MOVED)
        self.told = Curve([(p, f.get("bytes_sent", 0) - m)
                           for (p, f), (_, m) in zip(several, moved)], BYTES)

    def bytes(self, ranks):
        told = self.told.at(ranks)
        if self.selects:
            told = min(told, self.operations * ranks * 8 * (2 * SELECTED + ranks))
        return told + self.moved.at(ranks)

    def sums(self, machine, ranks):
        if ranks == 1 or self.operations == 0:
            return 0.0
        each = self.bytes(ranks) / ranks / self.operations
        return self.operations * all_reduce(machine, ranks, each)


def mean_reading(report):
    ranks = report["per_rank"]
    return sum(rank.get("reading_seconds", 0) for rank in ranks) / len(ranks)


def files_seconds(run, ranks, options):
    total = run.read.at(ranks)
    on_node = min(ranks, options.ranks_per_node)
    reads = total / ranks / (options.read_kib * 1024)
    return max(total / ranks / options.rank_gbs,
               total / ranks * on_node / options.node_gbs,
               total / (options.osts * options.ost_gbs)) / 1e9 + reads * options.read_us / 1e6


def ranks_to_predict(run, options):
    """Those asked for, which have to have a cell each; else those of a list that do. An
    import is dealt by the bytes of its inputs."""
    cells = math.inf if run.imports else math.ceil(run.attributes / CELL)
    if options.ranks is None:
        return [ranks for ranks in USUAL if ranks <= cells]
    if options.ranks[-1] > cells:
        refuse("%d ranks: %d attributes are %d cells of %d, and a rank without a cell has "
               "nothing to do" % (options.ranks[-1], run.attributes, cells, CELL))
    return options.ranks


def predict(run, machine, ranks, options):
    """Seconds on so many ranks, by what they go into."""
    work = sum(phase.work.at(ranks) for phase in run.phases.values())
    work = max(0.0, work - run.reading.at(ranks))
    return {"start": options.start + options.start_rank * ranks,
            "work": work,
            "sums": sum(phase.sums(machine, ranks) for phase in run.phases.values()),
            "noise": work * options.noise * math.sqrt(2 * math.log(ranks)),
            "files": files_seconds(run, ranks, options)}


NUMBERS = {"ranks": 1, "attributes": 1, "bytes_sent": 0, "peak_memory_per_rank": 0}
OF_PHASE = ("calls", "seconds_mean", "waiting_mean", "operations", "bytes_sent",
            "bytes_exchanged")


def is_number(value, least=0):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and \
        math.isfinite(value) and value >= least


def fault_of(report):
    """What is no report of a training or an import about this, or None."""
    if not isinstance(report, dict):
        return "is no report"
    reads = "input_bytes" if "input_bytes" in report else "bytes_read"
    for key, least in {**NUMBERS, reads: 0}.items():
        if not is_number(report.get(key), least):
            return "is no report of a training: it has no %s" % key
    phases, ranks = report.get("phases"), report.get("per_rank")
    if not isinstance(phases, dict) or not phases:
        return "is no report of a training: it has no phases"
    for name, phase in phases.items():
        if name not in PHASES:
            return "has a phase %s, which is not modelled" % name
        if not isinstance(phase, dict) or not all(is_number(phase.get(k)) for k in OF_PHASE):
            return "has no numbers of the phase %s" % name
    if sum(phase["bytes_sent"] for phase in phases.values()) != report["bytes_sent"]:
        return "has phases that are not all of it: make it with this version"
    if not isinstance(ranks, list) or len(ranks) != report["ranks"] or not all(
            isinstance(r, dict) and (reads == "input_bytes" or is_number(r.get("reading_seconds")))
            for r in ranks):
        return "does not say how long each of its ranks read"
    return None


def read_report(path):
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
    except (OSError, ValueError) as error:
        refuse("%s: %s" % (path, error))
    fault = fault_of(report)
    if fault:
        refuse("%s %s" % (path, fault))
    return report


def read_runs(paths):
    reports = [read_report(path) for path in paths]
    for path, report in zip(paths, reports):
        other = [key for key in SAME if report.get(key) != reports[0].get(key)]
        if other:
            refuse("%s and %s are of different runs: %s is %s and %s" % (
                paths[0], path, other[0], reports[0].get(other[0]), report.get(other[0])))
    if len({r["ranks"] for r in reports}) < 2:
        refuse("reports of two or more numbers of ranks are wanted, and these are all of %d"
               % reports[0]["ranks"])
    return reports


def note_on_moves(run):
    uneven = [name for name, phase in run.phases.items() if phase.uneven]
    if uneven:
        print("scaling_model.py: note: what goes from rank to rank in phase %s does not follow "
              "their number: its bytes are a guess" % ", ".join(uneven), file=sys.stderr)


def note_on_bytes(reports):
    if len({r["ranks"] for r in reports if r["ranks"] > 1}) < 3:
        print("scaling_model.py: note: bytes are a guess, by fewer than three numbers of "
              "ranks above 1", file=sys.stderr)


def show(run, machine, options):
    ranks_to_predict(run, options)
    print("%8s%12s%10s%10s%10s%10s%10s%12s%12s" % (
        "ranks", "seconds", "start", "work", "sums", "noise", "files", "efficiency", "MB a rank"))
    one = None
    for ranks in ranks_to_predict(run, options):
        times = predict(run, machine, ranks, options)
        total = sum(times.values())
        one = one or total * ranks
        print("%8d%12.3f%10.3f%10.3f%10.3f%10.3f%10.3f%12.2f%12.0f" % (
            ranks, total, times["start"], times["work"], times["sums"], times["noise"],
            times["files"], one / ranks / total, run.memory.at(ranks) / 1e6))


def off(found, wanted):
    return abs(found / wanted - 1) if wanted else float(found > 0)


def counts(report):
    phases = report["phases"].values()
    return [sum(phase[key] for phase in phases) for key in COUNTS]


def check(reports, most_off, bytes_off):
    """On how many numbers of ranks the model is off."""
    base = [r for r in reports if r["ranks"] <= BASE]
    if len({r["ranks"] for r in base}) < 2 or len(base) == len(reports):
        refuse("--check wants reports of two numbers of ranks up to %d, and of more ranks" % BASE)
    run = Run(base)
    bad = 0
    note_on_bytes(base)
    note_on_moves(run)
    print("%8s%14s%12s%8s%16s%16s%8s" % ("ranks", "operations", "predicted", "off",
                                         "bytes sent", "predicted", "off"))
    for report in sorted(reports, key=lambda r: r["ranks"]):
        ranks, found = report["ranks"], counts(report)
        if ranks <= BASE:
            continue
        said = (run.operations(), run.bytes(ranks))
        offs = [off(s, f) for s, f in zip(said, found)]
        bad += offs[0] > most_off or offs[1] > bytes_off
        print("%8d%14d%12d%7.1f%%%16d%16d%7.1f%%" % (
            ranks, found[0], said[0], 100 * offs[0], found[1], said[1], 100 * offs[1]))
    return bad


def above_zero(word):
    if not is_number(float(word)) or float(word) == 0:
        raise ValueError
    return float(word)


def from_zero(word):
    if not is_number(float(word)):
        raise ValueError
    return float(word)


def whole(word):
    if int(word) < 1:
        raise ValueError
    return int(word)


def parse(words):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--runs", nargs="+", required=True, metavar="REPORT",
        help="report.json of one training or import on several numbers of ranks")
    add("--check", action="store_true", help="predict some of them from the others")
    add("--most-off", type=from_zero, default=0.1, help="for --check: of operations (0.1)")
    add("--bytes-off", type=from_zero, default=0.3, help="for --check: of bytes (0.3)")
    add("--ranks", help="to predict for (1 4 16 64 256 1024 4096, as far as there are cells)")
    add("--ranks-per-node", type=whole, default=64, metavar="N", help="(64)")
    add("--latency", type=from_zero, default=1.5, help="us between two ranks (1.5)")
    add("--bandwidth", type=above_zero, default=12, help="GB/s between two ranks (12)")
    add("--noise", type=from_zero, default=0.02, help="share of the work of a rank (0.02)")
    add("--rank-gbs", type=above_zero, default=1, help="GB/s a rank reads alone (1)")
    add("--node-gbs", type=above_zero, default=5, help="GB/s a node's ranks read together (5)")
    add("--osts", type=whole, default=32, help="object storage targets (32)")
    add("--ost-gbs", type=above_zero, default=1, help="GB/s of each (1)")
    add("--read-kib", type=above_zero, default=1024, help="KiB of a read (1024)")
    add("--read-us", type=from_zero, default=300, help="us that a read takes beside (300)")
    add("--start", type=from_zero, default=1, help="seconds until a rank begins (1)")
    add("--start-rank", type=from_zero, default=0.002, help="of these for each rank (0.002)")
    options = parser.parse_args(words)
    if options.ranks is not None:
        if not re.fullmatch(r"\s*([1-9]\d*\s*)+", options.ranks):
            refuse("--ranks: '%s' are no numbers of ranks" % options.ranks)
        options.ranks = sorted({int(word) for word in options.ranks.split()})
    return options


def main():
    options = parse(sys.argv[1:])
    reports = read_runs(options.runs)
    if options.check:
        sys.exit(1 if check(reports, options.most_off, options.bytes_off) else 0)
    machine = Machine(1, 1, 1, options.latency / 1e6, options.bandwidth * 1e9)
    run = Run(reports)
    show(run, machine, options)
    sys.stdout.flush()
    note_on_moves(run)
    note_on_bytes(reports)


if __name__ == "__main__":
    try:
        main()
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        refuse("the output: %s" % error.strerror)
