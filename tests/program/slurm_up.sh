#!/usr/bin/env bash
# slurm_up.sh FOLDER [NODES] - start a throw-away Slurm cluster on this machine
# SPDX-License-Identifier: MIT
#
# Every node is a pretend host: namespaces with a network, a host name, process
# numbers and a /dev/shm of their own (MPI needs all of them to tell two nodes
# apart), joined by a bridge; files are shared, as on a cluster. No systemd, no
# cgroups, no database. All it writes is below FOLDER. Root is needed.
# `export SLURM_CONF=FOLDER/slurm.conf` afterwards; stop with slurm_down.sh
# FOLDER. Status 77 where this machine does not allow such a cluster.
set -euo pipefail
mkdir -p "$1"
folder=$(cd "$1" && pwd)
nodes=${2:-2}
here=$(cd "$(dirname "$0")" && pwd)
PATH=$PATH:/usr/sbin:/sbin

skip()
{
  echo "skipped: $*"
  exit 77
}
for tool in slurmctld slurmd munged sbatch srun ip unshare nsenter; do
  command -v "$tool" >/dev/null || skip "no $tool here (jobs/packages.sh ci)"
done
[ "$(id -u)" -eq 0 ] || skip "a Slurm cluster by hand needs root"
unshare --net --uts --ipc --mount --pid --fork true 2>/dev/null ||
  skip "no namespaces here"

trap '[ $? -eq 0 ] || bash "$here/slurm_down.sh" "$folder"' EXIT
mkdir -p "$folder"/{munge,state,spool,log,run,tmp,nodes}
chmod 700 "$folder/munge"

# until_true COMMAND...: minutes at most, which only a hang takes
until_true()
{
  local end=$((EPOCHSECONDS + 600))
  until "$@"; do
    [ "$EPOCHSECONDS" -lt "$end" ] || return 1
    sleep 0.1
  done
}

# Clusters of other tests may be there: take a network that none uses.
claim_network()
{
  local k
  for k in $(shuf -i 1-250); do
    [ -z "$(ip -4 -o route show root "10.77.$k.0/24")" ] || continue
    ! (: <"/dev/tcp/127.0.0.1/$((20000 + k))") 2>/dev/null || continue
    if ip link add "thresher$k" type bridge 2>/dev/null; then
      network=10.77.$k
      bridge=thresher$k
      port=$((20000 + k))
      echo "$bridge" >"$folder/bridge"
      return
    fi
  done
  skip "no bridge can be made here"
}

# The first process of a node keeps its namespaces; they go when it is killed.
start_node() # NUMBER
{
  local host=n$1 outer inner
  setsid unshare --net --uts --ipc --mount --pid --fork --kill-child \
    --mount-proc --propagation private bash -c "
      hostname $host
      mount -t tmpfs -o size=1g shm /dev/shm
      mount --bind '$folder/hosts' /etc/hosts
      ip link set lo up
      echo ready >'$folder/nodes/$host.ready'
      exec sleep infinity" </dev/null >"$folder/log/$host.log" 2>&1 &
  outer=$!
  until_true test -e "$folder/nodes/$host.ready"
  inner=$(tr -d ' ' <"/proc/$outer/task/$outer/children")
  echo "$inner" >"$folder/nodes/$host.pid"
  ip link add "$bridge.$1" type veth peer name eth0 netns "$inner"
  ip link set "$bridge.$1" master "$bridge" up
  nsenter -t "$inner" -n ip addr add "$network.$1/24" dev eth0
  nsenter -t "$inner" -n ip link set eth0 up
  nsenter -t "$inner" -n ip route add default via "$network.254"
}

start_munge()
{
  dd if=/dev/urandom of="$folder/munge/key" bs=128 count=1 status=none
  chmod 600 "$folder/munge/key"
  # --force: the folders above may be writable for others
  munged --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" \
    --pid-file="$folder/run/munged.pid" --seed-file="$folder/munge/seed" \
    --log-file="$folder/log/munged.log" 2>>"$folder/log/start.log"
}

# A busy machine is slow, and none of its delays means that anything is lost. Jobs that
# have ended are kept: somebody may look late.
write_configuration()
{
  sed "s|FOLDER|$folder|g" >"$folder/slurm.conf" <<END
ClusterName=thresher
SlurmctldHost=$(hostname -s)($network.254)
SlurmctldPort=$port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=FOLDER/munge/socket
StateSaveLocation=FOLDER/state
SlurmdSpoolDir=FOLDER/spool/%n
TmpFS=FOLDER/tmp/%n
SlurmctldPidFile=FOLDER/run/slurmctld.pid
SlurmdPidFile=FOLDER/run/slurmd.%n.pid
SlurmctldLogFile=FOLDER/log/slurmctld.log
SlurmdLogFile=FOLDER/log/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_interval=1
SlurmdParameters=config_overrides
ReturnToService=2
SwitchType=switch/none
KillWait=5
MinJobAge=86400
MessageTimeout=100
TCPTimeout=100
BatchStartTimeout=600
UnkillableStepTimeout=600
SlurmdTimeout=0
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
END
  for k in $(seq "$nodes"); do
    mkdir -p "$folder/spool/n$k" "$folder/tmp/n$k"
    echo "NodeName=n$k NodeAddr=$network.$k CPUs=2 Boards=1 SocketsPerBoard=1" \
      "CoresPerSocket=2 ThreadsPerCore=1 RealMemory=2000 State=UNKNOWN"
  done >>"$folder/slurm.conf"
  {
    echo "PartitionName=main Nodes=n[1-$nodes] Default=YES MaxTime=INFINITE" \
      "State=UP"
    echo "PartitionName=graced Nodes=n[1-$nodes] MaxTime=INFINITE State=UP" \
      "GraceTime=60"
    echo "PartitionName=urgent Nodes=n[1-$nodes] MaxTime=INFINITE State=UP" \
      "PriorityTier=10"
  } >>"$folder/slurm.conf"
}

idle_nodes()
{
  sinfo -h -o '%T %D' 2>/dev/null |
    awk '$1 == "idle" { n += $2 } END { print n + 0 }'
}

claim_network
ip addr add "$network.254/24" dev "$bridge"
ip link set "$bridge" up
{
  echo "127.0.0.1 localhost"
  echo "$network.254 $(hostname -s)"
  for k in $(seq "$nodes"); do
    echo "$network.$k n$k"
  done
} >"$folder/hosts"
for k in $(seq "$nodes"); do
  start_node "$k"
done
start_munge
write_configuration
export SLURM_CONF=$folder/slurm.conf
slurmctld -c >>"$folder/log/start.log" 2>&1
for k in $(seq "$nodes"); do
  nsenter -t "$(cat "$folder/nodes/n$k.pid")" -n -u -i -m -p \
    slurmd -N "n$k" >>"$folder/log/start.log" 2>&1
done
all_idle()
{
  [ "$(idle_nodes)" -ge "$nodes" ]
}
until_true all_idle || {
  echo "slurm_up.sh: only $(idle_nodes) of $nodes nodes came up" >&2
  tail -n 5 "$folder"/log/*.log >&2
  exit 1
}
