#!/bin/sh
# scripts.sh - every script parses, by the shell that its first line names
# SPDX-License-Identifier: MIT
set -eu
cd "${SOURCE:-.}"
bad=0
count=0
for script in .ci/run jobs/*.sh tests/*.sh tests/bench/*.sh; do
  [ -f "$script" ] || continue
  count=$((count + 1))
  case $(sed -n '1p' "$script") in
  '#!/bin/sh') sh -n "$script" || bad=1 ;;
  '#!/usr/bin/env bash' | '#!/bin/bash') bash -n "$script" || bad=1 ;;
  *)
    echo "$script: its first line names neither sh nor bash"
    bad=1
    ;;
  esac
  if ! grep -q 'SPDX-License-Identifier: MIT' "$script"; then
    echo "$script: no SPDX line"
    bad=1
  fi
done
[ "$count" -ge 5 ] || bad=1
echo "$count scripts"
exit "$bad"
