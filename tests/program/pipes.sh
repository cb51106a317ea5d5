#!/usr/bin/env bash
# pipes.sh - the standard input, named pipes and process substitution, folders and lists
# of files become the data set that the files in them become; nothing is left beside it,
# whatever ends the run
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./* .[a-z]*

"$PYTHON" - <<'END'
import h5py
import numpy
import random
random.seed(12)
rows = numpy.round([[random.gauss(0, 1) for _ in range(7)] for _ in range(300)], 3)
head = "y," + ",".join(f"c{k}" for k in range(6)) + "\n"
line = lambda row: ",".join(f"{v:.3f}" for v in row) + "\n"
svm = lambda r: f"{r[0]:.3f} " + " ".join(f"{k}:{v:.3f}" for k, v in enumerate(r) if k) + "\n"
open("a.csv", "w").writelines([head, *map(line, rows)])
open("a.svm", "w").writelines(map(svm, rows))
numpy.save("a.npy", rows[:, 1:])
numpy.savez("a.npz", X=rows[:, 1:])
numpy.save("y.npy", rows[:, 0])
with h5py.File("a.hdf5", "w") as f:
    f["X"] = rows[:, 1:]
END
gzip -qc a.csv >a.csv.gz
mkdir parts tables
split -n l/9 a.svm parts/part-
{ head -n 1 a.csv && sed -n 2,150p a.csv; } >tables/1.csv
{ head -n 1 a.csv && tail -n +151 a.csv; } | gzip >tables/2.csv.gz
for name in a.csv a.svm a.npy a.npz a.hdf5; do
  options=(--target y)
  case $name in *.svm) options=() ;; *.np? | *.hdf5) options=(--target y.npy) ;; esac
  mkdir of.$name
  must 0 import $name -o of.$name/out.h5 "${options[@]}" --quiet
done

# like NAME: the data set that was made is that of the file
like()
{
  diff -r "of.$1" made || fail "$1: other data: ${*:2}"
  rm -rf made
  mkdir made
}
mkdir made

# --- Pipes ---
for n in 0 3; do
  must $n import - -o made/out.h5 --target y --quiet < <(cat a.csv)
  like a.csv "standard input, $n ranks"
  must $n import - -o made/out.h5 --target y --quiet < <(cat a.csv.gz)
  like a.csv "compressed, $n ranks"
done
must 2 import - -o made/out.h5 --target y.npy --quiet < <(cat a.hdf5)
like a.hdf5
must 0 import - -o made/out.h5 --quiet <a.svm
like a.svm "a file"
must 0 import /dev/stdin -o made/out.h5 --quiet < <(cat a.svm)
like a.svm /dev/stdin
must 0 import <(head -n 100 a.svm) <(tail -n +101 a.svm) -o made/out.h5 --quiet
like a.svm "process substitution"
for name in a.npy a.npz; do
  must 0 import - -o made/out.h5 --target y.npy --quiet < <(cat $name)
  like $name
done
mkfifo pipe
{ sleep 0.2 && head -n 10 a.svm && sleep 0.2 && tail -n +11 a.svm; } >pipe &
must 0 import pipe -o made/out.h5 --quiet
wait $!
like a.svm "a slow pipe"
must 0 import a.svm --test-file - -o made/out.h5 --quiet < <(cat a.svm)
must 0 import a.svm --test-file a.svm -o test.h5 --quiet
cmp <(ranks 0 inspect made/out.h5 --json | grep fingerprint) \
  <(ranks 0 inspect test.h5 --json | grep fingerprint) || fail "a piped test file"
rm -rf made/*

# --- Folders and lists ---
touch parts/.hidden parts/_SUCCESS
mkdir parts/deeper
must 0 import parts -o made/out.h5
grep -q '^folder:   parts, 9 files; hidden files and folders in it are left out$' must.err ||
  fail "said: $(cat must.err)"
like a.svm "a folder"
must 3 import parts/ -o made/out.h5 --quiet
like a.svm "a folder, 3 ranks"
must 0 import tables -o made/out.h5 --target y --quiet
like a.csv "a folder of tables"
{ printf '\xef\xbb\xbf' && printf '%s\r\n\n' parts/part-*; } >list # with a mark of UTF-8
must 0 import --files list -o made/out.h5 --quiet
like a.svm "a list"
must 3 import parts/part-aa --files - -o made/out.h5 --quiet < <(ls parts/part-a[b-z])
like a.svm "a file and a list, 3 ranks"
printf parts >list
must 0 import --files list -o made/out.h5 --quiet
like a.svm "a folder in a list"

# --- What is refused ---
refused 1 'standard input:1:1: no example found' 0 import - -o bad.h5 < <(echo)
refused 1 'standard input:3:6: ' 2 import - -o bad.h5 < <(head -n 2 a.svm; echo '1 1:2x')
refused 1 'standard input: damaged gzip data' 0 import - -o bad.h5 \
  < <(head -c 90 a.csv.gz; echo; cat a.svm)
refused 2 'standard input.* was named twice' 0 import - - -o bad.h5 <a.svm
refused 2 'standard input.* was named twice' 0 import - --files - -o bad.h5 <a.svm
refused 1 'pipe: nothing writes to this pipe; start first what does' 2 import pipe -o bad.h5
mkdir mixed empty
cp a.svm a.csv mixed
touch empty/.hidden
refused 1 'mixed: files of several formats, as a.csv and a.svm; name those' 0 \
  import mixed -o bad.h5
refused 1 'empty: a folder without files to import, 1 hidden files' 0 import empty -o bad.h5
refused 1 'parts/none: No such file' 0 import parts/part-aa parts/none -o bad.h5
: >none
refused 1 'none: names no file; write' 0 import --files none -o bad.h5
refused 1 'gone: No such file.*name of the list' 0 import --files gone -o bad.h5
refused 1 'mixed: no file with the name of a file on each line' 0 import --files mixed -o bad.h5
printf 'parts/part-aa\na\0b\n' >zero
refused 1 'zero:2: a byte 0, of find -print0 or of no text; write the name of a file' 0 import --files zero -o bad.h5
head -c 9000 /dev/zero | tr '\0' x >long
refused 1 'long:1: longer than a name can be' 0 import --files long -o bad.h5
printf 'parts/part-aa\nno such file\n' >list
refused 1 'no such file: No such file or directory' 0 import --files list -o bad.h5
refused 2 'too few arguments' 0 import -o bad.h5
mkdir of.out
cp a.svm of.out/out.h5
refused 2 'output of.out/out.h5 is an input' 0 import of.out -o of.out/out.h5 --force

# Without room nothing is left, and neither when a signal ends the run
(
  failures=0
  ulimit -f 4
  refused 1 'bytes of standard input: File too large; make room, raise ulimit' 0 \
    import - -o bad.h5 < <(cat a.csv)
  exit "$failures"
) || failures=$((failures + 1))
for signal in TERM KILL; do
  mkfifo held.$signal
  ranks 0 import held.$signal -o killed.h5 2>killed.err &
  job=$!
  exec 9>held.$signal # writes nothing, and does not end
  head -c 5000 a.csv >&9
  await "$job" sh -c 'test -s .killed.h5.text-*'
  pkill -$signal -P "$job" || fail "nothing to end"
  wait "$job" && fail "ended by $signal, and well"
  exec 9>&-
  [ $signal = KILL ] || [ -z "$(find . -name '.killed*')" ] || fail "left: $(ls -A)"
done
must 0 import a.svm -o killed.h5 --quiet
[ -z "$(find . -name '.killed*')" ] || fail "left by a killed run: $(ls -A)"
finish
