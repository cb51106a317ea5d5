#!/usr/bin/python3
# path_tables.py - the tables of path.sh
# SPDX-License-Identifier: MIT
"""path_tables.py MODEL.h5 PATH.json FOLDER LABELS
    PATH.json is what inspect --path --json prints of the model. FOLDER/coefficients.tsv has a
    block for each attribute of the path: lambda, coefficient times standard deviation, and
    its label, or 0; FOLDER/labels.tsv the largest ones at the smallest lambda, with places for
    their names that do not lie over each other; FOLDER/losses.tsv the losses. Printed: settings
    for gnuplot.
"""
import json
import os
import sys

import h5py


def text_of(value):
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text if len(text) <= 18 else text[:17] + "…"


def columns_of(path, deviation):
    """attribute: its coefficients along the path, of attributes of variance 1"""
    points = len(path["lambda"])
    start, column, data = path["indptr"][:], path["indices"][:], path["data"][:]
    found = {}
    for k in range(points):
        for at in range(start[k], start[k + 1]):
            j = int(column[at])
            found.setdefault(j, [0.0] * points)[k] = float(data[at]) * deviation.get(j, 1.0)
    return found


def spread(values, apart, least, most):
    """places around the values, in their order, that are so far from each other"""
    blocks = []
    for value in values:
        blocks.append([value])
        while len(blocks) > 1 and first_of(blocks[-1], apart) < \
                first_of(blocks[-2], apart) + apart * len(blocks[-2]):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    places = [first_of(block, apart) + apart * k for block in blocks for k in range(len(block))]
    for k, place in enumerate(places):
        places[k] = max(place, least + apart * k)
    for k in range(len(places) - 1, -1, -1):
        places[k] = min(places[k], most - apart * (len(places) - 1 - k))
    return places


def first_of(block, apart):
    return sum(block) / len(block) - apart * (len(block) - 1) / 2


def write(folder, name, lines):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines)


def write_coefficients(folder, lam, columns, label):
    lines = []
    for j in sorted(columns, key=lambda j: label.get(j, 0)):
        lines += ["%.9g\t%.9g\t%d" % (x, c, label.get(j, 0)) for x, c in zip(lam, columns[j])]
        lines += ["", ""]
    write(folder, "coefficients.tsv", lines or ["%.9g\t0\t0" % lam[0]])


def main():
    model, told, folder, most = sys.argv[1:5]
    with open(told, encoding="utf-8") as file:
        told = json.load(file)
    with h5py.File(model, "r") as file:
        path = file["path"]
        lam = path["lambda"][:].tolist()
        numbers = path["attribute"][:].tolist() if "attribute" in path else []
        deviation = dict(zip(numbers, path["deviation"][:])) if "deviation" in path else {}
        names = dict(zip(numbers, map(text_of, path["names"][:]))) if "names" in path else {}
        columns = columns_of(path, deviation)
    ends = sorted(columns, key=lambda j: -abs(columns[j][-1]))[:int(most)]
    ends = sorted((j for j in ends if columns[j][-1] != 0), key=lambda j: columns[j][-1])
    low = min([0.0] + [c for column in columns.values() for c in column])
    high = max([0.0] + [c for column in columns.values() for c in column])
    room = (high - low) or 1.0
    low, high = low - 0.04 * room, high + 0.04 * room
    places = spread([columns[j][-1] for j in ends], 0.055 * room, low, high)
    write_coefficients(folder, lam, columns, {j: k + 1 for k, j in enumerate(ends)})
    write(folder, "labels.tsv", ["%.9g\t%.9g\t%.9g\t%d\t%s" % (
        lam[-1], columns[j][-1], place, k + 1, names.get(j, str(j)))
        for k, (j, place) in enumerate(zip(ends, places))])
    table, chosen = told["path"], told["chosen_lambda"]
    write(folder, "losses.tsv", ["%.9g\t%.9g\t%.9g\t%d" % row for row in zip(
        lam, table["loss"], table["se"], table["size"])])
    scale = "of attributes of variance 1" if deviation else "in their own units"
    print("low = %.9g; high = %.9g; first = %.9g; last = %.9g; folds = %d;"
          " best = %.9g; one_se = %.9g; labels = %d; scale = '%s'" % (
              low, high, lam[0], lam[-1] if len(lam) > 1 else lam[0] / 10, told["folds"],
              chosen["best"], chosen["1se"], len(ends), scale))


main()
