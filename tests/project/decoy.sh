#!/usr/bin/env bash
# decoy.sh - sourced: libraries in the current folder that a program must not load
# SPDX-License-Identifier: MIT

# decoys FOLDER PROGRAM: a library by the name of each that the program asks for, which
# says so when it is loaded, and has all that the right one has
decoys()
{
  local name where
  mkdir -p "$1"
  cat >"$1/decoy.c" <<'END'
#include <unistd.h>
__attribute__((constructor)) static void say(void)
{
  if (write(2, "foreign\n", 8) != 8)
    _exit(3);
}
END
  cc -c -fPIC -o "$1/decoy.o" "$1/decoy.c" || fail "decoy.c"
  while read -r name where; do
    cc -shared -o "$1/$name" "$1/decoy.o" -Wl,-soname,"$name" \
      -Wl,--no-as-needed "$where" || fail "no decoy of $name"
  done < <(asked_for "$2")
}

# asked_for PROGRAM: names of libraries and where they are, also of ScaLAPACK, which is
# loaded when it is wanted
asked_for()
{
  local name
  (cd / && ldd "$1") | awk '$2 == "=>" && $3 ~ /^\// && $1 !~ /^(libc|libm)[.]/ { print $1, $3 }'
  for name in $(grep -aoE '\blibscalapack[a-z0-9-]*[.]so[.0-9]*' "$1" | sort -u); do
    /sbin/ldconfig -p | awk -v name="$name" '$1 == name { print name, $NF; exit }'
  done
}

# homely FOLDER COMMAND...: run there, it loads nothing from there, and does its work
homely()
{
  (cd "$1" && timeout -k 5 "${LIMIT:-900}" "${@:2}") >homely.out 2>homely.err ||
    fail "among decoys: ${*:2}: $(tail -n 2 homely.err)"
  if grep -q '^foreign$' homely.err; then
    fail "among decoys: ${*:2}: loads a library from the current folder"
  fi
  if (cd "$1" && LD_TRACE_LOADED_OBJECTS=1 "$2") | grep -E '=> [^/ ]'; then
    fail "$2 would load the libraries above from the current folder"
  fi
}
