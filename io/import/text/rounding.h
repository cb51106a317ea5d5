/* rounding.h - which attributes of a text lose by being stored as f32
 * SPDX-License-Identifier: MIT */
#ifndef TH_ROUNDING_H
#define TH_ROUNDING_H

#include "data/source.h"
#include "io/import/text/text_row.h"
#include "ranks/comm.h"

/* The rounding errors of the rows that were measured. */
struct th_rounding {
  int64_t attributes; /* that were seen */
  int64_t capacity;
  double *error; /* per attribute: minus the lowest, then the highest */
};

/* True if a row of that number is to be measured: the first ones, and a share
 * of the others, so that it takes no time. Local. */
bool th_rounding_wants(int64_t row);

/* Look at a row that was measured. Local. */
th_status th_rounding_see(struct th_rounding *rounding,
                          const struct th_text_row *row, struct th_error *err);

/* Of all ranks. Collective. */
th_status th_rounding_share(struct th_rounding *rounding, struct th_comm *comm,
                            struct th_error *err);

/* True if an attribute's values differ by errors of a notable part of their
 * standard deviation as stored. An error that is the same everywhere, as that
 * of a constant, is none. Local. */
bool th_rounding_notable(const struct th_rounding *rounding, int64_t attribute,
                         double deviation);

void th_rounding_free(struct th_rounding *rounding);

#endif
