"""solver_table.py - the solvers of the program's table, for tests in Python: a solver is tested
by being there
SPDX-License-Identifier: MIT
"""
import json
import subprocess


def solver_table(thresher):
    """what `thresher solvers --json` says of each solver, by its name"""
    told = subprocess.run([thresher, "solvers", "--json"], capture_output=True, text=True,
                          check=True).stdout
    return {row["name"]: row for row in json.loads(told)["solvers"]}


def needed(row, **given):
    """the options that a solver needs: given are its sparsity, budget and start"""
    return [word for need in row["needs"] for word in ("--" + need, str(given[need]))]
