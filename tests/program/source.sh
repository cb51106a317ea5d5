#!/usr/bin/env bash
# source.sh - a source computed on demand is the data set that generate
# writes; models trained on it are the same for any number of ranks and any
# memory; bad specifications are refused in one line
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
tool=$1
rm -rf ./*

size="--examples 701 --attributes 420"
long && size="--examples 3001 --attributes 1700"
families=0

check_family()
{
  local name=$1 n spec examples attributes
  shift
  read -r _ examples _ attributes <<<"$size"
  spec="$name:examples=$examples,attributes=$attributes"
  spec="$spec,test=0.2,seed=5,row-group=100"
  must 2 generate "$name" -o data.h5 --force --examples "$examples" \
    --attributes "$attributes" --test 0.2 --seed 5 --row-group 100 "$@"
  while [ $# -gt 0 ]; do
    spec="$spec,${1#--}=$2"
    shift 2
  done
  "$tool" data.h5 || fail "$name: computed values are not the written ones"
  must 0 train --source "$spec" -o "$name.h5" --budget 300 --force
  # each number of ranks and each memory with a family or two; in the long suite with all
  for n in 1 2 3 4; do
    tried $((families + n)) 4 || continue
    must $n train --source "$spec" -o this.h5 --budget 300 --force
    cmp "$name.h5" this.h5 || fail "$name: $n ranks, another model"
  done
  n=0
  for memory in 1 300K 3M; do
    n=$((n + 1))
    tried $((families + n)) 3 || continue
    must 2 train --source "$spec" -o this.h5 --budget 300 --force \
      --memory $memory
    cmp "$name.h5" this.h5 || fail "$name: --memory $memory, another model"
  done
  families=$((families + 1))
  must 2 evaluate "$name.h5" --source "$spec" --json
  mv must.out computed.json
  must 2 evaluate "$name.h5" data.h5 --json
  cmp must.out computed.json || fail "$name: other scores of the written data"
}
check_family murata
check_family toeplitz --correlation -0.8
check_family sparse --density 0.03
check_family kukliansky --alpha -0.7
check_family kukliansky --alpha -0.7 --type u2
check_family oomp --design toeplitz --correlation -0.3
check_family genotypes --linkage 0.8 --heritability 0.9

# the model tells what it was trained on; keys have letters; defaults are shown
must 0 train --source murata:n=900,d=300 -o letters.h5
must 0 train --source murata:attributes=300,seed=1,examples=900 -o words.h5
cmp letters.h5 words.h5 || fail "another spelling, another model"
must 0 inspect letters.h5
grep -q '^source = murata:examples=900,attributes=300,support=25,noise=1,' \
  must.out || fail "the model does not say what it was trained on"
grep -q '^statistics:  family' must.out || fail "statistics are not told"
must 0 train data.h5 -o file.h5
must 0 inspect file.h5
! grep -q '^source' must.out || fail "a source in a model of a file"

# more attributes than any disk here has room for
must 2 train --source murata:n=500,d=3000000 -o wide.h5 --budget 300000 \
  --memory 64M --solver exploitation --start 0,1,2,2999999

# bad PATTERN SOURCE: on two ranks, in the ordinary suite every fourth one
specifications=0
bad()
{
  local n=0
  specifications=$((specifications + 1))
  ! tried $specifications 4 || n=2
  refused 2 "$1" $n train --source "$2" -o no.h5
}
bad 'nothing is not a family' nothing:n=5,d=5
bad 'examples is missing' murata
bad 'attributes is missing' murata:n=5
bad 'exampels is not a key; did you mean examples' murata:exampels=5
bad 'shards is not a key' murata:n=5,d=5,shards=2
bad "is not key=value" murata:n=5,d
bad 'n is given twice' murata:n=5,d=5,n=6
bad 'n five: not a whole number' murata:n=five,d=5
bad 'does not use density' murata:n=5,d=5,density=0.1
bad 'does not use support' kukliansky:n=5,d=5,support=2
bad 'does not use noise' genotypes:n=5,d=5,noise=1
bad 'linkage 1: must be at least 0 and below 1' genotypes:n=5,d=5,linkage=1
bad 'alpha 1: must be at most 0' kukliansky:n=5,d=5,alpha=1
bad 'leaves none to train on' murata:n=5,d=5,test=0.95
bad 'a support of 9 needs' murata:n=5,d=5,support=9
refused 1 'cannot be stored as u8' 2 train --source murata:n=90,d=9,type=u8 \
  -o no.h5
refused 2 'both data.h5 and --source' 2 train data.h5 --source murata:n=5,d=5 \
  -o no.h5
refused 2 'too few arguments' 2 train -o no.h5
finish
