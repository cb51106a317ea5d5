#!/usr/bin/Rscript --vanilla
# compare_peers.R STEM ATTRIBUTES FAMILY - cv.glmnet on the text of compare_peers.py
# SPDX-License-Identifier: MIT
#
# Reads STEM.train.ijx and .y and STEM.test.ijx; writes STEM.out: the seconds of the
# fit, the size of the support, and the predictions.
suppressPackageStartupMessages({
  library(Matrix)
  library(glmnet)
})
words <- commandArgs(trailingOnly = TRUE)
attributes <- as.integer(words[2])
targets <- function(part) {
  scan(paste(words[1], part, "y", sep = "."), quiet = TRUE)
}
values <- function(part) {
  entry <- scan(paste(words[1], part, "ijx", sep = "."), list(0L, 0L, 0), quiet = TRUE)
  sparseMatrix(entry[[1]], entry[[2]], x = entry[[3]],
    dims = c(length(targets(part)), attributes))
}
set.seed(1)
x <- values("train")
y <- targets("train")
if (words[3] == "binomial") y <- factor(y)
if (length(x@x) > 0.3 * prod(dim(x))) x <- as.matrix(x)
began <- proc.time()[["elapsed"]]
fit <- suppressWarnings(cv.glmnet(x, y, family = words[3], nfolds = 5))
seconds <- proc.time()[["elapsed"]] - began
support <- sum(coef(fit, s = "lambda.min")[-1] != 0)
fresh <- as.matrix(values("test"))
said <- predict(fit, fresh, s = "lambda.min", type = "response")
writeLines(format(c(seconds, support, said), digits = 17), paste0(words[1], ".out"))
