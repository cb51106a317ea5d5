#!/usr/bin/env bash
# like.sh - text that is imported like other text: where its target stood and
# what was left out, by places and by names; headers of numbers; classes nobody
# knows; attributes that f32 spoils
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

# says PATTERN N ARGUMENT...: the run succeeds and says so on stderr.
says()
{
  must "${@:2}" || return 0
  grep -qE -- "$1" must.err || {
    fail "wanted '$1': thresher ${*:3}"
    cat must.err >&2
  }
}

# same NAME A B: two data sets have the same content.
same()
{
  [ "$(key_of "$2" fingerprint)" = "$(key_of "$3" fingerprint)" ] ||
    fail "$1: $2 and $3 differ"
}

key_of()
{
  ranks 0 inspect "$1" --json >inspected.json
  key inspected.json "$2"
}

# The target stands first, in the middle and last; an identity and a remark are
# left out; new rows with and without the target, wider and narrower.
"$PYTHON" - <<'END'
import random
random.seed(5)
NAMES = ["a", "b", "c", "d"]

def rows(count, first):
    table = []
    for i in range(count):
        x = [random.gauss(0, 1) for _ in NAMES]
        y = 2 * x[0] - 3 * x[2]
        table.append((7 * (first + i) ** 2 + 90000, "r%d" % i, x, y))
    return table

def write(path, table, line, header=None):
    with open(path, "w") as f:
        for cells in ([header] if header else []) + [line(*r) for r in table]:
            f.write(",".join(c if isinstance(c, str) else "%.7g" % c
                             for c in cells) + "\n")

train, new = rows(120, 0), rows(30, 500)
layouts = {
    "first": (lambda i, t, x, y: [y] + x, ["y"] + NAMES),
    "middle": (lambda i, t, x, y: [i] + x[:2] + [y] + x[2:] + [t],
               ["id", "a", "b", "y", "c", "d", "text"]),
    "last": (lambda i, t, x, y: [i, t] + x + [y], ["id", "text"] + NAMES + ["y"]),
    "class": (lambda i, t, x, y: [i, "M" if y > 0 else "B"] + x, None),
}
for name, (line, header) in layouts.items():
    write(name + ".csv", train, line)
    write(name + ".new.csv", new, line)
    if header:
        write(name + ".named.csv", train, line, header)
        write(name + ".new.named.csv", new, line, header)
write("x.csv", new, lambda i, t, x, y: x)
write("y.csv", new, lambda i, t, x, y: x + [y])
write("ix.csv", new, lambda i, t, x, y: [i] + x)
write("ixt.csv", new, lambda i, t, x, y: [i] + x + [t])
write("ix.named.csv", new, lambda i, t, x, y: [i] + x, ["id"] + NAMES)
write("short.csv", new, lambda i, t, x, y: x[:3])
write("more.named.csv", new, lambda i, t, x, y: [i, 1] + x + [1, 2, 3, 4],
      ["id", "p q"] + NAMES + ["r", "s", "t", "u"])
END

# --- by places ---
must 0 import y.csv -o y.h5
must 0 import first.csv -o first.h5 --target 1
must 0 import middle.csv -o middle.h5 --target 4 --ignore 1,7
must 0 import last.csv -o last.h5 --target 7 --ignore 1,2
must 0 train first.h5 -o model.h5 --solver lasso --lambda 0.001
says '^target:   column 1 of 5 ' 2 import first.new.csv --like first.h5 -o first.new.h5
says '^left out: 2 columns of 7, as in middle.h5$' 3 \
  import middle.new.csv --like middle.h5 -o middle.new.h5
grep -q '^target:   column 4 of 7 ' must.err || fail "middle: another target"
says '^left out: 2 columns of 7, as in last.h5$' 0 \
  import last.new.csv --like last.h5 -o last.new.h5
for name in first middle last; do
  same "$name, by places" y.h5 $name.new.h5
done
must 0 evaluate model.h5 first.new.h5
compare "r2 of new rows" "$(awk '$1 == "r2" { print $2 }' must.out)" ">" 0.99
# what the user says counts for more, and may be said again
must 0 import first.new.csv --like first.h5 -o said.h5 --target 1
same "said again" y.h5 said.h5
must 0 import last.new.csv --like last.h5 -o said.h5 --ignore 1,2 --force
same "--ignore said again" y.h5 said.h5
# data without a target: the attributes alone, or what is left out is said
says '^target:   none$' 2 import x.csv --like middle.h5 -o x.h5
refused 2 'ix.csv:1:1: which column is the target\? There are 5 columns and no header, and the text of middle.h5 had 7; say it with --target NUMBER' \
  3 import ix.csv --like middle.h5 -o no.h5
refused 2 'ixt.csv:1:1: .* where only the target is missing, import with --ignore 1,6$' \
  0 import ixt.csv --like middle.h5 -o no.h5
must 0 import ixt.csv --like middle.h5 -o ixt.h5 --ignore 1,6
same "the line that was told" x.h5 ixt.h5
# they remember the text that their own was like
must 0 import middle.new.csv --like ixt.h5 -o again.h5
same "like data that are like others" y.h5 again.h5
refused 1 'short.csv:1:1: 3 columns and no header found, expected the 4 attributes of middle.h5, or the 7 columns of its text; add what is missing$' \
  2 import short.csv --like middle.h5 -o no.h5
# nothing is known of the columns of LIBSVM text
printf '1 1:1 2:2 3:3 4:4\n2 1:2 2:1 3:1 4:2\n' >l.svm
must 0 import l.svm -o l.h5
refused 2 'y.csv:1:1: which column is the target\? There are 5 columns and no header, and l.h5, with 4 attributes, does not tell' \
  0 import y.csv --like l.h5 -o no.h5
must 0 import y.csv --like l.h5 -o yl.h5 --target 5 --layout dense
same "named target" y.h5 yl.h5
printf '1:1 2:2 3:3 4:4\n' >new.svm
refused 2 "new.svm:1:1: lines that begin like .1:1. may have no label, and be index:value, or have label:weight; say --labels none or --labels weighted$" \
  2 import new.svm --like l.h5 -o no.h5
says "^target:   none$" 0 import new.svm --like l.h5 -o new.h5 --labels none
# a header in one of the two texts: by places as well
must 0 import first.named.csv -o first.named.h5 --target y
must 0 import first.new.csv --like first.named.h5 -o places.h5
must 0 import first.new.named.csv --like first.h5 -o places2.h5
[ "$(key_of places.h5 attributes)" = 4 ] || fail "header there: not 4 attributes"
must 0 predict model.h5 places2.h5 -o by.places.csv
must 0 predict model.h5 first.new.h5 -o wanted.csv
cmp wanted.csv by.places.csv || fail "header here: other predictions"

# --- by names ---
must 0 import middle.named.csv -o named.h5 --target y --ignore id,text
must 0 import last.new.named.csv --like named.h5 -o names.h5
grep -q '^left out: 2 columns of 7, as in named.h5$' must.err ||
  fail "columns are not left out by their names"
must 0 import middle.new.named.csv --like named.h5 -o names2.h5
same "by names" names2.h5 names.h5
says '^left out: 1 column of 5, as in named.h5$' 2 \
  import ix.named.csv --like named.h5 -o names3.h5
grep -q '^target:   none$' must.err || fail "a target from nowhere"
ranks 0 inspect names3.h5 >must.out
grep -q 'provenance:.*, 1 column left out' must.out || fail "provenance: plural"
refused 1 "more.named.csv:1:1: 5 columns are no attributes of named.h5, first 2, 'p q', 7, 'r', 8, 's'; leave them out with --ignore 'p q',r,s,t,u, or say with" \
  3 import more.named.csv --like named.h5 -o no.h5
says '^left out: 6 columns of 10, some as in named.h5$' 0 \
  import more.named.csv --like named.h5 -o more.h5 --ignore 'p q,r,s,t,u'
same "unknown columns" names3.h5 more.h5
refused 1 "1:1: 4 columns are .* with --ignore 'p q',r,s,t,u, " 0 \
  import more.named.csv --like named.h5 -o no.h5 --ignore 'p q'

# --- classes that nobody knows ---
must 0 import class.csv -o class.h5 --target 2 --positive-class M --ignore 1
says "^positive: 'M'" 2 import class.new.csv --like class.h5 -o class.new.h5
grep ',B,' class.new.csv >b.csv
says "^positive: 'M', 0 of " 3 import b.csv --like class.h5 -o b.h5
refused 2 'only the target is missing, import with --ignore 1$' 0 \
  import ix.csv --like class.h5 -o no.h5
refused 1 "ix.csv:1:1: no target is one of the classes of class.h5, 'M', 'B', the first is '" \
  3 import ix.csv --like class.h5 -o no.h5 --target 2
must 0 import ix.csv --like class.h5 -o ix.h5 --ignore 1

# --- what the master remembers, changed by hand; a master of an older program ---
ranks 0 inspect middle.h5 >must.out
grep -q '^target: *column 4 of 7 of the text$' must.out || fail "inspect: target"
if "$PYTHON" -c 'import h5py' 2>/dev/null; then
  "$PYTHON" - <<'END'
import h5py, shutil
for name, change in [
        ("target", lambda f: f.attrs.modify("target_column", 9)),
        ("width", lambda f: f.attrs.modify("columns", 8)),
        ("count", lambda f: f.attrs.modify("other_columns", 1 << 40)),
        ("same", lambda f: f.attrs.modify("target_column", 1)),
        ("classes", lambda f: f.attrs.modify("other_classes", 1 << 40)),
        ("bytes", lambda f: f["other_columns"].__setitem__(0, 2)),
        ("old", lambda f: f.attrs.__delitem__("columns"))]:
    of = "class" if name == "classes" else "middle"
    shutil.copy(of + ".h5", "forged." + name + ".h5")
    shutil.copytree(of + ".shards", "forged." + name + ".shards")
    with h5py.File("forged." + name + ".h5", "r+") as f:
        change(f)
END
  for name in target width count same classes; do
    refused 1 "forged.$name.h5: columns of a text that cannot be; .* damaged" 2 \
      import middle.new.csv --like forged.$name.h5 -o no.h5
  done
  refused 1 "forged.bytes.h5: /other_columns: checksum mismatch" 0 \
    import middle.new.csv --like forged.bytes.h5 -o no.h5
  refused 2 'There are 7 columns and no header, and forged.old.h5, .* does not tell' \
    0 import middle.new.csv --like forged.old.h5 -o no.h5
else
  left_out "forged columns: no h5py"
fi

# --- a header of numbers ---
printf '0,1,2,3\n5,6,7,8\n6,5,4,3\n9,7,5,1\n' >zero.csv
printf '1,2,3,4\n5,6,7,8\n6,5,4,3\n9,7,5,1\n' >one.csv
printf ',0,1,2,3\n0,5,6,7,8\n1,6,5,4,3\n2,9,7,5,1\n' >index.csv
printf '0,1,2,4\n5,6,7,8\n6,5,4,3\n9,7,5,1\n' >row.csv
for name in zero one; do
  refused 2 "$name.csv:1:1: the first row counts the columns, .* --header yes that it is a header, or with --header no" \
    2 import $name.csv -o no.h5
  must 0 import $name.csv -o $name.h5 --header yes --target 4
  must 0 import $name.csv -o $name.no.h5 --header no
  [ "$(key_of $name.h5 examples)" = 3 ] || fail "$name: header not taken"
  [ "$(key_of $name.no.h5 examples)" = 4 ] || fail "$name: row not taken"
done
refused 1 "index.csv:1:1: column 1, '', only counts the rows; leave it out with --ignore '\"\"'," 0 \
  import index.csv -o no.h5 --target 3
must 0 import index.csv -o index.h5 --target 3 --ignore '""'
[ "$(key_of index.h5 examples)" = 3 ] || fail "index: header not taken"
must 0 import row.csv -o row.h5
[ "$(key_of row.h5 examples)" = 4 ] || fail "a row is taken for a header"
refused 1 "index.csv:1:1: nothing found" 0 import index.csv -o no.h5 --header no --missing error
refused 2 '--header, .* are for CSV; l.svm is read as LIBSVM' 0 \
  import l.svm -o no.h5 --header yes

# --- other separators ---
printf 'a:b:y\n1:2:3\n4:5:6\n' >colons.csv
refused 1 "colons.csv:1:1: 1 column found, expected several with ',', ';', '|', tabs or blanks" \
  2 import colons.csv -o no.h5
# names and words in another encoding stay as they are, with one note
printf 'gr\xf6\xdfe,c,y\n1,\xe4,3\n4,b,6\n' >latin.csv
printf 'g,c,y\n1,\xe4,3\n4,b,6\n' >latin_words.csv
for name in latin latin_words; do
  must 0 import $name.csv -o $name.h5 --target y
  [ "$(grep -c 'is not in UTF-8, .* iconv -f LATIN1 -t UTF-8$' must.err)" -eq 1 ] ||
    fail "$name: $(cat must.err)"
done
printf 'a,b,y\n1,2,3\n4,5,6\n' | iconv -f UTF-8 -t UTF-16 >utf16.csv
printf 'a,b,y\n1,2,3\n4,5,6\n' | iconv -f UTF-8 -t UTF-16BE >utf16be.csv
for name in utf16 utf16be; do
  refused 1 "$name.csv:1:1: text in UTF-16 found, expected UTF-8; convert it with iconv" \
    3 import $name.csv -o no.h5
done
printf '2\n3\n' >single.csv
printf 'y,x\n1,2\n2,3\n3,4\n' >pair.csv
must 0 import pair.csv -o pair.h5 --target y
must 0 import single.csv --like pair.h5 -o single.h5

# --- what f32 spoils ---
"$PYTHON" - <<'END'
import random
random.seed(6)
with open("time.csv", "w") as f, open("time.svm", "w") as g:
    f.write("time,constant,normal,far,phone,small,y\n")
    for i in range(3000):
        x = [1700000000 + i // 5, 0.1, random.gauss(0, 1),
             1000 + random.gauss(0, 1), random.randrange(10**9, 10**10),
             1 + 1e-9 * random.gauss(0, 1)]
        f.write(",".join("%.12g" % v for v in x + [i]) + "\n")
        g.write("%d " % i + " ".join(
            "%d:%.12g" % (j + 1, v) for j, v in enumerate(x)) + "\n")
END
for n in 0 3; do
  says "^note:     2 attributes lose digits that matter as f32, first 'time'; --type f64 keeps them$" \
    $n import time.csv -o time.h5 --force
  grep -q '^1 attribute has the same value' must.err ||
    fail "what was rounded counts as constant"
done
says "^note:     2 attributes lose .* first index 1; " 0 import time.svm -o svm.h5
must 0 import time.csv -o f64.h5 --type f64
! grep -q note: must.err || fail "f64 is said to lose digits"
sed -n '2,61p' time.csv | cut -d, -f1,3,7 >few.csv
says "^note:     1 attribute loses .* first column 1; " 2 import few.csv -o few.h5
! grep -q 'same value' must.err || fail "60 values are called the same"
must 0 import first.csv -o plain.h5 --target 1
! grep -q note: must.err || fail "usual numbers are said to lose digits"
finish
