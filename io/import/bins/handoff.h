/* handoff.h - tiles that one thread makes and another one writes, in order
 *
 * A few places go round: the maker fills the next one, the writer empties the
 * oldest. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_HANDOFF_H
#define TH_HANDOFF_H

#include "io/import/bins/transpose.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { TH_HANDOFF_PLACES = 2 };

/* The mutex guards made, written and ended; a place belongs to the maker until
 * it is made, and then to the writer. */
struct th_handoff {
  struct th_transpose place[TH_HANDOFF_PLACES];
  pthread_mutex_t mutex;
  pthread_cond_t news;
  int64_t made; /* tiles so far */
  int64_t written;
  bool ended; /* one of the two has come to its end, or failed */
};

/* All places are like the one that is given. */
void th_handoff_init(struct th_handoff *handoff,
                     const struct th_transpose *like);
void th_handoff_free(struct th_handoff *handoff);

/* The maker: a place to make a tile in, NULL if the writer has failed; and that
 * it is made. */
struct th_transpose *th_handoff_place(struct th_handoff *handoff);
void th_handoff_made(struct th_handoff *handoff);

/* The writer: the next tile, NULL if no more will come; and that it is written.
 */
const struct th_transpose *th_handoff_next(struct th_handoff *handoff);
void th_handoff_written(struct th_handoff *handoff);

/* Either of them: it is through. What is made can still be written. */
void th_handoff_end(struct th_handoff *handoff);

#endif
