/* temporary.h - temporary files in the folder of an output
 * SPDX-License-Identifier: MIT */
#ifndef TH_TEMPORARY_H
#define TH_TEMPORARY_H

#include "core/error.h"

#include <stdint.h>

/* Purposes of temporary files. */
#define TH_FOR_TEXT "text"
#define TH_FOR_SPILL "spill"

/* Create .NAME.PURPOSE-XXXXXX beside the output OUTPUT, open for reading and
 * writing. If path is NULL, the file has no name when the call returns, so that
 * nothing can be left behind. Otherwise *path is owned by the caller, who ends
 * with th_temporary_remove. Local. TH_EIO names the folder. Also TH_ENOMEM. */
th_status th_temporary_open(const char *output, const char *purpose,
                            char **path, int *fd, struct th_error *err);

/* Remove a file of th_temporary_open that has a path. Local. */
void th_temporary_remove(const char *path);

/* Remove the temporary files that killed runs have left beside the output
 * OUTPUT. A run that uses such a file holds its lock. Local. */
void th_temporary_clean(const char *output);

/* Check that the folder of OUTPUT has so many bytes free for `what`; TH_EIO if
 * it has not. Local. */
th_status th_temporary_space(const char *output, int64_t bytes,
                             const char *what, struct th_error *err);

/* Write all bytes at the file's present offset. `name` is for the message.
 * Local. TH_EIO. */
th_status th_temporary_write(int fd, const void *data, int64_t bytes,
                             const char *name, struct th_error *err);

/* TH_EIO: a file has become shorter. Local, any thread. */
th_status th_temporary_ended(const char *name, struct th_error *err);

/* Read exactly that many bytes at an offset. Local, any thread. TH_EIO. */
th_status th_temporary_read(int fd, void *data, int64_t bytes, int64_t offset,
                            const char *name, struct th_error *err);

#endif
