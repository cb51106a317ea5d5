#!/usr/bin/Rscript
# path_fit.R FOLDER RESULT.json FAMILY THRESH - a path with glmnet
# SPDX-License-Identifier: MIT
#
# Reads FOLDER/train.rds as peers_fit.R does; the clock runs for the call of
# glmnet alone, not for reading. thresh: its own measure of convergence.
suppressPackageStartupMessages({
  library(Matrix)
  library(glmnet)
})
words <- commandArgs(trailingOnly = TRUE)
data <- readRDS(file.path(words[1], "train.rds"))
# all lambdas are wanted, also where there are few examples
glmnet.control(fdev = 0, devmax = 1)
used <- system.time(fit <- glmnet(data$x, data$y, family = words[3],
  nlambda = 100, lambda.min.ratio = 0.01, standardize = FALSE,
  intercept = FALSE, thresh = as.numeric(words[4])))
last <- length(fit$lambda)
score <- as.numeric(data$x %*% fit$beta[, last])
loss <- if (words[3] == "gaussian") (data$y - score)^2 / 2 else
  log(1 + exp(-(2 * (data$y == max(data$y)) - 1) * score))
objective <- mean(loss) + fit$lambda[last] * sum(abs(fit$beta[, last]))
writeLines(sprintf(
  '{"seconds": %.3f, "cpu": %.3f, "lambdas": %d, "objective": %.12g}',
  used[["elapsed"]], used[["user.self"]] + used[["sys.self"]], last, objective),
  words[2])
