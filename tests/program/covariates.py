"""covariates.py make | check MODEL.json DATA.csv TARGETS COLUMN TABLE LAMBDA | predict MODEL.json
DATA.csv TABLE PREDICTIONS - data with a table beside them; what numpy finds of a model; what it
predicts
SPDX-License-Identifier: MIT"""
import csv
import json
import sys

import numpy as np

MISSING = ("", "NA")


def make():
    rng = np.random.default_rng(3)
    n, d = 200, 30
    x = rng.integers(0, 3, size=(n, d))
    age = np.round(rng.uniform(20, 80, n), 1)
    sex = rng.choice(["F", "M"], n)
    pc = np.round(rng.normal(size=n), 4)
    y = x[:, 3] - 0.8 * x[:, 17] + 0.05 * age + 1.5 * (sex == "M") + 0.3 * pc
    y = y + 0.5 * rng.normal(size=n)
    ids = ["s%d" % i for i in range(n)]

    def write(name, head, rows):
        with open(name, "w", newline="") as f:
            out = csv.writer(f, delimiter="\t" if name.endswith("tsv") else ",", lineterminator="\n")
            out.writerow(head)
            out.writerows(rows)

    write("x.csv", ["id"] + ["v%d" % j for j in range(d)], ([ids[i], *x[i]] for i in range(n)))
    with open("x.svm", "w") as f:
        for i in range(n):
            print(0, *("%d:%d" % (j + 1, v) for j, v in enumerate(x[i]) if v), file=f)
    with open("ids.txt", "w") as f:
        f.writelines(i + "\n" for i in ids)

    def height(i):
        return "NA" if i % 17 == 5 else "%.4f" % y[i]

    def status(i):
        return "NA" if i % 19 == 3 else ["control", "case"][int(y[i] > np.median(y))]

    def row(i, word=None):
        return [word or sex[i], ids[i], "NA" if i % 13 == 1 else age[i], pc[i]]

    order = [i for i in rng.permutation(n) if i % 50 != 7] # four have no row
    write("pheno.tsv", ["id", "height", "status"], ([ids[i], height(i), status(i)] for i in range(n)))
    write("cov.tsv", ["sex", "id", "age", "PC1"], (row(i) for i in order))
    write("all.tsv", ["sex", "id", "age", "PC1", "height"], (row(i) + [height(i)] for i in order))
    write("other.tsv", ["site", "PC1", "sex", "age", "id"],
          ([k, pc[i], "X" if k < 3 else sex[i], age[i], ids[i]] for k, i in enumerate(order)))
    write("plink.tsv", ["FID", "IID", "sick"],
          ([1, ids[i], [0, 1, 2, -9][i % 4]] for i in range(n)))
    write("three.tsv", ["id", "kind"], ([ids[i], "abc"[i % 3]] for i in range(n)))
    write("words.tsv", ["id", "age", "note"], ([ids[i], age[i], "n%d" % i] for i in range(n)))
    write("empty.tsv", ["id", "age", "bmi"],
          [[ids[i], age[i], "NA"] for i in range(n)] + [["nobody", 3, 4]])
    write("strange.tsv", ["id", "age"], [["q1", 3], ["q2", 4]])


def rows_of(name):
    with open(name, newline="") as f:
        return {r["id"]: r for r in csv.DictReader(f, delimiter="\t" if name.endswith("tsv") else ",")}


def columns(model, data, table, counts):
    """All attributes of the model, in the order of the data; means of those that count."""
    names = [c["name"] for c in model["covariates"]]
    own = [a for a in next(iter(data.values())) if a != "id"]
    x = [[float(r[a]) for a in own] for r in data.values()]
    beside = []
    for i in data:
        line = []
        for name in names:
            column, _, word = name.partition("=")
            value = table[i][column] if i in table else ""
            if value in MISSING:
                line.append(np.nan)
            else:
                line.append(float(value == word) if word else float(value))
        beside.append(line)
    beside = np.array(beside)
    for k in range(len(names)):
        mean = np.nanmean(beside[counts, k]) if counts is not None else model["covariates"][k]["mean"]
        if abs(mean - model["covariates"][k]["mean"]) > 1e-9 * (1 + abs(mean)):
            sys.exit("mean of %s: %.12g, wanted %.12g" % (names[k], model["covariates"][k]["mean"], mean))
        beside[np.isnan(beside[:, k]), k] = mean
    return np.hstack([np.array(x), beside]), len(own)


def prediction(model, x):
    return model["intercept"] + x[:, model["support"]] @ np.array(model["coef"])


def check(path, data, targets, column, table, lam):
    """The conditions of an optimum: slopes of what has no penalty are 0."""
    model = json.load(open(path))
    data, targets, lam = rows_of(data), rows_of(targets), float(lam)
    counts = np.array([targets[i][column] not in MISSING for i in data])
    x, own = columns(model, data, rows_of(table), counts)
    x = x[counts]
    labels = {"case": 1, "control": -1}
    y = [labels.get(targets[i][column], targets[i][column]) for i in data]
    y = np.array([v for v, c in zip(y, counts) if c], float)
    p = prediction(model, x)
    slope = -y / (1 + np.exp(y * p)) if model["loss"] == "logistic" else p - y
    slope = slope - 0
    gradient = x.T @ slope / len(y)
    coef = np.zeros(x.shape[1])
    coef[model["support"]] = model["coef"]
    scale = np.abs(x).mean(axis=0)
    wrong = [abs(slope.mean())] + list(np.abs(gradient[own:]) / scale[own:])
    for j in range(own):
        want = -lam * np.sign(coef[j])
        wrong.append(abs(gradient[j] - want) if coef[j] else max(0, abs(gradient[j]) - lam))
    if max(wrong) > 2e-6:
        sys.exit("no optimum: %g" % max(wrong))


def predict(path, data, table, predicted):
    model = json.load(open(path))
    data = rows_of(data)
    x, _ = columns(model, data, rows_of(table), None)
    got = {i: float(r["prediction"]) for i, r in rows_of(predicted).items()}
    off = max(abs(got[i] - p) for i, p in zip(data, prediction(model, x)))
    if len(got) != len(data) or off > 1e-5:
        sys.exit("other predictions: %g" % off)


{"make": make, "check": check, "predict": predict}[sys.argv[1]](*sys.argv[2:])
