/* targets.h - targets from a table, joined to data by the IDs of their examples
 * SPDX-License-Identifier: MIT */
#ifndef TH_TARGETS_H
#define TH_TARGETS_H

#include "api/data.h"
#include "io/targets/target_table.h"

/* Give open data the targets of a table, and its weights if it has some.
 * Examples without a target get weight 0: they are neither trained on nor
 * tested. Rank 0 reads the table; it keeps 16 bytes of each example, the IDs of
 * both sides and some 80 bytes of each row for the moment. What was matched is
 * noted (th_data.note); `trains`: also what training uses of the
 * examples without one. An error where nothing matches, with IDs of both sides;
 * where an ID stands twice on either side, with both places; and where no
 * training example has a target. Collective; call before targets are read. */
th_status th_targets_join(struct th_data *data,
                          const struct th_target_choice *choice, bool trains,
                          struct th_comm *comm, struct th_error *err);

#endif
