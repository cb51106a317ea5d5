/* bucket_spill.c - parsed examples sorted into bins, in memory and then on disk
 *
 * In memory records lie in arrival order in large segments that never move;
 * each bin is a list of them. When memory is used up, every list is written
 * out in turn, so that a bin is one stretch of the file per such flush, and
 * the segments are used again.
 * SPDX-License-Identifier: MIT */
#include "io/import/bucket_spill.h"

#include "core/memory.h"
#include "core/pages.h"
#include "io/hdf5/temporary.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SEGMENT = 8 << 20, WRITE_PART = 1 << 20 };

struct segment {
  struct segment *next;
  int64_t used;
  int64_t capacity;
  _Alignas(8) char bytes[];
};

/* The records of a bin that are in memory. */
struct list {
  struct th_held *held;
  int64_t count;
  int64_t capacity;
  int64_t bytes; /* of the records */
};

struct th_bucket_spill {
  const char *output; /* borrowed */
  size_t size;        /* of a value */
  int64_t bins;
  int64_t memory;
  int64_t held; /* bytes of records in memory, and of what tells of them */
  struct list *lists;       /* by bin */
  struct segment *segments; /* the first one takes new records */
  struct segment *spare;
  int fd; /* -1: memory is enough for all */
  int64_t written;
  int64_t flushes;
  int64_t capacity; /* of edges */
  int64_t **edges;  /* per flush: bin b lies at [edges[b], edges[b + 1]) */
  char *part;       /* what is on its way to the file */
  int64_t part_used;
};

th_status th_bucket_spill_create(struct th_bucket_spill **spill,
                                 const char *output, int64_t bins,
                                 int64_t memory, enum th_type type,
                                 int64_t most, struct th_error *err)
{
  struct th_bucket_spill *made = NULL;
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&made, 1, "imported examples", err));
  made->fd = -1;
  made->output = output;
  made->size = th_type_size(type);
  made->bins = bins;
  made->memory = memory;
  TH_TRY(TH_NEW(&made->lists, bins, "imported examples", err));
  if (most > memory)
    TH_TRY(th_temporary_open(output, TH_FOR_SPILL, NULL, &made->fd, err));
  *spill = made;
  made = NULL;
done:
  th_bucket_spill_free(made);
  return rc;
}

static void free_segments(struct segment *segment)
{
  while (segment != NULL) {
    struct segment *next = segment->next;
    free(segment);
    segment = next;
  }
}

void th_bucket_spill_free(struct th_bucket_spill *spill)
{
  if (spill == NULL)
    return;
  if (spill->fd >= 0)
    close(spill->fd);
  free_segments(spill->segments);
  free_segments(spill->spare);
  TH_FREE_LIST(spill->edges, spill->flushes);
  for (int64_t b = 0; spill->lists != NULL && b < spill->bins; b++)
    free(spill->lists[b].held);
  TH_FREE(spill->part, spill->lists, spill);
}

static th_status drain_part(struct th_bucket_spill *spill, struct th_error *err)
{
  th_status rc = th_temporary_write(spill->fd, spill->part, spill->part_used,
                                    "temporary file of the import", err);
  spill->part_used = 0;
  return rc;
}

static th_status append(struct th_bucket_spill *spill, const void *data,
                        int64_t bytes, struct th_error *err)
{
  th_status rc = TH_OK;
  if (spill->part_used + bytes > WRITE_PART)
    TH_TRY(drain_part(spill, err));
  spill->written += bytes;
  if (bytes > WRITE_PART)
    return th_temporary_write(spill->fd, data, bytes,
                              "temporary file of the import", err);
  memcpy(spill->part + spill->part_used, data, (size_t)bytes);
  spill->part_used += bytes;
done:
  return rc;
}

static int64_t bytes_of(const struct th_bucket_spill *spill,
                        const struct th_record *record)
{
  return th_bucket_record_bytes(record->count, record->first == TH_LISTED,
                                spill->size);
}

static th_status prepare_flush(struct th_bucket_spill *spill,
                               struct th_error *err)
{
  th_status rc = TH_OK;
  if (spill->part == NULL)
    TH_TRY(TH_NEW(&spill->part, WRITE_PART, "writing examples", err));
  TH_TRY(TH_GROW(&spill->edges, &spill->capacity, spill->flushes + 1,
                 "the list of temporary files", err));
  TH_TRY(TH_NEW(&spill->edges[spill->flushes], spill->bins + 1,
                "the list of temporary files", err));
  spill->flushes++;
done:
  return rc;
}

static void reuse_segments(struct th_bucket_spill *spill)
{
  while (spill->segments != NULL) {
    struct segment *segment = spill->segments;
    spill->segments = segment->next;
    segment->used = 0;
    segment->next = spill->spare;
    spill->spare = segment;
  }
  spill->held = 0;
}

static th_status flush(struct th_bucket_spill *spill, struct th_error *err)
{
  th_status rc = TH_OK;
  TH_TRY(th_temporary_space(spill->output, spill->held, "the import", err));
  TH_TRY(prepare_flush(spill, err));
  int64_t *edges = spill->edges[spill->flushes - 1];
  for (int64_t b = 0; b < spill->bins; b++) {
    edges[b] = spill->written;
    struct list *list = &spill->lists[b];
    for (int64_t k = 0; k < list->count; k++) {
      const struct th_record *record = list->held[k].record;
      TH_TRY(append(spill, record, bytes_of(spill, record), err));
    }
    list->count = 0;
    list->bytes = 0;
  }
  edges[spill->bins] = spill->written;
  TH_TRY(drain_part(spill, err));
  reuse_segments(spill);
done:
  return rc;
}

/* In large pages, as all of it is going to be filled, once. */
static struct segment *make_segment(int64_t capacity)
{
  struct segment *made = NULL;
  size_t whole = sizeof *made + (size_t)capacity;
  size_t padded = (whole + TH_LARGE_PAGE - 1) / TH_LARGE_PAGE * TH_LARGE_PAGE;
  void *room = aligned_alloc(TH_LARGE_PAGE, padded);
  if (room == NULL)
    return NULL;
  th_pages_large(room, padded);
  made = room;
  *made = (struct segment){.capacity = capacity};
  return made;
}

/* A segment that has room for so many bytes, at the head of the list. */
static th_status reserve(struct th_bucket_spill *spill, int64_t bytes,
                         struct th_error *err)
{
  struct segment *segment = spill->segments;
  if (segment != NULL && segment->capacity - segment->used >= bytes)
    return TH_OK;
  segment = spill->spare;
  if (segment != NULL && segment->capacity >= bytes) {
    spill->spare = segment->next;
  } else {
    int64_t usual = SEGMENT - (int64_t)sizeof *segment;
    int64_t capacity = bytes > usual ? bytes : usual;
    segment = make_segment(capacity);
    if (segment == NULL)
      return th_memory_fail("parsed examples", capacity, err);
  }
  segment->used = 0;
  segment->next = spill->segments;
  spill->segments = segment;
  return TH_OK;
}

static void fill(struct th_record *record, uint32_t row,
                 const struct th_text_row *values, size_t size)
{
  int64_t count = values->count;
  bool listed = values->first < 0;
  *record = (struct th_record){.row = row, .count = (uint32_t)count};
  record->first = listed ? TH_LISTED : (uint32_t)values->first;
  char *p = (char *)(record + 1);
  if (listed) {
    memcpy(p, values->index, (size_t)(4 * count));
    p += th_bucket_pad8(4 * count);
  }
  memcpy(p, values->values, (size_t)count * size);
}

th_status th_bucket_spill_add(struct th_bucket_spill *spill, int64_t bucket,
                              uint32_t row, const struct th_text_row *values,
                              struct th_error *err)
{
  if (values->count == 0)
    return TH_OK; /* absent records are zeros */
  th_status rc = TH_OK;
  int64_t bytes =
      th_bucket_record_bytes(values->count, values->first < 0, spill->size);
  int64_t taken = bytes + (int64_t)sizeof(struct th_held);
  if (spill->held > 0 && spill->held + taken > spill->memory)
    TH_TRY(flush(spill, err));
  TH_TRY(reserve(spill, bytes, err));
  struct list *list = &spill->lists[bucket];
  TH_TRY(TH_GROW(&list->held, &list->capacity, list->count + 1,
                 "parsed examples", err));
  struct segment *segment = spill->segments;
  struct th_record *record =
      (struct th_record *)(void *)(segment->bytes + segment->used);
  fill(record, row, values, spill->size);
  segment->used += bytes;
  spill->held += taken;
  list->held[list->count++] = (struct th_held){record, row};
  list->bytes += bytes;
done:
  return rc;
}

int64_t th_bucket_spill_stored(const struct th_bucket_spill *spill,
                               int64_t bucket)
{
  int64_t bytes = 0;
  for (int64_t f = 0; f < spill->flushes; f++)
    bytes += spill->edges[f][bucket + 1] - spill->edges[f][bucket];
  return bytes;
}

int64_t th_bucket_spill_bytes(const struct th_bucket_spill *spill,
                              int64_t bucket)
{
  return spill->lists[bucket].bytes + th_bucket_spill_stored(spill, bucket);
}

const struct th_held *th_bucket_spill_held(const struct th_bucket_spill *spill,
                                           int64_t bucket, int64_t *count)
{
  *count = spill->lists[bucket].count;
  return spill->lists[bucket].held;
}

th_status th_bucket_spill_read(const struct th_bucket_spill *spill,
                               int64_t bucket, void *buffer,
                               struct th_error *err)
{
  th_status rc = TH_OK;
  char *p = buffer;
  for (int64_t f = 0; f < spill->flushes; f++) {
    int64_t first = spill->edges[f][bucket];
    int64_t bytes = spill->edges[f][bucket + 1] - first;
    TH_TRY(th_temporary_read(spill->fd, p, bytes, first,
                             "temporary file of the import", err));
    p += bytes;
  }
done:
  return rc;
}
