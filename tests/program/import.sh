#!/usr/bin/env bash
# import.sh - import through the program: what is refused, and how
# SPDX-License-Identifier: MIT
#
# Every bad input ends, at 1 and at 3 ranks, with status 1 (2 for usage), exactly
# one line that begins "thresher: " and names the place, and nothing left over.
set -u
: "${THRESHER:?the program to test}"
LIMIT=${LIMIT:-900}
rm -rf -- ./* ./.[!.]*
failures=0
calls=0

complain() {
  echo "cli_import: $*" >&2
  failures=$((failures + 1))
}

# launch RANKS ARGUMENT..: the program on so many ranks; "threads": on one, with
# several threads.
launch() {
  local ranks=$1
  shift
  if [ "$ranks" = threads ]; then
    timeout -k 5 "$LIMIT" "$THRESHER" "$@" --threads $((2 + calls % 6))
  elif [ "$ranks" = 1 ]; then
    timeout -k 5 "$LIMIT" "$THRESHER" "$@"
  else
    THRESHER_LIMIT="$LIMIT" sh "$SOURCE/jobs/launch.sh" "$ranks" "$THRESHER" "$@"
  fi
}

# Ranks to try, beside one: all; in the ordinary suite one of them, in turns. One
# rank has one thread or several.
tried() { # RANKS...
  calls=$((calls + 1))
  alone=1
  [ $((calls % 2)) = 0 ] || alone=threads
  if [ "${THRESHER_LONG:-no}" = yes ]; then
    also=$*
  else
    shift $((calls % $#))
    also=$1
  fi
}

# refuse STATUS TEXT ARGUMENT..: import must fail so, whatever the ranks.
refuse() {
  local status=$1 text=$2 ranks before after got
  shift 2
  tried 3 "" "" "" "" ""
  for ranks in $alone $also; do
    before=$(ls -A)
    launch "$ranks" import "$@" -o out.h5 >stdout.log 2>stderr.log
    got=$?
    after=$(ls -A | grep -v '^std\(out\|err\)\.log$')
    [ "$got" = "$status" ] ||
      complain "$* at $ranks ranks: status $got, expected $status"
    [ "$(grep -c '^thresher: ' stderr.log)" = 1 ] ||
      complain "$* at $ranks ranks: not one line: $(cat stderr.log)"
    grep -qF -- "$text" stderr.log ||
      complain "$* at $ranks ranks: '$text' missing: $(cat stderr.log)"
    [ -s stdout.log ] && complain "$* at $ranks ranks: output on stdout"
    [ "$after" = "$(echo "$before" | grep -v '^std\(out\|err\)\.log$')" ] ||
      complain "$* at $ranks ranks: left behind: $after"
    rm -rf out.h5 out.shards
  done
}

# accept ARGUMENT..: import must succeed, with the same bytes at 1 to 4 ranks and
# with threads.
accept() {
  local ranks
  rm -rf one.h5 one.shards
  tried threads 2 3 4
  for ranks in 1 $also; do
    rm -rf out.h5 out.shards
    launch "$ranks" import "$@" -o out.h5 --quiet >stdout.log 2>stderr.log ||
      complain "$* at $ranks ranks: $(cat stderr.log)"
    if [ "$ranks" = 1 ]; then
      mkdir one && mv out.h5 out.shards one/
    elif ! { cmp -s out.h5 one/out.h5 && diff -r out.shards one/out.shards; }; then
      complain "$* at $ranks ranks: other bytes than at one rank"
    fi
    [ -z "$(ls -A | grep '^\.')" ] || complain "$*: left behind: $(ls -A)"
  done
  rm -rf one
}

# file NAME TEXT: printf's escapes are understood.
file() {
  # shellcheck disable=SC2059
  printf "$2" >"$1"
}

good='1 1:0.5 3:1\n-1 2:2\n1 1:1 2:1 3:1\n-1 3:4e-1\n'
file good.svm "$good"

# --- LIBSVM: one fault per file, on a line of its own ---
file zero.svm "${good}1 0:1 2:3\n${good}"
refuse 1 'zero.svm:5:3: index 0 found' zero.svm
file above.svm "${good}1 1:1 9:3\n"
refuse 1 'above.svm:5:7: index 9 found' above.svm --attributes 8
file down.svm "${good}1 3:1 2:3\n${good}"
refuse 1 'down.svm:5:7: index 2 found after index 3' down.svm
file twice.svm "${good}1 3:1 3:3\n${good}"
refuse 1 'twice.svm:5:7: index 3 found twice' twice.svm
file huge.svm "${good}1 3:1e400\n${good}"
refuse 1 'huge.svm:5:5:' huge.svm
file word.svm "${good}1 3:none1\n${good}"
refuse 1 'word.svm:5:5:' word.svm
file inf.svm "${good}1 3:-inf\n${good}"
refuse 1 'inf.svm:5:5:' inf.svm
file hex.svm "${good}1 3:0x1p3\n${good}"
refuse 1 'hex.svm:5:6:' hex.svm
file label.svm "${good}3:1\n${good}"
refuse 1 'label.svm:5:1: ' label.svm
file nanlabel.svm "${good}nan 3:1\n${good}"
refuse 1 'nanlabel.svm:5:1: ' nanlabel.svm
file qid.svm "${good}1 qid:4 3:1\n${good}"
refuse 1 "qid.svm:5:3: 'qid:'" qid.svm
file long.svm "${good}1 1:$(printf '%%0500d' 1)\n${good}"
refuse 1 'long.svm:5:101:' long.svm --max-line 100
file toof32.svm "${good}1 2:1e39\n"
refuse 1 'toof32.svm:5:5:' toof32.svm
file tou8.svm "1 1:3 2:255\n0 1:256\n"
refuse 1 'tou8.svm:2:5:' tou8.svm --type u8
file tou2.svm "1 1:3 2:0\n0 1:1 2:4\n"
refuse 1 'tou2.svm:2:9:' tou2.svm --type u2
file toi8.svm "1 1:3 2:127\n0 1:0.5\n"
refuse 1 'toi8.svm:2:5:' toi8.svm --type i8
file empty.svm ""
refuse 1 'empty.svm:1:1: an empty file' empty.svm
file mark.svm "\\xef\\xbb\\xbf"
refuse 1 'mark.svm:1:1: no example' mark.svm
file comments.svm "# nothing\n\n  \n# more\n"
refuse 1 'comments.svm:1:1: no example' comments.svm
file labels.svm "1\n2\n3\n"
refuse 1 'labels.svm:1:1: no example has an attribute' labels.svm
head -c 100000 "$THRESHER" >binary.svm
refuse 1 'binary.svm:1:8: a byte 0' binary.svm --format libsvm
file text.svm "This is a letter\nto nobody\n"
refuse 1 "text.svm:1:1: 'This' found" text.svm
file one.svm "1 1:2\n"
refuse 1 'one.svm' one.svm --test 0.5
refuse 1 'missing.svm: No such file' missing.svm
mkdir folder.svm
refuse 1 'folder.svm: a folder without files to import' folder.svm
refuse 1 'empty.svm:1:1: an empty file' good.svm empty.svm
refuse 1 'word.svm:5:5:' good.svm word.svm
refuse 1 'word.svm:5:5:' good.svm --test-file word.svm
# The lowest line wins, whichever rank finds its fault first.
{
  printf "$good"
  printf '1 2:oops\n'
  for _ in $(seq 300); do printf '1 1:none1\n'; done
} >first.svm
refuse 1 'first.svm:5:5:' first.svm
# One line that is all of the file.
{
  printf '1'
  for k in $(seq 20000); do printf ' %d:1' "$k"; done
} >giant.svm
refuse 1 'giant.svm:1:1001:' giant.svm --max-line 1000

# --- A few bytes of text that would take much memory ---
file billions.svm '1 1:1\n-1 2:1\n1 1:1 2000000000:1\n'
refuse 1 'statistics of 2000000000 attributes need' billions.svm --memory 64M \
  --attributes 2000000000
seq 2 2 3600000 | sed 's/.*/1 &:1/' | { cat && echo '1 3600001:1 3600003:1'; } >wide.svm
refuse 1 'wide.svm:1800001: index 3600003 makes 3600003 attributes, whose' wide.svm --memory 64M
refuse 1 'good.svm: statistics of 70000000 attributes need ' \
  good.svm --memory 64M --attributes 70000000
refuse 1 'and --memory leaves 500.0 MB' good.svm --attributes 70000000 --memory 500000000
# no text behind its first block, so that the line is looked at
{ head -c 8192 /dev/zero | tr "\0" 1; head -c 6000000 /dev/zero; } >zeros
refuse 1 'longer than 4194304 bytes; allow longer lines with more --memory' \
  zeros --memory 64M --format libsvm
refuse 1 'longer than 4194304 bytes; close its quotes, or allow longer lines' \
  zeros --memory 64M --format csv
refuse 1 'longer than 5000000 bytes; allow longer lines with --max-line' \
  zeros --memory 1G --max-line 5000000 --format libsvm

# --- Compressed files ---
for tool in gzip bzip2 xz zstd lz4; do
  $tool -c word.svm >"word.$tool"
  refuse 1 "word.$tool:5:5:" "word.$tool"
  $tool -c giant.svm >whole.$tool
  head -c $(($(stat -c %s whole.$tool) - 9)) whole.$tool >cut.$tool
  refuse 1 "cut.$tool: " cut.$tool
  { head -c 40 whole.$tool && head -c 200 /dev/zero; } >damaged.$tool
  refuse 1 "damaged.$tool: " damaged.$tool
  # few bytes that stand for many, without the end of a line
  head -c 20000000 /dev/zero | tr '\0' 1 | $tool -c >bomb.$tool
  refuse 1 "text of bomb.$tool has a line that is longer than 1000000 bytes" \
    bomb.$tool --max-line 1000000
  refuse 1 'longer than 4194304 bytes; allow longer lines with more --memory' \
    bomb.$tool --memory 64M
done

# xz of several blocks, which several threads decompress
seq 10001 16000 | sed 's/.*/1 1:&/' >long.svm
xz -T2 --block-size=4096 -c long.svm >blocks.xz
size=$(stat -c %s blocks.xz)
head -c $((size / 2)) blocks.xz >half.xz
{ head -c $((size / 2)) blocks.xz && head -c 50 /dev/zero &&
  tail -c +$((size / 2 + 51)) blocks.xz; } >hole.xz
{ cat long.svm && echo '1 1:x'; } | xz -T2 --block-size=4096 -c >last.xz
for k in 1 2; do # on one thread and on several
  refuse 1 'half.xz: the xz data end too early' half.xz
  refuse 1 'hole.xz: damaged xz data' hole.xz
  refuse 1 'last.xz:6001:5: ' last.xz
  refuse 1 'longer than 8 bytes' blocks.xz --max-line 8
done
accept blocks.xz long.svm blocks.xz --memory 1M
rm -rf out.h5 out.shards

head -c 3 /dev/zero | cat whole.xz - >odd.xz
refuse 1 'odd.xz: damaged xz data' odd.xz

# --- CSV ---
{
  head -c 5000 /dev/zero | tr '\0' n
  printf ',y\n1,2\n3,4\n'
} >named.csv
refuse 1 'named.csv:1: the name of column 1, nnnnnnnnnn' named.csv
{
  printf 'a,' && head -c 4000 /dev/zero | tr '\0' n
  for row in ',c%d' ',1'; do printf "$row" $(seq 70000) && echo && printf '1,2'; done
} >padded.csv
refuse 1 'padded.csv:1: the name of column 2, nnnnnnnnnn' padded.csv --target a
file short.csv "a,b,y\n1,2,3\n4,5\n6,7,8\n"
refuse 1 'short.csv:3:4: ' short.csv
file wide.csv "a,b,y\n1,2,3\n4,5,6,7\n"
refuse 1 'wide.csv:3:7: ' wide.csv
file quoted.csv "a,b,y\n1,\"x\",3\n2,3,4\n"
refuse 1 'quoted.csv:2:3: ' quoted.csv
file hole.csv "a,b,y\n1,,3\n"
refuse 1 'hole.csv:2:3: nothing found' hole.csv --missing error
file holes.csv "1,,3\n1,2,3\n"
refuse 1 'holes.csv:1:3: nothing found' holes.csv --missing error
file nan.csv "1,nan,3\n1,2,3\n"
refuse 1 'nan.csv:1:3: ' nan.csv --missing error
file huge.csv "a,b,y\n1,1e400,3\n"
refuse 1 'huge.csv:2:3: ' huge.csv
file open.csv "a,b,y\n1,\"2,3\n4,5,6\n"
refuse 1 'open.csv:2:' open.csv
file openhead.csv "a,\"b,y\n1,2,3\n4,5,6\n"
refuse 1 'openhead.csv:1:1: ' openhead.csv
file strict.csv "a,b,y\n1,2\"2,3\n"
refuse 1 'strict.csv:2:4: ' strict.csv
file multi.csv "a,\"b\nb\",y\n1,2,3\n1,x,3\n"
refuse 1 'multi.csv:4:3: ' multi.csv
file ok.csv "a,b,y\n1,2,3\n4,5,6\n"
refuse 1 "ok.csv:1:1: no column 'z'" ok.csv --target z
refuse 1 "ok.csv:1:1: no column '4'" ok.csv --target 4
refuse 1 'ok.csv:1:1: column 3 cannot be target and weight' ok.csv \
  --weights y --target y
for number in -9223372036854775808 -9223372036854775809; do # a sanitizer's test
  for option in target weights ignore; do
    refuse 1 "ok.csv:1:1: no column '$number'" ok.csv --target y --$option=$number
  done
done
file twonames.csv "a,a,y\n1,2,3\n"
refuse 1 'twonames.csv:1:1: 2 columns are named' twonames.csv --target a
file other.csv "a,c,y\n1,2,3\n"
refuse 1 "other.csv:1:1: column 2, 'c'" ok.csv other.csv
file fewer.csv "a,y\n1,2\n"
refuse 1 "fewer.csv:1:1: 1 of the attributes of ok.csv is missing, first 'b'" \
  ok.csv fewer.csv
file plainer.csv "1,2\n"
refuse 1 'plainer.csv:1:1: 2 columns with 1 attribute found, expected 2 attributes (ok.csv)' \
  ok.csv plainer.csv
file weights.csv "a,w,y\n1,0,3\n1,0,4\n"
refuse 1 'weights.csv:1:1: all weights' weights.csv --weights w
file negative.csv "a,w,y\n1,1,3\n1,-1,4\n"
refuse 1 'negative.csv:3:3: weight -1' negative.csv --weights w
file single.csv "y\n1\n2\n"
refuse 1 'single.csv:1:1: 1 column found' single.csv

# --- Attributes of another data set ---
mkdir like && launch 1 import ok.csv -o like/like.h5 --quiet >stdout.log ||
  complain "ok.csv was not imported"
refuse 1 "other.csv:1:1: column 2, 'c', is no attribute of like/like.h5" \
  other.csv --like like/like.h5
refuse 1 "fewer.csv:1:1: 1 of the attributes of like/like.h5 is missing" \
  fewer.csv --like like/like.h5
file three.svm "1 1:1\n1 2:1 3:1\n"
accept \
  three.svm --like like/like.h5
refuse 2 '--like and --attributes exclude each other' \
  ok.csv --like like/like.h5 --attributes 3
refuse 1 'ok.csv' ok.csv --like ok.csv

# --- Outputs ---
file out.h5 "somebody's file"
before=$(cat out.h5)
launch 2 import good.svm -o out.h5 >stdout.log 2>stderr.log
[ $? = 1 ] || complain "an existing output was accepted"
[ "$(cat out.h5)" = "$before" ] || complain "an existing output was changed"
[ "$(grep -c '^thresher: ' stderr.log)" = 1 ] || complain "$(cat stderr.log)"
rm -f out.h5
launch 2 import good.svm -o no/such/folder/out.h5 >stdout.log 2>stderr.log
[ $? = 1 ] || complain "an output in no folder was accepted"
[ "$(grep -c '^thresher: ' stderr.log)" = 1 ] || complain "$(cat stderr.log)"

# --- What is legal ---
file crlf.svm "# comment\r\n\r\n1 1:0.5 3:1 # c\r\n-1\r\n  2\t2:1e-400  \r\n3 1:1"
file marked.svm "\\xef\\xbb\\xbf${good}"
accept marked.svm
accept crlf.svm --no-shuffle
accept crlf.svm --layout dense --type f64 --seed 7
accept crlf.svm crlf.svm good.svm --test-file good.svm --shards 2
accept good.svm --zero-based --test 0.25
for tool in gzip bzip2 xz zstd lz4; do
  $tool -c good.svm >good.$tool
  cat good.$tool good.$tool >twice.$tool # two streams, one behind the other
  accept good.svm good.$tool twice.$tool
done
# xz pads streams with zeros in fours
{ cat good.xz && head -c 4 /dev/zero && cat good.xz && head -c 8 /dev/zero; } >pad.xz
accept pad.xz
[ "$("$THRESHER" import pad.xz -o pad.h5 2>&1 | grep -c '^pad.h5: 8 examples')" = 1 ] ||
  complain "a padded stream was lost"
rm -r pad.h5 pad.shards
file BZh9.csv "BZh91,b,y\n1,2,3\n4,5,6\n" # text, not bzip2
accept BZh9.csv
file far.svm "1 1:1 7:1\n-1 2000000:1\n1 3:1\n"
accept far.svm
accept billions.svm --memory 64M
"$THRESHER" import far.svm -o far.h5 2>stderr.log ||
  complain "far.svm: $(cat stderr.log)"
grep -q '^note:     index 2000000 is far beyond the next one, 7. ' stderr.log ||
  complain "no note of a far index: $(cat stderr.log)"
"$THRESHER" import far.svm -o far.h5 --force --attributes 2000000 2>stderr.log
! grep -q 'far beyond' stderr.log || complain "a far index that is wanted"
rm -r far.h5 far.shards
seq 1 75 1500000 | sed 's/.*/1 &:1/' >sparse.svm
"$THRESHER" import sparse.svm -o far.h5 2>stderr.log
! grep -q '^note: ' stderr.log || complain "ordinary: $(cat stderr.log)"
rm -r far.h5 far.shards
# more ranks with as many shards help
far=(import far.svm -o far.h5 --attributes 2000000 --memory 64M --quiet)
! launch 1 "${far[@]}" 2>stderr.log && launch 2 "${far[@]}" --shards 2 2>stderr.log ||
  complain "far.svm on 2 ranks: $(cat stderr.log)"
rm -r far.h5 far.shards
accept ok.csv
accept ok.csv --target a --weights b
file plain.csv "2;1;3\n4;5;6\n7;8;9"
accept plain.csv --target 1 --layout sparse
file quotes.csv "\"a\",\"b,\nb\",y\r\n\"1\",2,3\r\n\r\n4,5,6\r\n"
accept quotes.csv
accept giant.svm
file turned.csv "y,b,a\n3,2,1\n6,5,4\n"
accept turned.csv --target y --like like/like.h5
file lonely.svm "1 1:1\n"
accept lonely.svm --like like/like.h5
accept good.svm giant.svm

# with and without quotes, which are read by other code
for k in $(seq 1 200); do
  echo "w$((k % 3)),$((k * 7919 % 1000)).$((k * 31 % 97)), $((k % 7)) ,-0.00$k,${k}e-$((k % 30))"
done >unquoted.csv
sed 's/ //g; s/[^,]*/"&"/g' unquoted.csv >quoted.csv
for name in unquoted quoted; do
  accept $name.csv --positive-class w1 --target 1 --weights 3
  mkdir $name && "$THRESHER" import $name.csv -o $name/out.h5 --quiet --target 1 \
    --positive-class w1 --weights 3 --type f64 || complain "$name.csv"
done
diff -r unquoted quoted || complain "quotes change values"
# the first fault of the text is said, whichever thread finds one
{ yes '1 1:1 2:2' | head -n 3000 && echo '1 1:x' && yes '1 1:y' | head -n 3000; } >first.svm
{ yes '# no example' | head -n 3000 && echo '1 1:1' && echo '2 1:1'; } >late.svm
rm -rf out.h5 out.shards
for k in 1 2; do # on one thread and on several
  refuse 1 'first.svm:3001:5: ' first.svm
  refuse 1 "late.svm:1:1: no example has the target 'q', the first has '1'" \
    late.svm --positive-class q
  tried 2 3 4
done

# --- Values, read back by other software ---
if /usr/bin/python3 -c 'import h5py, scipy' 2>/dev/null; then
  /usr/bin/python3 "${SOURCE:?}/tests/program/check_import.py" "$THRESHER" ||
    complain "values differ"
else
  echo "values not compared: python3-h5py or python3-scipy missing"
  [ "${THRESHER_COMPLETE:-no}" = no ] || complain "values not compared"
fi
[ "$failures" = 0 ] || echo "cli_import: $failures failures" >&2
[ "$failures" = 0 ]
