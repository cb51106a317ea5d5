#!/usr/bin/env bash
# outputs.sh - where results may go: links, pipes, folders and files of
# others in their place; the standard output
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./* .[a-z]*

small="--examples 60 --attributes 12 --support 3 --row-group 32 --seed 2"
must 0 generate murata -o data.h5 $small --shards 2
must 0 train data.h5 -o model.h5 --solver lasso --lambda-ratio 0.1
must 0 predict model.h5 data.h5 -o good.csv
"$PYTHON" - <<'END'
with open("text.csv", "w") as f:
    f.write("a,b,y\n" + "".join("%d,%d,%d\n" % (i, i * i % 7, i % 5)
                                for i in range(80)))
END
must 0 import text.csv -o text.h5 --target y
gzip -k text.csv

# What every command that writes is asked to write to $1, with --force.
declare -A writes=(
  [generate]="generate murata $small -o"
  [import]="import text.csv --target y -o"
  [account]="import text.csv --target y -o r.h5 --report"
  [train]="train data.h5 --solver lasso --lambda-ratio 0.1 -o"
  [report]="train data.h5 --solver lasso --lambda-ratio 0.1 -o r.h5 --report"
  [telemetry]="train data.h5 --solver lasso --lambda-ratio 0.1 -o r.h5 --telemetry"
  [predict]="predict model.h5 data.h5 -o"
  [export]="export model.h5 --as c -o"
)

state()
{
  find . -path './refused.*' -prune -o -path './must.*' -prune -o -printf \
    '%p %y %l %s\n' | sort
  cat precious keep/* 2>/dev/null
}

# unmoved STATUS PATTERN N ARGUMENT...: refused, and nothing is other than it was.
unmoved()
{
  local before
  before=$(state)
  refused "$@"
  [ "$before" = "$(state)" ] || fail "something was changed: thresher ${*:4}"
}

# Everything that is no file, in the place of every output.
in_the_place()
{
  local what name
  echo precious >precious
  mkdir keep
  echo kept >keep/file
  mkfifo fifo
  ln -s precious link
  ln -s nowhere dangling
  ln -s keep way
  for what in "${!writes[@]}"; do
    unmoved 1 'link is a symbolic link to precious' 0 ${writes[$what]} link --force
    unmoved 1 'dangling is a symbolic link' 0 ${writes[$what]} dangling
    unmoved 1 'is a symbolic link' 0 ${writes[$what]} /dev/stdout --force
    unmoved 1 'fifo: neither a file nor a new name' 0 ${writes[$what]} fifo --force
    unmoved 1 '/dev/null: neither a file nor' 0 ${writes[$what]} /dev/null --force
    unmoved 1 'keep: is a folder' 0 ${writes[$what]} keep --force
    [ -L /dev/stdout ] && [ -c /dev/null ] || fail "$what has replaced a device"
  done
  unmoved 1 'link is a symbolic link' 2 ${writes[train]} link --force
  unmoved 1 'link is a symbolic link' 2 ${writes[generate]} link --force
  # a link on the way there is followed, as everywhere
  must 0 predict model.h5 data.h5 -o way/p.csv
  cmp way/p.csv good.csv || fail "predictions by way of a linked folder"
  rm keep/p.csv fifo link dangling way
}

# What belongs to somebody else in the folder of the shards, or in its place.
shard_folders()
{
  local place what
  for what in generate import; do
    must 0 ${writes[$what]} set.h5 --force
    for place in set.shards .set.shards.partial .set.shards.old; do
      [ -d "$place" ] || mkdir "$place"
      echo mine >"$place/notes.txt"
      unmoved 1 "$place holds notes.txt, which is no shard" 0 \
        ${writes[$what]} set.h5 --force
      rm "$place/notes.txt"
      mkdir "$place/sub"
      unmoved 1 "$place holds sub, which is no shard" 0 \
        ${writes[$what]} set.h5 --force
      rmdir "$place/sub"
      ln -s ../precious "$place/00007.h5"
      unmoved 1 "$place holds 00007.h5, which is no shard" 2 \
        ${writes[$what]} set.h5 --force
      rm "$place/00007.h5"
      mv "$place" aside
      ln -s keep "$place"
      unmoved 1 "$place is in the way: it is a link" 0 \
        ${writes[$what]} set.h5 --force
      rm "$place"
      echo mine >"$place"
      unmoved 1 "$place is in the way" 0 ${writes[$what]} set.h5 --force
      rm "$place"
      mv aside "$place"
      must 0 ${writes[$what]} set.h5 --force # nothing foreign is left
      must 0 inspect set.h5 --check
      [ "$(ls -A | grep -c '^[.]set')" -eq 0 ] || fail "hidden names are left"
    done
  done
  rm -rf set.h5 set.shards
  mkdir set.shards
  refused 1 'set.shards exists; give --force' 0 ${writes[generate]} set.h5
  must 0 ${writes[generate]} set.h5 --force
  rm -rf set.h5 set.shards
}

# In the place of the partial file.
partial_files()
{
  local what name=out
  for what in "${!writes[@]}"; do
    ln -s precious .out.partial
    unmoved 1 '.out.partial beside it is in the way' 0 ${writes[$what]} $name
    rm .out.partial
    ln precious .out.partial # a name that killed runs leave, of another file
    must 0 ${writes[$what]} $name
    [ "$(cat precious)" = precious ] || fail "$what has written to a linked file"
    [ ! -e .out.partial ] || fail "$what left the partial file"
    rm -rf out out.shards r.h5 r.shards
  done
}

# What a run leaves that was killed while it gave names to a new data set.
killed_between()
{
  local before
  must 0 ${writes[generate]} set.h5
  before=$(sha256sum set.h5 set.shards/*)
  must 0 generate murata -o new.h5 $small --seed 3
  # the old shards are aside, the new ones have no name yet
  mv set.shards .set.shards.old
  cp -r new.shards .set.shards.partial
  cp new.h5 .set.h5.partial
  refused_force
  [ "$before" = "$(sha256sum set.h5 set.shards/*)" ] ||
    fail "the data set was not put back (1)"
  # the new shards have their name, the new master has not
  mv set.shards .set.shards.old
  cp -r new.shards set.shards
  cp new.h5 .set.h5.partial
  refused_force
  [ "$before" = "$(sha256sum set.h5 set.shards/*)" ] ||
    fail "the data set was not put back (2)"
  # both have, the old shards are not removed yet
  cp -r new.shards .set.shards.old
  refused_force
  [ "$before" = "$(sha256sum set.h5 set.shards/*)" ] || fail "another data set"
  [ "$(ls -A | grep -c '^[.]set')" -eq 0 ] || fail "old names are left"
  rm -rf new.h5 new.shards set.h5 set.shards
}

# A run that claims set.h5, and then fails.
refused_force()
{
  local rc=0
  ranks 0 import absent.csv -o set.h5 --force >refused.out 2>refused.err || rc=$?
  [ "$rc" -eq 1 ] || fail "import of nothing: status $rc"
}

standard_output()
{
  local n rc
  for n in 0 2; do
    ranks $n predict model.h5 data.h5 -o - >p.csv 2>p.err || fail "predict -o -"
    cmp p.csv good.csv || fail "predictions on the standard output, $n ranks"
    grep -q 'the standard output: predictions of 60 examples' p.err ||
      fail "no summary of predict -o -"
    for what in generate import train; do
      unmoved 2 'cannot go to the standard output; name a file' $n \
        ${writes[$what]} - --force
      ! grep -q '^solver:' refused.err || fail "$what has worked for nothing"
    done
  done
  ranks 0 ${writes[report]} - --force >run.json 2>/dev/null || fail "--report -"
  compare "status of the report" "$(key run.json ranks)" == 1
  ranks 0 ${writes[account]} - --force >run.json 2>/dev/null || fail "import --report -"
  compare "examples in the report" "$(key run.json examples)" == 80
  ranks 0 ${writes[telemetry]} - --force >run.jsonl 2>/dev/null ||
    fail "--telemetry -"
  [ "$(wc -l <run.jsonl)" -gt 0 ] || fail "no telemetry on the standard output"
  unmoved 2 'another output as well' 0 ${writes[report]} - --telemetry - --force
  rc=0
  "$THRESHER" predict model.h5 data.h5 -o - >/dev/full 2>full.err || rc=$?
  [ "$rc" -eq 1 ] && [ "$(grep -c '^thresher: ' full.err)" -eq 1 ] ||
    fail "predict -o - to a full device: status $rc: $(cat full.err)"
  [ ! -e ./- ] || fail "a file called -"
}

# Inputs that are no files do not hold a run up.
other_inputs()
{
  mkfifo pipe.h5
  unmoved 1 'pipe.h5 is a pipe or a device' 0 train pipe.h5 -o never.h5
  unmoved 1 'pipe.h5 is a pipe or a device' 0 evaluate pipe.h5 data.h5
  unmoved 1 'pipe.h5 is a pipe or a device' 0 inspect pipe.h5
  mv data.shards/00001.h5 aside
  mkfifo data.shards/00001.h5
  unmoved 1 '00001.h5 is a pipe or a device' 0 train data.h5 -o never.h5
  rm data.shards/00001.h5 pipe.h5
  mv aside data.shards/00001.h5
}

# An output in the place of another one, of an input, or of part of one.
own_files()
{
  local what again
  for what in ./own.h5 "$PWD/own.h5" keep/../own.h5; do
    for again in --report --telemetry; do
      unmoved 2 'is another output as well' 0 train data.h5 --solver lasso \
        --lambda-ratio 0.1 -o own.h5 $again "$what" --force
    done
  done
  cp data.h5 moved.h5 # its shards are still those of data.h5
  mkdir way
  ln -s ../data.h5 way/link.h5
  for what in data moved way/link; do
    unmoved 2 'output data.shards/00000.h5 lies among the shards' 0 \
      predict model.h5 $what.h5 -o data.shards/00000.h5 --force
    unmoved 2 'lies among the shards' 2 train $what.h5 --solver lasso \
      --lambda-ratio 0.1 -o "$PWD/data.shards/new.h5" --force
  done
  unmoved 2 'lies among the shards of data.h5' 0 import text.csv --target y \
    --like data.h5 -o data.shards/00001.h5 --force
  mkdir text2.shards
  cp text.csv text2.shards/00000.h5
  unmoved 2 'lies where output text2.h5 keeps its shards' 0 import \
    text2.shards/00000.h5 --target y -o text2.h5 --force
  rm -r moved.h5 way text2.shards
  must 0 inspect data.h5 --check
}

# NAME and NAME.h5 would share a folder.
similar_names()
{
  local what
  for what in generate import; do
    must 0 ${writes[$what]} twin.h5
    unmoved 1 'the data set twin.h5 keeps its shards in twin.shards' 0 \
      ${writes[$what]} twin --force
    must 0 inspect twin.h5 --check
    rm -r twin.h5 twin.shards
    must 0 ${writes[$what]} twin
    unmoved 1 'the data set twin keeps its shards in twin.shards' 2 \
      ${writes[$what]} twin.h5 --force
    rm -r twin twin.shards
    echo other >twin # no data set
    must 0 ${writes[$what]} twin.h5
    must 0 ${writes[$what]} twin.h5 --force
    rm -r twin twin.h5 twin.shards
    exec 9>.twin.h5.partial # a run that is writing twin.h5
    flock 9
    unmoved 1 'another run is writing twin.h5, whose shards come to twin.shards too' 0 \
      ${writes[$what]} twin
    exec 9>&-
    must 0 ${writes[$what]} twin # of a run that was killed
    rm -r twin twin.shards .twin.h5.partial
  done
}

in_the_place
own_files
similar_names
shard_folders
partial_files
killed_between
standard_output
other_inputs
finish
