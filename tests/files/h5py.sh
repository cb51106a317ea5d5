#!/usr/bin/env bash
# h5py.sh TOOL - data sets as users of Python see them
# SPDX-License-Identifier: MIT
set -u
python=/usr/bin/python3
"$python" -c 'import h5py, numpy' 2>/dev/null || { echo "no h5py: skipped"; exit 77; }
exec "$python" "$(dirname "$0")/read_h5py.py" "$1"
