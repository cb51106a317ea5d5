/* fuzz.h - programs that try any bytes on one reader each
 *
 * With libFuzzer (preset fuzz, jobs/fuzz.sh) they run for as long as is wanted.
 * In every other build main.c tries the corpus and changes of it.
 * SPDX-License-Identifier: MIT */
#ifndef FUZZ_H
#define FUZZ_H

#include "io/import/import.h"

#include <stddef.h>
#include <stdint.h>

/* Try these bytes. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_PATH = 512 };

/* A file in memory with these bytes, in a folder of this process that is made
 * on first use: its path. */
void fuzz_file(const char *name, const uint8_t *data, size_t size,
               char path[FUZZ_PATH]);

/* The path of another name in that folder. */
void fuzz_path(const char *name, char path[FUZZ_PATH]);

/* Such a file, with the right seal (io/files/output.h) in the place of the last
 * bytes. */
void fuzz_sealed(const char *name, const uint8_t *data, size_t size,
                 char path[FUZZ_PATH]);

/* Import the inputs of the job into that folder, with little memory and in
 * short row groups. What comes of it is a data set, or one line. */
void fuzz_import(struct th_import job);

/* The same of a file with these bytes. */
void fuzz_import_file(const char *name, const uint8_t *data, size_t size,
                      struct th_import job);

/* A failure is one line. */
void fuzz_one_line(th_status rc, const struct th_error *err);

#endif
