/* file.h - paths, complete writes, room on disk; internal to io/
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_FILE_H
#define TH_FILE_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* printf into a new string, owned by the caller. */
th_status th_file_text(char **out, struct th_error *err, const char *format,
                       ...) __attribute__((format(printf, 3, 4)));

/* The folder of a path, with its last slash, or "" ; the name after it. */
th_status th_file_folder(const char *path, char **folder, struct th_error *err);
const char *th_file_name(const char *path);

/* Fail with a message that no space is left, how much is needed, and what to
 * do. */
th_status th_file_no_space(const char *name, int64_t needed,
                           struct th_error *err);

/* Bytes that a file may have by the limit of this process (ulimit -f). */
int64_t th_file_limit(void);

/* Is there room for that many bytes in the folder of a path? */
th_status th_file_space_check(const char *path, int64_t needed,
                              struct th_error *err);

/* Reserve the first bytes of a file on disk, so that later writes into them
 * cannot fail for want of space. needed: of the whole job, for the message. A
 * file system that cannot reserve is no error. */
th_status th_file_reserve(int file, const char *name, int64_t bytes,
                          int64_t needed, struct th_error *err);

/* Write all the content of an empty file. */
th_status th_file_write_whole(int file, const char *name, const void *data,
                              int64_t bytes, struct th_error *err);

/* Write bytes at an offset. needed: of the whole job, for the message. */
th_status th_file_write_at(int file, const char *name, const void *data,
                           int64_t bytes, int64_t offset, int64_t needed,
                           struct th_error *err);

/* Flush an open file or folder to disk. */
th_status th_file_flush(int file, const char *name, struct th_error *err);

/* Lift a limit of this process (RLIMIT_...) as far as it may. */
void th_file_raise_limit(int which);

/* The identity of a file, to notice a replacement. */
struct th_identity {
  dev_t device;
  ino_t inode;
  off_t size;
  struct timespec changed;
  struct timespec touched; /* its values, name, owner or rights */
  mode_t mode;
};
bool th_file_identity_of(const char *path, struct th_identity *identity);
bool th_file_identity_of_open(int fd, struct th_identity *identity);
bool th_file_identity_same(const struct th_identity *a,
                           const struct th_identity *b);
bool th_file_identity_untouched(const struct th_identity *a,
                                const struct th_identity *b);

#endif
