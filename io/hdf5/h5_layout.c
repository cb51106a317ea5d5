/* h5_layout.c - finds where HDF5 has put the bytes of a data set
 *
 * HDF5 1.10 spends microseconds on every read, and only one thread may call it.
 * If the place is known, pread(2) can read it.
 * SPDX-License-Identifier: MIT */
#include "io/hdf5/h5.h"

int th_h5_descriptor(const struct th_h5 *h5)
{
  hid_t made = H5Fget_create_plist(h5->file);
  hid_t access = H5Fget_access_plist(h5->file);
  /* user block: bytes before HDF5's own, which places do not count */
  hsize_t block = 1;
  void *handle = NULL;
  int descriptor = -1;
  if (made >= 0 && access >= 0 && H5Pget_userblock(made, &block) >= 0 &&
      block == 0 && H5Pget_driver(access) == H5FD_SEC2 &&
      H5Fget_vfd_handle(h5->file, access, &handle) >= 0 && handle != NULL)
    descriptor = *(const int *)handle;
  th_h5_drop(access);
  th_h5_drop(made);
  return descriptor;
}

/* Whether the items lie on disk as in memory, one after the other. */
static bool is_plain(const struct th_h5_set *set, hid_t plan)
{
  hid_t type = H5Dget_type(set->id);
  bool plain = H5Pget_nfilters(plan) == 0 && H5Pget_external_count(plan) == 0 &&
               type >= 0 && H5Tequal(type, set->type) > 0;
  th_h5_drop(type);
  return plain;
}

static bool get_layout(const struct th_h5_set *set, hid_t plan,
                       struct th_h5_layout *layout)
{
  switch (H5Pget_layout(plan)) {
  case H5D_CONTIGUOUS: {
    haddr_t offset = H5Dget_offset(set->id);
    layout->plain = offset != HADDR_UNDEF && is_plain(set, plan);
    layout->offset = layout->plain ? (int64_t)offset : -1;
    return true;
  }
  case H5D_CHUNKED:
    layout->plain = is_plain(set, plan);
    return H5Pget_chunk(plan, 2, layout->chunk) > 0;
  case H5D_COMPACT:
  case H5D_VIRTUAL:
  case H5D_LAYOUT_ERROR:
  case H5D_NLAYOUTS:
    break;
  }
  return true;
}

th_status th_h5_set_layout(const struct th_h5_set *set,
                           struct th_h5_layout *layout, struct th_error *err)
{
  hid_t plan = H5Dget_create_plist(set->id);
  *layout = (struct th_h5_layout){.offset = -1};
  bool good = plan >= 0 && get_layout(set, plan, layout);
  th_h5_drop(plan);
  return good ? TH_OK : th_h5_fail(set->h5, "cannot read", set->name, err);
}

int64_t th_h5_set_chunk(const struct th_h5_set *set, const hsize_t first[2])
{
  unsigned mask = 0;
  haddr_t offset = HADDR_UNDEF;
  hsize_t bytes = 0;
  if (H5Dget_chunk_info_by_coord(set->id, first, &mask, &offset, &bytes) < 0 ||
      offset == HADDR_UNDEF)
    return -1;
  return (int64_t)offset;
}
