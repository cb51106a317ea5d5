/* output.h - a file or folder appears under its final name whole, or not at all
 *
 * An output is written as .NAME.partial beside its final name, locked against
 * a second run, and renamed when it is complete. All functions are local; one
 * rank writes an output.
 * SPDX-License-Identifier: MIT */
#ifndef TH_OUTPUT_H
#define TH_OUTPUT_H

#include "core/error.h"

#include <stdbool.h>

struct th_output {
  char *path;    /* final name */
  char *partial; /* what is being written */
  int lock;      /* descriptor that holds the lock, or -1 */
};

/* Claim the final name: TH_EIO when it exists and force is false, when its
 * folder cannot be written, or when another run is writing it; one line that
 * says which and what to do. The partial file exists, empty, afterwards. */
th_status th_output_begin(struct th_output *output, const char *path,
                          bool force, struct th_error *err);

/* Flush the partial file to disk and give it its final name. */
th_status th_output_commit(struct th_output *output, struct th_error *err);

/* Remove the partial file, if there is one, and release all. Legal on a zeroed
 * record and after a commit. */
void th_output_abort(struct th_output *output);

#endif
