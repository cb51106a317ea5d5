"""bench.py - what the benchmarks in Python share: runs of the program, clocks, models.

SPDX-License-Identifier: MIT
"""
import json
import os
import resource
import subprocess
import time

import h5py
import numpy

THRESHER = os.environ["THRESHER"]
LAUNCH = ["sh", os.environ["SOURCE"] + "/jobs/launch.sh"]


def run(ranks, *arguments):
    """User seconds, wall seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    began = time.time()
    start = [] if ranks == 0 else [*LAUNCH, str(ranks)]
    limit = {**os.environ, "THRESHER_LIMIT": os.environ["LIMIT"]}
    subprocess.run([*start, THRESHER, *map(str, arguments)], check=True, env=limit,
                   capture_output=True)
    wall = time.time() - began
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, wall


def timed(task, *arguments):
    """User seconds, wall seconds, and what comes out."""
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_utime, time.time()
    made = task(*arguments)
    wall = time.time() - began
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime - before, wall, made


def told(*arguments):
    """What a command says with --json."""
    text = subprocess.run([THRESHER, *arguments, "--json"], check=True, capture_output=True,
                          text=True).stdout
    return json.loads(text)


def coef_of(model, attributes):
    model = told("inspect", model)
    coef = numpy.zeros(attributes)
    coef[model["support"]] = model["coef"]
    return coef


def read_columns(name):
    """Attribute by attribute, as the file has them: scikit-learn takes them so."""
    with h5py.File(name) as f:
        return f["X"][:].T, f["y"][:]
