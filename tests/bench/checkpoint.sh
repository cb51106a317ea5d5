#!/usr/bin/env bash
# checkpoint.sh [FOLDER] - what checkpoints cost: the time to write one, beside dd, and
# that of a run with and without --checkpoint at the default interval
# SPDX-License-Identifier: MIT
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
. "$here/jobs/env.sh"
folder=${1:-$here/build/bench/checkpoint}
program=${THRESHER:-$here/build/release/thresher}
cost=${COST:-$here/build/release/tests/checkpoint_cost}
mkdir -p "$folder"
cd "$folder"
"$cost" . 10000000

[ -e data.h5 ] || "$program" generate murata -n 20000 -d 10000 --support 25 -o data.h5 -q
"${PYTHON:-/usr/bin/python3}" - "$program" <<'END'
import os, shutil, statistics, subprocess, sys, time

LINE = [sys.argv[1], "train", "data.h5", "-o", "model.h5", "--force", "-q",
        "--solver", "os-prox-sgd", "--lambda-ratio", "0.02", "--epochs", "8"]

def run(*options):
    """Seconds, and seconds of the processor, of a run."""
    shutil.rmtree("kept", ignore_errors=True)
    began = time.monotonic()
    process = subprocess.Popen(LINE + list(options))
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit("the run failed")
    return time.monotonic() - began, usage.ru_utime + usage.ru_stime

runs = [run() + run("--checkpoint", "kept") for _ in range(9)]
plain, plain_cpu, kept, kept_cpu = (statistics.median(column) for column in zip(*runs))
print(f"a run: {plain:.2f} s, with --checkpoint {kept:.2f} s, ratio {kept / plain:.3f}; "
      f"of the processor {plain_cpu:.2f} s and {kept_cpu:.2f} s, "
      f"ratio {kept_cpu / plain_cpu:.3f}")
END
