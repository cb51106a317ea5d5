#!/usr/bin/Rscript
# peers_fit.R FOLDER MODEL.csv FAMILY LAMBDA - fit with glmnet
# SPDX-License-Identifier: MIT
#
# Reads FOLDER/train.rds, a list of x (dense, or sparse by columns) and y: R's own
# format, which peers_rds.R makes. Writes attribute,coefficient; -1: intercept.
suppressPackageStartupMessages({
  library(Matrix)
  library(glmnet)
})
words <- commandArgs(trailingOnly = TRUE)
data <- readRDS(file.path(words[1], "train.rds"))
last <- as.numeric(words[4])
# glmnet wants a path of penalties, from large to small, for its warm starts
path <- exp(seq(log(10 * last), log(last), length.out = 10))
fit <- glmnet(data$x, data$y, family = words[3], lambda = path,
  standardize = FALSE)
coef <- fit$beta[, length(fit$lambda)]
kept <- which(coef != 0)
model <- data.frame(c(-1, kept - 1), c(fit$a0[length(fit$lambda)], coef[kept]))
write.table(model, words[2], sep = ",", row.names = FALSE, col.names = FALSE)
