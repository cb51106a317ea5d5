/* forge.c - files that say something else: what there is, and changes of it
 * SPDX-License-Identifier: MIT */
#include "forge.h"

#include "io/files/hash.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct listing {
  const char *path;
  struct forge_place *places;
  int count;
};

static void enter(struct listing *list, const char *object, const char *name,
                  hid_t type, hid_t space)
{
  hid_t native = H5Tget_native_type(type, H5T_DIR_ASCEND);
  hssize_t items = H5Sget_simple_extent_npoints(space);
  if (native >= 0 && items > 0 && list->count < FORGE_PLACES) {
    struct forge_place *place = &list->places[list->count++];
    *place = (struct forge_place){.items = (int64_t)items};
    snprintf(place->path, FORGE_PATH, "%s", list->path);
    snprintf(place->object, FORGE_NAME, "%s", object);
    snprintf(place->name, FORGE_NAME, "%s", name);
    place->bytes = (int)H5Tget_size(native);
    place->real = H5Tget_class(native) == H5T_FLOAT;
    if (H5Tget_class(native) == H5T_STRING && place->bytes <= 8)
      place->bytes = 9; /* text, however short */
  }
  H5Tclose(native);
}

static herr_t enter_attribute(hid_t object, const char *name,
                              const H5A_info_t *info, void *data)
{
  struct listing *list = data;
  char where[FORGE_NAME] = "";
  hid_t id = H5Aopen(object, name, H5P_DEFAULT);
  hid_t type = H5Aget_type(id);
  hid_t space = H5Aget_space(id);
  (void)info;
  H5Iget_name(object, where, sizeof where);
  if (strcmp(name, "checksum") != 0)
    enter(list, where, name, type, space);
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(id);
  return 0;
}

static void enter_set(struct listing *list, hid_t id, const char *object)
{
  hid_t plan = H5Dget_create_plist(id);
  hid_t type = H5Dget_type(id);
  hid_t space = H5Dget_space(id);
  bool seal = strstr(object, "checksum") != NULL ||
              strcmp(object, "/shard/hash") == 0 ||
              strcmp(object, "/shard/content") == 0;
  if (H5Pget_layout(plan) != H5D_VIRTUAL && !seal)
    enter(list, object, "", type, space);
  H5Sclose(space);
  H5Tclose(type);
  H5Pclose(plan);
}

static void enter_all(struct listing *list, hid_t group)
{
  hsize_t links = 0;
  H5G_info_t info;
  hsize_t at = 0;
  if (H5Gget_info(group, &info) >= 0)
    links = info.nlinks;
  H5Aiterate2(group, H5_INDEX_NAME, H5_ITER_INC, &at, enter_attribute, list);
  for (hsize_t k = 0; k < links; k++) {
    char name[FORGE_NAME] = "";
    hid_t id =
        H5Oopen_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, k, H5P_DEFAULT);
    H5Iget_name(id, name, sizeof name);
    if (H5Iget_type(id) == H5I_GROUP)
      enter_all(list, id);
    else if (H5Iget_type(id) == H5I_DATASET)
      enter_set(list, id, name);
    H5Oclose(id);
  }
}

int forge_list(const char *path, struct forge_place places[FORGE_PLACES])
{
  struct listing list = {path, places, 0};
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0)
    return 0;
  enter_all(&list, file);
  H5Fclose(file);
  return list.count;
}

/* An open array or attribute with all that it holds. */
struct held {
  hid_t file;
  hid_t id;
  hid_t type;
  bool attribute;
  size_t size;
  int64_t count;
  char *items;
};

static bool hold(struct held *h, const struct forge_place *place)
{
  *h =
      (struct held){.attribute = place->name[0] != '\0', .count = place->items};
  h->file = H5Fopen(place->path, H5F_ACC_RDWR, H5P_DEFAULT);
  h->id = h->attribute ? H5Aopen_by_name(h->file, place->object, place->name,
                                         H5P_DEFAULT, H5P_DEFAULT)
                       : H5Dopen2(h->file, place->object, H5P_DEFAULT);
  h->type = h->attribute ? H5Aget_type(h->id) : H5Dget_type(h->id);
  h->size = H5Tget_size(h->type);
  h->items = calloc((size_t)place->items + 1, h->size);
  return (h->attribute ? H5Aread(h->id, h->type, h->items)
                       : H5Dread(h->id, h->type, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                                 h->items)) >= 0;
}

static bool put_back(struct held *h, bool changed)
{
  herr_t ok = -1;
  if (changed)
    ok = h->attribute ? H5Awrite(h->id, h->type, h->items)
                      : H5Dwrite(h->id, h->type, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                                 h->items);
  H5Tclose(h->type);
  (h->attribute ? H5Aclose : H5Dclose)(h->id);
  H5Fclose(h->file);
  free(h->items);
  return ok >= 0;
}

static hid_t creation_list(const struct forge_place *place,
                           enum forge_form form, const char *other)
{
  hid_t list = H5Pcreate(H5P_DATASET_CREATE);
  hsize_t items = (hsize_t)place->items;
  hsize_t chunk = 1024;
  hid_t space = H5Screate_simple(1, &items, NULL);
  if (form == FORGE_HOLLOW)
    H5Pset_chunk(list, 1, &chunk);
  else if (form == FORGE_EXTERNAL)
    H5Pset_external(list, other, 0, H5F_UNLIMITED);
  else
    H5Pset_virtual(list, space, other, place->object, space);
  H5Sclose(space);
  return list;
}

/* With the old one's checksum. */
static void add_checksum(hid_t set, const struct held *h)
{
  uint64_t sum = th_hash(h->items, (size_t)h->count * h->size);
  hid_t one = H5Screate(H5S_SCALAR);
  hid_t id =
      H5Acreate2(set, "checksum", H5T_STD_U64LE, one, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(id, H5T_NATIVE_UINT64, &sum);
  H5Aclose(id);
  H5Sclose(one);
}

static void copy_file(const char *from, const char *to)
{
  char bytes[4096];
  FILE *in = fopen(from, "rb");
  FILE *out = fopen(to, "wb");
  for (size_t n = 1; n > 0;)
    n = fwrite(bytes, 1, fread(bytes, 1, sizeof bytes, in), out);
  fclose(in);
  fclose(out);
}

bool forge_form(const struct forge_place *place, enum forge_form form)
{
  char other[FORGE_PATH + 8];
  struct held h;
  hsize_t items = (hsize_t)place->items;
  snprintf(other, sizeof other, "%s.other", place->path);
  if (form != FORGE_EXTERNAL)
    copy_file(place->path, other);
  if (place->name[0] != '\0' || !hold(&h, place))
    return false;
  H5Ldelete(h.file, place->object, H5P_DEFAULT);
  if (form == FORGE_LINK) {
    H5Lcreate_external(other, place->object, h.file, place->object, H5P_DEFAULT,
                       H5P_DEFAULT);
    put_back(&h, false);
    return true;
  }
  items = form == FORGE_HOLLOW ? (hsize_t)1 << 40 : items;
  hid_t space = H5Screate_simple(1, &items, NULL);
  hid_t list = creation_list(place, form, other);
  hid_t made = H5Dcreate2(h.file, place->object, h.type, space, H5P_DEFAULT,
                          list, H5P_DEFAULT);
  if (form == FORGE_EXTERNAL)
    H5Dwrite(made, h.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, h.items);
  add_checksum(made, &h);
  H5Dclose(made);
  H5Pclose(list);
  H5Sclose(space);
  put_back(&h, false);
  return true;
}

static void put_real(char *item, int bytes, double value)
{
  float narrow = (float)value;
  if (bytes == sizeof narrow)
    memcpy(item, &narrow, sizeof narrow);
  else
    memcpy(item, &value, sizeof value);
}

static double get_real(const char *item, int bytes)
{
  float narrow = 0;
  double value = 0;
  if (bytes == sizeof value) {
    memcpy(&value, item, sizeof value);
    return value;
  }
  memcpy(&narrow, item, sizeof narrow);
  return (double)narrow;
}

static void change_real(char *item, int bytes, enum forge_way way,
                        uint64_t random)
{
  double was = get_real(item, bytes);
  const double becomes[] = {
      [FORGE_ZERO] = 0,         [FORGE_ONE] = 1,
      [FORGE_ALL_BITS] = NAN,   [FORGE_TOP_BIT] = -INFINITY,
      [FORGE_OTHER_BITS] = 0.5, [FORGE_MIDDLE] = -1e-300,
      [FORGE_LARGE] = 1e300,    [FORGE_UP] = was + 1,
      [FORGE_DOWN] = was - 1,   [FORGE_RANDOM] = (double)(random % 97) - 48,
  };
  put_real(item, bytes, becomes[way]);
}

static void change_whole(char *item, int bytes, enum forge_way way,
                         uint64_t random)
{
  uint64_t was = 0;
  int bits = 8 * bytes;
  memcpy(&was, item, (size_t)bytes); /* little endian */
  const uint64_t becomes[] = {
      [FORGE_ZERO] = 0,
      [FORGE_ONE] = 1,
      [FORGE_ALL_BITS] = UINT64_MAX,
      [FORGE_TOP_BIT] = (uint64_t)1 << (bits - 1),
      [FORGE_OTHER_BITS] = ((uint64_t)1 << (bits - 1)) - 1,
      [FORGE_MIDDLE] = (uint64_t)1 << (bits / 2),
      [FORGE_LARGE] = UINT64_C(1000003),
      [FORGE_UP] = was + 1,
      [FORGE_DOWN] = was - 1,
      [FORGE_RANDOM] = random >> (random % 61),
  };
  memcpy(item, &becomes[way], (size_t)bytes);
}

static void change_text(char *item, size_t size, enum forge_way way,
                        uint64_t random)
{
  static const char letters[] = "\n/.\x1b\xff\x01 %";
  size_t at = (size_t)(random >> 32) % size;
  if (way == FORGE_ZERO)
    memset(item, 0, size);
  else if (way == FORGE_ONE)
    memset(item, 'x', size);
  else
    item[at] = letters[random % (sizeof letters - 1)];
}

static void exchange(char *a, char *b, size_t size, bool both)
{
  for (size_t k = 0; k < size; k++) {
    char kept = a[k];
    a[k] = b[k];
    b[k] = both ? kept : b[k];
  }
}

bool forge_change(const struct forge_place *place, int64_t at,
                  enum forge_way way, uint64_t random)
{
  struct held h;
  char before[8] = "";
  bool good = hold(&h, place);
  char *item = h.items + (size_t)at * h.size;
  bool short_item = place->bytes <= 8;
  if (short_item)
    memcpy(before, item, h.size);
  if (way == FORGE_COPY || way == FORGE_SWAP) {
    good = good && place->items > 1;
    if (good)
      exchange(item, at > 0 ? item - h.size : item + h.size, h.size,
               way == FORGE_SWAP);
  } else if (!short_item) {
    change_text(item, h.size, way, random);
  } else {
    (place->real ? change_real : change_whole)(item, place->bytes, way, random);
  }
  bool changed = !short_item || memcmp(before, item, h.size) != 0;
  return put_back(&h, good && changed) && changed;
}

int64_t forge_get(const struct forge_place *place, int64_t at)
{
  struct held h;
  int64_t value = 0;
  if (hold(&h, place))
    memcpy(&value, h.items + (size_t)at * h.size, h.size); /* little endian */
  put_back(&h, false);
  return value;
}

void forge_set(const struct forge_place *place, int64_t first, int64_t count,
               int64_t value)
{
  struct held h;
  bool good = hold(&h, place);
  for (int64_t k = first; k < first + count; k++)
    memcpy(h.items + (size_t)k * h.size, &value, h.size);
  put_back(&h, good);
}

bool forge_resize(const struct forge_place *place, int64_t items)
{
  struct held h;
  hsize_t size = (hsize_t)items;
  bool good = place->name[0] == '\0' && items > 0 && hold(&h, place);
  if (!good)
    return false;
  hid_t space = H5Dget_space(h.id);
  bool flat = H5Sget_simple_extent_ndims(space) == 1;
  char *longer = calloc((size_t)items, h.size);
  if (flat)
    memcpy(longer, h.items,
           h.size * (size_t)(items < place->items ? items : place->items));
  H5Sclose(space);
  if (flat) {
    hid_t wide = H5Screate_simple(1, &size, NULL);
    H5Ldelete(h.file, place->object, H5P_DEFAULT);
    hid_t made = H5Dcreate2(h.file, place->object, h.type, wide, H5P_DEFAULT,
                            H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(made, h.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, longer);
    hid_t one = H5Screate(H5S_SCALAR);
    hid_t sum = H5Acreate2(made, "checksum", H5T_STD_U64LE, one, H5P_DEFAULT,
                           H5P_DEFAULT);
    H5Aclose(sum);
    H5Sclose(one);
    H5Dclose(made);
    H5Sclose(wide);
  }
  free(longer);
  put_back(&h, false);
  return flat;
}
