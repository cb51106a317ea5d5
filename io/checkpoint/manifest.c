/* manifest.c - what a checkpoint holds, and where
 * SPDX-License-Identifier: MIT */
#include "io/checkpoint/manifest.h"

#include "base/memory.h"
#include "io/files/hash.h"
#include "model/model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "THRCKPT1" in the order of bytes of most machines. */
static const int64_t magic = 0x3154504b43524854;

enum { HEAD = 6, WORD = 8, NAME_WORDS = TH_STATE_NAME / WORD, ENTRY = 16 };

/* More than that is not the manifest of a run. */
static const int64_t most_parts = 1 << 22;
static const int64_t most_arrays = 1 << 16;
static const int64_t most_bytes = INT64_C(1) << 56;
static const int64_t most_number = INT64_C(1) << 46;

th_status th_manifest_new(struct th_manifest **manifest, int64_t parts,
                          int64_t arrays, struct th_error *err)
{
  static const char what[] = "a checkpoint";
  struct th_manifest *m = NULL;
  th_status rc;
  TH_TRY(TH_NEW(&m, 1, what, err));
  m->parts = parts;
  m->arrays = arrays;
  TH_TRY(TH_NEW(&m->entry, arrays, what, err));
  TH_TRY(TH_NEW(&m->width, arrays * parts, what, err));
  TH_TRY(TH_NEW(&m->offset, (arrays + 1) * parts, what, err));
  TH_TRY(TH_NEW(&m->hash, parts, what, err));
done:
  if (rc != TH_OK)
    th_manifest_free(m);
  else
    *manifest = m;
  return rc;
}

void th_manifest_free(struct th_manifest *manifest)
{
  if (manifest != NULL)
    TH_FREE(manifest->key, manifest->entry, manifest->width, manifest->offset,
            manifest->hash, manifest);
}

/* The widths of an array by attribute add up to a vector; the first part alone
 * has any other array. */
static bool widths_fit(const struct th_manifest *m, int64_t k)
{
  const struct th_state_entry *entry = &m->entry[k];
  int64_t sum = 0;
  for (int64_t p = 0; p < m->parts; p++) {
    int64_t width = m->width[k * m->parts + p];
    if (width < 0 || width > entry->all - sum)
      return false;
    if (entry->place != TH_STATE_BY_ATTRIBUTE && p > 0 && width != 0)
      return false;
    sum += width;
  }
  return sum == entry->all;
}

bool th_manifest_place(struct th_manifest *m)
{
  for (int64_t k = 0; k < m->arrays; k++)
    if (!widths_fit(m, k))
      return false;
  for (int64_t p = 0; p < m->parts; p++) {
    int64_t *offset = &m->offset[p * (m->arrays + 1)];
    for (int64_t k = 0; k < m->arrays; k++) {
      const struct th_state_entry *entry = &m->entry[k];
      int64_t width = m->width[k * m->parts + p];
      int64_t item = (int64_t)th_state_size(entry->type);
      if (width > 0 && entry->rows > (most_bytes - offset[k]) / item / width)
        return false;
      offset[k + 1] = offset[k] + entry->rows * width * item;
    }
  }
  return true;
}

static int64_t key_words(const char *key)
{
  return (int64_t)strlen(key) / WORD + 1;
}

static int64_t *pack_entries(const struct th_manifest *m, int64_t *at)
{
  for (int64_t k = 0; k < m->arrays; k++) {
    const struct th_state_entry *entry = &m->entry[k];
    memcpy(at, entry->name, strlen(entry->name));
    at += NAME_WORDS;
    *at++ = entry->type;
    *at++ = entry->place;
    *at++ = entry->rows;
    *at++ = entry->all;
  }
  return at;
}

th_status th_manifest_pack(const struct th_manifest *m, int64_t **words,
                           int64_t *count, struct th_error *err)
{
  int64_t key = key_words(m->key);
  int64_t widths = m->arrays * m->parts;
  *count = HEAD + key + m->arrays * ENTRY + widths + m->parts + 1;
  th_status rc = TH_NEW(words, *count, "a checkpoint", err);
  if (rc != TH_OK)
    return rc;
  const int64_t head[HEAD] = {magic,    *count,    m->number,
                              m->parts, m->arrays, key};
  int64_t *at = *words;
  memcpy(at, head, sizeof head);
  memcpy(at + HEAD, m->key, strlen(m->key));
  at = pack_entries(m, at + HEAD + key);
  memcpy(at, m->width, (size_t)widths * WORD);
  memcpy(at + widths, m->hash, (size_t)m->parts * WORD);
  at += widths + m->parts;
  *at = (int64_t)th_hash(*words, (size_t)(*count - 1) * WORD);
  return TH_OK;
}

/* Do the counts of the head fit the length? */
static bool head_fits(const int64_t *words, int64_t count)
{
  if (count <= HEAD || words[0] != magic || words[1] != count ||
      (int64_t)th_hash(words, (size_t)(count - 1) * WORD) != words[count - 1])
    return false;
  int64_t parts = words[3];
  int64_t arrays = words[4];
  int64_t key = words[5];
  return words[2] > 0 && parts > 0 && parts <= most_parts && arrays >= 0 &&
         arrays <= most_arrays && key > 0 && key < count &&
         HEAD + key + arrays * ENTRY + arrays * parts + parts + 1 == count &&
         words[HEAD + key - 1] >> 56 == 0;
}

static bool unpack_entry(const int64_t *at, struct th_state_entry *entry)
{
  int64_t type = at[NAME_WORDS];
  int64_t place = at[NAME_WORDS + 1];
  memcpy(entry->name, at, TH_STATE_NAME);
  entry->rows = at[NAME_WORDS + 2];
  entry->all = at[NAME_WORDS + 3];
  if (type < 0 || type >= TH_STATE_TYPES || place < 0 ||
      place > TH_STATE_FIRST_RANK)
    return false;
  entry->type = (enum th_state_type)type;
  entry->place = (enum th_state_place)place;
  return memchr(entry->name, 0, TH_STATE_NAME) != NULL && entry->rows >= 0 &&
         entry->all >= 0;
}

static bool unpack_manifest(struct th_manifest *m, const int64_t *at)
{
  int64_t widths = m->arrays * m->parts;
  for (int64_t k = 0; k < m->arrays; k++, at += ENTRY)
    if (!unpack_entry(at, &m->entry[k]))
      return false;
  memcpy(m->width, at, (size_t)widths * WORD);
  memcpy(m->hash, at + widths, (size_t)m->parts * WORD);
  return th_manifest_place(m);
}

th_status th_manifest_unpack(struct th_manifest **manifest,
                             const int64_t *words, int64_t count,
                             struct th_error *err)
{
  struct th_manifest *m = NULL;
  th_status rc = TH_OK;
  if (!head_fits(words, count))
    return th_fail(err, TH_EFORMAT, "its manifest is damaged");
  TH_TRY(th_manifest_new(&m, words[3], words[4], err));
  m->number = words[2];
  m->key = th_model_copy_string((const char *)(words + HEAD));
  if (m->key == NULL)
    rc = th_fail(err, TH_ENOMEM, "no memory for a checkpoint");
  else if (!unpack_manifest(m, words + HEAD + words[5]))
    rc = th_fail(err, TH_EFORMAT, "its manifest is damaged");
done:
  if (rc != TH_OK)
    th_manifest_free(m);
  else
    *manifest = m;
  return rc;
}

const char *th_manifest_name(int64_t number, char name[TH_MANIFEST_NAME])
{
  snprintf(name, TH_MANIFEST_NAME, "%06" PRId64 ".manifest", number);
  return name;
}

const char *th_manifest_part_name(int64_t number, int64_t part,
                                  char name[TH_MANIFEST_NAME])
{
  snprintf(name, TH_MANIFEST_NAME, "%06" PRId64 ".part-%" PRId64, number, part);
  return name;
}

/* Only what the two functions above write, and that with .partial behind it. */
int64_t th_manifest_name_number(const char *name, bool *whole)
{
  char wanted[TH_MANIFEST_NAME];
  char *end = NULL;
  int64_t number = strtoll(name, &end, 10);
  *whole = false;
  if (number <= 0 || number > most_number || end == name || *name < '0' ||
      *name > '9')
    return 0;
  th_manifest_name(number, wanted);
  size_t length = strlen(wanted);
  if (strncmp(name, wanted, length) == 0) {
    *whole = name[length] == '\0';
    return *whole || strcmp(name + length, ".partial") == 0 ? number : 0;
  }
  if (strncmp(end, ".part-", 6) != 0 || end[6] < '0' || end[6] > '9')
    return 0;
  th_manifest_part_name(number, strtoll(end + 6, NULL, 10), wanted);
  return strcmp(name, wanted) == 0 ? number : 0;
}

int64_t th_manifest_hash_next(int64_t hash, const void *block, int64_t bytes)
{
  return (int64_t)th_hash_from(block, (size_t)bytes, (uint64_t)hash);
}
