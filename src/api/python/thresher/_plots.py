# _plots.py - pictures of paths and of runs, by matplotlib
# SPDX-License-Identifier: MIT
"""Pictures. Matplotlib is loaded when the first one is drawn."""

import json
import os

import numpy as np


def _axes(axes, count):
    if axes is not None:
        return axes
    import matplotlib.pyplot as plt

    return plt.subplots(1, count, figsize=(5 * count, 4), squeeze=False, layout="tight")[1][0]


def _path_of(model):
    path = getattr(model, "path_", None) or getattr(model, "path", None)
    if not isinstance(path, dict):
        raise ValueError("the model keeps no path: train with solver='lasso' and no lambda_, or "
                         "with path=N")
    return path


def plot_path(model, axes=None, most=10):
    """Coefficients along the path of a model, or of an estimator, and the losses on held-out
    examples with bars of a standard error. The `most` largest ones have names. Returns the two
    axes."""
    path = _path_of(model)
    left, right = _axes(axes, 2)
    coefficients = path["coefficients"].tocsc()
    used = np.flatnonzero(np.diff(coefficients.indptr))
    largest = sorted(used, key=lambda j: -abs(coefficients[path["chosen"], j]))[:most]
    names = getattr(model, "attribute_names_", None)
    for j in used:
        known = j in largest and names is not None
        label = (str(names[j]) if known else str(j)) if j in largest else None
        left.plot(path["lambda"], coefficients[:, j].toarray().ravel(), label=label, linewidth=1)
    right.errorbar(path["lambda"], path["loss"], yerr=path["se"], fmt="o-", markersize=3)
    for axis in (left, right):
        axis.set_xscale("log")
        axis.invert_xaxis()
        axis.set_xlabel("lambda")
        axis.axvline(path["lambda"][path["chosen"]], color="grey", linestyle=":")
    left.set_ylabel("coefficient")
    right.set_ylabel("loss on held-out examples")
    if len(largest) > 0:
        left.legend(fontsize="small")
    return left, right


def _records(run):
    """Lines of telemetry: of a file, or the progress that an estimator keeps."""
    if not isinstance(run, (str, os.PathLike)):
        return getattr(run, "progress_", run)
    with open(run, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def plot_run(run, axes=None):
    """Loss and support over the attributes that were observed. run: a file of `thresher train
    --telemetry`, or a fitted estimator. Returns the two axes."""
    records = [r for r in _records(run)
               if r.get("loss") is not None and _observed(r) is not None]
    if not records:
        raise ValueError("the run has no progress to draw")
    left, right = _axes(axes, 2)
    observed = [_observed(record) for record in records]
    left.plot(observed, [record["loss"] for record in records])
    left.set_ylabel("loss of the last update")
    right.plot(observed, [record.get("support_size", record.get("support")) for record in records])
    right.set_ylabel("attributes in the model")
    for axis in (left, right):
        axis.set_xlabel("attributes observed")
    return left, right


def _observed(record):
    return record.get("observed", record.get("attributes"))
