/* h5_whole.c - small data sets, written and read whole, each with its checksum
 * SPDX-License-Identifier: MIT */
#include "io/hdf5/h5.h"

#include "core/memory.h"
#include "io/hdf5/hash.h"

#include <stdlib.h>
#include <string.h>

static uint64_t checksum_of(hid_t type, int64_t count, const void *data)
{
  return th_hash(data, H5Tget_size(type) * (size_t)count);
}

th_status th_h5_put(const struct th_h5 *h5, const char *name, hid_t type,
                    int64_t count, const void *data, struct th_error *err)
{
  struct th_h5_set set = {0};
  struct th_h5_plan plan = {.rank = 1, .size = {(hsize_t)count}};
  hsize_t first[2] = {0};
  th_status rc = TH_OK;
  TH_TRY(th_h5_set_create(&set, h5, name, type, type, &plan, err));
  if (count > 0)
    TH_TRY(th_h5_set_write(&set, first, plan.size, data, err));
  TH_TRY(th_h5_put_u64(h5, name, TH_A_CHECKSUM, checksum_of(type, count, data),
                       err));
done:
  if (rc == TH_OK)
    return th_h5_set_close(&set, err);
  th_h5_set_close(&set, err);
  return rc;
}

static th_status verify(const struct th_h5 *h5, const char *name, hid_t type,
                        int64_t count, const void *data, struct th_error *err)
{
  uint64_t wanted = 0;
  th_status rc = th_h5_get_u64(h5, name, TH_A_CHECKSUM, &wanted, err);
  if (rc == TH_OK && wanted != checksum_of(type, count, data))
    rc = th_fail(err, TH_EFORMAT,
                 "%s: %s: checksum mismatch; the file is damaged, make it "
                 "again",
                 h5->name, name);
  return rc;
}

static th_status open_counted(struct th_h5_set *set, const struct th_h5 *h5,
                              const char *name, hid_t type, int64_t count,
                              struct th_error *err)
{
  hsize_t size[2] = {0};
  th_status rc = th_h5_set_open(set, h5, name, type, 1, size, err);
  if (rc == TH_OK && (count < 0 || size[0] != (hsize_t)count))
    rc = th_fail(err, TH_EFORMAT,
                 "%s: %s has %llu items instead of %lld; the file is damaged, "
                 "make it again",
                 h5->name, name, (unsigned long long)size[0], (long long)count);
  return rc;
}

th_status th_h5_expect(const struct th_h5 *h5, const char *name, int64_t count,
                       struct th_error *err)
{
  struct th_h5_set set = {0};
  th_status rc = open_counted(&set, h5, name, H5T_NATIVE_UINT8, count, err);
  th_h5_set_close(&set, err);
  return rc;
}

th_status th_h5_get(const struct th_h5 *h5, const char *name, hid_t type,
                    int64_t count, void *data, struct th_error *err)
{
  struct th_h5_set set = {0};
  th_status rc = TH_OK;
  TH_TRY(open_counted(&set, h5, name, type, count, err));
  TH_TRY(th_h5_set_range(&set, 0, count, data, err));
  TH_TRY(verify(h5, name, type, count, data, err));
done:
  th_h5_set_close(&set, err);
  return rc;
}

static size_t longest(int64_t count, const char *const *texts)
{
  size_t most = 1;
  for (int64_t k = 0; k < count; k++) {
    size_t length = strlen(texts[k]);
    most = length > most ? length : most;
  }
  return most;
}

th_status th_h5_put_texts(const struct th_h5 *h5, const char *name,
                          int64_t count, const char *const *texts,
                          struct th_error *err)
{
  size_t width = longest(count, texts);
  hid_t type = th_h5_text_type(width);
  char *room = NULL;
  th_status rc = TH_OK;
  if (type < 0)
    return th_h5_fail(h5, "cannot write", name, err);
  TH_TRY(th_alloc((void **)&room, count, width, name, err));
  for (int64_t k = 0; k < count; k++)
    memcpy(room + (size_t)k * width, texts[k], strlen(texts[k]));
  TH_TRY(th_h5_put(h5, name, type, count, room, err));
done:
  free(room);
  H5Tclose(type);
  return rc;
}

size_t th_h5_text_width(const struct th_h5 *h5, const char *name)
{
  struct th_h5_set set = {0};
  struct th_error ignored = {0};
  hsize_t items[2] = {0};
  hid_t type = -1;
  size_t width = 0;
  if (th_h5_set_open(&set, h5, name, H5T_NATIVE_UINT8, 1, items, &ignored) ==
      TH_OK)
    type = H5Dget_type(set.id);
  if (type >= 0 && H5Tget_class(type) == H5T_STRING &&
      H5Tis_variable_str(type) == 0)
    width = H5Tget_size(type);
  th_h5_drop(type);
  th_h5_set_close(&set, &ignored);
  return width;
}

/* Pointers first, then count strings of width + 1 bytes. */
static char **spread(char *room, int64_t count, size_t width, const char *from)
{
  char **texts = (char **)(void *)room;
  char *to = room + (size_t)count * sizeof *texts;
  for (int64_t k = 0; k < count; k++) {
    texts[k] = to + (size_t)k * (width + 1);
    memcpy(texts[k], from + (size_t)k * width, width);
    texts[k][width] = '\0';
  }
  return texts;
}

th_status th_h5_get_texts(const struct th_h5 *h5, const char *name,
                          int64_t count, char ***texts, struct th_error *err)
{
  char *packed = NULL;
  char *room = NULL;
  th_status rc = th_h5_expect(h5, name, count, err);
  if (rc != TH_OK)
    return rc;
  size_t width = th_h5_text_width(h5, name);
  hid_t type = width == 0 ? -1 : th_h5_text_type(width);
  if (type < 0)
    return th_h5_fail(h5, "cannot read", name, err);
  TH_TRY(th_alloc((void **)&packed, count, width, name, err));
  TH_TRY(th_h5_get(h5, name, type, count, packed, err));
  TH_TRY(
      th_alloc((void **)&room, count, width + 1 + sizeof(char *), name, err));
  *texts = spread(room, count, width, packed);
done:
  free(packed);
  H5Tclose(type);
  return rc;
}
