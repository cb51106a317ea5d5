/* checkpoint_image.h - a checkpoint that was found, as it is read
 *
 * The ranks deal out its parts to compare their checksums. What every rank
 * needs lies in the first part: rank 0 reads it, and each node keeps it in
 * memory that its ranks share until the image is released. Of what is spread by
 * attributes each rank reads its own items.
 *
 * All functions are collective, if they do not say otherwise.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CHECKPOINT_IMAGE_H
#define TH_CHECKPOINT_IMAGE_H

#include "state/state.h"

struct th_manifest;

struct th_checkpoint_image {
  struct th_state_image image; /* items are read when they are put */
  struct th_comm *comm;        /* borrowed */
  struct th_manifest *manifest;
  struct th_shared common; /* arrays that every rank needs; data NULL: they are
                              read where they lie */
  int64_t *place;          /* [arrays]: byte of each in it */
  int folder;              /* borrowed */
  int64_t number;          /* 0: there is none */
  int64_t part;            /* that is open, */
  int file;                /* and its descriptor; -1: none */
};

/* Read the manifest of a checkpoint in an open folder. Also after an error,
 * release it. */
th_status th_checkpoint_image_open(struct th_checkpoint_image *found,
                                   struct th_comm *comm, int folder,
                                   int64_t number, struct th_error *err);

/* What the run that wrote it depends on: lines `NAME VALUE`. Local. */
const char *th_checkpoint_image_key(const struct th_checkpoint_image *found);

/* Compare the checksums of all parts, and make items ready to be put. name:
 * where it comes from, for messages; borrowed. */
th_status th_checkpoint_image_check(struct th_checkpoint_image *found,
                                    const char *name, struct th_error *err);

/* Legal where none was found. */
void th_checkpoint_image_release(struct th_checkpoint_image *found);

#endif
