#!/usr/bin/env bash
# generate.sh - generated data: the same bytes for any number of ranks, the
# same content for any number of shards, the values that the families promise
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

tried="0 3"
! long || tried="0 1 2 3 4"

sums()
{
  (cd "$1" && find . -type f | sort | xargs sha256sum)
}

fingerprint()
{
  ranks 0 inspect "$1" --json >inspect.json
  key inspect.json fingerprint
}

examples=800
! long || examples=2000
check_family()
{
  local name=$1 n
  shift
  for n in $tried; do
    mkdir -p $name.$n
    must $n generate $name -o $name.$n/x.h5 --examples $examples --attributes 1500 \
      --test 0.2 --shards 4 --seed 5 "$@"
    [ "$(sums $name.0)" = "$(sums $name.$n)" ] ||
      fail "$name: $n ranks give other bytes"
  done
  must 2 generate $name -o $name.h5 --examples $examples --attributes 1500 \
    --test 0.2 --shards 1 --seed 5 "$@"
  [ "$(fingerprint $name.h5)" = "$(fingerprint $name.0/x.h5)" ] ||
    fail "$name: the fingerprint depends on the shards"
  must 0 generate $name -o other.h5 --examples $examples --attributes 1500 \
    --test 0.2 --seed 6 --force "$@"
  [ "$(fingerprint $name.h5)" != "$(fingerprint other.h5)" ] ||
    fail "$name: another seed, the same data"
  must 0 inspect $name.0/x.h5 --check
  ranks 0 inspect $name.0/x.h5 --json >shards.json
  ranks 0 inspect $name.h5 --json >inspect.json
  for ratio in rho_ridge rho_lasso; do
    [ "$(key shards.json $ratio)" = "$(key inspect.json $ratio)" ] ||
      fail "$name: $ratio depends on the shards"
  done
}
check_family murata
check_family toeplitz --correlation 0.9
check_family sparse --density 0.02
check_family sparse --density 0.02 --type u8 --force
check_family kukliansky --alpha -0.7
check_family oomp --design toeplitz --correlation 0.6
check_family genotypes --linkage 0.8
must 0 generate kukliansky -o small.h5 --examples 90 --attributes 9 --task lasso \
  --type u2

ranks 0 inspect murata.h5 --json >inspect.json
compare "training" "$(key inspect.json training)" == $((examples * 4 / 5))
compare "family" "$(key inspect.json truth.family)" == '"murata"'
compare "true attributes" "len($(key inspect.json truth.support))" == 25

refused 1 'murata.h5' 2 generate murata -o murata.h5 --examples 9 --attributes 9
refused 1 'cannot be stored as u8' 2 generate murata -o no.h5 --examples 90 \
  --attributes 9 --type u8
refused 1 'nowhere' 2 generate murata -o nowhere/no.h5 --examples 9 \
  --attributes 9

# The ratios of the paper, and data without its last parameters.
must 2 generate kukliansky -o paper.h5 --examples 20000 --attributes 500 \
  --alpha -1 --type u8
ranks 0 inspect paper.h5 --json >inspect.json
compare "rho_ridge" "abs($(key inspect.json rho_ridge) - 0.55)" '<' 0.01
compare "rho_lasso" "abs($(key inspect.json rho_lasso) - 0.0136)" '<' 0.0005
compare "task" "$(key inspect.json truth.task)" == '"ridge"'
compare "alpha" "$(key inspect.json truth.alpha)" == -1
compare "noise" "$(key inspect.json truth.noise)" == 0
must 0 inspect paper.h5
grep -q '^moments: *rho_ridge 0.5.*, rho_lasso 0.01' must.out ||
  fail "moments: $(cat must.out)"

if "$PYTHON" -c 'import h5py' 2>/dev/null; then
  "$PYTHON" - <<'END' || fail "the matrix is not what the family promises"
import h5py, json, numpy
with h5py.File("toeplitz.h5") as f:
    x, y, row = f["X"][:].astype(float), f["y"][:], f["row"][:]
assert x.shape == (1500, len(y)) and (row == numpy.arange(len(y))).all()
assert abs(x.mean()) < 0.02 and abs(x.var() - 1) < 0.03
for lag, wanted in (1, 0.9), (2, 0.81), (5, 0.59049):
    found = (x[lag:] * x[:-lag]).mean()
    assert abs(found - wanted) < 0.03, (lag, found)
coef = numpy.r_[numpy.ones(13), -numpy.ones(12)]
noise = y - coef @ x[:25]
assert abs(noise.var() - 1) < 0.2, noise.var()

with h5py.File("genotypes.h5") as f:
    packed, y = f["packed"][:].astype(numpy.uint8), f["y"][:]
    rows, counts = int(f.attrs["row_group"]), f["group/count"][:]
    support, coef = f["truth/support"][:], f["truth/coef"][:]
x = numpy.stack([packed >> (2 * k) & 3 for k in range(4)], -1).reshape(len(packed), -1)
x = x[:, numpy.concatenate([g * rows + numpy.arange(c) for g, c in enumerate(counts)])]
assert x.shape == (1500, len(y)) and x.max() == 2 and len(support) == 100
p = x.mean(1) / 2
assert p.min() > 0.02 and p.max() < 0.57 and abs(p.mean() - 0.275) < 0.02
assert abs((y - coef @ x[support]).var() - 0.5) < 0.13 and abs(y.var() - 1) < 0.3
near = numpy.abs([numpy.corrcoef(x[k], x[k + 1])[0, 1] for k in range(255)]).mean()
far = numpy.abs([numpy.corrcoef(x[k], x[k + 256])[0, 1] for k in range(255)]).mean()
assert near > 0.25 and far < 0.06, (near, far)

with h5py.File("paper.h5", "r+") as f:
    x, y = f["X"][:].astype(float), f["y"][:]
    support, coef = f["truth/support"][:], f["truth/coef"][:]
    del f["truth"].attrs["alpha"], f["truth"].attrs["task"]
assert (y == coef @ x[support]).all()
m = (x ** 2).mean(1)
found = json.load(open("inspect.json"))
assert abs(found["rho_ridge"] / (numpy.sqrt(m).sum() ** 2 / 500 / m.sum()) - 1) < 1e-5
assert abs(found["rho_lasso"] / (m.sum() / 500 / m.max()) - 1) < 1e-5
END
  must 0 inspect paper.h5
  "$PYTHON" -c '
import h5py, numpy
text = numpy.array("svm", dtype=h5py.string_dtype("utf-8", 3))
h5py.File("paper.h5", "r+")["truth"].attrs["task"] = text' ||
    fail "no task"
  refused 1 'a truth that cannot be' 0 inspect paper.h5
else
  left_out "the values: no h5py"
fi
finish
