#!/usr/bin/Rscript
# peers_rds.R FOLDER - FOLDER/train.{npy,npz}'s raw copy as R's own train.rds
# SPDX-License-Identifier: MIT
#
# peers_data.py --raw leaves plain little-endian arrays: shape (int32), y (f64)
# and x (f32, by columns) or, sparse, start (int32), row (int32) and value (f64).
suppressPackageStartupMessages(library(Matrix))
folder <- commandArgs(trailingOnly = TRUE)[1]
get <- function(name, what, n, size) {
  readBin(file.path(folder, paste0(name, ".raw")), what, n, size)
}
shape <- get("shape", "integer", 3, 4)
y <- get("y", "numeric", shape[1], 8)
x <- if (shape[3] < 0) {
  matrix(get("x", "numeric", shape[1] * shape[2], 4), shape[1], shape[2])
} else {
  new("dgCMatrix", Dim = shape[1:2], p = get("start", "integer", shape[2] + 1, 4),
    i = get("row", "integer", shape[3], 4), x = get("value", "numeric", shape[3], 8))
}
saveRDS(list(x = x, y = y), file.path(folder, "train.rds"), compress = FALSE)
