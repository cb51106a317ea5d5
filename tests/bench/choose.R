#!/usr/bin/Rscript
# choose.R FOLDER - cv.glmnet on FOLDER/x.mtx and y.txt, predictions of FOLDER/z.mtx
# SPDX-License-Identifier: MIT
#
# Writes p.txt (linear predictors at lambda.min) and fit.json: attributes, seconds of the
# call alone.
suppressPackageStartupMessages({
  library(Matrix)
  library(glmnet)
})
folder <- commandArgs(trailingOnly = TRUE)[1]
file <- function(name) file.path(folder, name)
x <- as(readMM(file("x.mtx")), "CsparseMatrix")
z <- as(readMM(file("z.mtx")), "CsparseMatrix")
y <- scan(file("y.txt"), quiet = TRUE)
if (mean(x != 0) > 0.5) {
  x <- as.matrix(x)
  z <- as.matrix(z)
}
labels <- length(unique(y)) == 2
set.seed(1)
used <- system.time(fit <- cv.glmnet(x, y, family = if (labels) "binomial" else "gaussian",
  nfolds = 5))
p <- predict(fit, z, s = "lambda.min")
write(as.numeric(p), file("p.txt"), ncolumns = 1)
writeLines(sprintf('{"seconds": %.3f, "size": %d}', used[["elapsed"]],
  sum(coef(fit, s = "lambda.min")[-1] != 0)), file("fit.json"))
