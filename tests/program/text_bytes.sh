#!/usr/bin/env bash
# text_bytes.sh - a byte 0 in any text is refused with its place; a line that is too
# long is refused with its place and the remedy, before it takes more than its memory
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

printf '1 1:1 2:2 3:3\n2 1:2 2:1\n' >plain.svm
must 0 import plain.svm -o plain.h5
zero='a byte 0 found'

# --- CSV: a header's names would end there, and two attributes be called a
printf 'a,b\0c,b\0d,y\n1,2,3,4\n2,3,4,5\n' >names.csv
printf '\0a,b,y\n1,2,3\n2,3,4\n' >begin.csv # not text in UTF-16
printf '"a\nb","c\0",y\n1,2,3\n2,3,4\n' >quoted.csv
printf 'a,b,y\n1,2,3\n2,3\0,4\n' >value.csv
printf 'a,b,y\n1,2,3\n\0\n' >last.csv
printf 'a;b;y\r\n1;2;3\r\n2;3;4\0\r\n' >returns.csv
for n in 0 2; do
  refused 1 "names.csv:1:4: $zero" $n import names.csv -o x.h5
  refused 1 "names.csv:1:4: $zero" $n import names.csv -o x.h5 --header no
  refused 1 "begin.csv:1:1: $zero" $n import begin.csv -o x.h5
  refused 1 "quoted.csv:2:6: $zero" $n import quoted.csv -o x.h5
  refused 1 "value.csv:3:4: $zero" $n import value.csv -o x.h5
  refused 1 "last.csv:3:1: $zero" $n import last.csv -o x.h5
  refused 1 "returns.csv:3:6: $zero" $n import returns.csv -o x.h5
done
printf 'a,b,y\n1,2,3\n2,3,4\n' >train.csv
must 0 import train.csv -o train.h5
refused 1 "names.csv:1:4: $zero" 0 import names.csv --like train.h5 -o x.h5
refused 1 "value.csv:3:4: $zero" 0 import train.csv --test-file value.csv -o x.h5
gzip -k names.csv
refused 1 "names.csv.gz:1:4: $zero" 0 import names.csv.gz -o x.h5

# --- LIBSVM text, also in a comment
printf '1 1:1\n2 2:1\0 3:1\n' >value.svm
printf '1 1:1\n2 2:1 # c\0\n' >comment.svm
for n in 0 2; do
  refused 1 "value.svm:2:6: $zero" $n import value.svm -o x.h5 --format libsvm
  refused 1 "comment.svm:2:10: $zero" $n import comment.svm -o x.h5
done

# --- what has one in its first block is no text, whatever is wrong before that; where other
# bytes are not those of text either, the first ones are told
printf '1 1:1\nx 2:1\n2 3:1\0\n' >later.svm
printf 'a,b,y\n1,2,3\n2,3\n3,4,\0\n' >later.csv
printf '\177ELF\2\1\1\0\0\0' >program
gzip -k program
unknown='so it is not text, and its first bytes, 7f 45 4c 46 02 01, are of no kind that is known'
for n in 0 2; do
  refused 1 "later.svm:3:6: $zero" $n import later.svm -o x.h5
  refused 1 "later.csv:4:5: $zero" $n import later.csv -o x.h5
  for option in '--quiet' '--format csv' '--format libsvm'; do
    # shellcheck disable=SC2086
    refused 1 "program:1:8: $zero, $unknown" $n import program -o x.h5 $option
  done
done
refused 1 "program.gz:1:8: $zero, $unknown" 0 import program.gz -o x.h5
refused 1 "program:1:8: $zero, $unknown" 0 import plain.svm --groups program -o x.h5
refused 1 "program:1:8: $zero, $unknown" 0 import plain.svm --ids program -o x.h5
refused 1 "program:1:8: $zero, $unknown" 0 train program -o x.h5

# --- groups and decks
printf '0 1\n2 # \0\n' >groups.txt
refused 1 "groups.txt:2:5: $zero" 0 import plain.svm --groups groups.txt -o x.h5
refused 1 "groups.txt:2:5: $zero" 2 train plain.h5 --penalty group --groups groups.txt \
  --solver lasso -o x.h5
printf '[solver]\nname = las\0so\n' >deck.ini
refused 2 "deck.ini:2:11: $zero" 0 train plain.h5 --deck deck.ini -o x.h5

# --- long lines, each with 64 MiB of memory
"$PYTHON" - <<'END'
size = 100_000_000
with open("long.svm", "w") as f:
    f.write("1 1:1\n2 2:1 " + "3:1 " * (size // 4) + "\n")
with open("long.csv", "w") as f:
    f.write("a,b,y\n1,2,3\n1,2," + "9" * size + "\n")
with open("head.csv", "w") as f:
    f.write("a,b," + "y" * size + "\n1,2,3\n")
with open("groups.txt", "w") as f:
    f.write("0 1\n2 " + " " * size + "\n")
with open("ranges.txt", "w") as f:
    f.write("0 1\n2 " + "," * size + "9\n")
END
# most PATTERN ARGUMENT...: refused, within some 64 MiB above a small import
peak()
{
  "$PYTHON" - "$THRESHER" "$@" <<'END'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
END
}
small=$(peak import plain.svm -o small.h5)
long_line()
{
  refused 1 "$@" --memory 64MiB
  compare "kB for a long line: ${*:3}" "$(peak "${@:3}" --memory 64MiB)" '<' "$((small + 65536))"
}
longer='longer than [0-9]* bytes; .*allow longer lines with more --memory'
long_line "long.svm:2:[0-9]*: the line is $longer" 0 import long.svm -o x.h5
long_line "long.csv:3:[0-9]*: the line is $longer" 0 import long.csv -o x.h5
long_line "head.csv:1:[0-9]*: the first record is $longer" 0 import head.csv -o x.h5
for file in groups ranges; do
  long_line "$file.txt:2:[0-9]*: the line is longer than [0-9]* bytes, and the data have 3 attributes; shorten it" \
    0 import plain.svm --groups $file.txt -o x.h5
  long_line "$file.txt:2:[0-9]*: the line is longer than [0-9]* bytes" 0 train plain.h5 \
    --penalty group --groups $file.txt --solver lasso -o x.h5
done
rm -f long.* head.csv groups.txt ranges.txt
# --- what is no table is named, with what makes one of it ---
while IFS='|' read -r bytes name pattern; do
  printf "${bytes//%/%%}" >"$name"
  refused 1 "$name: not text, but $pattern" 0 import "$name" -o no.h5
done <<'END'
PAR1\0\0|a.parquet|a Parquet file.*read_parquet\('a.parquet'\)
\x89PNG\r\n|a.png|a picture
\0\0\0\0\0\0\0\0\0\0\0\0\xc2\xea\x81\x60\xb3\x14\x11\xcf|a.sas7bdat|a SAS file.*read_sas
@relation iris\n@attribute a numeric\n@data\n1\n|a.arff|a file of Weka.*loadarff\('a.arff'\)
@RELATION iris\n|b.arff|a file of Weka
{"a": [1, 2]}\n|a.json|JSON.*read_json\('a.json'\)
[{"a": 1}, {"a": 2}]\n|b.json|JSON
<?xml version="1.0"?>\n|a.xml|XML.*read_xml
#1.2\n2\t3\nName\tDescription\ts1\n|a.gct|expression data .GCT., where examples are columns; .*skiprows=2
F1 I1 0 0 1 2 A A G G\nF2 I2 0 0 1 1 A G G G\n|a.ped|genotypes of PLINK as text.*plink --file NAME --make-bed
END

finish
