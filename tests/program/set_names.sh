#!/usr/bin/env bash
# set_names.sh - data sets of any name: percent signs, leading dots
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
if ! "$PYTHON" -c 'import h5py, numpy' 2>/dev/null; then
  echo "skipped: $PYTHON has no h5py or numpy"
  exit 77
fi
find . -mindepth 1 -delete

cat >views.py <<'END'
import h5py, numpy, sys
with h5py.File(sys.argv[1]) as f:
    assert f["X"].shape == (8, 40), f["X"].shape
    assert numpy.isfinite(f["X"][:]).all(), "values"
    for name in f["stats"]:
        assert numpy.isfinite(f["stats"][name][:]).all(), name
END
"$PYTHON" - >t.csv <<'END'
print("a,b,y")
for i in range(40):
    print("%d,%d,%d" % (i, i * i % 7, i % 5))
END

for name in 'a%b' 'a%%b' '%s%d%n' '50%' '.hid' '..x' '.%b' 'a b'; do
  must 0 generate toeplitz -o "$name.h5" --examples 40 --attributes 8 \
    --support 2 --seed 1 --shards 3
  must 2 inspect "$name.h5" --check
  must 0 train "$name.h5" -o model.h5 --budget 8 --force
  "$PYTHON" views.py "$name.h5" || fail "$name: what h5py sees"
  must 0 import t.csv --target y -o "$name.csv.h5"
  must 0 inspect "$name.csv.h5" --check
  mv "$name.h5" 'mo%ved.h5' # renamed together with its shards
  mv "$name.shards" 'mo%ved.shards'
  must 0 inspect 'mo%ved.h5' --check
  rm -r 'mo%ved.h5' 'mo%ved.shards'
done
must 0 import t.csv --target y -o .h5
must 0 inspect .h5 --check
finish
