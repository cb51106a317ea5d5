/* id_join.h - the rows of a table that belong to the examples of data, by ID
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_ID_JOIN_H
#define TH_ID_JOIN_H

#include "io/dataset/residency/dataset.h"
#include "io/targets/target_table.h"

#include <stdbool.h>
#include <stdint.h>

/* The first three members are the caller's to set; the rest begins as zeros. */
struct th_id_join {
  struct th_dataset *dataset; /* borrowed */
  const char *data;           /* its name in messages; borrowed */
  int64_t beside;             /* bytes that the caller keeps of each example */
  int64_t examples;
  const char *name; /* of the table; borrowed */
  struct th_target_table table;
  struct th_ids ids;
  bool single;   /* by IID alone, of the table, */
  bool tail;     /* or of the data, behind FID and a blank */
  int64_t *slot; /* open addressing, at most half full: row + 1, or 0 */
  uint64_t mask;
  int64_t *row;     /* of the table, of each stored example; -1: none */
  int64_t *matched; /* of each row of the table: stored row + 1, or 0 */
  int64_t common;   /* rows that have an example */
  int64_t bytes;    /* that all of it takes at most */
};

/* An error unless there is a data set, and has IDs. data: its name; option: in
 * braces; both for messages. */
th_status th_id_join_check(const struct th_dataset *dataset, const char *data,
                           const char *option, struct th_error *err);

/* Read a table and find the row of each example. An error where nothing
 * matches, with IDs of both sides; where an ID stands twice on either side,
 * with both places; and where more than `memory` bytes (0: any) would be
 * needed. Release with th_id_join_free, also after a failure. */
th_status th_id_join_read(struct th_id_join *join,
                          const struct th_target_choice *choice, int64_t memory,
                          struct th_error *err);
void th_id_join_free(struct th_id_join *join);

/* What the IDs are called that were looked for. Borrowed. */
const char *th_id_join_called(const struct th_id_join *join);

#endif
