/* h5_attribute.c - attributes of HDF5 files, groups and data sets
 * SPDX-License-Identifier: MIT */
#include "io/hdf5/h5.h"

#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

static th_status put(const struct th_h5 *h5, const char *object,
                     const char *name, hid_t type, const void *value,
                     struct th_error *err)
{
  hid_t space = H5Screate(H5S_SCALAR);
  hid_t id = H5Acreate_by_name(h5->file, object, name, type, space, H5P_DEFAULT,
                               H5P_DEFAULT, H5P_DEFAULT);
  th_status rc = TH_OK;
  if (id < 0 || H5Awrite(id, type, value) < 0)
    rc = th_h5_fail(h5, "cannot write", name, err);
  th_h5_drop(id);
  th_h5_drop(space);
  return rc;
}

th_status th_h5_put_i64(const struct th_h5 *h5, const char *object,
                        const char *name, int64_t value, struct th_error *err)
{
  return put(h5, object, name, H5T_NATIVE_INT64, &value, err);
}

th_status th_h5_put_u64(const struct th_h5 *h5, const char *object,
                        const char *name, uint64_t value, struct th_error *err)
{
  return put(h5, object, name, H5T_NATIVE_UINT64, &value, err);
}

th_status th_h5_put_f64(const struct th_h5 *h5, const char *object,
                        const char *name, double value, struct th_error *err)
{
  return put(h5, object, name, H5T_NATIVE_DOUBLE, &value, err);
}

bool th_h5_has(const struct th_h5 *h5, const char *object, const char *name)
{
  return H5Aexists_by_name(h5->file, object, name, H5P_DEFAULT) > 0;
}

hid_t th_h5_text_type(size_t size)
{
  hid_t type = H5Tcopy(H5T_C_S1);
  if (type >= 0 && H5Tset_size(type, size > 0 ? size : 1) >= 0 &&
      H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 &&
      H5Tset_cset(type, H5T_CSET_UTF8) >= 0)
    return type;
  th_h5_drop(type);
  return -1;
}

th_status th_h5_put_text(const struct th_h5 *h5, const char *object,
                         const char *name, const char *text,
                         struct th_error *err)
{
  hid_t type = th_h5_text_type(strlen(text));
  if (type < 0)
    return th_h5_fail(h5, "cannot write", name, err);
  th_status rc = put(h5, object, name, type, text, err);
  H5Tclose(type);
  return rc;
}

static hid_t open_attribute(const struct th_h5 *h5, const char *object,
                            const char *name)
{
  hid_t access = H5Pcreate(H5P_LINK_ACCESS);
  hid_t id = -1;
  if (access >= 0 && th_h5_stay_inside(access) >= 0)
    id = H5Aopen_by_name(h5->file, object, name, H5P_DEFAULT, access);
  th_h5_drop(access);
  return id;
}

static th_status get(const struct th_h5 *h5, const char *object,
                     const char *name, hid_t type, void *value,
                     struct th_error *err)
{
  hid_t id = open_attribute(h5, object, name);
  hid_t space = id < 0 ? id : H5Aget_space(id);
  th_status rc = TH_OK;
  if (space < 0 || H5Sget_simple_extent_npoints(space) != 1 ||
      H5Aread(id, type, value) < 0)
    rc = th_h5_fail(h5, "cannot read the attribute", name, err);
  th_h5_drop(space);
  th_h5_drop(id);
  return rc;
}

th_status th_h5_get_i64(const struct th_h5 *h5, const char *object,
                        const char *name, int64_t *value, struct th_error *err)
{
  return get(h5, object, name, H5T_NATIVE_INT64, value, err);
}

th_status th_h5_get_u64(const struct th_h5 *h5, const char *object,
                        const char *name, uint64_t *value, struct th_error *err)
{
  return get(h5, object, name, H5T_NATIVE_UINT64, value, err);
}

th_status th_h5_get_f64(const struct th_h5 *h5, const char *object,
                        const char *name, double *value, struct th_error *err)
{
  return get(h5, object, name, H5T_NATIVE_DOUBLE, value, err);
}

/* Bytes of a fixed-length string attribute; 0: there is none that the file
 * could hold. */
static size_t text_size(const struct th_h5 *h5, const char *object,
                        const char *name)
{
  size_t size = 0;
  hsize_t file = 0;
  hid_t id = open_attribute(h5, object, name);
  hid_t type = id < 0 ? id : H5Aget_type(id);
  if (type >= 0 && H5Tget_class(type) == H5T_STRING &&
      H5Tis_variable_str(type) == 0)
    size = H5Tget_size(type);
  if (H5Fget_filesize(h5->file, &file) < 0 || size > file)
    size = 0;
  th_h5_drop(type);
  th_h5_drop(id);
  return size;
}

th_status th_h5_get_text(const struct th_h5 *h5, const char *object,
                         const char *name, char **text, struct th_error *err)
{
  size_t size = text_size(h5, object, name);
  if (size == 0)
    return th_h5_fail(h5, "cannot read the attribute", name, err);
  char *room = NULL;
  th_status rc = TH_NEW(&room, (int64_t)size + 1, "text of a file", err);
  if (rc != TH_OK)
    return rc;
  hid_t type = th_h5_text_type(size);
  rc = type < 0 ? th_h5_fail(h5, "cannot read the attribute", name, err)
                : get(h5, object, name, type, room, err);
  th_h5_drop(type);
  if (rc != TH_OK)
    free(room);
  else
    *text = room;
  return rc;
}

th_status th_h5_get_line(const struct th_h5 *h5, const char *object,
                         const char *name, char **text, struct th_error *err)
{
  th_status rc = th_h5_get_text(h5, object, name, text, err);
  if (rc == TH_OK)
    th_error_one_line(*text);
  return rc;
}
