#!/usr/bin/env python3
"""check_penalised.py DATA.svm MODEL.json REPORT.json TELEMETRY.jsonl RATIO

What a run of a solver with an l1 penalty says of itself, against its model and
the text that the data came from: exit status 1, and why, when it is not so.
SPDX-License-Identifier: MIT
"""
import json
import sys

import numpy as np

KEYS = ("lambda", "lambda_max", "objective", "gap", "active",
        "screened_wrongly", "path")


def read(path, attributes):
    """X, and y as it is; labels become -1 and 1 by themselves here."""
    lines = open(path).read().splitlines()
    x = np.zeros((len(lines), attributes), np.float32)
    y = np.zeros(len(lines))
    for i, line in enumerate(lines):
        fields = line.split()
        y[i] = float(fields[0])
        for field in fields[1:]:
            column, value = field.split(":")
            x[i, int(column) - 1] = value
    return x.astype(float), y


def value(loss, z, y):
    return {"squared": 0.5 * (z - y) ** 2,
            "logistic": np.logaddexp(0, -y * z),
            "squared-hinge": 0.5 * np.maximum(0, 1 - y * z) ** 2}[loss]


def slope_at(loss, z, y):
    return {"squared": z - y,
            "logistic": -y * np.exp(-np.logaddexp(0, y * z)),
            "squared-hinge": -y * np.maximum(0, 1 - y * z)}[loss]


def zero_model(loss, y, intercept):
    """The prediction of a model without attributes."""
    if not intercept:
        return 0.0
    if loss == "logistic":
        share = (y > 0).mean()
        return np.log(share / (1 - share))
    return y.mean() # squared-hinge: of -1 and 1 the mean is best, too


def close(what, a, b, limit):
    assert abs(a - b) <= limit * max(1, abs(b)), f"{what}: {a!r}, not {b!r}"


def check_model(model, x, y, ratio):
    for key in KEYS:
        assert key in model, f"inspect --json has no {key}"
    loss, lam = model["loss"], model["lambda"]
    intercept = model["deck"]["intercept"]
    assert intercept or model["intercept"] == 0, "an intercept"
    zero = zero_model(loss, y, intercept) + 0 * y
    b = np.zeros(x.shape[1])
    b[model["support"]] = model["coef"]
    z = x @ b + model["intercept"]
    top = np.abs(x.T @ slope_at(loss, zero, y)).max() / len(y)
    close("lambda_max", model["lambda_max"], top, 1e-6)
    # The others find it from floats where the data are floats; the certificate
    # has it in double precision.
    exact = model["solver"] == "lasso"
    close("lambda", lam / (ratio * model["lambda_max"]), 1,
          1e-12 if exact else 2.0 ** -23)
    close("objective", model["objective"],
          value(loss, z, y).mean() + lam * np.abs(b).sum(), 1e-6)
    assert model["objective"] < value(loss, zero, y).mean(), "no better than 0"
    assert model["gap"] >= 0, f"gap {model['gap']}"
    assert len(model["support"]) <= model["active"] <= x.shape[1], "active"


def check_ledger(model, report, n, d):
    """d: attributes that are not constant, which here means not all zero."""
    ledger = model["ledger"]
    epochs = model["deck"].get("epochs", "auto")
    if isinstance(epochs, int):
        assert model["passes"] == epochs, f"{model['passes']} passes"
        assert ledger["examples"] >= epochs * n, "ledger: examples"
    assert 0 < ledger["examples"] == report["examples"], "ledger: examples"
    assert n * d <= ledger["attributes"] <= ledger["examples"] * d, \
        "ledger: attributes"
    assert ledger["max_attributes_per_example"] == d, "ledger: at most"
    if model["active"] < d:
        assert ledger["attributes"] < ledger["examples"] * d, \
            "screened attributes were observed"


def check_course(model, report, lines):
    loops = report["loops"]
    assert loops and lines and len(loops) == len(lines), "loops and telemetry"
    for loop, line in zip(loops, lines):
        assert line["gap"] is None or line["gap"] > 0, "gap of nothing"
        assert loop["active"] == line["active"], "loops and telemetry"
        assert loop["lambda"] == line["lambda"] == model["lambda"], "lambda"
    for a, b in zip(loops, loops[1:]):
        for key in "examples", "seconds", "bytes_read", "bytes_sent":
            assert a[key] <= b[key], f"loops: {key} goes down"
    assert lines[-1]["active"] == model["active"], "active at the end"
    assert lines[-1]["support_size"] == len(model["support"]), "support"


def main():
    data, model, report, telemetry, ratio = sys.argv[1:]
    with open(model) as file:
        model = json.load(file)
    with open(report) as file:
        report = json.load(file)
    with open(telemetry) as file:
        lines = [json.loads(line) for line in file]
    x, y = read(data, model["attributes"])
    try:
        check_model(model, x, y, float(ratio))
        check_ledger(model, report, len(y), (x != 0).any(axis=0).sum())
        check_course(model, report, lines)
    except AssertionError as why:
        sys.exit(f"{model['solver']}, {model['loss']} loss: {why}")


main()
