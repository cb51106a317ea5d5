/* levels.c - the different words of a column
 * SPDX-License-Identifier: MIT */
#include "io/import/text/levels.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void th_levels_free(struct th_levels *levels)
{
  for (int64_t k = 0; k < levels->count; k++)
    free(levels->name[k]);
  free(levels->name);
  for (int k = 0; k < TH_KINDS; k++)
    free(levels->first[k]);
  *levels = (struct th_levels){0};
}

th_status th_levels_note(struct th_levels *levels, enum th_kind kind,
                         const char *text, int64_t length, struct th_error *err)
{
  enum { LONGEST = 24 };
  int64_t kept = length < LONGEST ? length : LONGEST;
  if (levels->first[kind] != NULL)
    return TH_OK;
  th_status rc =
      TH_NEW(&levels->first[kind], kept + 1, "a field of a column", err);
  if (rc == TH_OK)
    memcpy(levels->first[kind], text, (size_t)kept);
  return rc;
}

static int order_of(const char *name, const char *text, int64_t length)
{
  int order = strncmp(name, text, (size_t)length);
  return order != 0 ? order : name[length] != '\0';
}

/* The first place whose name is not below the text. */
static int64_t place_of(const struct th_levels *levels, const char *text,
                        int64_t length)
{
  int64_t low = 0;
  int64_t high = levels->count;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (order_of(levels->name[middle], text, length) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

int64_t th_levels_find(const struct th_levels *levels, const char *text,
                       int64_t length)
{
  int64_t k = place_of(levels, text, length);
  bool found =
      k < levels->count && order_of(levels->name[k], text, length) == 0;
  return found ? k : -1;
}

th_status th_levels_add(struct th_levels *levels, const char *text,
                        int64_t length, int64_t most, struct th_error *err)
{
  char *name = NULL;
  th_status rc = TH_OK;
  int64_t k = place_of(levels, text, length);
  if (k < levels->count && order_of(levels->name[k], text, length) == 0)
    return TH_OK;
  if (levels->count == most || length > TH_LEVEL_LENGTH) {
    levels->more = true;
    return TH_OK;
  }
  TH_TRY(TH_GROW(&levels->name, &levels->capacity,
                 th_memory_roomier(levels->capacity, levels->count + 1),
                 "words of a column", err));
  TH_TRY(TH_NEW(&name, length + 1, "words of a column", err));
  memcpy(name, text, (size_t)length);
  memmove(levels->name + k + 1, levels->name + k,
          (size_t)(levels->count - k) * sizeof *levels->name);
  levels->name[k] = name;
  levels->count++;
done:
  return rc;
}

/* --- Words of all ranks: of each column a flag; the first field of each kind
 * behind a letter, up to an empty text; words, up to an empty one. All end with
 * a zero. */

enum { MORE = 1, FLAG = 2, LETTER = 'a' };

static int64_t packed_size(const struct th_levels *levels)
{
  int64_t size = 3;
  for (int k = 0; k < TH_KINDS; k++)
    if (levels->first[k] != NULL)
      size += (int64_t)strlen(levels->first[k]) + 2;
  for (int64_t k = 0; k < levels->count; k++)
    size += (int64_t)strlen(levels->name[k]) + 1;
  return size;
}

static char *pack_one(const struct th_levels *levels, char *to)
{
  *to++ = (char)(FLAG | (levels->more ? MORE : 0));
  for (int k = 0; k < TH_KINDS; k++) {
    if (levels->first[k] == NULL)
      continue;
    *to++ = (char)(LETTER + k);
    to = stpcpy(to, levels->first[k]) + 1;
  }
  *to++ = '\0';
  for (int64_t k = 0; k < levels->count; k++)
    to = stpcpy(to, levels->name[k]) + 1;
  *to++ = '\0';
  return to;
}

static th_status pack(const struct th_levels *levels, int64_t count,
                      char **bytes, int64_t *used, struct th_error *err)
{
  int64_t size = 0;
  for (int64_t c = 0; c < count; c++)
    size += packed_size(&levels[c]);
  th_status rc = TH_NEW(bytes, size + 1, "words of columns", err);
  char *to = *bytes;
  for (int64_t c = 0; c < count && rc == TH_OK; c++)
    to = pack_one(&levels[c], to);
  *used = rc == TH_OK ? to - *bytes : 0;
  return rc;
}

/* Add what a rank has packed of a column; returns where it ends. */
static th_status add_packed_one(struct th_levels *levels, int64_t most,
                                const char **bytes, struct th_error *err)
{
  const char *p = *bytes;
  th_status rc = TH_OK;
  levels->more = levels->more || (*p & MORE) != 0;
  for (p++; *p != '\0' && rc == TH_OK; p += strlen(p) + 1)
    rc = th_levels_note(levels, (enum th_kind)(*p - LETTER), p + 1,
                        (int64_t)strlen(p + 1), err);
  for (p++; *p != '\0' && rc == TH_OK; p += strlen(p) + 1)
    rc = th_levels_add(levels, p, (int64_t)strlen(p), most, err);
  *bytes = p + 1;
  return rc;
}

/* The first fields are those of the lowest rank that has some: its own are put
 * away before. */
static void forget_first(struct th_levels *levels)
{
  for (int k = 0; k < TH_KINDS; k++) {
    free(levels->first[k]);
    levels->first[k] = NULL;
  }
}

th_status th_levels_join(struct th_levels *levels, int64_t count, int64_t most,
                         struct th_comm *comm, struct th_error *err)
{
  char *mine = NULL;
  char *all = NULL;
  int64_t *sizes = NULL;
  int64_t bytes = 0;
  th_status rc = pack(levels, count, &mine, &bytes, err);
  if (rc == TH_OK)
    rc = TH_NEW(&sizes, comm->size, "words of columns", err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(th_comm_gather(comm, mine, bytes, sizes, (void **)&all, err));
  const char *p = all;
  for (int64_t c = 0; c < count; c++)
    forget_first(&levels[c]);
  for (int64_t k = 0; k < comm->size * count && rc == TH_OK; k++)
    rc = add_packed_one(&levels[k % count], most, &p, err);
  TH_TRY(th_agree(comm, rc, err));
done:
  TH_FREE(mine, all, sizes);
  return rc;
}
