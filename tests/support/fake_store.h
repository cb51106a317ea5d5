/* fake_store.h - a small store that counts what a source asks of it
 * SPDX-License-Identifier: MIT */
#ifndef FAKE_STORE_H
#define FAKE_STORE_H

#include "data/source.h"

enum {
  FAKE_ATTRIBUTES = 20,
  FAKE_EXAMPLES = 40,
  FAKE_TRAINING = 30,
  FAKE_BUDGET = 6
};

/* Value of attribute a on row i is 100 a + i; the store counts its reads. */
struct fake_store {
  struct th_store store;
  double values[FAKE_ATTRIBUTES * FAKE_EXAMPLES];
  int64_t reads;
  bool kept;
  int64_t absent;    /* the first attribute that is not in memory */
  int64_t announced; /* rows times attributes, +1000 for each that is kept */
  int64_t forgotten;
};

void fake_store_init(struct fake_store *fake);

/* The same, with an operation that copies, as far as attributes are in memory.
 */
void fake_store_init_copying(struct fake_store *fake, int64_t absent);

/* Calls of a source whose messages do not matter. */
th_status fake_try_draw(struct th_source *source, struct th_draw *draw);
th_status fake_try_block(struct th_source *source, const struct th_draw *draw,
                         struct th_rows rows, struct th_range range);
th_status fake_try_support(struct th_source *source, const struct th_draw *draw,
                           struct th_rows rows, int64_t attribute);

#endif
