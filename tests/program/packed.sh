#!/usr/bin/env bash
# packed.sh - every format of text, and arrays, compressed in every way, become the data
# set that they become as they are; archives of several files are refused, and so is what
# is cut short or damaged
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

"$PYTHON" - <<'END'
import numpy
import random
import zipfile
random.seed(11)
rows = [[random.gauss(0, 1) for _ in range(9)] for _ in range(400)]
with open("a.csv", "w") as f:
    f.write("y," + ",".join(f"c{k}" for k in range(8)) + "\n")
    f.writelines(",".join(f"{v:.4f}" for v in row) + "\n" for row in rows)
with open("a.svm", "w") as f:
    f.writelines(f"{r[0]:.4f} " + " ".join(f"{k}:{v:.4f}" for k, v in enumerate(r) if k) + "\n"
                 for r in rows)
numpy.save("a.npy", numpy.array(rows)[:, 1:])
numpy.save("y.npy", numpy.array(rows)[:, 0])
with open("a.mtx", "w") as f:
    f.write("%%MatrixMarket matrix array real general\n400 8\n")
    f.writelines(f"{row[k]:.4f}\n" for k in range(1, 9) for row in rows)

def archive(name, members, how=zipfile.ZIP_DEFLATED, file="wb"):
    with zipfile.ZipFile(name, "w", how) as z:
        for member, data in members.items():
            z.writestr(member, data)

read = lambda name: open(name, "rb").read()
for name in "a.csv", "a.svm", "a.npy", "a.mtx":
    archive(name + ".zip", {name: read(name)})
text = read("a.csv")
archive("stored.zip", {"deep/": b"", "deep/a.csv": text, "__MACOSX/deep/._a.csv": b"x"},
        zipfile.ZIP_STORED)
archive("two.zip", {"a.csv": text, "b.csv": text})
archive("none.zip", {"folder/": b""})
archive("empty.zip", {})
archive("other.zip", {"a.csv": text}, zipfile.ZIP_LZMA)
archive("book.xlsx", {"[Content_Types].xml": b"<x/>", "xl/workbook.xml": b"<x/>"})
good = bytearray(read("a.csv.zip"))
entry = good.index(b"PK\1\2")

def changed(name, at, value):
    bad = bytearray(good)
    bad[at:at + len(value)] = value
    open(name, "wb").write(bad)

changed("wrong.zip", 300, b"\x55" * 8)            # what is deflated
changed("crc.zip", entry + 16, b"\1\2\3\4")
changed("size.zip", entry + 24, b"\x40\0\0\0")    # fewer bytes than there are
changed("large.zip", entry + 24, b"\xff\xff\xff\x7f")
changed("secret.zip", entry + 8, b"\1\0")
changed("beyond.zip", entry + 42, b"\xff\xff\xff\x7f")
open("short.zip", "wb").write(good[:-30])
END
for name in a.csv a.svm a.npy a.mtx; do
  for tool in gzip bzip2 xz zstd lz4; do
    ending=${tool/gzip/gz}
    ending=${ending/bzip2/bz2}
    $tool -qc $name >$name.${ending/zstd/zst}
  done
done

# some: ranks to try: both in the long suite, else mostly one
calls=0
some()
{
  if long; then
    echo 0 2
  elif [ $((calls % 6)) -eq 5 ]; then
    echo 2
  else
    echo 0
  fi
}

# same FILE OPTION...: the data set of what is in it, whoever reads it
same()
{
  local name=$1 n of=${1#*.}
  shift
  calls=$((calls + 1))
  for n in $(some); do
    mkdir made
    must "$n" import "$name" -o made/out.h5 "$@" --quiet || true
    diff -r "of.${of%%.*}" made || fail "$name on $n ranks: other data"
    rm -r made
  done
}

for name in a.csv a.svm a.npy a.mtx; do
  options=(--target y)
  case $name in *.svm) options=() ;; *.npy | *.mtx) options=(--target y.npy) ;; esac
  mkdir of.${name#a.}
  must 0 import $name -o of.${name#a.}/out.h5 "${options[@]}" --quiet
  for ending in gz bz2 xz zst lz4 zip; do
    same $name.$ending "${options[@]}"
  done
done

# By what is in them alone, whatever they are called; several streams in one file
cp -r of.csv of.zip
same stored.zip --target y
for tool in zstd lz4; do
  { head -n 150 a.csv | $tool -qc && tail -n +151 a.csv | $tool -qc; } >two.csv.$tool
  same two.csv.$tool --target y
done
# pzstd begins with a frame that decoders pass over
{ printf '\x50\x2a\x4d\x18\4\0\0\0abcd' && cat a.csv.zst; } >passed.csv
same passed.csv --target y
{ printf '\x50\x2a\x4d\x18\3\0\0\0abc\x5f\x2a\x4d\x18\0\0\0\0' && cat a.csv.lz4; } >frames.csv
same frames.csv --target y
# zeros behind the end, which tapes and downloads pad files with
for ending in gz bz2; do
  { cat a.csv.$ending && head -c 3000000 /dev/zero; } >padded.csv.$ending
  same padded.csv.$ending --target y
done

# A file among others
must 2 import a.svm.zst a.svm a.svm.lz4 a.svm.zip -o out.h5 --quiet
must 0 import a.svm a.svm a.svm a.svm -o of.h5 --quiet
cmp <(ranks 0 inspect out.h5 --json | grep fingerprint) \
  <(ranks 0 inspect of.h5 --json | grep fingerprint) || fail "several packed files"

# --- What is refused ---
# bad TEXT FILE: in one line that has the file's name
bad()
{
  local n
  calls=$((calls + 1))
  for n in $(some); do
    refused 1 "^thresher: (rank [0-9]+: )?$2: .*($1)" "$n" import "$2" --target y \
      -o bad.h5
  done
}

bad 'archive of 2 files, first a.csv; unpack it, unzip -d FOLDER, and import' two.zip
bad 'a zip archive without a file' none.zip
bad 'a zip archive without a file' empty.zip
bad 'encrypted, or not deflated; unpack it' other.zip
bad 'encrypted, or not deflated; unpack it' secret.zip
bad 'an Excel workbook' book.xlsx
bad 'damaged' wrong.zip
bad 'damaged zip data' crc.zip
bad 'damaged zip data' size.zip
bad 'which deflate cannot do' large.zip
bad 'damaged, copy or make it again' beyond.zip
bad 'damaged, copy or make it again' short.zip
for ending in zst lz4; do
  whole=$(stat -c %s a.csv.$ending)
  for bytes in 5 9 40 $((whole / 2)) $((whole - 1)); do
    head -c "$bytes" a.csv.$ending >cut.$ending
    bad 'end too early|damaged' cut.$ending
  done
  { cat a.csv.$ending && echo more; } >more.$ending
  bad 'damaged|end too early' more.$ending
done
for ending in gz bz2; do # zeros in between are what was lost
  { cat padded.csv.$ending && echo more; } >more.$ending
  bad damaged more.$ending
  { cat padded.csv.$ending a.csv.$ending; } >lost.$ending
  bad damaged lost.$ending
done
printf '\2\x21\x4c\x18aaaaaaaa' >old.lz4
bad 'lz4 in its old form; compress it again' old.lz4
# a window of 2 GB that is only claimed
printf '\x28\xb5\x2f\xfd\0\xa8aaaaaaaaaaaaaaaaaaaaaa' >window.zst
bad 'no memory|damaged' window.zst
finish
