# memory.py EXAMPLES ATTRIBUTES - one line for each way from values to a model, for memory.sh
# SPDX-License-Identifier: MIT
import os
import resource
import subprocess
import sys

import numpy as np

n, d = int(sys.argv[1]), int(sys.argv[2])
rng = np.random.default_rng(0)
X = rng.standard_normal((n, d), dtype=np.float32)
y = X[:, :20] @ np.linspace(1, 2, 20) + rng.standard_normal(n)
np.save("X.npy", X)
np.save("y.npy", y)


def seconds(who):
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def program(*arguments):
    before = seconds(resource.RUSAGE_CHILDREN)
    subprocess.run([os.environ["THRESHER"], *arguments, "-f", "-q"], check=True)
    return seconds(resource.RUSAGE_CHILDREN) - before


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


imported = program("import", "X.npy", "--target", "y.npy", "-o", "X.h5")
program("train", "X.h5", "-o", "model.h5")
trained = program("train", "X.h5", "-o", "model.h5")
print(f"program: import {imported:.2f} s, train {trained:.2f} s")

from thresher import ThresherRegressor  # noqa: E402

before, held = seconds(resource.RUSAGE_SELF), peak()
model = ThresherRegressor().fit(X, y)
used, copies = seconds(resource.RUSAGE_SELF) - before, (peak() - held) / X.nbytes
model.model_.write("own.h5", force=True)
with open("own.h5", "rb") as own, open("model.h5", "rb") as other:
    assert own.read() == other.read(), "the bytes differ"
print(f"Python:  fit {used:.2f} s, {used / trained:.2f} of train, "
      f"{used / (imported + trained):.2f} of import and train; {copies:.2f} copies")
