/* output.h - a file or folder appears under its final name whole, or not at all
 *
 * An output is written as .NAME.partial beside its final name, locked against
 * a second run (io/files/lock.h), and renamed when it is complete. A run that
 * is interrupted removes it (io/files/interrupt.h). What a killed run has left
 * is removed by the next run with the same output. Names are relative to the
 * folder's descriptor. A symbolic link in the place of a name is never
 * followed. All functions are local; one rank writes an output.
 * SPDX-License-Identifier: MIT */
#ifndef TH_OUTPUT_H
#define TH_OUTPUT_H

#include "base/error.h"
#include "io/files/lock.h"

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

/* Claim the final name. An error when it exists and force is false, when it is
 * no regular file, when its folder cannot be written, or when another run is
 * writing it: one line that says which and what to do. The partial file exists,
 * empty, afterwards. An error for "-": the output is no text. */
th_status th_output_begin(struct th_output *output, const char *path,
                          bool force, struct th_error *err);

/* Claim the final name of a text: "-" is the standard output. */
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

/* True if a run is writing an output of that name in the same folder; holder:
 * which, as io/files/lock.h tells it. Local. */
bool th_output_rivals(const struct th_output *output, const char *name,
                      char holder[TH_LOCK_HOLDER]);

/* A note that the folder has no locks of the usual kind; empty: it has, or the
 * output is not claimed. Local. */
void th_output_note(const struct th_output *output, char note[TH_LOCK_NOTE]);

/* Remove the partial file, if there is one, and release all. Legal on a zeroed
 * record and after a commit. */
void th_output_abort(struct th_output *output);

/* --- Temporary files in the folder of an output --------------------------- */

/* Purposes of temporary files. */
#define TH_FOR_TEXT "text"
#define TH_FOR_SPILL "spill"

/* Create .NAME.PURPOSE-XXXXXX beside the output OUTPUT, open for reading and
 * writing. If path is NULL, the file has no name when the call returns, so that
 * nothing can be left behind. Otherwise *path is owned by the caller, who ends
 * with th_output_temporary_remove. Local. The error names the folder. */
th_status th_output_temporary_open(const char *output, const char *purpose,
                                   char **path, int *fd, struct th_error *err);

/* Remove a file of th_output_temporary_open that has a path. Local. */
void th_output_temporary_remove(const char *path);

/* Remove the temporary files that killed runs have left beside the output
 * OUTPUT. A run that uses such a file holds its lock. Local. */
void th_output_temporary_clean(const char *output);

/* Check that the folder of OUTPUT has so many bytes free for `what`; an error
 * if it has not. Local. */
th_status th_output_temporary_space(const char *output, int64_t bytes,
                                    const char *what, struct th_error *err);

/* Write all bytes at the file's present offset. `name` is for the message.
 * Local. */
th_status th_output_temporary_write(int fd, const void *data, int64_t bytes,
                                    const char *name, struct th_error *err);

/* Fail, since a file has become shorter. Local, any thread. */
th_status th_output_temporary_ended(const char *name, struct th_error *err);

/* Read exactly that many bytes at an offset. Local, any thread. */
th_status th_output_temporary_read(int fd, void *data, int64_t bytes,
                                   int64_t offset, const char *name,
                                   struct th_error *err);

/* --- Which paths lead to one file, and where a data set keeps its shards
 *
 * Folders are compared by what they are, not by how they are spelt. All
 * functions are local. */

/* Length of a path without the ".h5" of its name: the shards of DIR/NAME.h5 and
 * of DIR/NAME lie in DIR/NAME.shards. */
int th_output_path_stem(const char *path);

/* True if two paths name one file, be it there already or not. */
bool th_output_path_same(const char *a, const char *b);

/* True if the names of two paths are names in one folder. */
bool th_output_path_beside(const char *a, const char *b);

/* True if a path names something in the folder where a data set of the name
 * `master` has its shards. */
bool th_output_path_among_shards(const char *path, const char *master);

/* --- The checksum behind a small HDF5 file; internal to io/
 *
 * Masters and models end with 16 bytes that HDF5 does not look at: THRSEAL1,
 * and XXH3 of all bytes before them. So every byte is covered, those of HDF5's
 * own structures among them. All functions are local. */

/* Add the seal to so many bytes in a room of malloc's, which may be moved.
 * false: no memory; the room is as it was. */
bool th_output_seal_add(void **room, int64_t *bytes);

/* Find out whether a file has its seal, and no byte has changed. An error where
 * it cannot be read. */
th_status th_output_seal_check(const char *path, bool *holds,
                               struct th_error *err);

#endif
