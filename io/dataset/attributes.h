/* attributes.h - what a file says of attributes: their names, and groups of
 * them; and the IDs of examples, which are stored as names are; internal to
 * io/, local
 * SPDX-License-Identifier: MIT */
#ifndef TH_ATTRIBUTES_H
#define TH_ATTRIBUTES_H

#include "base/error.h"
#include "data/groups.h"
#include "io/hdf5/h5.h"

/* Names that are read and verified together. */
enum { TH_NAMES_PIECE = 4096 };

/* Names of what: of attributes (th_attribute_names), or of examples
 * (th_attribute_ids). */
struct th_named {
  const char *set;      /* in the file */
  const char *checksum; /* likewise, of the pieces */
  const char *what;     /* "names of attribute" */
};
extern const struct th_named th_attribute_names;
extern const struct th_named th_attribute_ids;

/* Write texts and the checksums of their pieces. */
th_status th_attribute_texts_put(const struct th_h5 *h5,
                                 const struct th_named *named, int64_t count,
                                 const char *const *texts,
                                 struct th_error *err);

/* Write all names, the checksums of their pieces and both hashes. */
th_status th_attribute_names_put(const struct th_h5 *h5, int64_t count,
                                 const char *const *names,
                                 struct th_name_print *print,
                                 struct th_error *err);

/* Likewise of names that are indices, ascending. */
th_status th_attribute_indices_put(const struct th_h5 *h5, int64_t count,
                                   const uint64_t *index,
                                   struct th_name_print *print,
                                   struct th_error *err);

/* All names, each ended by a zero: one allocation, owned by the caller. An
 * error where they are not those that were written. */
th_status th_attribute_names_get(const struct th_h5 *h5, int64_t count,
                                 char ***names, struct th_error *err);

/* All names as indices, owned by the caller; NULL where they are texts, or
 * there are none. */
th_status th_attribute_indices_get(const struct th_h5 *h5, int64_t count,
                                   uint64_t **index, struct th_error *err);

/* The hashes of a master's names, computed from all of them; zeros if it has
 * none. An error where the master says that they are others; masters of an
 * older minor version do not say. */
th_status th_attribute_names_print(const struct th_h5 *h5, int64_t count,
                                   struct th_name_print *print,
                                   struct th_error *err);

/* Names, read piece by piece. */
struct th_names {
  const struct th_named *named; /* borrowed */
  const struct th_h5 *h5;
  struct th_h5_set set;
  hid_t type;
  size_t width;       /* bytes of a name, padded with zeros */
  int64_t count;      /* of all */
  uint64_t *checksum; /* of the pieces; NULL: older minor version */
  char *room;         /* of a piece */
  uint64_t *index;    /* of a piece, where names are indices; else NULL */
  int64_t piece;      /* that is in the room; -1: none */
};

/* Begin and end reading names, which must exist. th_attribute_names_close is
 * legal on a zeroed record. */
th_status th_attribute_names_open(struct th_names *names,
                                  const struct th_h5 *h5, int64_t count,
                                  struct th_error *err);

/* Begin reading others: IDs. */
th_status th_attribute_texts_open(struct th_names *names,
                                  const struct th_named *named,
                                  const struct th_h5 *h5, int64_t count,
                                  struct th_error *err);

void th_attribute_names_close(struct th_names *names);

/* A name of up to names->width bytes, not ended by a zero. NULL if its piece
 * cannot be read or is damaged. Borrowed until the next call. */
const char *th_attribute_names_at(struct th_names *names, int64_t attribute,
                                  struct th_error *err);

/* Write the pieces of all attributes, ascending. Without pieces, nothing is
 * written. */
th_status th_attribute_groups_put(const struct th_h5 *h5,
                                  const struct th_group_piece *piece,
                                  int64_t count, struct th_error *err);

/* Read and verify them; *count is 0 and *piece NULL if there are none. The
 * caller owns *piece. */
th_status th_attribute_groups_get(const struct th_h5 *h5, int64_t attributes,
                                  struct th_group_piece **piece, int64_t *count,
                                  struct th_error *err);

#endif
