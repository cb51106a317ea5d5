# left.py SCALE [NAME...] - one line for each run, and how many were right, for left.sh
# SPDX-License-Identifier: MIT
import os
import pty
import re
import subprocess
import sys
import time

scale = float(sys.argv[1])

# data sets: family, examples, attributes, options
DATA = {
    "dense": ("murata", 6000, 6000, ["--support", "20"]),
    "tall": ("murata", 100000, 500, ["--support", "20"]),
    "wide": ("murata", 2000, 40000, ["--support", "20"]),
    "sparse": ("sparse", 100000, 100000, ["--density", "0.0005"]),
    "few": ("kukliansky", 20000, 300, []),
    "chain": ("oomp", 400000, 100, ["--support", "10"]),
}

# runs: a name, a data set, options
RUNS = [
    ("sift", "dense", []),
    ("sift, wide", "wide", []),
    ("sift, truth", "tall", ["--select", "truth", "--passes", "20"]),
    ("sift, sparse", "sparse", []),
    ("exploration", "dense", "-s 20 --budget 400 --passes 60".split()),
    ("hybrid", "dense", "-s 20 --budget 400 --passes 60".split()),
    ("hybrid, wide", "wide", "-s 20 --budget 2000 --passes 60".split()),
    ("prox-sgd", "dense", "--lambda-ratio 0.2 --epochs 60 --tolerance 1e-12".split()),
    ("fs-prox-sgd", "dense", "--lambda-ratio 0.2 --epochs 60 --tolerance 1e-12".split()),
    ("os-prox-sgd", "dense", "--lambda-ratio 0.05 --epochs 60 --tolerance 1e-12".split()),
    ("os-prox-sgd, sparse", "sparse", "--lambda-ratio 0.05".split()),
    ("sgd", "sparse", "--lambda-ratio 0.2 --epochs 30".split()),
    ("truncated-gradient", "sparse", "--lambda-ratio 0.2 --epochs 30".split()),
    ("rda", "sparse", "--lambda-ratio 0.2 --epochs 30".split()),
    ("saga", "sparse", "--lambda-ratio 0.05".split()),
    ("svrg", "dense", "--lambda-ratio 0.05".split()),
    ("lasso", "dense", []),
    ("lasso, path", "sparse", "--path 100 --choose last".split()),
    ("lasso, folds", "wide", []),
    ("ridge", "dense", []),
    ("ridge, tall", "tall", []),
    ("omp", "wide", "-s 200".split()),
    ("omp, dense", "dense", "-s 150".split()),
    ("oomp", "chain", "--passes 20 -s 10".split()),
    ("aerr", "few", "--budget 40 --passes 40".split()),
    ("aelr", "few", "--budget 40 --passes 40".split()),
    ("ogd-ridge", "few", "--passes 60".split()),
    ("eg-lasso", "few", "--passes 60".split()),
    ("dantzig", "few", "-s 20 --budget 60 --passes 20".split()),
    ("ssr", "chain", "-s 10 --passes 20".split()),
]
NEAR = 1.5


def thresher(*arguments):
    done = subprocess.run([os.environ["THRESHER"], *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(arguments)}: {done.stderr.strip()}")


def make(name):
    family, n, d, options = DATA[name]
    if not os.path.exists(f"{name}.h5"):
        thresher("generate", family, "-o", f"{name}.h5", "--examples", str(int(n * scale)),
                 "--attributes", str(int(d * scale)), "-q", *options)


def watched(arguments):
    """What a terminal is shown, each time with the seconds since the start; seconds of all."""
    began = time.monotonic()
    child, terminal = pty.fork()
    if child == 0:
        os.environ["COLUMNS"] = "150"
        os.execv(os.environ["THRESHER"], [os.environ["THRESHER"], *arguments])
    shown = []
    while True:
        try:
            text = os.read(terminal, 65536).decode(errors="replace")
        except OSError:  # nobody writes any more
            break
        shown.append((time.monotonic() - began, text))
    if os.waitpid(child, 0)[1] != 0:
        sys.exit(f"{' '.join(arguments)}: {shown[-1][1].strip()}")
    return shown, time.monotonic() - began


def seconds_in(text):
    """The time that the last bar of a text says is left; None: it says nothing."""
    left = re.findall(r"elapsed(?:, (?:at most )?(?:(\d+) h )?(?:(\d+) min ?)?(?:(\d+) s )?left)?",
                      text)
    if not left or not any(left[-1]):
        return None
    hours, minutes, rest = (int(part or 0) for part in left[-1])
    return 3600 * hours + 60 * minutes + rest


def look(name, data, options):
    """Seconds of the run, what it said was left at the first bar after a fifth, what was."""
    make(data)
    shown, whole = watched(["train", f"{data}.h5", "-o", "model.h5", "--solver",
                            name.split(",")[0], "-f", *options])
    bars = [(at, text) for at, text in shown if "elapsed" in text and at >= whole / 5]
    if not bars:
        return whole, 1, None, 0
    at, text = bars[0]
    return whole, at / whole, seconds_in(text), whole - at


good = 0
seen = 0
for name, data, options in RUNS:
    if len(sys.argv) > 2 and name not in sys.argv[2:]:
        continue
    whole, at, said, was = look(name, data, options)
    ratio = said / was if said is not None and was > 0 else float("nan")
    right = 1 / NEAR <= ratio <= NEAR
    good += right
    seen += 1
    said = "nothing" if said is None else f"{said} s"
    print(f"{name:20} {whole:6.2f} s, at {at:3.0%}: said {said:>8}, was {was:6.2f} s, "
          f"ratio {ratio:5.2f}{'' if right else '  *'}", flush=True)
print(f"{good} of {seen} within {NEAR} times")
