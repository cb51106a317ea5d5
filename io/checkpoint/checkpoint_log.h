/* checkpoint_log.h - a text that grows with the run, kept once beside its
 * checkpoints
 *
 * A checkpoint of a long run has to stay small, so it holds how far the text
 * goes, and not the text. What is behind that was written after it, and is cut
 * off when the run goes on from there. All functions are local, for rank 0.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CHECKPOINT_LOG_H
#define TH_CHECKPOINT_LOG_H

#include "io/checkpoint/checkpoint.h"

#include <stdio.h>

/* How far a text goes; zeroed: nothing of it is kept. */
struct th_checkpoint_text {
  int64_t bytes;
  int64_t tail; /* hash of the end of them, to tell another text */
};

/* Keep a file's text up to byte `bytes`, of which text->bytes are kept already;
 * *text tells then of all. It is on disk when the call returns. */
th_status th_checkpoint_log_add(const struct th_checkpoint *checkpoint,
                                int file, int64_t bytes,
                                struct th_checkpoint_text *text,
                                struct th_error *err);

/* Print what is kept. An error if it is another text. */
th_status th_checkpoint_log_print(const struct th_checkpoint *checkpoint,
                                  const struct th_checkpoint_text *text,
                                  FILE *to, struct th_error *err);

#endif
