"""quality_sets.py - the real data sets of quality.py: how each is read and split.

SETS[name](folder, seed) gives the training examples and targets, and those of the test.
Small sets are split anew by each seed; of the others a file of test examples is kept.
SPDX-License-Identifier: MIT
"""
import io
import lzma
import os

import numpy
import scipy.sparse
from sklearn.datasets import load_svmlight_file

# Small sets: so many random splits, of which the mean counts.
SPLITS = {"colon": 20, "riboflavin": 20, "golub": 20, "dexter": 10, "arcene": 10,
          "communities": 5}
TEST_SHARE = 0.25


def read_svm(folder, name):
    with lzma.open(os.path.join(folder, name)) as file:
        return load_svmlight_file(io.BytesIO(file.read()))


def read_csv(folder, name, target=None):
    """The column of that name is the target; without a name the last, and no header."""
    with lzma.open(os.path.join(folder, name), "rt") as file:
        rows = [line.rstrip("\n").split(",") for line in file]
    names = rows.pop(0) if target else None
    values = numpy.array(rows, float)
    place = names.index(target) if target else values.shape[1] - 1
    return (scipy.sparse.csr_matrix(numpy.delete(values, place, 1)), values[:, place])


def cut(x, y, seed):
    order = numpy.random.default_rng(seed).permutation(len(y))
    k = int(len(y) * TEST_SHARE)
    return x[order[k:]], y[order[k:]], x[order[:k]], y[order[:k]]


def deal(x, y, z, w, seed):
    """Training and test examples dealt anew, but for seed 0."""
    if seed == 0:
        return x, y, z, w
    all_x = scipy.sparse.vstack([x, z]).tocsr()
    all_y = numpy.concatenate([y, w])
    order = numpy.random.default_rng(1000 + seed).permutation(len(all_y))
    n = len(y)
    return all_x[order[:n]], all_y[order[:n]], all_x[order[n:]], all_y[order[n:]]


def one(name, label=None):
    def read(folder, seed):
        x, y = read_svm(folder, name)
        if label is not None:
            y = numpy.where(label(y), 1.0, -1.0)
        return cut(x, y, seed)
    return read


def two(train, test, target=lambda y: y):
    def read(folder, seed):
        x, y = read_svm(folder, train)
        z, w = read_svm(folder, test)
        d = max(x.shape[1], z.shape[1])
        x.resize((x.shape[0], d))
        z.resize((z.shape[0], d))
        return deal(x, target(y), z, target(w), seed)
    return read


def table(name, target=None):
    return lambda folder, seed: cut(*read_csv(folder, name, target), seed)


def two_tables(train, test, target):
    return lambda folder, seed: deal(*read_csv(folder, train, target),
                                     *read_csv(folder, test, target), seed)


SETS = {
    "mnist35": two("mnist35.train.svm.xz", "mnist35.test.svm.xz"),
    "rcv1": two("rcv1sub.train.svm.xz", "rcv1sub.test.svm.xz"),
    "news1": one("news20.multiclass.svm.xz", lambda y: y <= 10),
    "blog": two("blogfeedback.train.svm.xz", "blogfeedback.test.svm.xz"),
    "bloglog": two("blogfeedback.train.svm.xz", "blogfeedback.test.svm.xz", numpy.log1p),
    "uji": two("ujiindoor.train.svm.xz", "ujiindoor.test.svm.xz"),
    "covtype2": one("covtype.scale01.subset.svm.xz", lambda y: y == 2),
    "a9a": one("a9a.svm.xz"),
    "w8a": one("w8a.svm.xz"),
    "mushrooms": one("mushrooms.svm.xz", lambda y: y == y.max()),
    "basehock": one("BASEHOCK.svm.xz"),
    "pcmac": one("PCMAC.svm.xz"),
    "relathe": one("RELATHE.svm.xz"),
    "madelon": one("madelon.svm.xz"),
    "dexter": two("dexter.train.svm.xz", "dexter.valid.svm.xz"),
    "dorothea": two("dorothea.train.svm.xz", "dorothea.valid.svm.xz"),
    "arcene": two("arcene.train.svm.xz", "arcene.valid.svm.xz"),
    "colon": one("colon-cancer.svm.xz"),
    "riboflavin": table("riboflavin.csv.xz", "y"),
    "communities": table("communities.csv.xz"),
    "golub": two_tables("golub.train.csv.xz", "golub.test.csv.xz", "y"),
}
