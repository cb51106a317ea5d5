#!/bin/sh
# torture.sh MINUTES [OPTION...] - kills, damages and starves the program at random
# SPDX-License-Identifier: MIT
exec "${PYTHON:-/usr/bin/python3}" "$(dirname "$0")/torture.py" "$@"
