"""Cohorts of PLINK 1 as files, and a plain reader of them: value by value, without words.

plink_data.py STEM N D SEED MISSING: writes a cohort with a quantitative phenotype.
SPDX-License-Identifier: MIT
"""
import sys
import numpy


def read(stem):
    """Copies of A1 (3: missing) by variant and person, lines of .fam, lines of .bim."""
    with open(stem + ".fam") as f:
        people = [line.split() for line in f if line.strip()]
    with open(stem + ".bim") as f:
        variants = [line.split() for line in f if line.strip()]
    with open(stem + ".bed", "rb") as f:
        bed = f.read()
    run = (len(people) + 3) // 4
    assert bed[:3] == b"\x6c\x1b\x01" and len(bed) == 3 + run * len(variants)
    calls = numpy.zeros((len(variants), len(people)), numpy.int8)
    for v in range(len(variants)):
        for i in range(len(people)):
            code = bed[3 + v * run + i // 4] >> (2 * (i % 4)) & 3
            calls[v, i] = (2, 3, 1, 0)[code]
    return calls, people, variants


def stored(path):
    """Values of a data set of u2 as stored, by attribute; the master, open."""
    import h5py
    master = h5py.File(path)
    rows = master.attrs["row_group"]
    packed = master["packed"][:].astype(numpy.uint8)
    single = numpy.stack([packed >> (2 * k) & 3 for k in range(4)], -1).reshape(len(packed), -1)
    places = numpy.concatenate([g * rows + numpy.arange(count)
                                for g, count in enumerate(master["group/count"][:])])
    return single[:, places], master


def write(stem, calls, phenotypes, alleles=("A", "G"), ids=None, swapped=()):
    """Write a cohort; calls by person and variant, 3: missing."""
    n, d = calls.shape
    code = numpy.array([3, 2, 0, 1], numpy.uint8)[calls].T
    code = numpy.pad(code, ((0, 0), (0, -n % 4)))
    four = [code[:, k::4].astype(numpy.uint8) << (2 * k) for k in range(4)]
    with open(stem + ".bed", "wb") as f:
        f.write(b"\x6c\x1b\x01" + (four[0] | four[1] | four[2] | four[3]).tobytes())
    with open(stem + ".bim", "w") as f:
        for a in range(d):
            pair = alleles[::-1] if a in swapped else alleles
            f.write("1\t%s\t0\t%d\t%s\t%s\n" % (ids[a] if ids else "rs%d" % a, a + 1, *pair))
    with open(stem + ".fam", "w") as f:
        for i in range(n):
            f.write("F%d I%d 0 0 1 %s\n" % (i, i, phenotypes[i]))


def cohort(n, d, seed, missing):
    """Calls by person and variant, some missing, and a phenotype of three of them."""
    draw = numpy.random.default_rng(seed)
    calls = draw.binomial(2, draw.uniform(0.1, 0.9, d), (n, d))
    y = 2 + calls[:, [3, 50, 120]] @ [1, -0.8, 0.6] + draw.normal(0, 0.5, n)
    calls[draw.random((n, d)) < missing] = 3
    return calls, ["%.9g" % v for v in y]


if __name__ == "__main__":
    calls, y = cohort(int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5]))
    write(sys.argv[1], calls, y)
