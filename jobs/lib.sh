#!/usr/bin/env bash
# lib.sh - sourced by studies of many runs: their options, program, launcher, records
# SPDX-License-Identifier: MIT
#
# A study says in its --help that THRESHER and THRESHER_LAUNCHER are heard. It gives
# its options their defaults, reads them by `parse`, and begins by `start_study`. Its parts
# that run some at a time are scripts of their own, whose first act is `part_of STUDY`.
if [ -z "${BASH_VERSION:-}" ]; then
  echo "$(basename "$0"): a part of the studies in this folder: run these" >&2
  exit 2
fi
jobs=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$jobs/env.sh"
PYTHON=${PYTHON:-/usr/bin/python3}
unset PYTHONSAFEPATH                # the tables import what is beside them,
export PYTHONDONTWRITEBYTECODE=yes # and leave nothing there
name=$(basename "$0" .sh)
thresher=${thresher:-${THRESHER:-$jobs/../build/release/thresher}}

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

# some_of OPTION LIST WORD...: each word of the list is one of the words
some_of()
{
  local word
  for word in $2; do
    case " ${*:3} " in
    *" $word "*) ;;
    *) refuse "--$1 $2: wanted some of ${*:3}" ;;
    esac
  done
}

# set_option NAME VALUE: what most studies mean by it; sets the variable NAME
set_option()
{
  case $1 in
  -s) whole sparsity "$2" ;;
  runs | repeats | examples | epochs | passes | budget | limit | processes | ranks)
    whole "$1" "$2"
    ;;
  attributes)
    [[ $2 =~ ^([1-9][0-9]*\ *)+$ ]] ||
      refuse "--attributes $2: wanted whole numbers above 0"
    attributes=$2
    ;;
  *) declare -g "$1=$2" ;;
  esac
}

# parse "NAME..." ARGUMENT...: the options of a study. Those of the list have a value,
# and go to `option NAME VALUE`; all others to `word ARGUMENT`, which is false for
# what the study does not know. A study redefines both where its own differ.
parse()
{
  local with_value
  with_value=$(echo $1)
  format=${format:-png}
  processes=$(nproc)
  shift
  while [ $# -gt 0 ]; do
    if [ "$1" = -h ] || [ "$1" = --help ]; then
      help
      exit 0
    elif [[ " $with_value " == *" $1 "* ]]; then
      [ $# -ge 2 ] || refuse "$1 wants a value"
      option "${1#--}" "$2"
      shift
    else
      word "$1" || refuse "$1 is no option; see --help"
    fi
    shift
  done
  case $format in
  png | svg | pdf) ;;
  *) refuse "--format $format: wanted png, svg or pdf" ;;
  esac
}

option()
{
  set_option "$@"
}

word()
{
  return 1
}

help()
{
  help_from "$0"
}

# start_study [FOLDER...]: with the program, and the folder of results with these in it
start_study()
{
  find_program
  mkdir -p "$out"
  out=$(cd "$out" && pwd)
  (cd "$out" && mkdir -p . "$@")
}

# part_of STUDY VARIABLE...: a script that STUDY runs some at a time, with these set
part_of()
{
  local set
  for set in out "${@:2}"; do
    if [ -z "${!set+set}" ]; then
      echo "$name.sh: a part of $1.sh: run that" >&2
      exit 2
    fi
  done
  export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
}

# some_at_a_time N COMMAND...: N fields at a time, of lines that have tabs between them
some_at_a_time()
{
  export thresher PYTHON out
  tr '\n\t' '\0\0' | xargs -0 -r -n "$1" -P "$processes" bash "${@:2}" || exit 1
}

# The text of that name in the folder of data, plain or compressed, or nothing.
text_of() # NAME
{
  local packed
  for packed in "" .xz .gz .bz2; do
    if [ -e "$data/$1$packed" ]; then
      echo "$data/$1$packed"
      return
    fi
  done
}

# words_for_gnuplot TEXT: as a string of its language
words_for_gnuplot()
{
  printf "'%s'" "${1//\'/\'\'}"
}

# The pictures that are not finished: a picture is there whole or not at all.
unfinished_pictures()
{
  find "$out" -maxdepth 1 -name "*.unfinished.$format"
}

# draw SCRIPT SETTINGS: pictures of the results, in their folder and in $format
draw()
{
  local part
  if command -v gnuplot >/dev/null; then
    (cd "$out" && gnuplot -e "format = '$format'; unfinished = '.unfinished'; style =
      $(words_for_gnuplot "$jobs/style.gp")" -e "$2" "$jobs/$1.gp") || {
      unfinished_pictures | tr '\n' '\0' | xargs -0 -r rm -f
      echo "$name.sh: gnuplot has failed: no pictures" >&2
      exit 1
    }
    unfinished_pictures | while IFS= read -r part; do
      mv "$part" "${part%.unfinished.*}.$format"
    done
  else
    echo "no gnuplot, no pictures (sh jobs/packages.sh jobs)"
  fi
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
  echo "program: $("$thresher" --version | sed -n 1p)"
  echo "commit:  $(git -C "$jobs" describe --always --dirty 2>/dev/null || echo none)"
  echo "host:    $(uname -srm), $(nproc) cores"
  echo "cpu:     $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | sed -n 1p)"
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
