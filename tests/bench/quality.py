#!/usr/bin/python3
"""quality.py DATA OUT.json [SET...] - plain training beside cross-validated peers.

No option is given to Thresher; the peers are scikit-learn's LassoCV, or for labels
LogisticRegressionCV with an l1 penalty, on all attributes of all training examples. AUC
or R2 on test examples, the mean over the splits of small sets; seconds of training on one
core, of ours with reading and writing. Results are kept in OUT.json: what is there is not
computed again. PEERS=no leaves the peers out.
SPDX-License-Identifier: MIT
"""
import json
import os
import signal
import subprocess
import sys
import time

import numpy
from quality_sets import SETS, SPLITS
from scipy.sparse import issparse
from sklearn.datasets import dump_svmlight_file
from sklearn.linear_model import LassoCV, LogisticRegressionCV
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.preprocessing import StandardScaler

THRESHER = os.environ["THRESHER"]
PEER_SECONDS = 300
CLOSE = 0.01


def run(*arguments):
    return subprocess.run([THRESHER, *map(str, arguments)], check=True,
                          capture_output=True, text=True).stdout


def ours(x, y, z, w):
    dump_svmlight_file(x, y, "train.svm", zero_based=False)
    dump_svmlight_file(z, w, "test.svm", zero_based=False)
    run("import", "train.svm", "--test-file", "test.svm", "-o", "q.h5", "--force", "-q",
        "--attributes", x.shape[1])
    began = time.time()
    run("train", "q.h5", "-o", "q.model.h5", "--force", "-q")
    seconds = time.time() - began
    score = json.loads(run("evaluate", "q.model.h5", "q.h5", "--split", "test", "--json"))
    model = json.loads(run("inspect", "q.model.h5", "--json"))
    return {"score": score["r2"] if score.get("auc") is None else score["auc"],
            "log_loss": score.get("log_loss"),
            "size": len(model["support"]), "seconds": seconds,
            "observed": model["ledger"]["attributes"] / x.shape[0]}


def is_dense(x):
    values = x.shape[0] * x.shape[1]
    return values < 6e7 and not (x.shape[0] > 20000 and x.nnz < 0.1 * values)


def fit_peer(x, y, z, w, labels):
    began = time.time()
    if is_dense(x):
        x, z = x.toarray(), z.toarray()
    scaler = StandardScaler(with_mean=not issparse(x)).fit(x)
    x, z = scaler.transform(x), scaler.transform(z)
    if labels:
        model = LogisticRegressionCV(Cs=8, cv=3, penalty="l1", solver="liblinear",
                                     max_iter=200, scoring="roc_auc", tol=1e-3).fit(x, y)
        score = roc_auc_score(w, model.decision_function(z))
    else:
        model = LassoCV(n_alphas=50, cv=3, eps=1e-2, max_iter=2000).fit(x, y)
        score = r2_score(w, model.predict(z))
    return {"score": score, "size": int(numpy.count_nonzero(model.coef_)),
            "seconds": time.time() - began}


def too_long(*_):
    raise TimeoutError


def peer(*data):
    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(PEER_SECONDS)
    try:
        return fit_peer(*data)
    except TimeoutError:
        return None
    finally:
        signal.alarm(0)


def base_loss(y, w):
    """The log loss of the training examples' share, on the test examples."""
    p, q = (y > 0).mean(), (w > 0).mean()
    return -(q * numpy.log(p) + (1 - q) * numpy.log(1 - p))


def mean(parts):
    names = parts[0].keys()
    return {name: None if parts[0][name] is None
            else float(numpy.mean([part[name] for part in parts])) for name in names}


def measure(folder, name, known):
    splits = [SETS[name](folder, seed) for seed in range(SPLITS.get(name, 1))]
    labels = len(numpy.unique(splits[0][1])) == 2
    result = dict(known, labels=labels, ours=mean([ours(*data) for data in splits]))
    if labels:
        result["base"] = float(numpy.mean([base_loss(s[1], s[3]) for s in splits]))
    if "peer" not in known and os.environ.get("PEERS") != "no":
        found = [peer(*data, labels) for data in splits]
        result["peer"] = None if None in found else mean(found)
    return result


def show(name, result):
    mine, other = result["ours"], result.get("peer")
    line = f"{name:12s}{mine['score']:8.4f}{mine['size']:7.0f}{mine['seconds']:8.2f}"
    line += f"{mine['observed']:9.0f}"
    if result["labels"]:
        line += f"  log loss {mine['log_loss']:.3f} of {result['base']:.3f}"
    if other is not None:
        line += f"   peer {other['score']:.4f}{other['size']:7.0f}{other['seconds']:8.2f}"
    print(line, flush=True)


def summary(results):
    both = [(n, r["ours"], r["peer"]) for n, r in results.items() if r.get("peer")]
    timed = [b for b in both if b[0] != "w8a"]
    near = sum(o["score"] >= p["score"] - CLOSE for _, o, p in both)
    mine = sum(o["seconds"] for _, o, _ in timed)
    theirs = sum(p["seconds"] for _, _, p in timed)
    above = [n for n, r in results.items()
             if r["labels"] and r["ours"]["log_loss"] > r["base"]]
    slow = [n for n, o, p in both if o["seconds"] > max(3, 3 * p["seconds"])]
    print(f"{near} of {len(both)} within {CLOSE} of the peer; seconds {mine:.1f}, peers "
          f"{theirs:.1f}: {100 * mine / max(theirs, 1e-9):.0f} %; slower than 3 s and "
          f"than 3 times the peer: {' '.join(slow) or 'none'}")
    print(f"log loss above that of the base rate: {' '.join(above) or 'none'}")


def main():
    folder, out, *names = sys.argv[1:]
    results = {}
    if os.path.exists(out):
        with open(out) as file:
            results = json.load(file)
    print(f"{'':12s}{'score':>8s}{'size':>7s}{'seconds':>8s}{'observed':>9s}")
    for name in names or SETS:
        results[name] = measure(folder, name, results.get(name, {}))
        show(name, results[name])
        with open(out, "w") as file:
            json.dump(results, file, indent=1)
    summary(results)


main()
