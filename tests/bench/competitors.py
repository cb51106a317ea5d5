#!/usr/bin/python3
"""competitors.py - the table of NAME.SEED.json: mean, worst, and what was simulated.

SPDX-License-Identifier: MIT
"""
import glob
import json

# Simulations of these methods, made before the program was written
TARGETS = {"rda-ito": "5.9 to 9.5", "dantzig": "2.15", "ssr": "", "ssr-whole": ""}

print(f"{'':12s}{'seeds':>6s}{'mean':>9s}{'best':>9s}{'worst':>9s}  simulated before")
for name, target in TARGETS.items():
    errors = []
    for path in sorted(glob.glob(name + ".[0-9]*.json")):
        if path.endswith(".run.json"):
            continue
        with open(path) as file:
            errors.append(json.load(file)["population_mse"])
    mean = sum(errors) / len(errors)
    print(f"{name:12s}{len(errors):6d}{mean:9.3f}{min(errors):9.3f}{max(errors):9.3f}"
          f"  {target}")
