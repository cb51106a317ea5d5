/* file_kind.h - what kind of file a path names
 * SPDX-License-Identifier: MIT */
#ifndef TH_FILE_KIND_H
#define TH_FILE_KIND_H

#include "base/error.h"

enum th_file_kind {
  TH_FILE_DATASET,
  TH_FILE_MODEL,
  TH_FILE_SHARD,
  TH_FILE_HDF5, /* not of thresher */
  TH_FILE_TEXT, /* also compressed */
  TH_FILE_OTHER
};

/* What a file is, by its content. Local. An error when it cannot be opened, or
 * another program has it open for writing. */
th_status th_file_kind(const char *path, enum th_file_kind *kind,
                       struct th_error *err);

#endif
