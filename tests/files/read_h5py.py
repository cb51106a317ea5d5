# read_h5py.py TOOL - data sets as users of Python see them, and what happens
# when one is changed by hand
# SPDX-License-Identifier: MIT
import os
import subprocess
import sys

import h5py
import numpy as np

tool = sys.argv[1]
failures = 0


def check(good, what):
    global failures
    if not good:
        failures += 1
        print("check failed:", what)


def write(layout, kind):
    subprocess.run([tool, "write", "t.h5", layout, kind], check=True)
    return np.fromfile("t.h5.values").reshape(900, 250)


def expect(words):
    done = subprocess.run([tool, "read", "t.h5"], capture_output=True, text=True)
    text = done.stderr.strip()
    check(done.returncode == 1 and words in text and "\n" not in text,
          f"'{words}' in '{text}'")


def checksum(array):
    array.tofile("bytes")
    return np.uint64(subprocess.run([tool, "hash", "bytes"], capture_output=True,
                                    text=True, check=True).stdout)


def put(f, name, array):
    """Change a data set together with its checksum."""
    f[name][...] = array
    f[name].attrs.modify("checksum", checksum(f[name][...]))


def check_master(f, values):
    train = values[:, :170]
    check((f["y"][:] == (np.arange(250) + 1) / 3).all(), "y")
    check((f["row"][:] == 249 - np.arange(250)).all(), "row")
    check((f["split"][:] == (np.arange(250) >= 170)).all(), "split")
    check((f["weight"][:] == 1 + np.arange(250) % 4).all(), "weight")
    check(f["names"][17] == b"a17", "names")
    check(np.allclose(f["stats/mean"][:], train.mean(axis=1)), "mean")
    check(np.allclose(f["stats/deviation"][:], train.std(axis=1)), "deviation")
    check((f["stats/lowest"][:] == train.min(axis=1)).all(), "lowest")
    check((f["stats/highest"][:] == train.max(axis=1)).all(), "highest")
    check(f.attrs["examples"] == 250 and f.attrs["attributes"] == 900, "shape")
    check(f.attrs["nonzeros"] == (values != 0).sum(), "nonzeros")


def test_dense(kind):
    values = write("dense", kind)
    with h5py.File("t.h5", "r") as f:
        check(f["X"].shape == (900, 250), f"shape of {kind}")
        check((f["X"][:] == values).all(), f"values of {kind}")
        check((f["X"][300:600, 160:180] == values[300:600, 160:180]).all(),
              f"part of {kind}")
        check_master(f, values)
    os.rename("t.shards/00001.h5", "aside")
    with h5py.File("t.h5", "r") as f:
        x = f["X"][:]
        count = f["shard/count"][:]
        a, b = count[0], count[0] + count[1]
        check(np.isnan(x[a:b]).all(), f"missing shard of {kind} is NaN")
        check((x[:a] == values[:a]).all() and (x[b:] == values[b:]).all(),
              f"other shards of {kind}")
        check(np.isnan(f["stats/mean"][a:b]).all(), "missing statistics")
    os.rename("aside", "t.shards/00001.h5")


def test_sparse(kind):
    values = write("sparse", kind)
    try:
        import scipy.sparse as sp
    except ImportError:
        sp = None
    with h5py.File("t.h5", "r") as f:
        check_master(f, values)
        check("X" not in f, "no dense view of sparse data")
        group_first = f["group/first"][:]
        for k, (first, count) in enumerate(zip(f["shard/first"], f["shard/count"])):
            with h5py.File(f"t.shards/{k:05d}.h5", "r") as s:
                runs = s["count"][:]
                attribute = np.repeat(s["attribute"][:], runs)
                pieces = -(-count // s.attrs["piece"])
                per_group = np.diff(s["piece"][::pieces])
                group = np.repeat(np.repeat(np.arange(len(group_first)), per_group), runs)
                row = group_first[group] + s["row"][:]
                x = np.zeros((count, 250))
                x[attribute, row] = s["value"][:]
                check((x == values[first:first + count]).all(), f"shard {k} of {kind}")
                if sp is not None:
                    m = sp.csr_matrix((s["value"][:], (row, attribute)), (250, count))
                    check((m.toarray().T == x).all(), "SciPy matrix")


def test_packed():
    values = write("dense", "u2")
    with h5py.File("t.h5", "r") as f:
        check("X" not in f, "packed values are no matrix of values")
        packed, counts = f["packed"][:], f["group/count"][:]
        count = f["shard/count"][:]
        check(packed.shape == (900, len(counts) * 64 // 4), "shape of packed")
        check_master(f, values)
    x = (packed[:, :, None] >> [0, 2, 4, 6] & 3).reshape(900, -1)
    x = np.hstack([x[:, g * 64:g * 64 + n] for g, n in enumerate(counts)])
    check((x == values).all(), "packed values")
    os.rename("t.shards/00001.h5", "aside")
    with h5py.File("t.h5", "r") as f:
        seen = f["packed"][:]
    a, b = count[0], count[0] + count[1]
    check((seen[a:b] == -1).all(), "missing shard of packed values")
    check((seen[:a] == packed[:a]).all() and (seen[b:] == packed[b:]).all(),
          "other shards of packed values")
    os.rename("aside", "t.shards/00001.h5")


def test_changed():
    write("dense", "f32")
    good = open("t.h5", "rb").read()

    def again():
        open("t.h5", "wb").write(good)
        return h5py.File("t.h5", "r+")

    with again() as f:
        f["y"][17] = np.nan
    expect("t.h5: the target of stored row 17 is not a number; import the data again")
    with again() as f:
        f["y"][17] = np.nan
        sums = f["group/checksum_y"][:]
        sums[0] = checksum(f["y"][:64])
        put(f, "group/checksum_y", sums)
    expect("t.h5: the target of stored row 17 is not a number; import the data again")
    with again() as f:
        f["y"][17] = 1e9
    expect("t.h5: /y, row group 0: checksum mismatch")
    with again() as f:
        f["y"][17] = 1e9
        sums = f["group/checksum_y"][:]
        sums[0] = checksum(f["y"][:64])
        put(f, "group/checksum_y", sums)
    expect("fingerprint")
    with again() as f:
        f["weight"][200] = -1
    expect("t.h5: the weight of stored row 200 is not a number of at least 0")
    for path in ["../t.shards/00000.h5", "/tmp/t.shards/0.h5", "t.shards/../x.h5",
                 "../t.shards", "x/00000.h5"]:
        with again() as f:
            paths = f["shard/path"][:]
            paths[1] = path.encode()[:paths.dtype.itemsize]
            put(f, "shard/path", paths)
        expect("leads out of the data set")
    with again() as f:
        major, minor = int(f.attrs["major"]), int(f.attrs["minor"])
        f.attrs.modify("major", np.int64(major + 1))
    expect("t.h5 has format %d.%d, this program reads %d.x; update thresher" %
           (major + 1, minor, major))
    with again() as f:
        f.attrs.modify("major", np.int64(major - 1))
    expect("t.h5 has format %d.%d, this program reads %d.x; make the file again"
           % (major - 1, minor, major))
    with again() as f:
        f.attrs.modify("minor", np.int64(minor + 7))
    check(subprocess.run([tool, "read", "t.h5"]).returncode == 0, "newer minor")
    with again() as f:
        f.attrs.modify("examples", np.int64(10 ** 15))
    expect("t.h5: ")
    with again() as f:
        first = f["shard/first"][:]
        first[1] += 1
        put(f, "shard/first", first)
    expect("shards that do not fit together")
    with again() as f:
        pass
    with h5py.File("t.shards/00001.h5", "r+") as s:
        minor = int(s.attrs["minor"])
        s.attrs.modify("major", np.int64(major + 1))
    expect("shard t.shards/00001.h5 has format %d.%d, this program reads %d.x; "
           "update" % (major + 1, minor, major))


for kind in ["f32", "f64", "u8", "i8"]:
    test_dense(kind)
    test_sparse(kind)
test_packed()
test_changed()
sys.exit(1 if failures else 0)
