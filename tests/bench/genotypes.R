#!/usr/bin/Rscript
# genotypes.R MIN RESULT.json - a path of 50 lambdas with glmnet on train.bed; the lambda
# that is best on valid.bed
# SPDX-License-Identifier: MIT
suppressPackageStartupMessages(library(glmnet))
words <- commandArgs(trailingOnly = TRUE)

# Examples by attributes, copies of A1, and the targets.
take <- function(part) {
  y <- read.table(paste0(part, ".fam"))[, 6]
  run <- (length(y) + 3) %/% 4
  size <- file.info(paste0(part, ".bed"))$size
  file <- file(paste0(part, ".bed"), "rb")
  invisible(readBin(file, "raw", 3))
  variants <- (size - 3) / run
  four <- sapply(0:255, function(b) c(2, NA, 1, 0)[bitwAnd(b %/% c(1, 4, 16, 64), 3) + 1])
  x <- matrix(0, length(y), variants)
  for (a in seq_len(variants))
    x[, a] <- four[, as.integer(readBin(file, "raw", run)) + 1][seq_along(y)]
  close(file)
  list(x = x, y = y)
}

train <- take("train")
used <- system.time(fit <- glmnet(train$x, train$y, nlambda = 50,
  lambda.min.ratio = as.numeric(words[1])))
rm(train)
r2 <- sapply(c("valid", "test"), function(part) {
  own <- take(part)
  miss <- colMeans((predict(fit, own$x) - own$y)^2)
  1 - miss / mean((own$y - mean(own$y))^2)
})
best <- which.max(r2[, "valid"])
writeLines(sprintf(
  '{"r2": %.6f, "seconds_per_lambda": %.4f, "ratio": %.6f, "support": %d, "lambdas": %d}',
  r2[best, "test"], (used[["user.self"]] + used[["sys.self"]]) / length(fit$lambda),
  fit$lambda[best] / fit$lambda[1], fit$df[best], length(fit$lambda)), words[2])
