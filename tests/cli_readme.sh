#!/usr/bin/env bash
# cli_readme.sh - the README's Python reads what the program wrote, and predicts
# what the program predicts
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/lib.sh"
if ! "$PYTHON" -c 'import h5py, scipy.sparse' 2>/dev/null; then
  echo "skipped: $PYTHON has no h5py or SciPy"
  exit 77
fi
rm -rf ./*

# The k-th block of Python in the README.
snippet()
{
  awk -v wanted="$1" '/^```python/ { k++; inside = 1; next }
    /^```/ { inside = 0 } inside && k == wanted' "$SOURCE/README.md"
}

check()
{
  cat >>"$1.py" <<'END'
import numpy, sys
numbers, expected = numpy.loadtxt(sys.argv[1], delimiter=",", skiprows=1).T
place = {number: k for k, number in enumerate(f_row)}
mine = numpy.array([prediction[place[int(number)]] for number in numbers])
error = abs(mine - expected).max() / max(1, abs(expected).max())
print(len(mine), "predictions, relative error", error)
sys.exit(not (len(mine) == len(y) and error < 1e-6))
END
  "$PYTHON" "$1.py" "$2" || fail "$1: the README reads something else"
}

must 2 generate murata -o dense.h5 --examples 1500 --attributes 700 \
  --support 9 --test 0.2 --row-group 128 --shards 2
must 2 generate sparse -o sparse.h5 --examples 1500 --attributes 700 \
  --support 9 --density 0.05 --test 0.2 --row-group 128 --shards 3
for name in dense sparse; do
  must 2 train $name.h5 -o model.h5 --solver hybrid -s 9 --budget 100 --force
  must 2 predict model.h5 $name.h5 -o $name.csv --split all
  if [ $name = dense ]; then snippet 1; else snippet 2; fi >$name.py
  snippet 3 >>$name.py
  echo "f_row = h5py.File('$name.h5')['row'][:]" >>$name.py
  check $name $name.csv
done

# Whole numbers 0..3, packed.
awk 'BEGIN { srand(3); for (i = 0; i < 700; i++) { line = ""; y = rand()
  for (j = 0; j < 200; j++) { x = int(4 * rand()); y += (j == 7) * x
    line = line "," x }
  print y line } }' >calls.csv
must 2 import calls.csv -o calls.h5 --target 1 --type u2 --shards 2 \
  --row-group 64 --test 0.2
must 2 train calls.h5 -o model.h5 --solver hybrid -s 9 --budget 100 --force
must 2 predict model.h5 calls.h5 -o calls.out --split all
snippet 4 >calls.py
snippet 3 >>calls.py
echo "f_row = h5py.File('calls.h5')['row'][:]" >>calls.py
check calls calls.out
finish
