#!/usr/bin/env bash
# fresh.sh USER:COMMAND... - on a machine that has nothing: a new Debian in a folder
# SPDX-License-Identifier: MIT
#
# A minimal Debian, made by debootstrap from where this machine takes its packages,
# with two users, root and newcomer. Both have the committed state of this project
# in ~/project, where the commands run one after the other. RELEASE: another
# release than this machine's; ARCH: another architecture, which the system runs by
# way of qemu (tests/arm64.sh). Status: that of the first command that fails; 77
# where debootstrap or root is missing.
#
# Mounts and processes live in namespaces that end with their first process, so
# nothing can be left behind but the folder, and nothing but it is removed.
set -euo pipefail
project=$(cd "$(dirname "$0")/.." && pwd)

skip()
{
  echo "skipped: $*"
  exit 77
}

# Where this machine takes the packages of its own system from.
mirror()
{
  cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
    grep -v '^ *#' | grep -oE 'https?://[^ ]+/debian/?( |$)' | head -n 1
}

make_machine() # ROOT RELEASE
{
  local home
  # shellcheck disable=SC2046 # a blank may follow
  debootstrap --variant=minbase ${ARCH:+--arch="$ARCH"} "$2" "$1" $(mirror) >"$1.log" 2>&1 || {
    tail -n 5 "$1.log" >&2
    exit 1
  }
  # How packages are reached: by which proxy, whether clocks are trusted
  apt-config dump | grep -E '^Acquire::(http|https|Check|Retries)' \
    >"$1/etc/apt/apt.conf.d/90machine" || true
  cp /etc/resolv.conf /etc/hosts "$1/etc/"
  mount -t proc proc "$1/proc"
  mount -t sysfs -o ro sys "$1/sys"
  mount -t tmpfs -o mode=1777 shm "$1/dev/shm"
  chroot "$1" useradd --create-home newcomer
  for home in root home/newcomer; do
    mkdir "$1/$home/project"
    tar -xf "$1.project.tar" -C "$1/$home/project"
  done
  chroot "$1" chown -R newcomer: /home/newcomer
}

run_as() # ROOT USER COMMAND
{
  printf '\n== %s$ %s\n' "$2" "$3"
  chroot "$1" env -i TERM=dumb LANG=C.UTF-8 su - "$2" -c "cd project && $3"
}

# The first process of the namespaces.
inside() # ROOT RELEASE USER:COMMAND...
{
  local root=$1 job
  make_machine "$root" "$2"
  for job in "${@:3}"; do
    run_as "$root" "${job%%:*}" "${job#*:}"
  done
}

if [ "${1:-}" = --inside ]; then
  inside "${@:2}"
  exit
fi
if [ $# -eq 0 ]; then
  echo "fresh.sh: wanted: bash .ci/fresh.sh USER:COMMAND..." >&2
  exit 2
fi
PATH=$PATH:/usr/sbin:/sbin
release=${RELEASE:-$(. /etc/os-release && echo "${VERSION_CODENAME:-}")}
command -v debootstrap >/dev/null || skip "no debootstrap here"
[ "$(id -u)" -eq 0 ] || skip "another root directory wants root"
unshare --mount --pid --fork true 2>/dev/null || skip "no namespaces here"
[ -n "$(mirror)" ] || skip "no Debian mirror in the sources of apt"

folder=$(mktemp -d)
leave()
{
  kill -KILL "$machine" 2>/dev/null || true # and with it all that runs inside
  wait "$machine" 2>/dev/null || true
  rm -rf --one-file-system "$folder"
}
machine=
trap leave EXIT
git -C "$project" archive -o "$folder/root.project.tar" HEAD
mkdir "$folder/root"
unshare --mount --pid --fork --kill-child \
  bash "$0" --inside "$folder/root" "$release" "$@" &
machine=$!
wait "$machine"
