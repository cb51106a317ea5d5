#!/usr/bin/python3
# sampling_tables.py - tables of sampling.sh from the results of its runs
# SPDX-License-Identifier: MIT
"""sampling_tables.py shuffle SEED
    lines of the standard input in a random order
sampling_tables.py part PANEL RUN FOLDER
    lines of the table of runs, from FOLDER/CURVE,RULE,ATTRIBUTES.score.json and
    .report.json; zero.score.json is of the zero model
sampling_tables.py trial PANEL RUN FOLDER
    the same with a factor of the steps behind the attributes, and the losses of examples
    that were held out: FOLDER/CURVE,RULE,ATTRIBUTES,FACTOR.score.json
sampling_tables.py choose PART...
    of trials: CURVE RULE ATTRIBUTES FACTOR LOSS, the smallest factor whose mean loss is within
    one standard error of the least, among those that failed in the fewest trials: one that
    is too large shows in some runs only
sampling_tables.py say FIGURE SUMMARY.tsv TUNED
    what the paper says of the figure, and what the summary says
sampling_tables.py summary PREFIX PART...
    PREFIX.tsv with all runs, PREFIX.summary.tsv with a line for each point:
    mean, deviation, number and worst of the relative losses, and the share of
    the runs that are worse than the zero model
"""
import glob
import json
import math
import os
import random
import statistics
import sys

from claims import (NOISE, ONE, alike, alike_or_below, below, case, falling, missing, nearer,
                    not_above, read_table, sentence, unless_noise)

COLUMNS = ("data", "curve", "adagrad", "attributes", "run", "observed", "loss",
           "zero", "relative")
SUMMARY = ("data", "curve", "adagrad", "attributes", "runs", "mean", "deviation",
           "worst", "above_1")
TRIALS = ("data", "curve", "adagrad", "attributes", "factor", "run", "loss")
CURVES = ("uniform", "two-phase", "known", "online", "offline")


def shuffle(seed):
    lines = sys.stdin.readlines()
    random.Random(int(seed)).shuffle(lines)
    sys.stdout.writelines(lines)


def read_json(path):
    with open(path) as file:
        return json.load(file)


def loss(path):
    """The exact one where the distribution is known."""
    score = read_json(path)
    known = score.get("population_mse")
    return score["mse"] if known is None else known


def part(panel, run, folder):
    zero = loss(folder + "/zero.score.json")
    if zero == 0:
        return  # no attribute has a part in this run, and no curve a share of the loss
    for path in sorted(glob.glob(folder + "/*,*.score.json")):
        curve, rule, attributes = os.path.basename(path)[:-11].split(",")
        report = read_json(path.replace(".score.json", ".report.json"))
        mine = loss(path)
        print(panel, curve, rule, attributes, run,
              report["attributes_observed"], "%.6g" % mine, "%.6g" % zero,
              "%.6g" % (mine / zero), sep="\t")


def trial(panel, run, folder):
    zero = read_json(folder + "/zero.score.json")["mse"]
    if zero == 0:
        return
    for path in sorted(glob.glob(folder + "/*,*.score.json")):
        mine = read_json(path)["mse"]
        print(panel, *os.path.basename(path)[:-11].split(","), run,
              "%.6g" % (mine / zero), sep="\t")


def rows_of(path, columns=COLUMNS):
    with open(path) as file:
        for line in file:
            if not line.startswith("#"):
                yield dict(zip(columns, line.rstrip("\n").split("\t")))


def choose(*parts):
    losses = {}
    for row in [row for path in parts for row in rows_of(path, TRIALS)]:
        here = losses.setdefault((row["curve"], row["adagrad"], int(row["attributes"])), {})
        here.setdefault(row["factor"], []).append(float(row["loss"]))
    for key in sorted(losses):
        most = max(map(len, losses[key].values()))
        means = {factor: statistics.fmean(some) for factor, some in losses[key].items()
                 if len(some) == most}
        best = min(means, key=means.get)
        bound = means[best] + standard_error(losses[key][best])
        taken = min((f for f in means if means[f] <= bound), key=float)
        print(*key, taken, "%.4g" % means[taken], sep="\t")


def standard_error(values):
    return statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0


def point(row):
    return row["data"], row["curve"], row["adagrad"], int(row["attributes"])


def summarise(key, values):
    deviation = statistics.stdev(values) if len(values) > 1 else 0.0
    return key + (len(values), "%.4g" % statistics.fmean(values),
                  "%.4g" % deviation, "%.4g" % max(values),
                  "%.3g" % (sum(v > 1 for v in values) / len(values)))


def write(path, head, rows):
    with open(path, "w") as file:
        for row in [head] + rows:
            print(*row, sep="\t", file=file)


def summary(prefix, *parts):
    rows = [row for path in parts for row in rows_of(path)]
    write(prefix + ".tsv", COLUMNS, [tuple(row.values()) for row in rows])
    groups = {}
    for row in rows:
        groups.setdefault(point(row), []).append(float(row["relative"]))
    data = list(dict.fromkeys(row["data"] for row in rows))
    order = sorted(groups, key=lambda k: (
        data.index(k[0]), CURVES.index(k[1]), k[2], k[3]))
    write(prefix + ".summary.tsv", SUMMARY,
          [summarise(key, groups[key]) for key in order])


# What the text says in section 5 and appendix A
MOMENTS = ("known moments do not help where all are alike, and the more the further they "
           "fall")
COVERTYPE = ("known is below uniform, two-phase %s, known is near online with few attributes, "
             "%s lower at the end")
CLAIMS = {
    "simulated-ridge": ("figure 1", MOMENTS),
    "simulated-lasso": ("figure 2", MOMENTS),
    "mnist-ridge": ("figure 3", "known is below uniform, two-phase comes towards known, "
                    "known is near online and below it with few attributes, offline is lowest"),
    "mnist-lasso": ("figure 4", "known is below uniform, two-phase comes towards known, "
                    "known is near online or below it"),
    "covertype-ridge": ("figure 5", COVERTYPE % ("lies between", "online and offline are")),
    "covertype-lasso": ("figure 6", COVERTYPE % ("comes towards known", "online is")),
    "adagrad-simulated": ("figure 7", "AdaGrad by coordinates is slightly better for all but offline"),
    "adagrad-mnist": ("figure 8", "AdaGrad by coordinates is slightly better for online, and "
                      "worse for the others"),
}
FEW = " with few attributes"
END = " at the end"


class Curves:
    """The means of a panel's curves, and their standard errors as shares of them."""

    def __init__(self, rows, data):
        self.means, self.errors = {}, {}
        for row in rows:
            if row["data"] == data:
                key, x = (row["curve"], row["adagrad"]), int(row["attributes"])
                mean = float(row["mean"])
                self.means.setdefault(key, {})[x] = mean
                self.errors.setdefault(key, {})[x] = (
                    float(row["deviation"]) / mean / int(row["runs"]) ** 0.5)
        self.rules = {rule for _, rule in self.means} - {"auto"}

    def of(self, curve, rule=None):
        """A curve with the steps of this rule, or with the only ones."""
        if rule is None:
            rule = next(iter(self.rules), "auto") if curve != "offline" else "auto"
        return self.means.get((curve, rule), {})

    def error(self, curve, mean):
        """The standard error of a mean at the last point."""
        points = next(points for key, points in self.errors.items() if key[0] == curve)
        return mean * points[max(points)]

    def ratio(self, one, other):
        """The geometric mean of one curve over another, where both have points, and its standard
        error; curves by name and rule. None where there is no such point."""
        means = self.average({"one": one, "other": other})
        if len(means) < 2:
            return None
        found = [next(key for key in self.means if key[0] == of[0] and
                      self.of(*of) is self.means[key]) for of in (one, other)]
        shared = set(self.means[found[0]]) & set(self.means[found[1]])
        value = means["one"] / means["other"]
        return value, value * math.hypot(*(self.errors[key][x] for key in found
                                           for x in shared)) / len(shared)

    def average(self, keys, pick=None):
        """Geometric means over the points that all the curves have, or over one of them."""
        curves = {name: self.of(*key) for name, key in keys.items()}
        curves = {name: points for name, points in curves.items() if points}
        shared = sorted(set.intersection(*map(set, curves.values()))) if curves else []
        shared = [shared[pick]] if shared and pick is not None else shared
        return {name: statistics.geometric_mean([points[x] for x in shared])
                for name, points in curves.items() if shared}


def of_moments(names):
    return {name: (name,) for name in names}


def falling_moments(rows):
    """Figures 1 and 2: known over uniform, by panel."""
    data = sorted({row["data"] for row in rows}, key=float, reverse=True)
    gains, errors = {ONE: 1.0}, {ONE: 0.0}
    for alpha in data:
        found = Curves(rows, alpha).ratio(("known",), ("uniform",))
        if found:
            gains["alpha " + alpha], errors["alpha " + alpha] = found
    names = ["alpha " + alpha for alpha in data]
    first = [alike("alpha 0", ONE, gains)] if "0" in data else []
    last = [below(names[-1], ONE, gains)] if float(data[-1]) < 0 else []
    yield ("", "known over uniform", gains,
           first + [told(part, gains, errors) for part in falling(names, gains) + last])


def told(part, values, errors):
    """The part, where its two values differ by more than noise."""
    one, other = part[0]
    return part if missing((one, other), values) else unless_noise(
        part, values[one] - values[other], errors[one], errors[other])


def apart(low, high, values):
    """That the value of the first name is the smaller one, where they differ."""
    part = below(low, high, values)
    return part if missing((low, high), values) else unless_noise(
        part, values[low] / values[high] - 1, (NOISE - 1) / 2)


def clearly_nearer(one, to, than, values, curves):
    """That the first value is on the second one's side of the middle to the third, where
    these two differ."""
    part = nearer(one, to, than, values)
    if missing((one, to, than), values):
        return part
    middle = (values[to] + values[than]) / 2
    a, b, c = (curves.error(name.removesuffix(END), values[name]) for name in (one, to, than))
    part = unless_noise(part, values[one] - middle, a, b / 2, c / 2)
    return part if part[2] is None else unless_noise(part, values[to] - values[than], b, c)


def at_end(low, high, values, curves):
    """That the first value, at the end, is the smaller one, where the two differ."""
    names = low + END, high + END
    errors = {name: None if values.get(name) is None else
              curves.error(name.removesuffix(END), values[name]) for name in names}
    part = apart(*names, values)
    return part if part[2] is None else told(part, values, errors)


def real_data(figure, rows):
    """Figures 3 to 6: means over the points of a curve, and both ends."""
    for data in dict.fromkeys(row["data"] for row in rows):
        curves = Curves(rows, data)
        values = curves.average(of_moments(("uniform", "known")))
        for when, pick in ((FEW, 0), (END, -1)):
            some = curves.average(of_moments(("known", "online", "offline")), pick)
            if pick:
                some.update(curves.average(of_moments(("uniform", "two-phase", "known")), pick))
            values.update({name + when: value for name, value in some.items()})
        two, known, uniform = (name + END for name in ("two-phase", "known", "uniform"))
        parts = [apart("known", "uniform", values)]
        parts += ([not_above(known, two, values), not_above(two, uniform, values)]
                  if figure == "covertype-ridge" else
                  [clearly_nearer(two, known, uniform, values, curves)])
        few, end = ("known" + FEW, "online" + FEW), ("known" + END, "online" + END)
        if figure.startswith("mnist"):
            lower = below if figure == "mnist-ridge" else alike_or_below
            parts += [lower(*few, values), alike_or_below(*end, values)]
            if figure == "mnist-ridge":
                parts += [at_end("offline", "online", values, curves)]
        else:
            parts += [alike_or_below(*few, values), at_end("online", "known", values, curves)]
            if figure == "covertype-ridge":
                parts += [at_end("offline", "known", values, curves)]
        yield data, "means over the points and at both ends", values, parts


def adagrad(figure, rows):
    """Figures 7 and 8: steps by coordinates over one size of steps."""
    curves = Curves(rows, rows[0]["data"])
    gains, errors, parts = {ONE: 1.0}, {ONE: 0.0}, []
    for curve in ("uniform", "two-phase", "known", "online"):
        found = curves.ratio((curve, "coordinate"), (curve, "none"))
        if found:
            gains[curve], errors[curve] = found
        better = figure == "adagrad-simulated" or curve == "online"
        parts.append(told(below(curve, ONE, gains) if better else below(ONE, curve, gains),
                          gains, errors))
    yield "", "coordinate over none", gains, parts


def parts_of(figure, rows):
    if figure.startswith("simulated"):
        return falling_moments(rows)
    return adagrad(figure, rows) if figure.startswith("adagrad") else real_data(figure, rows)


def say(figure, path, tuned):
    rows = read_table(path)
    cases = [case(what + (", " + data if data else ""), values, parts)
             for data, what, values, parts in parts_of(figure, rows)]
    print(sentence(CLAIMS[figure], *cases, "" if tuned == "yes" else
                   "the steps are not tuned, as the paper's are: see --tune"))


if __name__ == "__main__":
    {"shuffle": shuffle, "part": part, "trial": trial, "choose": choose, "summary": summary,
     "say": say}[sys.argv[1]](*sys.argv[2:])
