#!/usr/bin/Rscript
# text_lasso.R FOLDER REPEATS FROM,TO,COUNT THRESH,... - see text_lasso.py
# SPDX-License-Identifier: MIT
#
# A line of JSON for each thresh: CPU seconds of the call of glmnet for that many lambdas
# from FROM to TO, and the objective at the last of them.
suppressPackageStartupMessages({
  library(Matrix)
  library(glmnet)
})
words <- commandArgs(trailingOnly = TRUE)
data <- readRDS(file.path(words[1], "train.rds"))
y <- as.integer(data$y == max(data$y))
ends <- as.numeric(strsplit(words[3], ",")[[1]])
lambda <- ends[1] * (ends[2] / ends[1])^((0:(ends[3] - 1)) / (ends[3] - 1))
for (thresh in as.numeric(strsplit(words[4], ",")[[1]])) {
  seconds <- Inf
  for (turn in seq_len(as.integer(words[2]))) {
    used <- system.time(fit <- glmnet(data$x, y, family = "binomial",
      lambda = lambda, standardize = FALSE, thresh = thresh, maxit = 1e6))
    seconds <- min(seconds, used[["user.self"]] + used[["sys.self"]])
  }
  last <- length(fit$lambda)
  margin <- (2 * y - 1) * (as.numeric(data$x %*% fit$beta[, last]) + fit$a0[last])
  loss <- mean(log1p(exp(-abs(margin))) + pmax(0, -margin))
  objective <- if (last == length(lambda))
    loss + lambda[last] * sum(abs(fit$beta[, last])) else 1e99
  cat(sprintf('{"seconds": %.3f, "objective": %.14g}\n', seconds, objective))
}
