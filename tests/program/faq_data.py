#!/usr/bin/env python3
"""faq_data.py FOLDER - the files that the readers of src/cli/FAQ.md have, small
SPDX-License-Identifier: MIT"""
import os
import random
import sys

os.chdir(sys.argv[1])
draw = random.Random(5)


def table(name, rows, labelled):
    with open(name, "w", encoding="utf-8") as f:
        f.write("patient,site,batch," + ",".join(f"gene{j}" for j in range(60)) +
                (",outcome\n" if labelled else "\n"))
        for i in range(rows):
            x = [round(draw.gauss(0, 1), 3) for _ in range(60)]
            chance = 2 * x[3] - 1.5 * x[17] + x[40] + draw.gauss(0, 1)
            shown = ["" if draw.random() < 0.03 else str(v) for v in x]
            f.write(f"p{i},{'ABC'[i % 3]},1," + ",".join(shown) +
                    (f",{'case' if chance > 0 else 'control'}\n" if labelled else "\n"))


table("study.csv", 900, True)
table("later.csv", 40, False)
