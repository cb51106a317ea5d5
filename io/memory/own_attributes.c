/* own_attributes.c - a matrix of which each rank has some attributes, dealt by
 * rows
 * SPDX-License-Identifier: MIT */
#include "io/memory/own_attributes.h"

#include "base/integer.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* What goes to each rank and comes from it. */
struct trade {
  int64_t *columns;  /* of each rank */
  int64_t *sent;     /* bytes to each */
  int64_t *received; /* and from each */
  char *send;
  char *receive;
};

/* How many columns each rank has, and all together. Collective. */
static th_status count_columns(struct trade *trade,
                               struct th_own_attributes *own,
                               struct th_comm *comm, struct th_error *err)
{
  const char *what = "attributes of the ranks";
  th_status rc = TH_NEW(&trade->columns, comm->size, what, err);
  if (rc == TH_OK)
    rc = TH_NEW(&trade->sent, comm->size, what, err);
  if (rc == TH_OK)
    rc = TH_NEW(&trade->received, comm->size, what, err);
  TH_TRY(th_agree(comm, rc, err));
  trade->columns[comm->rank] = own->given.columns;
  comm->ops->sum_i64(comm, trade->columns, (size_t)comm->size);
  own->given.columns = 0;
  for (int r = 0; r < comm->size; r++)
    own->given.columns += trade->columns[r];
done:
  return rc;
}

/* Rows of all ranks with this one's columns, in the order of the ranks; import
 * deals rows as th_range_part does. Local. */
static th_status pack_columns(struct trade *trade,
                              const struct th_given_matrix *mine,
                              const struct th_comm *comm, struct th_error *err)
{
  const int64_t size = (int64_t)th_items_size(mine->values.element);
  const int64_t own =
      th_range_count(th_range_part(mine->rows, comm->rank, comm->size));
  int64_t all = 0;
  for (int r = 0; r < comm->size; r++) {
    int64_t rows = th_range_count(th_range_part(mine->rows, r, comm->size));
    trade->sent[r] = rows * mine->columns * size;
    trade->received[r] = own * trade->columns[r] * size;
    all += trade->received[r];
  }
  th_status rc = th_alloc((void **)&trade->send, mine->rows * mine->columns,
                          (size_t)size, "attributes of the ranks", err);
  if (rc == TH_OK)
    rc = th_alloc((void **)&trade->receive, all, 1, "rows of all ranks", err);
  if (rc == TH_OK)
    th_given_rows(mine, (struct th_range){0, mine->rows}, trade->send);
  return rc;
}

/* Put the pieces of the ranks side by side. Local. */
static th_status lay_out_rows(const struct trade *trade,
                              struct th_own_attributes *own,
                              const struct th_comm *comm, struct th_error *err)
{
  struct th_given_matrix *given = &own->given;
  const int64_t size = (int64_t)th_items_size(given->values.element);
  const int64_t row = given->columns * size;
  const char *piece = trade->receive;
  int64_t before = 0;
  given->held = th_range_part(given->rows, comm->rank, comm->size);
  const int64_t rows = th_range_count(given->held);
  th_status rc = th_alloc(&own->values, th_max_i64(rows, 1), (size_t)row,
                          "rows of all ranks", err);
  for (int r = 0; rc == TH_OK && r < comm->size; r++) {
    int64_t bytes = trade->columns[r] * size;
    for (int64_t i = 0; i < rows; i++, piece += bytes)
      memcpy((char *)own->values + i * row + before, piece, (size_t)bytes);
    before += bytes;
  }
  given->values.items = own->values;
  given->row_stride = given->columns;
  given->column_stride = 1;
  return rc;
}

/* The names of all ranks' attributes, one behind the other. Collective. */
static th_status join_names(struct th_own_attributes *own,
                            const struct th_given_matrix *mine,
                            struct th_comm *comm, struct th_error *err)
{
  int64_t bytes = 0;
  int64_t *counts = NULL;
  char *text = NULL;
  for (int64_t k = 0; k < mine->columns; k++)
    bytes += (int64_t)strlen(mine->names[k]) + 1;
  th_status rc = TH_NEW(&text, bytes, "names", err);
  if (rc == TH_OK)
    rc = TH_NEW(&counts, comm->size, "names", err);
  if (rc == TH_OK)
    rc = TH_NEW(&own->names, own->given.columns, "names", err);
  TH_TRY(th_agree(comm, rc, err));
  char *to = text;
  for (int64_t k = 0; k < mine->columns; k++)
    to = stpcpy(to, mine->names[k]) + 1;
  TH_TRY(th_comm_gather(comm, text, bytes, counts, &own->texts, err));
  const char *at = own->texts;
  for (int64_t k = 0; k < own->given.columns; k++, at += strlen(at) + 1)
    own->names[k] = at;
  own->given.names = own->names;
done:
  TH_FREE(text, counts);
  return rc;
}

th_status th_own_attributes_join(struct th_own_attributes *own,
                                 const struct th_given_matrix *mine,
                                 struct th_comm *comm, struct th_error *err)
{
  struct trade trade = {0};
  th_status rc = TH_OK;
  own->given = *mine;
  TH_TRY(count_columns(&trade, own, comm, err));
  TH_TRY(th_agree(comm, pack_columns(&trade, mine, comm, err), err));
  comm->ops->exchange(comm, trade.send, trade.sent, trade.receive,
                      trade.received);
  free(trade.send);
  trade.send = NULL;
  TH_TRY(th_agree(comm, lay_out_rows(&trade, own, comm, err), err));
  if (mine->names != NULL)
    rc = join_names(own, mine, comm, err);
done:
  TH_FREE(trade.columns, trade.sent, trade.received, trade.send, trade.receive);
  return rc;
}

void th_own_attributes_free(struct th_own_attributes *own)
{
  TH_FREE(own->values, own->texts, own->names);
  *own = (struct th_own_attributes){0};
}
