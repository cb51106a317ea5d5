/* master.h - the master file of a data set; internal to io/
 * SPDX-License-Identifier: MIT */
#ifndef TH_MASTER_H
#define TH_MASTER_H

#include "base/error.h"
#include "data/groups.h"
#include "io/dataset/row_groups.h"
#include "io/dataset/variants.h"
#include "io/files/hash.h"
#include "model/origin.h"
#include "ranks/comm.h"

struct th_h5;
struct th_h5_image;

/* One line of the shard table. */
struct th_shard_row {
  struct th_range range;
  int64_t bytes;
  uint64_t content;
  uint64_t hash; /* of the file's bytes */
  char *path;    /* relative to the master's folder: FOLDER.shards/FILE.h5 */
};

/* What every rank knows of a data set; all pointers are owned. */
struct th_master_info {
  struct th_row_groups row_groups;
  uint64_t fingerprint;
  uint64_t tables; /* hash of the tables of checksums */
  struct th_name_print names;
  int64_t master_bytes;
  int64_t shards;
  struct th_shard_row *shard;
  bool generated;
  struct th_ground_truth truth;
  char *provenance;
  struct th_origin origin;
  struct th_twins twins;
};

/* What the master holds besides the shards; read on rank 0 alone. target and
 * row are in stored order; target is NaN if the shape says that there are none.
 * weight and names may be NULL. */
struct th_master {
  const double *target;
  const double *weight;
  const int64_t *row;       /* 0-based number of the example in the input */
  const char *const *names; /* one per attribute */
  const uint64_t *index;    /* in place of names: indices, one per attribute,
                               ascending; or NULL */
  const char *const *ids;   /* one per example, in stored order, or NULL */
  const struct th_variant *variant; /* one per attribute; NULL: they are none */
  const unsigned char *lacking;   /* likewise: it lacks too many values, and has
                            zeros in   their place; NULL: none does */
  const struct th_origin *origin; /* NULL: nothing is known of a text */
  const struct th_group_piece *piece;  /* of groups of attributes: all of them,
                                          ascending */
  int64_t pieces;                      /* 0: no groups */
  const struct th_twins *twins;        /* NULL: nobody has looked */
  const struct th_ground_truth *truth; /* NULL: not generated */
  const char
      *provenance; /* how the data were made; one line without paths or dates */
};

/* Local. */
void th_master_info_free(struct th_master_info *info);

/* The fixed name of shard k in the folder of that name. Local. */
th_status th_master_shard_path(char **path, const char *folder, int64_t k,
                               struct th_error *err);

/* Make the whole master as bytes, and fill the fingerprint into *info. Local;
 * rank 0. The caller owns the image. */
th_status th_master_image(const char *name, struct th_master_info *info,
                          const struct th_master *master,
                          struct th_h5_image *image, struct th_error *err);

/* Read everything but the arrays over examples. Local; rank 0. */
th_status th_master_read(const char *path, struct th_master_info *info,
                         struct th_error *err);

/* Likewise of a master that is in memory, with the shard table as it is there.
 * Local. */
th_status th_master_read_image(const struct th_h5_image *image,
                               const char *name, struct th_master_info *info,
                               struct th_error *err);

/* An error unless this host's master is the one that rank 0 has read. Local; on
 * every rank. */
th_status th_master_same(const struct th_h5 *h5,
                         const struct th_master_info *info,
                         struct th_error *err);

/* Give rank 0's record, or its failure rc, to every rank. A rank that has no
 * memory fails alone: the caller agrees. Collective. */
th_status th_master_share(struct th_master_info *info, struct th_comm *comm,
                          th_status rc, struct th_error *err);

/* Write the virtual data sets of a master. Local. */
th_status th_master_views(const struct th_h5 *h5,
                          const struct th_master_info *info,
                          struct th_error *err);

#endif
