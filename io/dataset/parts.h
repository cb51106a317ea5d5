/* parts.h - the parts of a sparse shard: how it is cut into them, where they
 * lie in its file, and which of them are kept in memory together; internal to
 * io/, local
 *
 * A part is some consecutive attributes, cut so that all parts have about as
 * many entries. A piece is a part on one row group, under a checksum. In the
 * file, pieces are ordered by row group, then attribute; the tables of pieces
 * by part, then row group, so that a rank reads the tables of its attributes
 * alone. A bundle is some consecutive parts that are read together: its pieces
 * of a row group follow one another. Bundles end where a rank's attributes do.
 * SPDX-License-Identifier: MIT */
#ifndef TH_PARTS_H
#define TH_PARTS_H

#include "base/range.h"
#include "io/dataset/fingerprint.h"
#include "io/dataset/row_groups.h"
#include "io/hdf5/h5.h"

/* Where pieces begin, and behind them the end; owned. */
struct th_piece_tables {
  int64_t *run; /* NULL: there are none yet */
  int64_t *entry;
  uint64_t *checksum;
};

th_status th_parts_tables_init(struct th_piece_tables *tables, int64_t pieces,
                               struct th_error *err);
void th_parts_tables_free(struct th_piece_tables *tables);

/* --- A shard that is written ---------------------------------------------- */

struct th_parts_write {
  const struct th_row_groups *row_groups; /* borrowed */
  struct th_range range;                  /* attributes of the shard */
  int64_t count;                          /* 0: not cut yet */
  int64_t *first;    /* count + 1: attributes, from the shard's first */
  int64_t *training; /* of each: entries of training examples */
  struct th_piece_tables piece; /* by row group, then part */
};

/* Enter a tile: all of the shard on the next row group; runs, entries: written
 * before. The first one is cut into parts, and so are all others. */
th_status th_parts_enter(struct th_parts_write *parts, int64_t group,
                         const struct th_shard_piece_parts *tile, int64_t runs,
                         int64_t entries, struct th_error *err);

/* Write the tables of a shard with so many runs and entries. */
th_status th_parts_put(const struct th_parts_write *parts,
                       const struct th_h5 *h5, int64_t runs, int64_t entries,
                       struct th_error *err);
void th_parts_write_free(struct th_parts_write *parts);

/* --- A shard that is read ------------------------------------------------- */

struct th_bundle {
  struct th_range attributes; /* of the data set */
  struct th_range parts;
  struct th_piece_tables piece; /* by part, then row group; behind the last
                                   part, where row groups end */
};

struct th_parts {
  const struct th_row_groups *row_groups; /* borrowed */
  const struct th_h5 *h5;                 /* borrowed: the open shard */
  struct th_range range;                  /* attributes of the shard */
  int64_t runs;                           /* of the shard */
  int64_t entries;                        /* likewise */
  int64_t count;
  int64_t *first;    /* count + 1: attributes, from the shard's first */
  int64_t *training; /* of each: entries of training examples */
  int64_t bundles;
  struct th_bundle *bundle;
  struct th_piece_tables old; /* of a shard that was written before there were
                                 parts, by row group, then piece */
  int64_t bytes_read;         /* since the owner took them */
};

/* Read the borders of the parts, if that is not done yet; row_groups, h5,
 * range, runs and entries are set. The owner ends it with th_parts_close. */
th_status th_parts_open(struct th_parts *parts, struct th_error *err);
void th_parts_close(struct th_parts *parts);

/* Find the bundle that holds an attribute of the shard, and read its tables
 * when they are first wanted. owned: the rank's attributes of the data set,
 * which are the same in all calls. */
th_status th_parts_find(struct th_parts *parts, struct th_range owned,
                        int64_t attribute, int64_t *bundle,
                        struct th_error *err);

/* The first attribute of the bundle of an attribute; -1: nothing of the shard
 * was looked for yet. */
int64_t th_parts_first(const struct th_parts *parts, int64_t attribute);

#endif
