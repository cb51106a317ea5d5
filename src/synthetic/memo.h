/* memo.h - computed pieces kept in memory: first come, first kept
 *
 * All pieces are equally likely to be wanted again, so it gains nothing to drop
 * one for another. Pieces that fit are kept; the others are computed each time.
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_MEMO_H
#define TH_MEMO_H

#include "base/error.h"

#include <stdint.h>

struct th_memo_entry {
  int64_t key;
  void *data; /* NULL: an empty slot */
};

/* Zeroed: empty. */
struct th_memo {
  int64_t used; /* bytes */
  int64_t count;
  int64_t slots; /* a power of two, or 0 */
  struct th_memo_entry *slot;
  void (*release)(void *data); /* frees what is kept; NULL: free */
};

/* Return the data kept under a key, or NULL. */
void *th_memo_find(const struct th_memo *memo, int64_t key);

/* Keep data, which take `bytes`, under a key that has none yet. The memo then
 * owns them. */
th_status th_memo_put(struct th_memo *memo, int64_t key, void *data,
                      int64_t bytes, struct th_error *err);

void th_memo_free(struct th_memo *memo);

#endif
