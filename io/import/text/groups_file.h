/* groups_file.h - groups of attributes from a text file
 *
 * There is one group on a line: its attributes, counted from 0 or by the
 * indices that they are called by, and ranges a-b with both ends, in any order,
 * separated by blanks or commas. weight=W may stand anywhere among them. It
 * sets the weight of the group; a group of weight 0 has no penalty. Without it
 * the group has the default weight of the penalty. What follows a # is a
 * comment. Empty lines are left out. Every attribute of the data is in one
 * group. The file may be compressed.
 *
 *   0-9 12      # eleven attributes
 *   10,11 weight=0.5
 *
 * SPDX-License-Identifier: MIT */
#ifndef TH_GROUPS_FILE_H
#define TH_GROUPS_FILE_H

#include "data/groups.h"

/* Read a file whole: *piece, owned by the caller, is all of the attributes,
 * ascending. A compressed file is decompressed beside `output`, or, NULL,
 * beside itself. 40 bytes for every attribute or range in the file, and 32 for
 * every group. An error names FILE:LINE for what is no group, for attributes
 * that `attributes` does not reach to, in two groups or in none. Local.
 *
 * index: of the attributes, ascending, where they are called so: numbers in the
 * file are indices then, of which those that do not occur are left out; else
 * NULL. */
th_status th_groups_file_whole(const char *name, const char *output,
                               int64_t attributes, const uint64_t *index,
                               struct th_group_piece **piece, int64_t *count,
                               struct th_error *err);

/* Read a file of groups on rank 0 alone, which has the indices, and share it.
 * Collective. Release with
 * th_groups_free. */
th_status th_groups_file_read(struct th_groups *groups, struct th_comm *comm,
                              const char *name, const char *output,
                              int64_t attributes, const uint64_t *index,
                              struct th_error *err);

#endif
