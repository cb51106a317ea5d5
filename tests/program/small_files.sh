#!/usr/bin/env bash
# small_files.sh - small files that claim much are refused before any room
# is made for it; compressed ones are read
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
if ! "$PYTHON" -c 'import h5py, numpy' 2>/dev/null; then
  echo "skipped: $PYTHON has no h5py or numpy"
  exit 77
fi
rm -rf ./*

"$PYTHON" - <<'END'
with open("text.csv", "w") as f:
    f.write(",".join("c%d" % k for k in range(20)) + ",y\n")
    for i in range(300):
        f.write(",".join(str((i * (k + 3)) % 97) for k in range(21)) + "\n")
END
must 0 import text.csv --target y -o data.h5 --shards 2
must 0 train data.h5 -o model.h5 --budget 10
must 0 predict model.h5 data.h5 -o good.csv

cat >make.py <<'END'
import h5py, numpy, os, shutil

def text(width):
    t = h5py.h5t.C_S1.copy()
    t.set_size(width)
    t.set_strpad(h5py.h5t.STR_NULLPAD)
    t.set_cset(h5py.h5t.CSET_UTF8)
    return t

def forge(source, made, name, count=None, width=None, filter=None):
    """Another data set of that name, of which nothing is stored."""
    with h5py.File(made, "r+") as f:
        old = f[name]
        size = (count or old.shape[0],)
        kind = text(width) if width else old.id.get_type()
        kept = dict(old.attrs)
        del f[name]
        plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plan.set_chunk((min(size[0], 1 << 20) if not width else 1,))
        if filter is not None:
            filter(plan)
        new = h5py.h5d.create(f.id, name.encode(), kind,
                              h5py.h5s.create_simple(size), plan)
        for key, value in kept.items():
            h5py.Dataset(new).attrs[key] = value

deflate = lambda plan: plan.set_deflate(1)
twice = lambda plan: (plan.set_deflate(1), plan.set_deflate(9))
scale = lambda plan: plan.set_scaleoffset(h5py.h5z.SO_INT, 0)
count = 1 << 26
for made, filter in (("plain", None), ("deflate", deflate), ("twice", twice)):
    path = "support-%s.h5" % made
    shutil.copy("model.h5", path)
    for name in ("support", "coef"):
        forge("model.h5", path, name, count=count, filter=filter)
    with h5py.File(path, "r+") as f:
        f.attrs["attributes"] = numpy.int64(count + 1)
        f.attrs["count"] = numpy.int64(count)
    path = "deck-%s.h5" % made
    shutil.copy("model.h5", path)
    forge("model.h5", path, "deck/value", width=1 << 25, filter=filter)
    path = "names-%s.h5" % made
    shutil.copy("data.h5", path)
    shutil.copytree("data.shards", path[:-3] + ".shards")
    forge("data.h5", path, "names", width=1 << 20, filter=filter)
shutil.copy("model.h5", "support-scale.h5")
forge("model.h5", "support-scale.h5", "support", count=count, filter=scale)
with h5py.File("support-scale.h5", "r+") as f:
    f.attrs["attributes"] = numpy.int64(count + 1)
    f.attrs["count"] = numpy.int64(count)

def pack(source, made, **filters):
    """All data sets of a file, filtered."""
    shutil.copy(source, made)
    names = []
    with h5py.File(made, "r+") as f:
        f.visititems(lambda name, item: names.append(name)
                     if isinstance(item, h5py.Dataset) and not item.is_virtual
                     and item.size else None)
        for name in names:
            old = f[name]
            data, kind, kept = old[:], old.dtype, dict(old.attrs)
            chunks = tuple(max(1, (s + 1) // 2) for s in data.shape)
            del f[name]
            new = f.create_dataset(name, data=data, dtype=kind, chunks=chunks,
                                   **filters)
            for key, value in kept.items():
                new.attrs.create(key, value, dtype=value.dtype)

for made, filters in (("gzip", dict(compression="gzip", compression_opts=9)),
                      ("shuffle", dict(compression="gzip", shuffle=True)),
                      ("checked", dict(fletcher32=True))):
    os.mkdir(made + ".shards")
    pack("model.h5", "model-" + made + ".h5", **filters)
    pack("data.h5", made + ".h5", **filters)
    for shard in os.listdir("data.shards"):
        pack("data.shards/" + shard, made + ".shards/" + shard, **filters)
END
"$PYTHON" make.py || fail "files to read"

small='is not stored as it was written'
for made in plain deflate twice; do
  refused 1 "/support $small" 0 inspect support-$made.h5
  refused 1 "/support $small" 0 evaluate support-$made.h5 data.h5
  refused 1 "/deck/value $small" 0 inspect deck-$made.h5
done
for made in plain deflate; do
  refused 1 "/names $small" 0 inspect names-$made.h5 --check
done
refused 1 "/support $small" 2 inspect support-scale.h5
for made in gzip shuffle checked; do
  must 0 inspect model-$made.h5
  must 0 predict model-$made.h5 $made.h5 -o this.csv --force
  cmp good.csv this.csv || fail "compressed by $made: other predictions"
done
finish
