#!/usr/bin/env bash
# readme.sh - the commands of the README files run as printed, and print what is
# printed there (readme_output.py; THRESHER_UPDATE=yes writes it there); their Python
# reads what the program wrote, and predicts what the program predicts
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
. "$SOURCE/tests/support/typed.sh"
rm -rf ./*

# The k-th block of Python in io/README.md.
snippet()
{
  awk -v wanted="$1" '/^```python/ { k++; inside = 1; next }
    /^```/ { inside = 0 } inside && k == wanted' "$SOURCE/io/README.md"
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
  "$PYTHON" "$1.py" "$2" || fail "$1: the page reads something else"
}

# Data that a reader of these lines has.
readers_data()
{
  "$PYTHON" - <<'END'
import lzma, random
draw = random.Random(3)
def example():
    x = [round(draw.gauss(0, 1), 3) for j in range(60)]
    y = 1 if x[3] - x[40] + draw.gauss(0, 0.5) > 0 else -1
    return " ".join([str(y)] + [f"{j + 1}:{v:g}" for j, v in enumerate(x) if v])
with lzma.open("typed/mine.svm.xz", "wt") as mine, open("fresh.svm", "w") as fresh:
    for k in range(800):
        print(example(), file=mine if k < 400 else fresh)
names = ["c%d" % j for j in range(80)]
with open("typed/houses.csv", "w") as old, open("typed/new.csv", "w") as new:
    print("id", "street", *names, "price", sep=",", file=old)
    print("id", "street", *names, sep=",", file=new)
    for k in range(200):
        x = [round(draw.gauss(0, 1), 3) for j in names]
        print(k, "Elm", *x, 9 + x[5] + draw.gauss(0, 0.1), sep=",", file=old)
        print(k, "Oak", *x, sep=",", file=new)

import h5py, numpy as np, scipy.sparse as sp
r = np.random.default_rng(3)
X = r.normal(size=(400, 50)).astype("f4")
counts = sp.random(400, 50, 0.1, "csr", random_state=3)
np.save("typed/X.npy", X)
np.save("typed/y.npy", X[:, 3] - X[:, 40] + r.normal(size=400))
sp.save_npz("typed/counts.npz", counts)
open("typed/genes.txt", "w").writelines("gene%d\n" % j for j in range(50))
with h5py.File("typed/cells.h5ad", "w") as f:
    f["X"] = X
    g = f.create_group("layers/counts")
    g["data"], g["indices"], g["indptr"] = counts.data, counts.indices, counts.indptr
    g.attrs["encoding-type"], g.attrs["shape"] = "csr_matrix", counts.shape
    text = h5py.string_dtype()
    f.create_dataset("var/_index", data=["gene%d" % j for j in range(50)], dtype=text)
    f["obs/kind/codes"] = (X[:, 3] > 0).astype("i1")
    f.create_dataset("obs/kind/categories", data=["A", "B"], dtype=text)
hashed = random.Random(4)
ids = sorted({hashed.randrange(1, 2**24) for j in range(20000)})
used = sorted(hashed.sample(ids, 12))
new = sorted({hashed.randrange(1, 2**24) for j in range(500)} - set(ids))
def clicks(name, rows, known, unknown):
    with open("typed/%s.svm" % name, "w") as f:
        for k in range(rows):
            y = k % 2
            row = set(hashed.sample(known, 30)) | set(hashed.sample(new, unknown))
            row |= {j for n, j in enumerate(used) if hashed.random() < (0.5 if n % 2 == y else 0.1)
                    and j in known}
            print(y, *("%d:1" % j for j in sorted(row)), file=f)
clicks("clicks", 2000, ids, 0)
clicks("later", 90, ids, 3)
clicks("sunday", 40, ids[:9000], 3)
snps = ["rs%d" % j for j in range(30)]
with open("typed/cohort.csv", "w") as cohort, open("typed/pheno.tsv", "w") as pheno, \
        open("typed/cov.tsv", "w") as cov:
    print("sample", "age", "sex", sep="\t", file=cov)
    print("sample", *snps, sep=",", file=cohort)
    print("sample", "height", sep="\t", file=pheno)
    for k in range(300):
        x = [draw.choice([0, 0, 1, 2]) for j in snps]
        height = "NA" if k % 20 == 7 else "%.1f" % (170 + 3 * x[4] - 2 * x[9] + draw.gauss(0, 2))
        print("S%03d" % k, *x, sep=",", file=cohort)
        print("S%03d" % k, 20 + k % 60, "FM"[k % 2], sep="\t", file=cov)
        if k % 10 != 3:
            print("S%03d" % k, height, sep="\t", file=pheno)
END
}

typed README.md '## Two commands' '^thresher '
readers_data
some='^(thresher|mpirun) '
long || some='^(thresher|mpirun -n [0-9]* thresher train [^-])'
typed README.md '## A worked example' "$some"
if long; then
  typed src/cli/README.md '## Data that are computed on demand'
fi
must 0 import fresh.svm -o typed/fresh.h5 --attributes 60
typed src/solvers/penalised/README.md '## Solvers with a penalty, and screening'
rm typed/model.h5
typed io/README.md '## Your own data' '^thresher '
typed io/README.md '### Arrays' '^thresher '
typed io/README.md '### Indices as names'
typed io/README.md '### IDs and tables of targets'
must 0 generate murata -o typed/data.h5 --examples 500 --attributes 600
rm typed/model.h5
typed mpi/README.md '# Running on a cluster' '^mpirun '
typed jobs/README.md '## The model of the cost' '^jobs/cost_model.py --latency '
rm -rf typed

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

# The file of groups, for 100 attributes.
awk '/^```/ { inside = !inside && !/[a-z]/ && !other; other = /[a-z]/; next }
  inside' "$SOURCE/io/README.md" >groups.txt
printf '%s\n' '1 1:2 100:1' '2 3:1 50:4' >grouped.svm
must 2 import grouped.svm -o grouped.h5 --groups groups.txt
"$THRESHER" inspect grouped.h5 | saw '^groups: *3 ' || fail "the file of groups"

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
