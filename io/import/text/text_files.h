/* text_files.h - the text files of an import, each looked at by one rank
 *
 * Files are dealt to ranks by their bytes, in order. Who has a file opens it
 * once: is it text, how large is it, how does it begin. Compressed ones are
 * decompressed there, all of a rank one after the other into one temporary file
 * beside the output. What was found goes to all ranks; lines are read from the
 * files themselves (text.h), which are closed meanwhile.
 * SPDX-License-Identifier: MIT */
#ifndef TH_TEXT_FILES_H
#define TH_TEXT_FILES_H

#include "io/import/text/text.h"
#include "ranks/comm.h"

/* Zeroed: none. */
struct th_text_files {
  int64_t count;
  struct th_text_file *file; /* replicated, but for `mine` and `identity` */
  char *unpacked;            /* paths of the ranks' temporary files */
  char *path;                /* of this rank's; NULL: it has none */
  int fd;                    /* of that file, which is locked meanwhile */
  int64_t *number;           /* of all files, to be summed over ranks */
};

/* How to look at them. */
struct th_text_look {
  const char *const *source; /* what is opened of each file; borrowed;
                                NULL: its name */
  const char *output;        /* temporary files lie beside it */
  bool text; /* what is not text is refused, and a mark of UTF-8 passed over */
  bool archives; /* the format has archives of its own: none is unpacked */
  /* While files are decompressed: how many bytes of this rank's files have been
   * looked at. NULL is legal. */
  void (*told)(void *self, int64_t bytes, int64_t all);
  void *self;
  struct th_reading reading; /* without `told` */
};

/* Room for so many files. Release with th_text_files_close, also on failure.
 * Local. */
th_status th_text_files_reserve(struct th_text_files *files, int64_t count,
                                struct th_error *err);

/* Look at them by name; names are borrowed. rc: how this rank's work has gone
 * so far. Collective; the failure is that of the first file that is not as it
 * should be. */
th_status th_text_files_look(struct th_text_files *files, struct th_comm *comm,
                             const char *const *names,
                             const struct th_text_look *look, th_status rc,
                             struct th_error *err);

/* One that is no file, but stands for what is in memory: of so many bytes, as
 * far as it is dealt to ranks. Local. */
void th_text_files_stand_in(struct th_text_files *files, const char *name,
                            int64_t bytes);

/* What each rank has found of the headers of its files goes to all, unless one
 * has failed to; `rc` says how this one did. Collective. */
th_status th_text_files_share(struct th_text_files *files, struct th_comm *comm,
                              th_status rc, struct th_error *err);

/* An error where a file is not any more what it was. Local. */
th_status th_text_files_check(const struct th_text_files *files,
                              struct th_error *err);

/* The outcome `rc` of reading from files, on which all ranks agree; where a
 * file is not any more what it was when it was looked at first, that failure
 * instead. Collective. */
th_status th_text_files_unchanged(const struct th_text_files *files,
                                  struct th_comm *comm, th_status rc,
                                  struct th_error *err);

/* A file that is read by this rank alone, beside the inputs: `read` has it
 * while it is open, and the outcome is its own, unless the file has changed
 * meanwhile. output: temporary files lie beside it; NULL: beside the file.
 * Local. */
typedef th_status (*th_text_reader)(void *self, struct th_text_file *file,
                                    struct th_error *err);
th_status th_text_files_alone(const char *name, const char *output,
                              th_text_reader read, void *self,
                              struct th_error *err);

/* Temporary files go, so nobody may read any more. Local. */
void th_text_files_close(struct th_text_files *files);

#endif
