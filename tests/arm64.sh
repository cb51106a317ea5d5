#!/usr/bin/env bash
# arm64.sh - on an arm64 Debian, which qemu runs, the program makes the models of
# golden/table.txt, byte for byte
# SPDX-License-Identifier: MIT
#
# Of the committed state, on one rank and on three. Takes 15 to 25 minutes on two
# cores. Wants root, and what sh jobs/packages.sh arm64 installs; status 77 without.
set -euo pipefail
cd "$(dirname "$0")/.."
handlers=/proc/sys/fs/binfmt_misc
qemu=$(command -v qemu-aarch64-static) || {
  echo "skipped: no qemu-aarch64-static (sh jobs/packages.sh arm64)"
  exit 77
}
[ "$(id -u)" -eq 0 ] || {
  echo "skipped: another architecture wants root"
  exit 77
}

# The system starts arm64 programs by qemu until this script ends, where it does not anyway.
mounted=no
registered=no
leave()
{
  [ $registered = no ] || echo -1 >$handlers/thresher-arm64
  [ $mounted = no ] || umount $handlers
}
trap leave EXIT
if [ ! -e $handlers/register ]; then
  mount -t binfmt_misc none $handlers
  mounted=yes
fi
if [ ! -e $handlers/qemu-aarch64 ]; then
  # the first bytes of an ELF file for arm64, and which of their bits count
  magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
  mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
  printf '%s' ":thresher-arm64:M::$magic:$mask:$qemu:F" >$handlers/register
  registered=yes
fi

ARCH=arm64 bash .ci/fresh.sh \
  'root:sh jobs/packages.sh build test >/tmp/packages.log 2>&1' \
  'root:cmake --preset release >/tmp/build.log && cmake --build --preset release --target thresher rest >>/tmp/build.log' \
  'root:mkdir build/golden && cd build/golden && THRESHER_CROWDED=yes THRESHER_LAUNCHER=mpirun OPENBLAS_NUM_THREADS=1 LD_PRELOAD=$PWD/../release/tests/librest.so python3 ../../tests/golden/golden.py "$PWD/../release/thresher" ../../jobs/launch.sh'
