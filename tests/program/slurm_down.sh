#!/usr/bin/env bash
# slurm_down.sh FOLDER - end what slurm_up.sh started there; its logs stay
# SPDX-License-Identifier: MIT
set -uo pipefail
folder=$(cd "$1" 2>/dev/null && pwd) || exit 0
PATH=$PATH:/usr/sbin:/sbin
export SLURM_CONF=$folder/slurm.conf

# is PID PROGRAM: that process is there, is that program, and is no zombie
is()
{
  [ "$(cat "/proc/$1/comm" 2>/dev/null)" = "$2" ] &&
    ! grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null
}

stop() # PROGRAM
{
  local pid
  pid=$(cat "$folder/run/$1.pid" 2>/dev/null) || return 0
  is "$pid" "$1" || return 0
  kill -TERM "$pid"
  for _ in $(seq 50); do
    is "$pid" "$1" || return 0
    sleep 0.1
  done
  kill -KILL "$pid"
}

# All that runs on a node goes with its first process.
stop_node() # PID-FILE
{
  local pid
  pid=$(cat "$1")
  rm -f "$1"
  [ -e "/proc/$pid/ns/pid" ] || return 0
  [ "$(readlink "/proc/$pid/ns/pid")" != "$(readlink /proc/self/ns/pid)" ] &&
    kill -KILL "$pid"
}

if [ -e "$folder/run/slurmctld.pid" ]; then
  timeout -k 2 10 scancel -u "$(id -un)" 2>/dev/null
fi
for file in "$folder"/nodes/*.pid; do
  [ ! -s "$file" ] || stop_node "$file"
done
stop slurmctld
stop munged
bridge=$(cat "$folder/bridge" 2>/dev/null) || exit 0
for port in "/sys/class/net/$bridge/brif"/*; do
  [ ! -e "$port" ] || ip link del "$(basename "$port")"
done 2>/dev/null
ip link del "$bridge" 2>/dev/null
rm -f "$folder/bridge"
