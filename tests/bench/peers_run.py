#!/usr/bin/python3
# peers_run.py RESULT.json REPEATS COMMAND... - what a command costs on one core
# SPDX-License-Identifier: MIT
"""Run COMMAND several times on the first core that this process may use, with
one thread, and write medians: seconds and CPU seconds of the whole process,
peak memory (bytes), bytes that read(2) and its kin handed to it."""
import json
import os
import re
import statistics
import subprocess
import sys
import time

ONE_THREAD = {name: "1" for name in
              ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}


def bytes_read(pid):
    with open("/proc/%d/io" % pid) as file:
        return int(re.search(r"rchar: (\d+)", file.read()).group(1))


def run_once(command, core):
    began = time.monotonic()
    with open("peer.log", "w") as log:
        child = subprocess.Popen(
            command, stdout=log, stderr=log, env=dict(os.environ, **ONE_THREAD),
            preexec_fn=lambda: os.sched_setaffinity(0, {core}))
        # ended, but still there: its counters can be read
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        seconds = time.monotonic() - began
        read = bytes_read(child.pid)
        _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit("failed: %s: see %s" % (" ".join(command),
                                         os.path.abspath("peer.log")))
    return {"seconds": seconds, "cpu_seconds": usage.ru_utime + usage.ru_stime,
            "memory": usage.ru_maxrss * 1024, "bytes_read": read}


def main():
    result, repeats, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    core = min(os.sched_getaffinity(0))
    runs = [run_once(command, core) for _ in range(repeats)]
    medians = {key: statistics.median(r[key] for r in runs) for key in runs[0]}
    with open(result, "w") as file:
        json.dump({"command": command, "runs": runs, **medians}, file, indent=1)


main()
