#!/usr/bin/python3
# genotypes.py COMMAND ... - what genotypes.sh needs beside the programs
# SPDX-License-Identifier: MIT
"""cohorts DATA.h5            writes train, valid and test .bed, .bim, .fam of generated genotypes
run NAME COMMAND...        runs it, and keeps its processor seconds and its peak of memory
lasso MIN NAME             the path of scikit-learn on train; the lambda that is best on valid
r2 STEM SCORES COLUMN...   r2 of a table of scores, by IID, best column on valid; of STEM then
table                      all that was kept"""
import json
import os
import resource
import sys
import time

import numpy as np

PARTS = {"train": 0.72, "valid": 0.08, "test": 0.2}
LAMBDAS = 50
CODE = np.array([3, 2, 0, 1], np.uint8)  # of PLINK, for 0, 1, 2 and missing
COPIES = np.array([2, np.nan, 1, 0], np.float32)  # of a code of PLINK
TOGETHER = 1024  # variants


def keep(name, **values):
    with open(name + ".json", "w") as f:
        json.dump(values, f)


def pack(codes):
    codes = np.pad(codes, ((0, 0), (0, -codes.shape[1] % 4)))
    return sum(codes[:, k::4] << (2 * k) for k in range(4)).astype(np.uint8)


def cohorts(path):
    """Examples are stored as they were generated, in row groups of whole bytes."""
    import h5py
    master = h5py.File(path)
    counts, rows = master["group/count"][:], int(master.attrs["row_group"])
    y, packed = master["y"][:], master["packed"]
    ends = np.round(np.cumsum(list(PARTS.values())) * len(y)).astype(int)
    firsts = np.r_[0, ends[:-1]]
    beds = {}
    for part, first, end in zip(PARTS, firsts, ends):
        beds[part] = open(part + ".bed", "wb"), first, end
        beds[part][0].write(b"\x6c\x1b\x01")
        with open(part + ".fam", "w") as f:
            f.writelines("0 i%d 0 0 0 %.9g\n" % (i, y[i]) for i in range(first, end))
        with open(part + ".bim", "w") as f:
            f.writelines("1\trs%d\t0\t%d\tA\tG\n" % (a, 1000 * a + 1) for a in range(len(packed)))
    places = np.concatenate([g * rows + np.arange(count) for g, count in enumerate(counts)])
    for a in range(0, len(packed), TOGETHER):
        some = packed[a:a + TOGETHER].astype(np.uint8)
        values = np.stack([some >> (2 * k) & 3 for k in range(4)], -1).reshape(len(some), -1)
        codes = CODE[values[:, places]]
        for bed, first, end in beds.values():
            bed.write(pack(codes[:, first:end]).tobytes())


def read(part):
    """Attributes by examples, as stored, and the targets."""
    y = np.loadtxt(part + ".fam", usecols=5)
    bed = np.fromfile(part + ".bed", np.uint8)[3:].reshape(-1, (len(y) + 3) // 4)
    x = np.empty((len(bed), len(y)), np.float32)
    for a in range(0, len(bed), TOGETHER):
        some = bed[a:a + TOGETHER]
        codes = np.stack([some >> (2 * k) & 3 for k in range(4)], -1).reshape(len(some), -1)
        x[a:a + TOGETHER] = COPIES[codes[:, :len(y)]]
    return x, y


def score(predicted, y):
    return float(1 - np.mean((y - predicted) ** 2) / np.var(y))


def run(name, *command):
    began = time.monotonic()
    child = os.spawnvp(os.P_NOWAIT, command[0], command)
    status = os.waitpid(child, 0)[1]
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    keep(name, cpu=used.ru_utime + used.ru_stime, wall=time.monotonic() - began,
         peak=used.ru_maxrss / 1024)
    sys.exit(os.waitstatus_to_exitcode(status))


def lasso(least, name):
    from sklearn.linear_model import lasso_path
    x, y = read("train")
    mean, deviation = x.mean(1), x.std(1)
    deviation[deviation == 0] = 1
    x -= mean[:, None]
    x /= deviation[:, None]
    centred = (y - y.mean()).astype(np.float32)
    most = np.abs(x @ centred).max() / len(y)
    lambdas = most * np.geomspace(1, float(least), LAMBDAS)
    began = time.process_time()
    _, coef, _ = lasso_path(x.T, centred, alphas=lambdas, precompute=False)
    seconds = time.process_time() - began
    del x
    chosen, best, other = None, -np.inf, {}
    for part in "valid", "test":
        x, y_part = read(part)
        for k in range(LAMBDAS):
            use = np.flatnonzero(coef[:, k])
            own = (x[use] - mean[use, None]) / deviation[use, None]
            other[part, k] = score(y.mean() + coef[use, k] @ own, y_part)
            if part == "valid" and other[part, k] > best:
                chosen, best = k, other[part, k]
    keep(name + ".r2", r2=other["test", chosen], seconds_per_lambda=seconds / LAMBDAS,
         ratio=float(lambdas[chosen] / most), support=int(np.count_nonzero(coef[:, chosen])),
         last_r2=other["test", LAMBDAS - 1])


def phenotypes(part):
    with open(part + ".fam") as f:
        return {w[1]: float(w[5]) for w in (line.split() for line in f)}


def scores(path):
    with open(path) as f:
        header, *lines = [line.split() for line in f]
    return {w[header.index("IID")]: dict(zip(header, w)) for w in lines}


def r2(name, *files):
    """SCORES of valid and test, by threshold: a scale is fitted to those of valid."""
    found = []
    for valid, test in zip(files[::2], files[1::2]):
        fit, numbers = None, []
        for part, path in ("valid", valid), ("test", test):
            wanted, table = phenotypes(part), scores(path)
            s = np.array([float(table[i]["SCORE1_SUM"]) for i in wanted])
            y = np.array(list(wanted.values()))
            fit = np.polyfit(s, y, 1) if fit is None else fit
            numbers.append(score(np.polyval(fit, s), y))
        found.append((numbers[0], numbers[1], valid))
    best = max(found)
    keep(name + ".r2", r2=best[1], chosen=best[2])


def table():
    for name in sorted(f[:-5] for f in os.listdir(".") if f.endswith(".json")):
        with open(name + ".json") as f:
            print(name, json.dumps({k: v if isinstance(v, str) else round(v, 4)
                                    for k, v in json.load(f).items()}))


{f.__name__: f for f in (cohorts, run, lasso, r2, table)}[sys.argv[1]](*sys.argv[2:])
