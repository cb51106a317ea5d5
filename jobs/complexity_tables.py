#!/usr/bin/python3
# complexity_tables.py - tables of complexity.sh from the results of its runs
# SPDX-License-Identifier: MIT
"""complexity_tables.py law ATTRIBUTES DESIGN
    the number of true attributes, mu, the least and largest eigenvalue of the
    covariance of the true attributes, and how many examples are computed
complexity_tables.py DIR
    DIR/complexity.tsv and DIR/complexity.summary.tsv of the runs on the standard
    input: ATTRIBUTES, DESIGN, OPTIM and SEED, with tabs between them
complexity_tables.py say SUMMARY.tsv
    what the paper says of its figure, and what the summary says
"""
import json
import math
import statistics
import sys

from claims import ONE, below, case, not_above, read_table, sentence

DELTA = 0.1
DESIGNS = {"orthogonal": (0.0, 0.0), "toeplitz": (0.1, 0.1)}  # correlation, mu
COLUMNS = ("attributes", "design", "optim", "seed", "log2_ratio", "right", "examples",
           "cost", "cost_omp")
SUMMARY = ("attributes", "log2_d", "design", "optim", "runs", "mean", "least", "most",
           "right", "examples", "examples_omp")


def law(attributes, rho):
    """s, and the least and largest eigenvalue of the covariance of s neighbours."""
    import numpy
    size = max(1, round(math.log2(attributes)))
    corr = rho ** abs(numpy.subtract.outer(numpy.arange(size), numpy.arange(size)))
    values = numpy.linalg.eigvalsh(corr / 12)
    return size, float(values[0]), float(values[-1])


def examples_of_omp(attributes, size, least, mu):
    """The examples of equation 42 (Zhang 2009), which suffice."""
    smallest = (1 / size) / math.sqrt(size)
    return (18 * 0.25 * math.log(4 * attributes / DELTA)
            / ((1 - mu) ** 2 * least ** 2 * smallest ** 2))


def enough(attributes, design):
    rho, mu = DESIGNS[design]
    size, least, _ = law(attributes, rho)
    return examples_of_omp(attributes, size, least, mu)


def tell_law(attributes, design):
    rho, mu = DESIGNS[design]
    size, least, most = law(int(attributes), rho)
    # several times what OOMP uses by least squares; asgd takes more
    examples = 8 * examples_of_omp(int(attributes), size, least, mu)
    print(size, mu, repr(least), repr(most), round(max(200000, examples)))


def row_of(folder, attributes, design, optim, seed):
    d, size = int(attributes), law(int(attributes), 0.0)[0]
    with open(f"{folder}/runs/d-{attributes}/{design}/{optim}/seed-{seed}/model.json") as file:
        told = json.load(file)
    cost = told["cost"]["try_select"] + told["cost"]["optim"]
    omp = (size * d + size ** 2) * enough(d, design)
    return {"attributes": d, "design": design, "optim": optim, "seed": int(seed),
            "log2_ratio": math.log2(cost / omp), "cost": cost, "cost_omp": omp,
            "right": int(sorted(told["selected"]) == list(range(size))),
            "examples": told["examples_to_select"]}


def summary(rows):
    first = rows[0]
    ratios = [row["log2_ratio"] for row in rows]
    mean = {name: statistics.fmean(row[name] for row in rows)
            for name in ("right", "examples")}
    return dict(first, **mean, log2_d=math.log2(first["attributes"]), runs=len(rows),
                mean=statistics.fmean(ratios), least=min(ratios), most=max(ratios),
                examples_omp=enough(first["attributes"], first["design"]))


def write(path, head, rows):
    with open(path, "w") as file:
        print(*head, sep="\t", file=file)
        for row in rows:
            print(*("%.6g" % row[name] if isinstance(row[name], float) else row[name]
                    for name in head), sep="\t", file=file)


def tables(folder):
    rows = [row_of(folder, *line.split()) for line in sys.stdin]
    rows.sort(key=lambda row: (row["design"], row["optim"], row["attributes"], row["seed"]))
    points = {}
    for row in rows:
        points.setdefault((row["design"], row["optim"], row["attributes"]), []).append(row)
    write(folder + "/complexity.tsv", COLUMNS, rows)
    write(folder + "/complexity.summary.tsv", SUMMARY, map(summary, points.values()))


# What the text says in section 6
CLAIM = ("figure 1", "OOMP costs far less than OMP for both designs, and finds the true "
         "attributes in all runs")


def of_ssr(rows):
    """Its greatest cost over that of OMP."""
    ratios = [2 ** float(row["mean"]) for row in rows if row["optim"] == "ssr"]
    return ratios and ("ssr, reconstructed, costs at most %.2g of it, but its examples are by "
                       "trial and want the truth: it does not tell when it is done"
                       % max(ratios))


def say(path):
    rows = [row for row in read_table(path) if row["optim"] != "ssr"]
    least, most = (pick(int(row["attributes"]) for row in rows) for pick in (min, max))
    values, parts = {ONE: 1.0}, []
    for row in rows:
        if int(row["attributes"]) in (least, most):
            name = "%s %s of %s" % (row["optim"], row["design"], row["attributes"])
            values[name] = 2 ** float(row["mean"])
            parts.append(below(name, ONE, values))
    right = "runs with the true attributes"
    values[right] = statistics.fmean(float(row["right"]) for row in rows)
    parts.append(not_above(ONE, right, values))
    print(sentence(CLAIM, case("cost of OOMP over that of OMP by the number of attributes",
                               values, parts), "the numbers are ours: the paper prints none",
                   of_ssr(read_table(path))))


if __name__ == "__main__":
    if sys.argv[1] == "law":
        tell_law(*sys.argv[2:])
    elif sys.argv[1] == "say":
        say(sys.argv[2])
    else:
        tables(sys.argv[1])
