/* anew.c - stores dense values in another way, for measurements and tests
 * SPDX-License-Identifier: MIT */
#include "io/dataset/anew.h"

#include "base/memory.h"
#include "io/dataset/format.h"
#include "ranks/comm.h"

#include <fcntl.h>
#include <hdf5.h>
#include <stdlib.h>
#include <unistd.h>

enum {
  CHUNK_BYTES = 256 << 10,
  DEFLATE = 1, /* level of compression */
  PART = 4 << 20
};

static const char other[] = "/anew";

/* The creation list for a new data set of `attributes`; negative if it fails.
 */
static hid_t storage_list(enum th_storage storage, hsize_t attributes,
                          hsize_t height, size_t item)
{
  hid_t list = H5Pcreate(H5P_DATASET_CREATE);
  hsize_t width = CHUNK_BYTES / (height * item);
  hsize_t chunk[2] = {width < attributes ? width : attributes, height};
  chunk[0] = chunk[0] > 0 ? chunk[0] : 1;
  herr_t ok = list < 0 ? -1 : 0;
  if (ok >= 0 && storage != TH_STORED_CONTIGUOUS)
    ok = H5Pset_chunk(list, 2, chunk);
  if (ok >= 0 && storage == TH_STORED_FILTERED)
    ok = H5Pset_shuffle(list);
  if (ok >= 0 && storage == TH_STORED_FILTERED)
    ok = H5Pset_deflate(list, DEFLATE);
  if (ok >= 0 || list < 0)
    return list;
  H5Pclose(list);
  return -1;
}

/* Copy /X. `values` has room for all of it. */
static bool copy_set(hid_t file, hid_t x, hid_t type, hid_t space, hid_t list,
                     void *values)
{
  hid_t made = -1;
  if (H5Dread(x, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0)
    made = H5Dcreate2(file, other, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
  bool good = made >= 0 &&
              H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
  if (made >= 0)
    good = H5Dclose(made) >= 0 && good;
  return good;
}

/* Put the copy in the place of /X. */
static bool replace_set(hid_t file, enum th_storage storage, hsize_t height)
{
  hid_t x = H5Dopen2(file, TH_D_X, H5P_DEFAULT);
  hid_t type = x < 0 ? -1 : H5Dget_type(x);
  hid_t space = x < 0 ? -1 : H5Dget_space(x);
  bool good = type >= 0 && space >= 0;
  size_t item = good ? H5Tget_size(type) : 1;
  hsize_t size[2] = {0};
  good = good && H5Sget_simple_extent_dims(space, size, NULL) == 2;
  hid_t list = good ? storage_list(storage, size[0], height, item) : -1;
  hssize_t items = good ? H5Sget_simple_extent_npoints(space) : 0;
  void *values = items > 0 ? malloc((size_t)items * item) : NULL;
  good = list >= 0 && values != NULL &&
         copy_set(file, x, type, space, list, values);
  free(values);
  if (list >= 0)
    H5Pclose(list);
  if (space >= 0)
    H5Sclose(space);
  if (type >= 0)
    H5Tclose(type);
  if (x >= 0)
    H5Dclose(x);
  return good && H5Ldelete(file, TH_D_X, H5P_DEFAULT) >= 0 &&
         H5Lmove(file, other, file, TH_D_X, H5P_DEFAULT, H5P_DEFAULT) >= 0;
}

th_status th_anew_shard(const char *path, enum th_storage storage,
                        int64_t row_group, struct th_error *err)
{
  if (storage == TH_STORED_TILES)
    return TH_OK;
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  bool good = file >= 0 && replace_set(file, storage, (hsize_t)row_group);
  if (file >= 0)
    good = H5Fclose(file) >= 0 && good;
  return good ? TH_OK : th_fail(err, TH_EIO, "%s: cannot be stored anew", path);
}

void th_anew_forget(int file)
{
  (void)posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
}

double th_anew_read_seconds(int file)
{
  void *part = malloc(PART);
  ssize_t got = part != NULL && lseek(file, 0, SEEK_SET) == 0 ? PART : -1;
  double began = th_comm_clock();
  while (got > 0)
    got = read(file, part, PART);
  double seconds = th_comm_clock() - began;
  free(part);
  return got < 0 ? -1 : seconds;
}
