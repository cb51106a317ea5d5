#!/usr/bin/python3
"""check_import.py - what h5py and SciPy read equals the text, value by value.

usage: check_import.py PROGRAM   (in a folder where files may be made)

The texts are random; they are read again here by a parser that shares nothing
with the program.
SPDX-License-Identifier: MIT
"""
import random
import subprocess
import sys

import h5py
import numpy as np
import scipy.sparse

PROGRAM = sys.argv[1]
TYPES = {"f32": np.float32, "f64": np.float64, "u8": np.uint8, "i8": np.int8}


def number(kind):
    """A value as it is written, within what the type holds exactly or not."""
    if kind == "u8":
        return "%d" % random.randrange(256)
    if kind == "i8":
        return "%d" % random.randrange(-128, 128)
    return random.choice(["%.6g", "%.17g", "%.3f", "%.9e"]) % (
        random.gauss(0, 1) * 10.0 ** random.randrange(-12, 12))


def make_libsvm(path, rows, attributes, share, kind, shift):
    """Write LIBSVM text with all liberties it allows; the last attribute is
    always there."""
    with open(path, "w", newline="") as f:
        for i in range(rows):
            if random.random() < 0.1:
                f.write(random.choice(["\n", "# 1:2\n", "  \r\n"]))
            index = [j for j in range(attributes) if random.random() < share]
            if i == 0 and attributes - 1 not in index:
                index.append(attributes - 1)
            f.write("%.6g" % random.gauss(0, 1))
            for j in index:
                f.write(random.choice([" ", "\t", "  "]))
                f.write("%d:%s" % (j + shift, number(kind)))
            f.write(random.choice(["", " ", "# c", " # 9:9"]))
            f.write(random.choice(["\n", "\r\n"]) if i < rows - 1 else "")


def read_libsvm(path, attributes, shift):
    target, rows = [], []
    for line in open(path, newline="").read().split("\n"):
        fields = line.split("#")[0].split()
        if fields:
            target.append(float(fields[0]))
            row = np.zeros(attributes)
            for field in fields[1:]:
                j, value = field.split(":")
                row[int(j) - shift] = float(value)
            rows.append(row)
    return np.array(target), np.array(rows)


def make_csv(path, rows, attributes, kind, header):
    values = [[number(kind) for _ in range(attributes + 1)]
              for _ in range(rows)]
    with open(path, "w") as f:
        if header:
            f.write(",".join('"a, %d"' % j for j in range(attributes)) + ",y\n")
        for row in values:
            f.write(",".join(random.choice(["%s", '"%s"', " %s "]) % v
                             for v in row) + "\n")
    table = np.array([[float(v) for v in row] for row in values])
    return table[:, -1], table[:, :-1]


def dense_of(name):
    """The stored matrix, rows as stored, and whether it is sparse."""
    with h5py.File(name, "r") as f:
        n, d = f.attrs["examples"], f.attrs["attributes"]
        first = f["group/first"][:]
        if f.attrs["layout"] in (b"dense", "dense"):
            columns = f["X"][:].T
            assert columns.shape == (n, d), columns.shape
            return columns, False
        matrix = scipy.sparse.lil_matrix((n, d))
        for path, start in zip(f["shard/path"].asstr()[:], f["shard/first"][:]):
            with h5py.File(path, "r") as s:
                pieces = (len(s["piece"]) - 1) // len(first)
                run_group = np.repeat(np.arange(len(s["piece"]) - 1) // pieces,
                                      np.diff(s["piece"][:]))
                count = s["count"][:]
                rows = s["row"][:] + np.repeat(first[run_group], count)
                columns = np.repeat(s["attribute"][:] + start, count)
                values = s["value"][:]
                assert np.all(values != 0), "a stored zero"
                part = scipy.sparse.coo_matrix((values, (rows, columns)),
                                               shape=(n, d))
                matrix = matrix + part.tocsr()
        return np.asarray(matrix.todense()), True


def compare(name, target, table, kind, options):
    exact = table.astype(TYPES[kind])
    with h5py.File(name, "r") as f:
        row = f["row"][:]
        assert sorted(row) == list(range(len(target))), "rows"
        assert np.array_equal(f["y"][:], target[row]), "targets"
    stored, sparse = dense_of(name)
    if "--layout" in options:
        assert sparse == ("sparse" in options), "layout"
    else:
        assert sparse == (np.count_nonzero(exact) <= 0.25 * exact.size)
    assert np.array_equal(stored, exact[row]), "values"


def run(*arguments):
    subprocess.run([PROGRAM, "import", *arguments, "--force", "--quiet",
                    "--threads", str(run.threads)],
                   check=True, stdout=subprocess.DEVNULL)


run.threads = 1


def check_like():
    """Columns of another file, in another order, go by their names."""
    with open("a.csv", "w") as f:
        f.write("w,a,\"b\nb\",y\n1,10,20,30\n2,11,21,31\n")
    with open("b.csv", "w") as f:
        f.write("y,\"b\nb\",w,a\n32,22,0.5,12\n")
    run("a.csv", "-o", "a.h5", "--weights", "w", "--no-shuffle")
    run("b.csv", "-o", "b.h5", "--target", "y", "--weights", "3", "--like",
        "a.h5")
    run("a.csv", "b.csv", "-o", "c.h5", "--target", "y", "--weights", "w",
        "--no-shuffle")
    expected = {"a.h5": ([[10, 20], [11, 21]], [30, 31], [1, 2]),
                "b.h5": ([[12, 22]], [32], [0.5]),
                "c.h5": ([[10, 20], [11, 21], [12, 22]], [30, 31, 32],
                         [1, 2, 0.5])}
    for name, (table, target, weight) in expected.items():
        assert np.array_equal(dense_of(name)[0], table), name
        with h5py.File(name, "r") as f:
            assert np.array_equal(f["y"][:], target), name
            assert np.array_equal(f["weight"][:], weight), name
            assert list(f["names"].asstr()[:]) == ["a", "b\nb"], name


def main():
    random.seed(11)
    check_like()
    for case in range(24):
        run.threads = case % 4 + 1
        kind = random.choice(list(TYPES))
        rows = random.choice([1, 5, 70, 300])
        attributes = random.choice([1, 4, 60, 700])
        options = ["--type", kind]
        if random.random() < 0.5:
            options += ["--layout", random.choice(["dense", "sparse"])]
        if random.random() < 0.5:
            options += ["--shards", str(random.choice([1, 2, 5]))]
        if random.random() < 0.3:
            options += ["--no-shuffle"]
        else:
            options += ["--seed", str(case)]
        if case % 3 == 2:
            target, table = make_csv("t.csv", rows, attributes, kind,
                                     random.random() < 0.5)
            name = "t.csv"
        else:
            shift = random.choice([0, 1])
            options += ["--zero-based"] if shift == 0 else []
            make_libsvm("t.svm", rows, attributes,
                        random.choice([0.02, 0.3, 1.0]), kind, shift)
            target, table = read_libsvm("t.svm", attributes, shift)
            name = "t.svm"
        run(name, "-o", "t.h5", *options)
        try:
            compare("t.h5", target, table, kind, options)
        except AssertionError as problem:
            print("case %d (%s, %s): %s" % (case, name, options, problem))
            return 1
    return 0


sys.exit(main())
