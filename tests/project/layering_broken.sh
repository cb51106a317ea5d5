#!/usr/bin/env bash
# layering_broken.sh - an include against the arrows fails tests/project/layering.sh: one of each
# kind, tried on a copy
# SPDX-License-Identifier: MIT
set -euo pipefail
root=$PWD/copy
bad=0

# broken FILE INCLUDE: what layering.sh says of it
broken()
{
  sed -i "0,/^#include/s//#include $2\n#include/" "$root/$1"
  if sh "$SOURCE/tests/project/layering.sh" "$root" >said.txt; then
    echo "FAILED: $1 may include $2"
    bad=$((bad + 1))
  elif ! grep -q "^$1:" said.txt; then
    echo "FAILED: $1 with $2: $(cat said.txt)"
    bad=$((bad + 1))
  fi
  cp "$SOURCE/$1" "$root/$1"
}

rm -rf "$root"
mkdir -p "$root"
(cd "$SOURCE" && tar cf - --exclude='*.sh' --exclude='*.py' src io mpi tests) | tar xf - -C "$root"

broken src/data/deal.c '"math\/loss.h"'                              # upwards
broken src/solvers/access/context.c '"solvers\/budgeted\/sift.h"'      # a family
broken src/solvers/sift/sift.c '"solvers\/stochastic\/rda.h"'    # another family
broken src/solvers/exact/lasso.c '"solvers\/driver\/train.h"'        # the driver
broken src/solvers/driver/train.c '"io\/dataset\/dataset.h"'         # files
broken io/dataset/residency/dataset.c '"mpi\/mpi_shared.h"'                    # ranks
broken io/import/import.c '"io\/model\/model_file.h"'                # another room of io
broken src/cli/options/options.c '"cli\/commands.h"'                   # its subcommands
broken src/cli/bench/bench_comm.c '"cli\/wording.h"'                  # what is beside it
broken src/api/data.c '"cli\/options\/options.h"'                     # the program
broken src/math/loss.c '<mpi.h>'
broken mpi/mpi_comm.c '<hdf5.h>'
broken src/data/deal.h '<hdf5.h>'
rm -rf "$root"
[ $bad -eq 0 ]
