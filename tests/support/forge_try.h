/* forge_try.h - forged data sets are tried out, as all of the program may
 * SPDX-License-Identifier: MIT */
#ifndef FORGE_TRY_H
#define FORGE_TRY_H

#include "forge.h"

#include "base/error.h"
#include "data/slab.h"
#include "io/dataset/residency/dataset.h"

#include <stddef.h>

enum {
  FORGE_SHARDS = 2,
  FORGE_FILES = FORGE_SHARDS + 1,
  FORGE_BYTES = 1 << 18
};

struct forge_file {
  char path[FORGE_PATH];
  size_t size;
  char bytes[FORGE_BYTES];
};

/* A data set in its files, to be put back after each forgery. */
struct forge_original {
  char master[FORGE_PATH];
  struct forge_file file[FORGE_FILES];
  int places;
  struct forge_place place[FORGE_FILES * FORGE_PLACES];
};

/* A small one, with names, weights, groups and a truth, in a folder. */
void forge_make(struct forge_original *original, const char *folder,
                enum th_layout layout, enum th_type type);
void forge_put_back(const struct forge_original *original);

/* What is being tried, for messages: begin anew; add a change of a place. */
void forge_label_clear(void);
void forge_label_add(const struct forge_place *place, int64_t at, int way);
const char *forge_label(void);

/* Check that a failure says so in one line; its code. */
th_status forge_told(th_status rc, const struct th_error *err);

/* Open it; verify all of it; read all of it. */
th_status forge_open(struct th_dataset **d, const char *path, int64_t memory,
                     struct th_error *err);
th_status forge_check(const char *path);
th_status forge_look_at_all(struct th_dataset *d, struct th_error *err);

/* All of that, then a short run of a solver, each in its turn, with prediction
 * and verification. What is refused in use must be refused by the check. */
void forge_try_out(const char *master, uint64_t random);

#endif
