#!/usr/bin/env bash
# packages.sh - what jobs/packages.sh says and does where packages are missing: as
# root, as an ordinary user with and without sudo; the system's programs are
# stand-ins that write down how they were called
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*
mkdir bin
for tool in sh env cat dirname; do
  ln -s "$(command -v $tool)" bin/
done

# stand_in NAME: a program whose lines come from here
stand_in()
{
  { echo '#!/bin/sh' && cat; } >"bin/$1"
  chmod +x "bin/$1"
}
# shellcheck disable=SC2016 # it is expanded there
stand_in dpkg-query <<<'for name; do :; done
case " $(cat installed) " in *" $name "*) printf installed ;; esac'
stand_in id <<<'cat user'
stand_in apt-get <<<'echo "apt-get $*" >>calls
[ ! -e refuse ] || exit 100'
with_sudo()
{
  stand_in sudo <<<"case \$1 in -*) exit $1 ;; esac; echo sudo >>calls; exec \"\$@\""
}

# packages USER GROUP...: status in rc, messages in out, calls of apt-get in calls
packages()
{
  echo "$1" >user
  : >calls
  rc=0
  PATH=$PWD/bin sh "$SOURCE/jobs/packages.sh" "${@:2}" >out 2>&1 </dev/null || rc=$?
}

said() # STATUS PATTERN CALLS
{
  [ $rc -eq "$1" ] || fail "status $rc, wanted $1: $(cat out)"
  [ -z "$2" ] || grep -qE -- "$2" out || fail "no line with '$2': $(cat out)"
  [ "$(grep -c . calls)" -eq "$3" ] || fail "calls: $(cat calls)"
}

line='^apt-get update && apt-get install -y --no-install-recommends gnuplot-nox$'
echo python3 >installed
packages 1000 jobs
said 1 "$line" 0
with_sudo 1 # it would ask for a password, and nobody is there
packages 1000 jobs
said 1 "$line" 0
with_sudo 0
packages 1000 jobs
said 0 '^installing: gnuplot-nox$' 4
rm bin/sudo
packages 0 jobs
said 0 '^installing: gnuplot-nox$' 2
grep -qE '^apt-get .* install -y --no-install-recommends gnuplot-nox$' calls ||
  fail "not installed: $(cat calls)"
touch refuse
packages 0 jobs
said 1 '^packages.sh: apt-get could not install gnuplot-nox$' 1
rm refuse

echo python3 gnuplot-nox >installed
packages 1000 jobs
said 0 '' 0
[ ! -s out ] || fail "words where nothing is missing: $(cat out)"
packages 1000 nothing
said 2 'nothing is none of build, ' 0

# What asks for packages first says no more, and leaves nothing half done.
cp -r "$SOURCE/jobs" "$SOURCE/tests/run.sh" .
mkdir tests
mv run.sh tests/
: >installed
for command in jobs/quickstart.sh tests/run.sh; do
  echo 1000 >user
  rc=0
  : >calls
  PATH=$PWD/bin sh $command >out 2>&1 </dev/null || rc=$?
  said 1 '^apt-get update && apt-get install .* libopenmpi-dev ' 0
  [ ! -e build ] || fail "$command begins without its packages"
done
finish
