#!/usr/bin/env bash
# tables.sh - numbers as people's tables write them: words for true and false, dates, percent
# signs, marks between thousands, decimal commas; bars or blanks between columns, a first line
# sep=, and headers without a name for the names of rows
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

# alike SET...: they have the same values
alike()
{
  [ "$(for set in "$@"; do
    ranks 0 inspect "$set.h5" --json | grep '"fingerprint"'
  done | sort -u | wc -l)" -eq 1 ] || fail "other values in one of $*"
}

# same NAME: NAME.csv is the same data as plain.csv
same()
{
  must 0 import "$1.csv" -o "$1.h5" --target y --force "${@:2}" && cp must.err "$1.said"
  must 2 import "$1.csv" -o two.h5 --target y --force "${@:2}"
  alike plain "$1" two
}

# said NAME TEXT
said()
{
  grep -q -- "$2" "$1.said" || fail "$1: nothing said of '$2'"
}

"$PYTHON" - <<'END'
import datetime, random
random.seed(6)
rows = []
for i in range(400):
    day = datetime.date(1960, 1, 1) + datetime.timedelta(days=random.randrange(40000))
    rows.append((round(random.uniform(-3e6, 3e6), 2), random.random() < 0.5, day,
                 random.randrange(0, 1000) / 10, random.gauss(0, 1)))

def write(name, mark, cells, head=""):
    with open(name + ".csv", "w") as f:
        f.write(head + mark.join(["money", "flag", "day", "share", "y"]) + "\n")
        for row in rows:
            f.write(mark.join(cells(*row)) + "\n")

def days(day):
    return str((day - datetime.date(1970, 1, 1)).days)

def plain(money, flag, day, share, y):
    return ["%.2f" % money, "%d" % flag, days(day), "%.1f" % share, "%.6g" % y]

def grouped(money):
    return '"%s"' % format(money, ",.2f")

def comma(number):
    return number.replace(".", ",")

def words(money, flag, day, share, y):
    form = random.choice([["False", "True"], ["FALSE", "TRUE"], ["no", "yes"], ["No", '"Yes"']])
    return [grouped(money), form[flag], day.isoformat(), "%.1f%s" % (share, random.choice(["%", " %"])),
            "%.6g" % y]

def german(money, flag, day, share, y):
    points = format(money, ",.2f").replace(",", " ").replace(".", ",").replace(" ", ".")
    return [points, "%d" % flag, days(day), comma("%.1f" % share), comma("%.6g" % y)]

write("plain", ",", plain)
write("words", ",", words)
write("german", ";", german)
write("quoted", ",", lambda *row: ['"%s"' % cell for cell in german(*row)])
write("bars", "|", plain)
write("told", ";", plain, "sep=;\n")
write("told_bars", "|", plain, '"sep=|"\n')
write("blanks", " ", plain)
write("aligned", " ", lambda *row: ["%20s" % cell for cell in plain(*row)] + [" "])

with open("plain.csv") as f:
    lines = f.read().splitlines()
for name, mark in ("r_blanks", " "), ("r_tabs", "\t"), ("r_words", " "):
    with open(name + ".csv", "w") as f: # as write.table of R does
        f.write(mark.join('"%s"' % word for word in lines[0].split(",")) + "\n")
        for i, line in enumerate(lines[1:]):
            row = '"row %d"' % i if name == "r_words" else '"%d"' % (i + 1)
            f.write(row + mark + line.replace(",", mark) + "\n")
END
must 0 import plain.csv -o plain.h5 --target y
same words
said words 'true and yes are 1, false and no are 0; first in column 2, .flag'
said words 'dates are days since 1970-01-01; first in column 3, .day'
said words 'percent signs are left out: 5% is 5; first in column 4, .share'
said words 'marks between thousands are left out; first in column 1, .money'
same german --decimal ,
said german 'marks between thousands are left out'
same quoted --decimal ,
same german --like plain.h5 --decimal ,
same bars
same told
same told_bars
same blanks
same aligned
for name in r_blanks r_tabs r_words; do
  same $name
  said $name 'the names of rows, which the header does not name'
  must 2 import $name.csv -o again.h5 --like $name.h5 --force
  alike plain again
done
must 0 import blanks.csv -o guessed.h5 # the header names the target

# Lines of old Macintoshes, which end with a carriage return alone, and their places
tr '\n' '\r' <plain.csv >returns.csv
gzip -kf returns.csv
printf '1 1:2 3:4\n2 2:1\n3 1:5\n' >feeds.svm
tr '\n' '\r' <feeds.svm >returns.svm
must 0 import feeds.svm -o feeds.h5
for n in 0 2; do
  must $n import returns.csv -o returns.h5 --target y --force
  alike plain returns
  must $n import returns.svm -o returned.h5 --force
  alike feeds returned
done
must 0 import returns.csv.gz -o returns.h5 --target y --force
alike plain returns
"$PYTHON" -c 'print("a,b,y", *("%d,2,%d" % (k, k) for k in range(200000)), "1,x,3", sep="\r")' >long.csv
gzip -k long.csv
refused 1 'long.csv:200002:3: ' 2 import long.csv -o never.h5 --max-line 500 --levels 0
refused 1 'long.csv.gz:200002:3: ' 0 import long.csv.gz -o never.h5 --max-line 500 --levels 0

# --like takes the mark over
must 0 import german.csv -o german.h5 --target y --decimal , --force
must 0 import german.csv -o again.h5 --like german.h5 --force
alike plain again
refused 1 "import with --decimal , if it has a decimal comma" 0 \
  import german.csv -o never.h5 --target y


# one mark between thousands, where only the other data tell the mark, may be a decimal one
printf 'money;flag;day;share\n1.500;1;2;3\n' >points.csv
refused 1 "points.csv:2:1: '1.500' found in column 1 .money., which may be a whole number or a fraction" 0 \
  import points.csv -o never.h5 --like german.h5
must 0 import points.csv -o thousands.h5 --like german.h5 --decimal ,
must 0 import points.csv -o fractions.h5 --like german.h5 --decimal .
"$PYTHON" -c '
import h5py, sys
sys.exit([h5py.File(f + ".h5")["X"][0, 0] for f in ("thousands", "fractions")] != [1500, 1.5])' ||
  fail "1.500 is not what was said"

# dates in other forms, and times of a day
"$PYTHON" - <<'END'
cells = ["2020-02-29", "2020/02/29", "2020-02-29 06:00", "2020-02-29T06:00:00", "2020-02-29T18:00:00.000Z",
         "2020-02-29 01:30:00+01:30", "2020-02-28T21:00:00-03:00", "1969-12-31 23:59:15", "2016-12-31T23:59:60Z"]
days = [18321, 18321, 18321.25, 18321.25, 18321.75, 18321, 18321, -45 / 86400, 17167]
with open("times.csv", "w") as f, open("days.csv", "w") as g:
    f.write("when,y\n")
    g.write("%r\n" % days)
    for i, cell in enumerate(cells):
        f.write("%s,%d\n" % (cell, i % 4))
END
must 0 import times.csv -o times.h5 --type f64 --seed 1
"$PYTHON" - <<'END' || fail "times are other numbers"
import h5py, sys
f, days = h5py.File("times.h5"), eval(open("days.csv").read())
got = {int(row): x for row, x in zip(f["row"][:], f["X"][:].ravel())}
sys.exit(any(abs(got[i] - day) > 1e-9 for i, day in enumerate(days)))
END

# no number: dates that there are not, marks out of place, other words
for cell in 2020-02-30 2020-02/20 2020-02-20T24:00 2020-02-20T12 "2020-02-20 12:00 PM" 2020-02-20T12:00+1 2020-13-01 '"1,00,000"' '"1,0000"' 5%% maybe 1e5% 2020-1-1 '"12,34"' '"0,123"' '"-0,500"' '"+00,500,000"'; do
  printf 'a,b,y\n1,2,3\n2,%s,4\n' "$cell" >cell.csv
  case $cell in
  1e5%) printf 'a,b,y\n1,2%%,3\n2,1e5%%,4\n' >cell.csv && must 0 import cell.csv -o cell.h5 --target y --force ;;
  *) refused 1 'cell[.]csv:3:' 0 import cell.csv -o never.h5 --target y ;;
  esac
done

# all that is to be typed is told at once: a table of write.csv2, a .raw file of PLINK
printf '"";"a";"y"\n"1";1,5;2\n"2";2,5;3\n"3";3,5;1\n' >csv2.csv
refused 1 "import with --decimal , if it has a decimal comma, and with --id 1 if column 1 only counts the rows" 0 \
  import csv2.csv -o never.h5
must 0 import csv2.csv -o csv2.h5 --decimal , --id 1
printf 'FID IID PAT MAT SEX PHENOTYPE rs1_A\n1 a 0 0 1 2.5 0\n2 b 0 0 2 1.5 1\n' >plink.raw
refused 2 "--target PHENOTYPE, or --target none, --id IID and --ignore FID,PAT,MAT,SEX" 0 \
  import plink.raw -o never.h5
must 0 import plink.raw -o raw.h5 --target PHENOTYPE --id IID --ignore FID,PAT,MAT,SEX
grep -q ' 1 attribute,' must.err || fail "not only the variant: $(cat must.err)"

# attributes of one name are said; what is counted is in the singular or plural
printf 'color,color=red,y\nred,1,1\nblue,2,2\nred,3,3\n' >twins.csv
must 0 import twins.csv -o twins.h5
grep -q "1 attribute has the name of another one, first 'color=red'" must.err || fail "no word of twins: $(cat must.err)"
printf 'a,a,b,y\n1,2,3,4\n2,2,1,1\n' >twins.csv
must 2 import twins.csv -o twins.h5 --force
grep -q "1 attribute has the name of another one, first 'a'" must.err || fail "no word of twins: $(cat must.err)"
must 0 import plain.csv -o plain.h5 --target y --force
! grep -q 'name of another one' must.err || fail "twins where there are none"
printf 'a,y\n1\n' >short.csv
refused 1 'short.csv:2:2: the row ends after 1 field, expected 2' 0 import short.csv -o never.h5
finish
