/* h5_set.c - HDF5 data sets, read and written in boxes past the chunk cache
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "io/files/hash.h"
#include "io/hdf5/h5.h"

#include <stdlib.h>
#include <string.h>

bool th_h5_set_exists(const struct th_h5 *h5, const char *name)
{
  return H5Lexists(h5->file, name, H5P_DEFAULT) > 0;
}

enum {
  FILTERED_SLOTS = 521,
  FILTERED_CACHE = 16 << 20 /* bytes */
};

static hid_t cached(size_t slots, size_t bytes)
{
  hid_t list = H5Pcreate(H5P_DATASET_ACCESS);
  if (list >= 0 && (H5Pset_chunk_cache(list, slots, bytes, 0.0) < 0 ||
                    th_h5_stay_inside(list) < 0)) {
    H5Pclose(list);
    return -1;
  }
  return list;
}

/* Read without the chunk cache, so that only requested bytes are read. */
static hid_t uncached(void)
{
  return cached(0, 0);
}

/* Everything is written, so nothing is filled in; sizes that are known get
 * their room at once, which also keeps the order of bytes fixed. */
static hid_t creation_list(const struct th_h5_plan *plan)
{
  hid_t list = H5Pcreate(H5P_DATASET_CREATE);
  if (list < 0)
    return list;
  herr_t ok = H5Pset_obj_track_times(list, false);
  if (ok >= 0)
    ok = H5Pset_fill_time(list, H5D_FILL_TIME_NEVER);
  if (ok >= 0)
    ok = H5Pset_alloc_time(list, plan->grows ? H5D_ALLOC_TIME_INCR
                                             : H5D_ALLOC_TIME_EARLY);
  if (ok >= 0 && plan->chunk[0] > 0)
    ok = H5Pset_chunk(list, plan->rank, plan->chunk);
  if (ok >= 0)
    return list;
  H5Pclose(list);
  return -1;
}

static hid_t create_set(const struct th_h5 *h5, const char *name, hid_t stored,
                        const struct th_h5_plan *plan)
{
  hsize_t most[2] = {plan->grows ? H5S_UNLIMITED : plan->size[0],
                     plan->size[1]};
  hid_t space = H5Screate_simple(plan->rank, plan->size, most);
  hid_t made = creation_list(plan);
  hid_t access = uncached();
  hid_t id = -1;
  if (space >= 0 && made >= 0 && access >= 0)
    id = H5Dcreate2(h5->file, name, stored, space, H5P_DEFAULT, made, access);
  th_h5_drop(access);
  th_h5_drop(made);
  th_h5_drop(space);
  return id;
}

th_status th_h5_set_create(struct th_h5_set *set, const struct th_h5 *h5,
                           const char *name, hid_t stored, hid_t memory,
                           const struct th_h5_plan *plan, struct th_error *err)
{
  hid_t id = create_set(h5, name, stored, plan);
  if (id < 0)
    return th_h5_fail(h5, "cannot write", name, err);
  *set = (struct th_h5_set){.h5 = h5, .name = name, .id = id, .type = memory};
  set->space = H5Dget_space(id);
  return set->space < 0 ? th_h5_fail(h5, "cannot write", name, err) : TH_OK;
}

static hid_t open_by(const struct th_h5_set *set, hid_t access)
{
  hid_t id = -1;
  if (access >= 0)
    id = H5Dopen2(set->h5->file, set->name, access);
  th_h5_drop(access);
  return id;
}

/* How the items of an existing data set are stored. */
struct keeping {
  bool elsewhere; /* in other files */
  bool filtered;
  bool unknown; /* filters without a bound that we know */
  double chunk; /* items of one; 0: no chunks */
};

/* Filters that let at most DEFLATE_MOST bytes come of one. */
static bool is_bounded(hid_t plan, int filters)
{
  int deflates = 0;
  for (int k = 0; k < filters; k++) {
    unsigned flags = 0;
    size_t values = 0;
    H5Z_filter_t filter =
        H5Pget_filter2(plan, (unsigned)k, &flags, &values, NULL, 0, NULL, NULL);
    deflates += filter == H5Z_FILTER_DEFLATE;
    if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE &&
        filter != H5Z_FILTER_FLETCHER32)
      return false;
  }
  return deflates <= 1;
}

static double chunk_items(hid_t plan)
{
  hsize_t chunk[2] = {0, 1};
  if (H5Pget_layout(plan) != H5D_CHUNKED || H5Pget_chunk(plan, 2, chunk) < 1)
    return 0;
  return (double)chunk[0] * (double)chunk[1];
}

static bool get_keeping(hid_t id, struct keeping *keeping)
{
  hid_t plan = H5Dget_create_plist(id);
  int filters = plan < 0 ? -1 : H5Pget_nfilters(plan);
  int files = plan < 0 ? -1 : H5Pget_external_count(plan);
  bool known = filters >= 0 && files >= 0;
  if (known)
    *keeping = (struct keeping){.elsewhere = files > 0 ||
                                             H5Pget_layout(plan) == H5D_VIRTUAL,
                                .filtered = filters > 0,
                                .unknown = !is_bounded(plan, filters),
                                .chunk = chunk_items(plan)};
  th_h5_drop(plan);
  return known;
}

enum {
  DEFLATE_MOST = 1032,    /* bytes that one byte of deflate can become */
  UNKNOWN_MOST = 64 << 20 /* bytes that other filters may make of nothing */
};

/* The size that a data set claims is backed by bytes of the file, so that what
 * is allocated for it is in proportion to the file. Filtered chunks are taken
 * apart whole. */
static bool is_backed(const struct th_h5_set *set,
                      const struct keeping *keeping)
{
  hsize_t file = 0;
  hsize_t stored = H5Dget_storage_size(set->id);
  double most = (double)stored;
  hid_t type = H5Dget_type(set->id);
  size_t size = type < 0 ? 0 : H5Tget_size(type);
  hssize_t items = H5Sget_simple_extent_npoints(set->space);
  th_h5_drop(type);
  double claimed = (double)items;
  if (keeping->filtered) {
    most = most * DEFLATE_MOST + (keeping->unknown ? UNKNOWN_MOST : 0);
    claimed = items > 0 && keeping->chunk > claimed ? keeping->chunk : claimed;
  }
  return size > 0 && items >= 0 && H5Fget_filesize(set->h5->file, &file) >= 0 &&
         stored <= file && claimed * (double)size <= most;
}

static th_status open_set(struct th_h5_set *set, int rank, hsize_t size[2])
{
  struct keeping keeping = {0};
  hid_t id = open_by(set, uncached());
  bool known = id >= 0 && get_keeping(id, &keeping);
  if (keeping.filtered) { /* parts of a chunk decompress it once */
    H5Dclose(id);
    id = open_by(set, cached(FILTERED_SLOTS, FILTERED_CACHE));
  }
  if (id < 0)
    return TH_EIO;
  set->id = id;
  set->space = H5Dget_space(id);
  if (!known || keeping.elsewhere || set->space < 0 ||
      H5Sget_simple_extent_ndims(set->space) != rank ||
      H5Sget_simple_extent_dims(set->space, size, NULL) < 0)
    return TH_EFORMAT;
  return is_backed(set, &keeping) ? TH_OK : TH_EFORMAT;
}

th_status th_h5_set_open(struct th_h5_set *set, const struct th_h5 *h5,
                         const char *name, hid_t memory, int rank,
                         hsize_t size[2], struct th_error *err)
{
  *set = (struct th_h5_set){.h5 = h5, .name = name, .type = memory};
  th_status rc = open_set(set, rank, size);
  if (rc == TH_EIO)
    return th_h5_fail(h5, "cannot read", name, err);
  if (rc != TH_OK)
    return th_fail(err, rc,
                   "%s: %s is not stored as it was written; the file is "
                   "damaged, make it again",
                   h5->name, name);
  return TH_OK;
}

th_status th_h5_set_close(struct th_h5_set *set, struct th_error *err)
{
  hid_t space = set->space;
  hid_t id = set->id;
  set->space = 0;
  set->id = 0;
  if (space > 0)
    H5Sclose(space);
  if (id > 0 && H5Dclose(id) < 0)
    return th_h5_fail(set->h5, "cannot write", set->name, err);
  return TH_OK;
}

/* The memory has the shape of the box. HDF5 maps boxes of different shapes item
 * by item, which is a hundred times slower. */
static hid_t select_box(const struct th_h5_set *set, const hsize_t first[2],
                        const hsize_t count[2])
{
  if (H5Sselect_hyperslab(set->space, H5S_SELECT_SET, first, NULL, count,
                          NULL) < 0)
    return -1;
  return H5Screate_simple(H5Sget_simple_extent_ndims(set->space), count, NULL);
}

th_status th_h5_set_read(const struct th_h5_set *set, const hsize_t first[2],
                         const hsize_t count[2], void *data,
                         struct th_error *err)
{
  hid_t memory = select_box(set, first, count);
  herr_t ok = -1;
  if (memory >= 0)
    ok = H5Dread(set->id, set->type, memory, set->space, H5P_DEFAULT, data);
  th_status rc =
      ok < 0 ? th_h5_fail(set->h5, "cannot read", set->name, err) : TH_OK;
  th_h5_drop(memory);
  return rc;
}

static th_status write_box(const struct th_h5_set *set, const hsize_t first[2],
                           const hsize_t count[2], const void *data,
                           struct th_error *err)
{
  hid_t memory = select_box(set, first, count);
  herr_t ok = -1;
  if (memory >= 0)
    ok = H5Dwrite(set->id, set->type, memory, set->space, H5P_DEFAULT, data);
  th_status rc =
      ok < 0 ? th_h5_fail(set->h5, "cannot write", set->name, err) : TH_OK;
  th_h5_drop(memory);
  return rc;
}

th_status th_h5_set_range(const struct th_h5_set *set, int64_t first,
                          int64_t count, void *data, struct th_error *err)
{
  hsize_t at[2] = {(hsize_t)first, 0};
  hsize_t items[2] = {(hsize_t)count, 0};
  return count == 0 ? TH_OK : th_h5_set_read(set, at, items, data, err);
}

th_status th_h5_set_append(struct th_h5_set *set, int64_t length, int64_t count,
                           const void *data, struct th_error *err)
{
  hsize_t at[2] = {(hsize_t)length, 0};
  hsize_t items[2] = {(hsize_t)count, 0};
  hsize_t size = at[0] + items[0];
  if (count == 0)
    return TH_OK;
  hid_t space = -1;
  if (H5Dset_extent(set->id, &size) >= 0)
    space = H5Dget_space(set->id);
  if (space < 0)
    return th_h5_fail(set->h5, "cannot write", set->name, err);
  H5Sclose(set->space);
  set->space = space;
  return write_box(set, at, items, data, err);
}

/* --- Small data sets, written and read whole, each with its checksum ------ */

static uint64_t checksum_of(hid_t type, int64_t count, const void *data)
{
  return th_hash(data, H5Tget_size(type) * (size_t)count);
}

th_status th_h5_set_put(const struct th_h5 *h5, const char *name, hid_t type,
                        int64_t count, const void *data, struct th_error *err)
{
  struct th_h5_set set = {0};
  struct th_h5_plan plan = {.rank = 1, .size = {(hsize_t)count}};
  hsize_t first[2] = {0};
  th_status rc = TH_OK;
  TH_TRY(th_h5_set_create(&set, h5, name, type, type, &plan, err));
  if (count > 0)
    TH_TRY(write_box(&set, first, plan.size, data, err));
  TH_TRY(th_h5_put_u64(h5, name, TH_A_CHECKSUM, checksum_of(type, count, data),
                       err));
done:
  if (rc == TH_OK)
    return th_h5_set_close(&set, err);
  th_h5_set_close(&set, err);
  return rc;
}

static th_status verify_checksum(const struct th_h5 *h5, const char *name,
                                 hid_t type, int64_t count, const void *data,
                                 struct th_error *err)
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

th_status th_h5_set_expect(const struct th_h5 *h5, const char *name,
                           int64_t count, struct th_error *err)
{
  struct th_h5_set set = {0};
  th_status rc = open_counted(&set, h5, name, H5T_NATIVE_UINT8, count, err);
  th_h5_set_close(&set, err);
  return rc;
}

th_status th_h5_set_get(const struct th_h5 *h5, const char *name, hid_t type,
                        int64_t count, void *data, struct th_error *err)
{
  struct th_h5_set set = {0};
  th_status rc = TH_OK;
  TH_TRY(open_counted(&set, h5, name, type, count, err));
  TH_TRY(th_h5_set_range(&set, 0, count, data, err));
  TH_TRY(verify_checksum(h5, name, type, count, data, err));
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

th_status th_h5_set_put_texts(const struct th_h5 *h5, const char *name,
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
  TH_TRY(th_h5_set_put(h5, name, type, count, room, err));
done:
  free(room);
  H5Tclose(type);
  return rc;
}

size_t th_h5_set_text_width(const struct th_h5 *h5, const char *name)
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

th_status th_h5_set_get_texts(const struct th_h5 *h5, const char *name,
                              int64_t count, char ***texts,
                              struct th_error *err)
{
  char *packed = NULL;
  char *room = NULL;
  th_status rc = th_h5_set_expect(h5, name, count, err);
  if (rc != TH_OK)
    return rc;
  size_t width = th_h5_set_text_width(h5, name);
  hid_t type = width == 0 ? -1 : th_h5_text_type(width);
  if (type < 0)
    return th_h5_fail(h5, "cannot read", name, err);
  TH_TRY(th_alloc((void **)&packed, count, width, name, err));
  TH_TRY(th_h5_set_get(h5, name, type, count, packed, err));
  TH_TRY(
      th_alloc((void **)&room, count, width + 1 + sizeof(char *), name, err));
  *texts = spread(room, count, width, packed);
done:
  free(packed);
  H5Tclose(type);
  return rc;
}

th_status th_h5_set_get_copies(const struct th_h5 *h5, const char *name,
                               int64_t count, char ***copies,
                               struct th_error *err)
{
  char **texts = NULL;
  th_status rc;
  TH_TRY(th_h5_set_get_texts(h5, name, count, &texts, err));
  TH_TRY(TH_NEW(copies, count, name, err));
  for (int64_t k = 0; k < count && texts != NULL; k++) {
    size_t bytes = strlen(texts[k]) + 1;
    TH_TRY(TH_NEW(&(*copies)[k], (int64_t)bytes, name, err));
    memcpy((*copies)[k], texts[k], bytes);
  }
done:
  free(texts);
  return rc;
}
