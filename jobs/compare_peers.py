#!/usr/bin/python3
# compare_peers.py METHOD TRAIN TEST ATTRIBUTES FOLDER - a model of other programs
# SPDX-License-Identifier: MIT
"""A part of compare.sh. METHOD is a class of scikit-learn or cv.glmnet. TRAIN and
TEST are LIBSVM text. Writes FOLDER/score.json, as `thresher evaluate` does, and
FOLDER/report.json with the seconds of the fit; without success FOLDER/refused, which
says why."""
import json
import os
import shutil
import subprocess
import sys
import time
import warnings


class Refused(Exception):
    pass


def needs(labels, wanted):
    if labels != wanted:
        raise Refused("is for labels" if wanted else "is for other targets than labels")


def linear(method, labels):
    """The model, and what it predicts."""
    from sklearn import linear_model
    if method == "LassoCV":
        needs(labels, False)
        return linear_model.LassoCV(cv=5, random_state=1)
    if method == "LogisticRegressionCV":
        needs(labels, True)
        return linear_model.LogisticRegressionCV(
            cv=5, penalty="l1", solver="liblinear", random_state=1)
    return linear_model.RidgeCV(alphas=[10 ** (k / 2) for k in range(-6, 13)])


def scikit(method, train, test, attributes, labels):
    """(prediction, whether it is a probability, seconds, size of the support)"""
    from sklearn.datasets import load_svmlight_file
    x, y = load_svmlight_file(train, n_features=attributes, zero_based=False)
    fresh, _ = load_svmlight_file(test, n_features=attributes,
                                  zero_based=False)
    if x.nnz > 0.3 * x.shape[0] * x.shape[1]:
        x, fresh = x.toarray(), fresh.toarray()
    model = linear(method, labels)
    began = time.perf_counter()
    model.fit(x, y)
    seconds = time.perf_counter() - began
    support = int((model.coef_ != 0).sum())
    if method == "LogisticRegressionCV":
        return model.predict_proba(fresh)[:, 1], True, seconds, support
    return model.predict(fresh), False, seconds, support


def triplets(path, to):
    """For R: TO.i, .j and .x of the entries, and TO.y."""
    with open(path) as text, open(to + ".y", "w") as y, open(to + ".ijx", "w") as out:
        for row, line in enumerate(text, 1):
            target, *pairs = line.split()
            print(target, file=y)
            out.writelines("%d %s\n" % (row, pair.replace(":", " ")) for pair in pairs)


def glmnet(train, test, attributes, labels, folder):
    if not shutil.which("Rscript"):
        raise Refused("no R here")
    work = os.path.join(folder, "r")
    triplets(train, work + ".train")
    triplets(test, work + ".test")
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "compare_peers.R")
    done = subprocess.run(["Rscript", "--vanilla", script, work, str(attributes),
                           "binomial" if labels else "gaussian"],
                          capture_output=True, text=True)
    for name in os.listdir(folder):
        if name.startswith(("r.train.", "r.test.")):
            os.remove(os.path.join(folder, name))
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.strip()]
        raise Refused("glmnet: " + (said[-1].strip() if said else "failed"))
    with open(work + ".out") as file:
        seconds, support, *prediction = map(float, file.read().split())
    os.remove(work + ".out")
    return prediction, labels, seconds, int(support)


def targets(path):
    with open(path) as file:
        return [float(line.split(None, 1)[0]) for line in file]


def score(prediction, probable, y, two):
    """What `thresher evaluate` tells."""
    import numpy as np
    y, p = np.asarray(y), np.asarray(prediction, float)
    told = {"auc": None, "accuracy": None, "log_loss": None}
    if two:
        low, high = two
        share = np.clip(p if probable else (p - low) / (high - low), 1e-15, 1 - 1e-15)
        positive = y == high
        told["accuracy"] = float(((share > 0.5) == positive).mean())
        told["log_loss"] = float(-np.log(np.where(positive, share, 1 - share)).mean())
        told["auc"] = auc(p, positive)
        p = low + (high - low) * p if probable else p
    told["mse"] = float(((p - y) ** 2).mean())
    spread = float(((y - y.mean()) ** 2).mean())
    told["r2"] = 1 - told["mse"] / spread if spread > 0 else None
    return told


def auc(p, positive):
    """The share of pairs in order; ties count half."""
    import numpy as np
    n, m = int(positive.sum()), int((~positive).sum())
    if n == 0 or m == 0:
        return None
    _, place, count = np.unique(p, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(count) - (count - 1) / 2)[place]
    return float((ranks[positive].sum() - n * (n + 1) / 2) / (n * m))


def main():
    method, train, test, attributes, folder = sys.argv[1:6]
    warnings.simplefilter("ignore")
    y, fresh = targets(train), targets(test)
    two = sorted(set(y + fresh)) if len(set(y + fresh)) == 2 else None
    try:
        if method == "cv.glmnet":
            made = glmnet(train, test, int(attributes), bool(two), folder)
        else:
            made = scikit(method, train, test, int(attributes), bool(two))
    except (Refused, ImportError, ValueError, MemoryError) as why:
        with open(folder + "/refused", "w") as file:
            print(str(why).splitlines()[0] if str(why) else "no memory", file=file)
        return
    prediction, probable, seconds, support = made
    with open(folder + "/report.json", "w") as file:
        json.dump({"seconds": seconds, "examples": len(y),
                   "attributes_observed": float("nan"),
                   "support_size": support}, file)
    with open(folder + "/score.json", "w") as file:
        json.dump(score(prediction, probable, fresh, two), file)


main()
