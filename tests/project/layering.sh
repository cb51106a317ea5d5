#!/bin/sh
# layering.sh [ROOT] - includes run one way, from each folder to those it stands on (the
# table below); families of solvers do not see one another, but for the exact and the
# penalised, which serve others, and for thresholding, which serves sift; MPI and HDF5 stay
# home
# SPDX-License-Identifier: MIT
set -eu
root=${1:-${SOURCE:-.}}
cd "$root"
find src mpi io tests \( -name '*.c' -o -name '*.h' \) -print | sort |
  xargs awk '
function folder(path) {
  sub(/\/[^\/]*$/, "", path)
  sub(/^src\//, "", path)
  return path
}
# Folders that a folder stands on, and so all that these stand on.
function stand(upper, lower) {
  below[upper] = lower
}
function close_over(name, seen,   part, n, k) {
  if (index(seen, " " name " "))
    return seen
  seen = seen name " "
  n = split(below[name], part, " ")
  for (k = 1; k <= n; k++)
    seen = close_over(part[k], seen)
  return seen
}
# mpi and io, whatever lies in them
function house(path) {
  sub(/\/.*/, "", path)
  return path
}
function report(what) {
  printf "%s\n", what
  bad++
}
BEGIN {
  stand("base", "")
  stand("ranks", "base")
  stand("state", "ranks")
  stand("data", "state")
  stand("model", "data")
  stand("math/kernels", "data")
  stand("math", "math/kernels")
  stand("synthetic", "math model")
  stand("solvers", "math model")
  stand("solvers/access", "solvers")
  stand("solvers/penalised", "solvers/access")
  stand("solvers/exact", "solvers/penalised")
  stand("solvers/ridge", "solvers/penalised")
  stand("solvers/greedy", "solvers/penalised")
  stand("solvers/fits", "solvers/access")
  stand("solvers/predict", "solvers/exact solvers/fits")
  stand("solvers/thresholding", "solvers/predict")
  stand("solvers/sift", "solvers/thresholding")
  stand("solvers/stochastic", "solvers/exact")
  stand("solvers/sampling", "solvers/access")
  stand("solvers/competitors", "solvers/access")
  stand("solvers/driver", "solvers/sift solvers/competitors solvers/greedy solvers/ridge solvers/sampling solvers/stochastic synthetic")
  stand("mpi", "ranks")
  stand("io/files", "model")
  stand("io/hdf5", "io/files")
  stand("io/dataset", "io/hdf5")
  stand("io/dataset/residency", "io/dataset")
  stand("io/dataset/writer", "io/dataset")
  stand("io/model", "io/dataset")
  stand("io/import/text", "io/dataset")
  stand("io/import/csv", "io/import/text")
  stand("io/import/arrays", "io/import/text")
  stand("io/import/genotypes", "io/import/text")
  stand("io/import/bins", "io/import/text io/dataset/residency io/dataset/writer")
  stand("io/import", "io/import/csv io/import/arrays io/import/genotypes io/import/bins")
  stand("io/kept", "io/import")
  stand("io/memory", "io/import")
  stand("io/targets", "io/import")
  stand("io/checkpoint", "io/files")
  stand("api", "solvers/driver mpi io/model io/kept io/memory io/targets")
  stand("cli/options", "api")
  stand("cli/shared", "cli/options")
  stand("cli/bench", "cli/shared")
  stand("cli/run", "cli/shared io/checkpoint")
  stand("cli/page", "cli/shared")
  stand("cli/help", "cli/shared")
  stand("cli", "cli/bench cli/help cli/page cli/run")
  stand("unit", "solvers/driver")
  home["mpi.h"] = "mpi"
  home["hdf5.h"] = "io"
}
FNR == 1 {
  if (files == 0)
    for (name in below)
      may[name] = close_over(name, " ")
  files++
  from = folder(FILENAME)
  if (from ~ /^tests/)
    from = FILENAME ~ /^tests\/unit\/(base|ranks|state|data|math|synthetic|solvers)\// ? "unit" : ""
  else if (!(from in may))
    report(FILENAME ": no rule for this folder: add one to tests/project/layering.sh")
}
/^[ \t]*#[ \t]*include/ {
  name = $0
  sub(/^[^<"]*[<"]/, "", name)
  sub(/[>"].*$/, "", name)
  place = FILENAME ":" FNR ": "
  base = name
  sub(/^hdf5.*/, "hdf5.h", base)
  sub(/^H5.*public\.h$/, "hdf5.h", base)
  if (base in home) {
    if (house(from) != home[base] && from != "")
      report(place "<" name "> may be included by " home[base] "/ alone")
    if (FILENAME ~ /\.h$/)
      shows[substr(FILENAME, index(FILENAME, "src/") == 1 ? 5 : 1)] = base
    next
  }
  if ($0 !~ /"/ || from == "")
    next
  to = index(name, "/") ? folder(name) : from
  if (from == "unit" && to == "unit")
    next
  if (!index(may[from], " " to " "))
    report(place from "/ may not include \"" name "\"")
  edges++
  edge_from[edges] = FILENAME
  edge_to[edges] = index(name, "/") ? name : to "/" name
  edge_place[edges] = place
}
END {
  # A header that shows a library, also by way of another one, stays inside.
  do {
    grown = 0
    for (k = 1; k <= edges; k++) {
      if (!(edge_to[k] in shows) || edge_from[k] !~ /\.h$/)
        continue
      name = edge_from[k]
      sub(/^src\//, "", name)
      if (!(name in shows)) {
        shows[name] = shows[edge_to[k]]
        grown = 1
      }
    }
  } while (grown)
  for (k = 1; k <= edges; k++)
    if (edge_to[k] in shows &&
        house(folder(edge_from[k])) != home[shows[edge_to[k]]])
      report(edge_place[k] "\"" edge_to[k] "\" shows <" shows[edge_to[k]] ">")
  if (files < 10)
    report("only " files + 0 " files found: wrong folder?")
  printf "%d files, %d includes of our own, %d against the rule\n", files,
    edges, bad
  exit bad > 0
}'
