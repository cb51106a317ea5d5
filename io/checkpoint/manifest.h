/* manifest.h - what a checkpoint holds, and where; internal to io/checkpoint
 *
 * A manifest is a row of 64-bit integers in this machine's byte order:
 *
 *   MAGIC, number of all integers, number of the checkpoint, ranks R, arrays K,
 *   integers of the key; the key, padded with zeros; for each array its name
 *   (12 integers), type, place, vectors, items of a vector; for each array the
 *   items of a vector that each of the R parts has; for each part its checksum;
 *   the checksum of all that
 *
 * The part of a rank has, array by array, its items, vector by vector. What all
 * ranks have is in the first part alone. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_MANIFEST_H
#define TH_MANIFEST_H

#include "state/state.h"

enum { TH_MANIFEST_NAME = 64, TH_MANIFEST_BLOCK = 1 << 20 };

struct th_manifest {
  int64_t number;
  int64_t parts;
  int64_t arrays;
  char *key;                    /* owned, as all others */
  struct th_state_entry *entry; /* [arrays]; without data */
  int64_t *width;  /* [arrays][parts]: items of a vector in that part */
  int64_t *offset; /* [parts][arrays + 1]: byte of the array in it; its end */
  int64_t *hash;   /* [parts] */
};

/* Room for a manifest of that many parts and arrays. */
th_status th_manifest_new(struct th_manifest **manifest, int64_t parts,
                          int64_t arrays, struct th_error *err);
void th_manifest_free(struct th_manifest *manifest);

/* Where each array begins in each part, from the widths. false: the numbers do
 * not fit together. */
bool th_manifest_place(struct th_manifest *manifest);

/* The bytes of a manifest: *count integers, owned by the caller. */
th_status th_manifest_pack(const struct th_manifest *manifest, int64_t **words,
                           int64_t *count, struct th_error *err);

/* Make a manifest of such bytes. TH_EFORMAT if they are damaged or of another
 * version. */
th_status th_manifest_unpack(struct th_manifest **manifest,
                             const int64_t *words, int64_t count,
                             struct th_error *err);

/* Names of the files. */
const char *th_manifest_name(int64_t number, char name[TH_MANIFEST_NAME]);
const char *th_manifest_part_name(int64_t number, int64_t part,
                                  char name[TH_MANIFEST_NAME]);

/* The number of the checkpoint that a file of this name belongs to; 0: to none.
 * *whole: it is a manifest. */
int64_t th_manifest_name_number(const char *name, bool *whole);

/* The checksum of a part goes on by one block: TH_MANIFEST_BLOCK bytes, the
 * last block less. */
int64_t th_manifest_hash_next(int64_t hash, const void *block, int64_t bytes);

#endif
