#!/usr/bin/python3
# peers_score.py FOLDER NAME... - score models on FOLDER's held-out rows: a table
# SPDX-License-Identifier: MIT
"""For every NAME, the model NAME.npz (scikit-learn), NAME.csv (glmnet),
NAME.liblinear or NAME.h5 (Thresher, the last) and the costs NAME.json. Writes a
line each and all of them to FOLDER.results.json."""
import json
import os
import sys

import h5py
import numpy as np
import scipy.sparse as sp


def read_npz(path):
    model = np.load(path)
    return model["support"], model["coef"], float(model["intercept"])


def read_h5(path):
    with h5py.File(path) as model:
        return (model["support"][:], model["coef"][:],
                float(model.attrs["intercept"]))


def read_csv(path):
    """Lines of attribute,coefficient; attribute -1 is the intercept."""
    rows = np.atleast_2d(np.loadtxt(path, delimiter=","))
    terms = rows[rows[:, 0] >= 0]
    return (terms[:, 0].astype(int), terms[:, 1],
            float(rows[rows[:, 0] < 0, 1].sum()))


def read_liblinear(path):
    with open(path) as file:
        lines = file.read().split("\n")
    begin = lines.index("w")
    sign = 1.0 if "label 1 -1" in lines[:begin] else -1.0
    coef = sign * np.array([float(x) for x in lines[begin + 1:] if x.strip()])
    bias = [float(x.split()[1]) for x in lines[:begin] if x.startswith("bias")]
    intercept = coef[-1] * bias[0] if bias[0] > 0 else 0.0
    coef = coef[:-1] if bias[0] > 0 else coef
    support = np.flatnonzero(coef)
    return support, coef[support], intercept


READERS = {".npz": read_npz, ".csv": read_csv, ".liblinear": read_liblinear,
           ".h5": read_h5}


def read_model(name):
    for ending, reader in READERS.items():
        if os.path.exists(name + ending):
            return reader(name + ending)
    sys.exit("no model of " + name)


def area_under_curve(predictor, positive):
    order = np.argsort(predictor, kind="stable")
    _, first, count = np.unique(predictor[order], return_index=True,
                                return_counts=True)
    ranks = np.empty(len(order))
    ranks[order] = np.repeat(first + (count + 1) / 2, count)
    p, n = positive.sum(), (~positive).sum()
    return (ranks[positive].sum() - p * (p + 1) / 2) / (p * n)


def errors(y, predictor):
    if len(np.unique(y)) > 2:
        return {"mse": np.mean((y - predictor) ** 2)}
    return {"log_loss": np.mean(np.logaddexp(0, -y * predictor)),
            "accuracy": np.mean((predictor > 0) == (y > 0)),
            "auc": area_under_curve(predictor, y > 0)}


def read_test(folder):
    if os.path.exists(folder + "/test.npy"):
        return np.load(folder + "/test.npy", mmap_mode="r")
    return sp.load_npz(folder + "/test.npz").tocsc()


def score(name, x, y, truth):
    support, coef, intercept = read_model(name)
    with open(name + ".json") as file:
        costs = json.load(file)
    del costs["runs"], costs["command"]
    return {"tool": os.path.basename(name), **costs,
            **errors(y, x[:, support] @ coef + intercept),
            "support": len(support),
            "true": len(np.intersect1d(support, truth))}


def show(rows, true):
    kinds = [key for key in ("mse", "log_loss", "accuracy", "auc")
             if key in rows[0]]
    head = ["seconds", "CPU s", "memory MB", "read MB"] + kinds
    print("%-28s" % "tool" + "".join("%11s" % word for word in head) +
          "%18s" % "support found")
    for r in rows:
        print("%-28s%11.2f%11.2f%11.0f%11.0f" %
              (r["tool"], r["seconds"], r["cpu_seconds"], r["memory"] / 1e6,
               r["bytes_read"] / 1e6) +
              "".join("%11.4f" % r[kind] for kind in kinds) +
              "%18s" % ("%d: %d of %d" % (r["support"], r["true"], true)))


def show_ratio(rows):
    """Ours, the last, against the fastest of the others."""
    *others, ours = rows
    peer = min(others, key=lambda r: r["cpu_seconds"])
    print("ours against %s: %.1f times as fast, %.1f times by CPU time" % (
        peer["tool"], peer["seconds"] / ours["seconds"],
        peer["cpu_seconds"] / ours["cpu_seconds"]))


def main():
    folder, names = sys.argv[1], sys.argv[2:]
    x, y = read_test(folder), np.load(folder + "/y_test.npy")
    truth = np.load(folder + "/truth.npy")
    rows = [score(name, x, y, truth) for name in names]
    show(rows, len(truth))
    show_ratio(rows)
    with open(folder + ".results.json", "w") as file:
        json.dump({row["tool"]: row for row in rows}, file, indent=1)


main()
