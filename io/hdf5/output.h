/* output.h - a file or folder appears under its final name whole, or not at all
 *
 * An output is written as .NAME.partial beside its final name, locked against
 * a second run (io/hdf5/lock.h), and renamed when it is complete. A run that is
 * interrupted removes it (io/hdf5/interrupt.h). What a killed run has left is
 * removed by the next run with the same output. Names are relative to the
 * folder's descriptor. A symbolic link in the place of a name is never
 * followed. All functions are local; one rank writes an output.
 *
 * Where a comment names no code, a status is one of TH_EIO, TH_ENOMEM.
 * SPDX-License-Identifier: MIT */
#ifndef TH_OUTPUT_H
#define TH_OUTPUT_H

#include "core/error.h"
#include "io/hdf5/lock.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct th_output {
  char *path;    /* final name, as it was given */
  char *partial; /* what is being written, in the folder; NULL: nothing */
  int folder;    /* descriptor of the folder */
  int file;      /* descriptor that is written and locked, or -1 */
  struct th_lock lock;
  FILE *text; /* th_output_text's */
  bool force;
};

/* Claim the final name: TH_EIO when it exists and force is false, when it is no
 * regular file, when its folder cannot be written, or when another run is
 * writing it; one line that says which and what to do. The partial file exists,
 * empty, afterwards. TH_EUSAGE for "-": the output is no text. Also TH_ENOMEM.
 */
th_status th_output_begin(struct th_output *output, const char *path,
                          bool force, struct th_error *err);

/* The same for text: "-" is the standard output. */
th_status th_output_begin_text(struct th_output *output, const char *path,
                               bool force, struct th_error *err);

/* The name of an output in messages. */
const char *th_output_name(const char *path);

/* Write the whole output; or get a stream to print it to, which the output
 * owns. th_output_commit notices failed writes. */
th_status th_output_write(struct th_output *output, const void *data,
                          int64_t bytes, struct th_error *err);
th_status th_output_text(struct th_output *output, struct th_error *err);

/* Flush the partial file to disk and give it its final name. */
th_status th_output_commit(struct th_output *output, struct th_error *err);

/* The two parts of a commit, for callers that rename more in between. */
th_status th_output_flush(struct th_output *output, struct th_error *err);
th_status th_output_rename(struct th_output *output, struct th_error *err);

/* Whether a run is writing an output of that name in the same folder; holder:
 * which, as io/hdf5/lock.h tells it. Local. */
bool th_output_rivals(const struct th_output *output, const char *name,
                      char holder[TH_LOCK_HOLDER]);

/* A note that the folder has no locks of the usual kind; empty: it has, or the
 * output is not claimed. Local. */
void th_output_note(const struct th_output *output, char note[TH_LOCK_NOTE]);

/* Remove the partial file, if there is one, and release all. Legal on a zeroed
 * record and after a commit. */
void th_output_abort(struct th_output *output);

#endif
