/* zip.c - where the members of a zip archive lie, by its directory
 * SPDX-License-Identifier: MIT */
#include "io/files/zip.h"

#include "base/integer.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
  END = 22, /* bytes of the record at the end, without a comment */
  COMMENT = 65535,
  LOCATOR = 20, /* of the larger record, before it */
  LARGE_END = 56,
  ENTRY = 46, /* of the directory, without names */
  LOCAL = 30, /* before a member, without names */
  MOST_BYTES = 1 << 24,
  STORED = 0,
  DEFLATED = 8
};

static uint64_t low_first(const unsigned char *at, int bytes)
{
  uint64_t value = 0;
  for (int k = bytes - 1; k >= 0; k--)
    value = value << 8 | at[k];
  return value;
}

/* The directory as it was found. */
struct directory {
  int64_t offset;
  int64_t bytes;
  int64_t entries;
};

/* What is read from. */
struct archive {
  const struct th_stretch_place *file;
  struct th_stretch *bytes;
};

static th_status damaged_archive(const struct archive *archive, int64_t offset,
                                 const char *what, struct th_error *err)
{
  return th_fail(
      err, TH_EFORMAT,
      "%s: byte %lld: %s; the archive is cut short or damaged, copy or make it "
      "again",
      archive->file->name, (long long)offset, what);
}

/* An archive of many bytes or members has a larger record, in front of which
 * stands where it is. */
static th_status find_large(const struct archive *archive, int64_t end,
                            struct directory *found, struct th_error *err)
{
  unsigned char record[LARGE_END];
  th_status rc = TH_OK;
  if (end < LOCATOR)
    return TH_OK;
  TH_TRY(th_stretch_read(archive->bytes, end - LOCATOR, LOCATOR, record, err));
  if (memcmp(record, "PK\6\7", 4) != 0)
    return TH_OK;
  int64_t at = (int64_t)low_first(record + 8, 8);
  if (at < 0 || at > archive->file->bytes - LARGE_END)
    return damaged_archive(archive, end - LOCATOR, "a directory beyond the end",
                           err);
  TH_TRY(th_stretch_read(archive->bytes, at, LARGE_END, record, err));
  if (memcmp(record, "PK\6\6", 4) != 0)
    return damaged_archive(archive, at, "no directory, where one is said to be",
                           err);
  found->entries = (int64_t)low_first(record + 32, 8);
  found->bytes = (int64_t)low_first(record + 40, 8);
  found->offset = (int64_t)low_first(record + 48, 8);
done:
  return rc;
}

static th_status find_directory(const struct archive *archive,
                                struct directory *found, struct th_error *err)
{
  int64_t size = archive->file->bytes;
  int64_t tail = th_min_i64(size, END + COMMENT);
  unsigned char *bytes = NULL;
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&bytes, tail + 1, "a directory", err));
  TH_TRY(th_stretch_read(archive->bytes, size - tail, tail, bytes, err));
  int64_t at = tail - END;
  while (at >= 0 && memcmp(bytes + at, "PK\5\6", 4) != 0)
    at--;
  if (at < 0) {
    rc = damaged_archive(archive, size, "no directory at the end", err);
    goto done;
  }
  *found = (struct directory){(int64_t)low_first(bytes + at + 16, 4),
                              (int64_t)low_first(bytes + at + 12, 4),
                              (int64_t)low_first(bytes + at + 10, 2)};
  TH_TRY(find_large(archive, size - tail + at, found, err));
  if (found->offset < 0 || found->bytes < 0 || found->bytes > MOST_BYTES ||
      found->offset > size - found->bytes || found->entries < 0 ||
      found->entries > found->bytes / ENTRY)
    rc = damaged_archive(archive, size - tail + at,
                         "a directory that cannot be", err);
done:
  free(bytes);
  return rc;
}

/* Sizes and places of 4 GB and more stand in an extra field, those of them that
 * have all bits in the entry. */
static void read_extra(const unsigned char *extra, int64_t bytes,
                       int64_t value[3])
{
  while (bytes >= 4) {
    int64_t size = (int64_t)low_first(extra + 2, 2);
    const unsigned char *at = extra + 4;
    int64_t left = th_min_i64(size, bytes - 4);
    bool large = low_first(extra, 2) == 1;
    for (int k = 0; large && k < 3; k++)
      if (value[k] == UINT32_MAX && left >= 8) {
        value[k] = (int64_t)low_first(at, 8);
        at += 8;
        left -= 8;
      }
    extra += 4 + size;
    bytes -= 4 + size;
  }
}

/* An entry of the directory; *used: its bytes. */
static th_status read_member(const struct archive *archive,
                             const unsigned char *entry, int64_t left,
                             int64_t place, struct th_zip_member *member,
                             int64_t *used, struct th_error *err)
{
  enum { SIZE, STORED_SIZE, OFFSET };
  if (left < ENTRY || memcmp(entry, "PK\1\2", 4) != 0)
    return damaged_archive(archive, place, "no entry of the directory", err);
  int64_t name = (int64_t)low_first(entry + 28, 2);
  int64_t extra = (int64_t)low_first(entry + 30, 2);
  *used = ENTRY + name + extra + (int64_t)low_first(entry + 32, 2);
  if (*used > left)
    return damaged_archive(archive, place, "an entry beyond the directory",
                           err);
  int64_t value[3] = {(int64_t)low_first(entry + 24, 4),
                      (int64_t)low_first(entry + 20, 4),
                      (int64_t)low_first(entry + 42, 4)};
  read_extra(entry + ENTRY + name, extra, value);
  uint64_t method = low_first(entry + 10, 2);
  bool readable = (low_first(entry + 8, 2) & 1) == 0 &&
                  (method == STORED || method == DEFLATED);
  int64_t size = archive->file->bytes;
  if (value[SIZE] < 0 || value[STORED_SIZE] < 0 || value[OFFSET] < 0 ||
      value[OFFSET] > size - LOCAL || value[STORED_SIZE] > size - value[OFFSET])
    return damaged_archive(archive, place, "a member beyond the end", err);
  int64_t shown = th_min_i64(name, TH_ZIP_NAME - 1);
  memcpy(member->name, entry + ENTRY, (size_t)shown);
  member->place = *archive->file;
  member->place.name = NULL;
  member->place.offset = value[OFFSET];
  member->place.stored = readable ? value[STORED_SIZE] : -1;
  member->place.bytes = value[SIZE];
  member->place.deflated = method == DEFLATED;
  member->place.sealed = true;
  member->place.seal = (uint32_t)low_first(entry + 16, 4);
  if (method == STORED && value[SIZE] != value[STORED_SIZE])
    return damaged_archive(archive, place, "a member of two sizes", err);
  return TH_OK;
}

/* Names stand once more before the member, and take other room there. */
static th_status find_bytes(const struct archive *archive,
                            struct th_zip_member *member, struct th_error *err)
{
  unsigned char local[LOCAL];
  struct th_stretch_place *place = &member->place;
  th_status rc =
      th_stretch_read(archive->bytes, place->offset, LOCAL, local, err);
  if (rc != TH_OK)
    return rc;
  if (memcmp(local, "PK\3\4", 4) != 0)
    return damaged_archive(archive, place->offset,
                           "no member, where one should be", err);
  int64_t begin = place->offset + LOCAL + (int64_t)low_first(local + 26, 2) +
                  (int64_t)low_first(local + 28, 2);
  if (place->stored > archive->file->bytes - begin)
    return damaged_archive(archive, place->offset, "a member beyond the end",
                           err);
  place->offset = archive->file->offset + begin;
  return TH_OK;
}

static th_status read_directory(const struct archive *archive,
                                const struct directory *found,
                                struct th_zip *zip, struct th_error *err)
{
  unsigned char *bytes = NULL;
  int64_t at = 0;
  int64_t used = 0;
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&bytes, found->bytes + 1, "a directory", err));
  TH_TRY(TH_NEW(&zip->member, found->entries, "a directory", err));
  TH_TRY(
      th_stretch_read(archive->bytes, found->offset, found->bytes, bytes, err));
  for (; zip->members < found->entries; zip->members++) {
    struct th_zip_member *member = &zip->member[zip->members];
    TH_TRY(read_member(archive, bytes + at, found->bytes - at,
                       found->offset + at, member, &used, err));
    TH_TRY(find_bytes(archive, member, err));
    at += used;
  }
done:
  free(bytes);
  return rc;
}

th_status th_zip_open(struct th_zip *zip, const struct th_stretch_place *file,
                      struct th_error *err)
{
  struct archive archive = {.file = file};
  struct directory found = {0};
  th_status rc = TH_OK;
  *zip = (struct th_zip){0};
  TH_TRY(th_stretch_open(&archive.bytes, file, err));
  TH_TRY(find_directory(&archive, &found, err));
  TH_TRY(read_directory(&archive, &found, zip, err));
done:
  th_stretch_close(archive.bytes);
  return rc;
}

void th_zip_free(struct th_zip *zip)
{
  free(zip->member);
  *zip = (struct th_zip){0};
}

const struct th_zip_member *th_zip_find(const struct th_zip *zip,
                                        const char *name)
{
  for (int64_t k = 0; k < zip->members; k++)
    if (strcmp(zip->member[k].name, name) == 0)
      return &zip->member[k];
  return NULL;
}
