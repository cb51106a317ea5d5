#!/usr/bin/env python3
"""guides_data.py FOLDER - the files that the readers of io/guides have, small
SPDX-License-Identifier: MIT"""
import os
import random
import sys

import h5py
import numpy as np
import scipy.sparse as sp

os.chdir(sys.argv[1])
draw = random.Random(11)
numbers = np.random.default_rng(11)


def write_lines(name, lines):
    with open(name, "w") as f:
        f.writelines(line + "\n" for line in lines)


def genotypes(stem, people, calls):
    """PLINK's three files of calls (people x variants, copies of A1; 3: none)."""
    code = np.array([3, 2, 0, 1], "u1")  # of 0, 1, 2 copies and of a missing call
    rows = np.zeros((calls.shape[1], (len(people) + 3) // 4 * 4), "u1")
    rows[:, :len(people)] = code[calls.T]
    packed = sum(rows[:, k::4] << (2 * k) for k in range(4)).astype("u1")
    with open(stem + ".bed", "wb") as f:
        f.write(bytes([0x6c, 0x1b, 1]) + packed.tobytes())
    write_lines(stem + ".bim", (f"{1 + j // 100} rs{1000 + 7 * j} 0 {5000 + 900 * j} A G"
                                for j in range(calls.shape[1])))
    write_lines(stem + ".fam", (f"{p} {p} 0 0 {1 + k % 2} -9" for k, p in enumerate(people)))


def draw_calls(n, d):
    frequency = np.random.default_rng(5).uniform(0.1, 0.5, d)
    calls = numbers.binomial(2, frequency, (n, d))
    calls[numbers.random((n, d)) < 0.01] = 3
    return calls


def cohort():
    people = ["S%04d" % k for k in range(600)]
    calls = draw_calls(600, 400)
    genotypes("cohort", people, calls)
    genotypes("new", ["N%04d" % k for k in range(50)], draw_calls(50, 400))
    copies = np.where(calls == 3, 0.5, calls)
    height = 168 + copies[:, [20, 150, 333]] @ [2, -3, 2.5] + numbers.normal(0, 2, 600)
    write_lines("pheno.txt", ["FID IID height smoker"] + [
        f"{p} {p} {'NA' if k % 40 == 9 else '%.1f' % height[k]} {1 + k % 2}"
        for k, p in enumerate(people)])


def cells():
    counts = sp.random(600, 300, 0.15, "csr", random_state=3,
                       data_rvs=lambda size: numbers.integers(1, 9, size))
    dense = counts.toarray()
    kind = (dense[:, 17] - dense[:, 60] + numbers.normal(0, 1, 600) > 0.5).astype("i1")
    text = h5py.string_dtype()
    with h5py.File("cells.h5ad", "w") as f:
        f["X"] = np.log1p(dense).astype("f4")
        g = f.create_group("layers/counts")
        g["data"], g["indices"], g["indptr"] = counts.data, counts.indices, counts.indptr
        g.attrs["encoding-type"], g.attrs["shape"] = "csr_matrix", counts.shape
        f.create_dataset("var/_index", data=["gene%d" % j for j in range(300)], dtype=text)
        f.create_dataset("obs/_index", data=["cell%d" % k for k in range(600)], dtype=text)
        f["obs/kind/codes"] = kind
        f.create_dataset("obs/kind/categories", data=["B cell", "T cell"], dtype=text)


def words():
    counts = sp.random(3000, 2000, 0.02, "csr", random_state=4,
                       data_rvs=lambda size: numbers.integers(1, 5, size))
    dense = counts.toarray()
    score = (2 * (dense[:, 3:30].sum(1) - dense[:, 40:67].sum(1)) +
             numbers.normal(0, 1, 3000))
    sp.save_npz("counts.npz", counts)
    np.save("stars.npy", score)
    write_lines("words.txt", ("word%d" % j for j in range(2000)))
    lines = [" ".join("%d:%d" % (j + 1, row[j]) for j in np.flatnonzero(row)) for row in dense]
    write_lines("reviews.svm", (
        "%d %s" % (1 if score[k] > 0 else -1, lines[k]) for k in range(2900)))
    write_lines("later.svm", lines[2900:])


def customer(k, known):
    age, visits = draw.randint(18, 90), draw.randint(0, 40)
    plan, city = draw.choice(["basic", "family", "pro"]), draw.choice(["Bonn", "Oslo", "Rome"])
    active = draw.random() < 0.7
    since = "20%02d-%02d-%02d" % (draw.randint(10, 25), draw.randint(1, 12), draw.randint(1, 28))
    spent = (30 + 2.5 * visits + 40 * (plan == "pro") + 15 * active + draw.gauss(0, 4))
    row = ["C%05d" % k, since, plan, city, "" if k % 25 == 4 else str(age), str(visits),
           str(active)]
    return ",".join(row + ["%.2f" % spent] * known)


def customers():
    head = "customer,since,plan,city,age,visits,active"
    write_lines("customers.csv", [head + ",spent"] + [customer(k, True) for k in range(800)])
    write_lines("leads.csv", [head] + [customer(k, False) for k in range(900, 940)])


def frame():
    lines = ['"dose" "sex" "site" "weight" "response"']
    for k in range(300):
        dose, sex, site = draw.choice([0, 5, 10]), draw.choice("fm"), draw.choice("ABC")
        weight = round(draw.gauss(70, 10), 1)
        response = round(3 + 0.8 * dose + 4 * (sex == "f") + draw.gauss(0, 1), 3)
        lines.append('"%d" %d "%s" "%s" %s %g' % (
            k + 1, dose, sex, site, "NA" if k % 30 == 5 else "%g" % weight, response))
    write_lines("trial.txt", lines)


def matrix():
    x = sp.random(300, 80, 0.1, "coo", random_state=6)
    response = x.toarray() @ np.r_[np.zeros(70), np.full(10, 3)] + numbers.normal(0, 0.5, 300)
    write_lines("x.mtx", ["%%MatrixMarket matrix coordinate real general", f"300 80 {x.nnz}"] + [
        f"{i + 1} {j + 1} {v!r}" for i, j, v in zip(x.row, x.col, x.data.tolist())])
    write_lines("rows.txt", ("row%d" % k for k in range(300)))
    write_lines("columns.txt", ("term%d" % j for j in range(80)))
    write_lines("y.csv", ['"","response"'] + ['"row%d",%.4f' % (k, y)
                                              for k, y in enumerate(response)])


cohort()
cells()
words()
customers()
frame()
matrix()
