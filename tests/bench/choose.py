#!/usr/bin/python3
"""choose.py DATA SPLITS [SET...] - lambda chosen by cross-validation, beside cv.glmnet and
scikit-learn.

For each set a line per program: mean test loss over the splits, the paired difference of ours
from it with its standard error, attributes, seconds. A difference is within where it is no
larger than one standard error above 0.
SPDX-License-Identifier: MIT
"""
import json
import os
import subprocess
import sys
import time
import warnings

import numpy
from quality_sets import SETS
from scipy.io import mmwrite
from scipy.sparse import csr_matrix
from sklearn.datasets import dump_svmlight_file
from sklearn.linear_model import LassoCV, LogisticRegressionCV
from sklearn.preprocessing import StandardScaler

THRESHER = os.environ["THRESHER"]
HERE = os.path.dirname(os.path.abspath(__file__))
USUAL = ("communities", "riboflavin", "colon", "golub", "madelon")


def loss_of(p, w, labels):
    if labels:
        return float(numpy.mean(numpy.logaddexp(0, -(2 * w - 1) * p)))
    return float(numpy.mean((p - w) ** 2) / numpy.var(w))


def ours(x, y, z, w):
    dump_svmlight_file(x, y, "train.svm", zero_based=False)
    dump_svmlight_file(z, w, "test.svm", zero_based=False)
    began = time.time()
    for words in (
            ["import", "train.svm", "--test-file", "test.svm", "-o", "c.h5", "--force", "-q",
             "--attributes", str(x.shape[1])],
            ["train", "c.h5", "-o", "c.model.h5", "--solver", "lasso", "--standardize",
             "--folds", "5", "--force", "-q"],
            ["predict", "c.model.h5", "c.h5", "--split", "test", "-o", "c.csv", "--force", "-q"]):
        subprocess.run([THRESHER, *words], check=True, capture_output=True)
    seconds = time.time() - began
    model = json.loads(subprocess.run([THRESHER, "inspect", "c.model.h5", "--json"], check=True,
                                      capture_output=True).stdout)
    rows = numpy.loadtxt("c.csv", delimiter=",", skiprows=1, usecols=(0, 1))
    p = rows[numpy.argsort(rows[:, 0]), 1]
    return p, len(model["support"]), seconds


def glmnet(x, y, z, _):
    mmwrite("x.mtx", x)
    mmwrite("z.mtx", z)
    numpy.savetxt("y.txt", y)
    subprocess.run(["Rscript", os.path.join(HERE, "choose.R"), "."], check=True,
                   capture_output=True)
    with open("fit.json", encoding="ascii") as file:
        fit = json.load(file)
    return numpy.loadtxt("p.txt"), fit["size"], fit["seconds"]


def sklearn(x, y, z, _):
    began = time.time()
    labels = len(numpy.unique(y)) == 2
    scaler = StandardScaler().fit(x.toarray())
    x, z = scaler.transform(x.toarray()), scaler.transform(z.toarray())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if labels:
            model = LogisticRegressionCV(Cs=20, cv=5, penalty="l1", solver="liblinear",
                                         scoring="neg_log_loss").fit(x, y)
            p = model.decision_function(z)
        else:
            model = LassoCV(cv=5).fit(x, y)
            p = model.predict(z)
    return p, int(numpy.count_nonzero(model.coef_)), time.time() - began


def main():
    data, splits = sys.argv[1], int(sys.argv[2])
    within = True
    print("%-12s %-8s %9s %22s %10s %8s" % ("set", "program", "test loss", "ours less it (se)",
                                            "attributes", "seconds"))
    for name in sys.argv[3:] or USUAL:
        found = {"thresher": [], "glmnet": [], "sklearn": []}
        for seed in range(splits):
            x, y, z, w = SETS[name](data, seed)
            x, z = csr_matrix(x), csr_matrix(z)
            labels = len(numpy.unique(y)) == 2
            if labels:
                y, w = (numpy.asarray(v == numpy.max(y), float) for v in (y, w))
            for program, fit in (("thresher", ours), ("glmnet", glmnet), ("sklearn", sklearn)):
                p, size, seconds = fit(x, y, z, w)
                found[program].append((loss_of(p, w, labels), size, seconds))
        table = {k: numpy.array(v) for k, v in found.items()}
        for program, rows in table.items():
            off = table["thresher"][:, 0] - rows[:, 0]
            se = off.std(ddof=1) / numpy.sqrt(len(off)) if len(off) > 1 else 0
            good = off.mean() <= se
            within = within and good
            print("%-12s %-8s %9.4f %12.4f (%.4f)%s %10.1f %8.2f" % (
                name, program, rows[:, 0].mean(), off.mean(), se, "  " if good else " *",
                rows[:, 1].mean(), rows[:, 2].mean()), flush=True)
    print("test loss within one paired standard error of both peers: %s"
          % ("all sets" if within else "not where * stands"))


if __name__ == "__main__":
    main()
