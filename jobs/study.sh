#!/usr/bin/env bash
# study.sh - sourced by studies of many runs: their program, launcher, records
# SPDX-License-Identifier: MIT
#
# The study says in its --help that THRESHER and THRESHER_LAUNCHER are heard, and
# sets `out`, the folder of its results.
if [ -z "${BASH_VERSION:-}" ]; then
  echo "study.sh: a part of figures.sh and the scaling studies: run these" >&2
  exit 2
fi
jobs=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$jobs/env.sh"
PYTHON=${PYTHON:-/usr/bin/python3}
name=$(basename "$0" .sh)
thresher=${THRESHER:-$jobs/../build/release/thresher}

refuse()
{
  echo "$name.sh: $*" >&2
  exit 2
}

# The comments at the top of scripts are their help.
help_from() # FILE...
{
  local file
  for file in "$@"; do
    awk 'NR > 1 && !/^#/ { exit } NR > 1 && !/SPDX/ { sub(/^# ?/, ""); print }' \
      "$file"
  done
}

# whole VARIABLE VALUE: set it to a whole number above 0
whole()
{
  [[ $2 =~ ^[1-9][0-9]*$ ]] || refuse "--$1 $2: wanted a whole number above 0"
  declare -g "$1=$2"
}

# words_for_gnuplot TEXT: as a string of its language
words_for_gnuplot()
{
  printf "'%s'" "${1//\'/\'\'}"
}

# draw SCRIPT SETTINGS: pictures of the results, in their folder and in $format
draw()
{
  if command -v gnuplot >/dev/null; then
    (cd "$out" && gnuplot -e "format = '$format'; style = $(words_for_gnuplot \
      "$jobs/style.gp")" -e "$2" "$jobs/$1.gp")
  else
    echo "no gnuplot, no pictures (sh jobs/packages.sh jobs)"
  fi
}

check_format() # FORMAT
{
  case $1 in
  png | svg | pdf) ;;
  *) refuse "--format $1: wanted png, svg or pdf" ;;
  esac
}

find_program()
{
  command -v "$thresher" >/dev/null ||
    refuse "no program $thresher: build it (README.md), or set THRESHER"
  thresher=$(realpath "$(command -v "$thresher")")
}

launch() # RANKS COMMAND...
{
  sh "$jobs/launch.sh" "$@"
}

# What a run depends on beyond its command.
environment()
{
  echo "program: $("$thresher" --version | head -n 1)"
  echo "commit:  $(git -C "$jobs" describe --always --dirty 2>/dev/null || echo none)"
  echo "host:    $(uname -srm), $(nproc) cores"
  echo "cpu:     $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
  echo "slurm:   ${SLURM_JOB_ID:-none} ${SLURM_JOB_NODELIST:-}"
  echo "began:   $(date -u +%FT%TZ)"
  env | grep -E '^(OMPI_MCA_|PRTE_MCA_|THRESHER_)' | sort || true
}

# table SEPARATOR FILE WIDTH: the file's columns side by side, lines cut
table()
{
  awk -F "$1" '
    NR == FNR {
      for (k = 1; k <= NF; k++)
        if (length($k) > width[k])
          width[k] = length($k)
      next
    }
    {
      for (k = 1; k < NF; k++)
        printf "%-" width[k] "s  ", $k
      print $NF
    }' "$2" "$2" | cut -c "1-$3"
}

# command_line RANKS COMMAND...: what does a run again
command_line()
{
  local launcher=$jobs/launch.sh command=("${@:2}")
  echo "sh ${launcher@Q} $1 ${command[*]@Q}"
}

# record FOLDER RANKS COMMAND...: a run whose folder tells how it came about:
# command, environment, stdout, stderr, wall_seconds
record()
{
  local folder=$1 n=$2 began=$EPOCHREALTIME rc=0
  local command=("${@:3}")
  mkdir -p "$folder"
  command_line "$n" "${command[@]}" >"$folder/command"
  environment >"$folder/environment"
  launch "$n" "${command[@]}" >"$folder/stdout" 2>"$folder/stderr" || rc=$?
  if [ $rc -ne 0 ]; then
    tail -n 5 "$folder/stderr" >&2
    echo "$name.sh: status $rc: see $folder" >&2
    exit 1
  fi
  awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.3f\n", b - a }' \
    >"$folder/wall_seconds"
  echo "${folder#"$out"/}: $(cat "$folder/wall_seconds") s"
}
