#!/usr/bin/python3
"""damage_values.py SHARD.h5 - change a bit of its largest array, which a checksum is to notice
SPDX-License-Identifier: MIT
"""
import sys

import h5py

with h5py.File(sys.argv[1], "r") as f:
    sets = []
    f.visititems(lambda name, x: sets.append(x) if hasattr(x, "nbytes") else None)
    largest = max(sets, key=lambda x: x.nbytes)
    at = largest.id.get_offset() or largest.id.get_chunk_info(0).byte_offset
with open(sys.argv[1], "r+b") as f:
    f.seek(at + 5)
    byte = f.read(1)[0]
    f.seek(at + 5)
    f.write(bytes([byte ^ 16]))
