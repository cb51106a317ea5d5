"""descend.py - accelerated proximal gradient steps, for slow and independent references

SPDX-License-Identifier: MIT
"""
import numpy as np


def descend(b, step, steps):
    """The point that steps lead to from b: step(at) is one proximal gradient step. Momentum
    begins anew where it points uphill (O'Donoghue & Candes 2015)."""
    at, momentum = b.copy(), 1.0
    for _ in range(steps):
        new = step(at)
        following = (1 + np.sqrt(1 + 4 * momentum ** 2)) / 2
        if (at - new) @ (new - b) > 0:
            following = 1.0
            at = new.copy()
        else:
            at = new + (momentum - 1) / following * (new - b)
        ended = np.abs(new - b).max() < 1e-15
        b, momentum = new, following
        if ended:
            break
    return b
