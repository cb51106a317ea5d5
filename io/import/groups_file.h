/* groups_file.h - groups of attributes from a text file
 *
 * One group on a line: its attributes, counted from 0, and ranges a-b with both
 * ends, separated by blanks or commas, in any order; anywhere among them
 * weight=W, a number above 0, where the group's weight is not the default of
 * the penalty. What follows a # is a comment; lines without anything else are
 * left out. Every attribute of the data is in one group. Also compressed by
 * gzip, bzip2 or xz.
 *
 *   0-9 12      # eleven attributes
 *   10,11 weight=0.5
 *
 * SPDX-License-Identifier: MIT */
#ifndef TH_GROUPS_FILE_H
#define TH_GROUPS_FILE_H

#include "core/groups.h"

/* Read a file whole: *piece, owned by the caller, is all of the attributes,
 * ascending. A compressed file is decompressed beside `output`, or,
 * NULL, beside itself. 40 bytes for
 * every attribute or range in the file, and 32 for every group. TH_EDATA with
 * FILE:LINE for what is no group, for attributes that `attributes` does not
 * reach to, in two groups or in none. Local. */
th_status th_groups_read_whole(const char *name, const char *output,
                               int64_t attributes,
                               struct th_group_piece **piece, int64_t *count,
                               struct th_error *err);

/* The same on rank 0 alone, then shared. Collective. Release with
 * th_groups_free. */
th_status th_groups_read(struct th_groups *groups, struct th_comm *comm,
                         const char *name, const char *output,
                         int64_t attributes, struct th_error *err);

#endif
