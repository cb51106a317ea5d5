/* state_image.c - takes, checks and shares images of the state of a run
 * SPDX-License-Identifier: MIT */
#include "core/memory.h"
#include "core/state.h"

#include <stdlib.h>
#include <string.h>

void th_state_image_free(struct th_state_image *image)
{
  for (int64_t k = 0; k < image->count; k++)
    free(image->entry[k].data);
  free(image->entry);
  *image = (struct th_state_image){.entry = NULL};
}

static size_t bytes_of(const struct th_state_entry *entry)
{
  return (size_t)(entry->rows * entry->all) * th_state_size(entry->type);
}

/* Join the parts of all ranks, vector by vector. */
static void interleave(const char *parts, const int64_t *bytes, int size,
                       struct th_state_entry *made)
{
  size_t item = th_state_size(made->type);
  size_t first = 0; /* byte of a vector */
  for (int r = 0; r < size; r++) {
    size_t width = made->rows > 0 ? (size_t)(bytes[r] / made->rows) : 0;
    for (int64_t row = 0; row < made->rows; row++, parts += width)
      memcpy((char *)made->data + (size_t)(row * made->all) * item + first,
             parts, width);
    first += width;
  }
}

/* Gather an array that is spread over the ranks. Collective. */
static th_status gather(const struct th_state_entry *from,
                        struct th_state_entry *made, struct th_comm *comm,
                        struct th_error *err)
{
  int64_t width = from->here.last - from->here.first;
  int64_t mine = from->rows * width * (int64_t)th_state_size(from->type);
  int64_t *bytes = NULL;
  void *parts = NULL;
  th_status rc = TH_NEW(&bytes, comm->size, "the state of the run", err);
  TH_TRY(th_agree(comm, rc, err));
  made->all = width;
  comm->ops->sum_i64(comm, &made->all, 1);
  TH_TRY(th_comm_gather(comm, from->data, mine, bytes, &parts, err));
  rc = th_alloc(&made->data, (int64_t)bytes_of(made), 1, "the state of the run",
                err);
  TH_TRY(th_agree(comm, rc, err));
  interleave(parts, bytes, comm->size, made);
done:
  TH_FREE(parts, bytes);
  return rc;
}

/* Copy an array that rank 0 has. Collective. */
static th_status copy(const struct th_state_entry *from,
                      struct th_state_entry *made, struct th_comm *comm,
                      struct th_error *err)
{
  size_t bytes = bytes_of(made);
  th_status rc =
      th_alloc(&made->data, (int64_t)bytes, 1, "the state of the run", err);
  TH_TRY(th_agree(comm, rc, err));
  if (comm->rank == 0 && bytes > 0)
    memcpy(made->data, from->data, bytes);
  comm->ops->bcast(comm, made->data, bytes, 0);
done:
  return rc;
}

/* Check that no name comes twice. Local; replicated. */
static th_status check_name(const struct th_state_image *image,
                            const char *name, struct th_error *err)
{
  for (int64_t k = 0; k < image->count; k++)
    if (strcmp(image->entry[k].name, name) == 0)
      return th_fail(err, TH_EARG, "the state has two arrays %s", name);
  return TH_OK;
}

th_status th_state_take(struct th_state *state, struct th_comm *comm,
                        struct th_state_image *image, struct th_error *err)
{
  th_status rc;
  *image = (struct th_state_image){.entry = NULL};
  TH_TRY(th_agree(comm, state->status, err));
  rc = th_grow((void **)&image->entry, &image->capacity, state->count,
               sizeof *image->entry, "the state of the run", err);
  TH_TRY(th_agree(comm, rc, err));
  for (int64_t k = 0; k < state->count; k++) {
    const struct th_state_entry *from = &state->entry[k];
    struct th_state_entry *made = &image->entry[k];
    TH_TRY(check_name(image, from->name, err));
    *made = *from;
    made->data = NULL;
    image->count++;
    TH_TRY((from->place == TH_STATE_BY_ATTRIBUTE ? gather : copy)(from, made,
                                                                  comm, err));
  }
done:
  if (rc != TH_OK)
    th_state_image_free(image);
  return rc;
}

th_status th_state_put(struct th_state *state, struct th_comm *comm,
                       struct th_error *err)
{
  const struct th_state_image *image = state->image;
  th_status rc = state->status;
  if (rc == TH_OK && state->next < image->count)
    rc = th_fail(err, TH_EFORMAT, "the state has %s beyond what is wanted",
                 image->entry[state->next].name);
  return th_agree(comm, rc, err);
}

/* Reserve room for rank 0's image. Local. */
static th_status reserve(struct th_state_image *image, struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t k = 0; k < image->count; k++)
    image->entry[k].data = NULL;
  for (int64_t k = 0; k < image->count && rc == TH_OK; k++)
    rc = th_alloc(&image->entry[k].data, (int64_t)bytes_of(&image->entry[k]), 1,
                  "the state of the run", err);
  return rc;
}

th_status th_state_image_share(struct th_state_image *image,
                               struct th_comm *comm, struct th_error *err)
{
  bool first = comm->rank == 0;
  int64_t count = image->count;
  th_status rc = TH_OK;
  if (!first)
    th_state_image_free(image);
  comm->ops->bcast(comm, &count, sizeof count, 0);
  if (!first)
    rc = th_grow((void **)&image->entry, &image->capacity, count,
                 sizeof *image->entry, "the state of the run", err);
  TH_TRY(th_agree(comm, rc, err));
  struct th_state_entry *entry = image->entry;
  for (int64_t k = 0; k < count; k++) {
    void *data = first ? entry[k].data : NULL;
    comm->ops->bcast(comm, &entry[k], sizeof entry[k], 0);
    entry[k].data = data;
  }
  image->count = count;
  if (!first)
    rc = reserve(image, err);
  TH_TRY(th_agree(comm, rc, err));
  for (int64_t k = 0; k < count; k++)
    comm->ops->bcast(comm, entry[k].data, bytes_of(&entry[k]), 0);
done:
  return rc;
}
