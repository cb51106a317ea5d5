/* h5.c - HDF5 files, in memory and on disk, with our errors
 * SPDX-License-Identifier: MIT */
#include "io/hdf5/h5.h"

#include "base/memory.h"
#include "io/files/file.h"
#include "io/files/output.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { CHECKED_SINCE = 2 }; /* version of a superblock */

enum { DETAIL = 320, MEMORY_STEP = 1 << 20, ROOM_TO_OPEN = 1 << 20 };

int64_t th_h5_end(const void *bytes)
{
  enum { END_AT = 28 };
  const unsigned char *from = (const unsigned char *)bytes + END_AT;
  uint64_t end = 0;
  for (int k = 7; k >= 0; k--)
    end = end << 8 | from[k];
  return (int64_t)end;
}

static herr_t take_first(unsigned n, const H5E_error2_t *error, void *data)
{
  (void)n;
  char *detail = data;
  if (detail[0] == '\0' && error->desc != NULL)
    snprintf(detail, DETAIL, "%s", error->desc);
  return 0;
}

/* HDF5 1.10 cannot close a file that it cannot write: what it still holds back
 * fails again, and the process ends in a crash. So the rest of a file that is
 * given up goes to memory that nobody reads. */
static void give_up(const struct th_h5 *h5)
{
  int *file = NULL;
  char name[64];
  if (H5Fget_vfd_handle(h5->file, H5P_DEFAULT, (void **)&file) < 0)
    return;
  snprintf(name, sizeof name, "/thresher-%ld", (long)getpid());
  int memory = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
  if (memory < 0)
    return;
  shm_unlink(name);
  th_file_raise_limit(RLIMIT_FSIZE);
  dup2(memory, *file);
  close(memory);
}

th_status th_h5_fail(const struct th_h5 *h5, const char *what,
                     const char *object, struct th_error *err)
{
  char detail[DETAIL] = "";
  /* Upward: the innermost function, which knows the cause, comes first. */
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, detail);
  if (h5->on_disk && h5->file > 0)
    give_up(h5);
  for (char *c = detail; *c != '\0'; c++)
    if (*c == '\n')
      *c = ' ';
  if (strstr(detail, "No space left on device") != NULL ||
      strstr(detail, "File too large") != NULL)
    return th_fail(err, TH_EIO,
                   "%s: no space left; free some or write "
                   "elsewhere",
                   h5->name);
  return th_fail(err, TH_EIO, "%s: %s%s%s%s%s", h5->name, what,
                 object != NULL ? " " : "", object != NULL ? object : "",
                 detail[0] != '\0' ? ": " : "", detail);
}

/* HDF5 keeps a file in memory in a room of ours and gives it back, complete,
 * when the file is closed. */
static void *room_new(size_t size, H5FD_file_image_op_t op, void *data)
{
  (void)op;
  (void)data;
  return malloc(size);
}

static void *room_grow(void *room, size_t size, H5FD_file_image_op_t op,
                       void *data)
{
  (void)op;
  (void)data;
  return realloc(room, size);
}

/* A complete file says in its superblock where it ends. */
static herr_t room_done(void *room, H5FD_file_image_op_t op, void *data)
{
  struct th_h5_image *image = data;
  if (op == H5FD_FILE_IMAGE_OP_FILE_CLOSE && image->bytes == NULL) {
    image->bytes = room;
    image->count = th_h5_end(room);
    return th_output_seal_add(&image->bytes, &image->count) ? 0 : -1;
  }
  free(room);
  return 0;
}

static void *same_data(void *data)
{
  return data;
}

static herr_t keep_data(void *data)
{
  (void)data;
  return 0;
}

static herr_t set_memory(hid_t list, struct th_h5_image *image)
{
  H5FD_file_image_callbacks_t calls = {.image_malloc = room_new,
                                       .image_realloc = room_grow,
                                       .image_free = room_done,
                                       .udata_copy = same_data,
                                       .udata_free = keep_data,
                                       .udata = image};
  if (H5Pset_fapl_core(list, MEMORY_STEP, false) < 0)
    return -1;
  return H5Pset_file_image_callbacks(list, &calls);
}

/* A file access list: memory or disk, one format version, no locks. */
static hid_t access_list(struct th_h5_image *image)
{
  hid_t list = H5Pcreate(H5P_FILE_ACCESS);
  if (list < 0)
    return list;
  herr_t ok = H5Pset_libver_bounds(list, H5F_LIBVER_V110, H5F_LIBVER_V110);
  if (ok >= 0)
    ok = H5Pset_file_locking(list, false, true);
  if (ok >= 0)
    ok = H5Pset_fclose_degree(list, H5F_CLOSE_STRONG);
  if (ok >= 0 && image != NULL)
    ok = set_memory(list, image);
  if (ok >= 0)
    return list;
  H5Pclose(list);
  return -1;
}

/* On disk a file of that name must not be there, nor a link to one. */
static hid_t create(const char *path, struct th_h5_image *image)
{
  hid_t access = access_list(image);
  hid_t made = H5Pcreate(H5P_FILE_CREATE);
  hid_t file = -1;
  if (access >= 0 && made >= 0 && H5Pset_obj_track_times(made, false) >= 0)
    file = H5Fcreate(path, image != NULL ? H5F_ACC_TRUNC : H5F_ACC_EXCL, made,
                     access);
  th_h5_drop(made);
  th_h5_drop(access);
  return file;
}

static th_status create_named(struct th_h5 *h5, const char *path,
                              const char *name, struct th_h5_image *image,
                              struct th_error *err)
{
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  *h5 = (struct th_h5){.name = name};
  hid_t file = create(path, image);
  if (file >= 0) {
    h5->file = file;
    h5->on_disk = image == NULL;
    return TH_OK;
  }
  return th_h5_fail(h5, "cannot be created", NULL, err);
}

th_status th_h5_create_memory(struct th_h5 *h5, struct th_h5_image *image,
                              const char *name, struct th_error *err)
{
  *image = (struct th_h5_image){0};
  /* HDF5 first looks for a file of the name on disk: one that cannot exist. */
  return create_named(h5, "/dev/null/memory", name, image, err);
}

th_status th_h5_create(struct th_h5 *h5, const char *path, const char *name,
                       struct th_error *err)
{
  return create_named(h5, path, name, NULL, err);
}

/* True if the metadata of a file have no checksums. In such a file a wrong size
 * of an attribute makes HDF5 read beyond it. */
static bool is_old(hid_t file)
{
  H5F_info2_t info = {0};
  return H5Fget_info2(file, &info) < 0 || info.super.version < CHECKED_SINCE;
}

/* HDF5 1.10 uses what it did not get while it opens a file, of about half a
 * megabyte. */
static th_status find_memory(struct th_error *err)
{
  void *room = NULL;
  th_status rc = TH_NEW_RARE((char **)&room, ROOM_TO_OPEN, "open files", err);
  free(room);
  return rc;
}

bool th_h5_left_open(const char *path)
{
  enum { VERSION_AT = 8, FLAGS_AT = 11, VERSION = 3, WRITES = 1 | 4 };
  static const unsigned char signature[] = {0x89, 'H',  'D', 'F',
                                            '\r', '\n', 26,  '\n'};
  unsigned char head[FLAGS_AT + 1];
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return false;
  bool whole = pread(file, head, sizeof head, 0) == (ssize_t)sizeof head;
  close(file);
  return whole && memcmp(head, signature, sizeof signature) == 0 &&
         head[VERSION_AT] == VERSION && (head[FLAGS_AT] & WRITES) != 0;
}

static th_status cannot_open(const struct th_h5 *h5, const char *path,
                             struct th_error *err)
{
  if (th_h5_left_open(path))
    return th_fail(err, TH_EIO,
                   "%s: another program has it open for writing, or was killed "
                   "while it had; end that program, or run: h5clear -s %s",
                   h5->name, path);
  return th_h5_fail(h5, "is not a whole HDF5 file", NULL, err);
}

th_status th_h5_open(struct th_h5 *h5, const char *path, const char *name,
                     struct th_error *err)
{
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  *h5 = (struct th_h5){.name = name};
  if (find_memory(err) != TH_OK)
    return TH_ENOMEM;
  hid_t access = access_list(NULL);
  hid_t file = access < 0 ? access : H5Fopen(path, H5F_ACC_RDONLY, access);
  th_status rc = TH_OK;
  if (file < 0)
    rc = cannot_open(h5, path, err);
  else
    h5->file = file;
  th_h5_drop(access);
  return rc;
}

/* HDF5 takes files in memory of one name for one file. */
static hid_t open_image(const struct th_h5_image *image)
{
  char name[64];
  hid_t access = access_list(NULL);
  hid_t file = -1;
  snprintf(name, sizeof name, "/dev/null/%p", image->bytes);
  if (access >= 0 && H5Pset_fapl_core(access, MEMORY_STEP, false) >= 0 &&
      H5Pset_file_image(access, image->bytes, (size_t)image->count) >= 0)
    file = H5Fopen(name, H5F_ACC_RDONLY, access);
  th_h5_drop(access);
  return file;
}

th_status th_h5_open_image(struct th_h5 *h5, const struct th_h5_image *image,
                           const char *name, struct th_error *err)
{
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  *h5 = (struct th_h5){.name = name};
  if (find_memory(err) != TH_OK)
    return TH_ENOMEM;
  hid_t file = open_image(image);
  if (file < 0)
    return th_h5_fail(h5, "cannot be opened in memory", NULL, err);
  h5->file = file;
  return TH_OK;
}

th_status th_h5_open_own(struct th_h5 *h5, const char *path, const char *name,
                         struct th_error *err)
{
  struct th_error ignored = {0};
  th_status rc = th_h5_open(h5, path, name, err);
  if (rc != TH_OK || !is_old(h5->file))
    return rc;
  rc = th_h5_fail(h5,
                  "is a file of an old format of HDF5, which thresher does not "
                  "write",
                  NULL, err);
  th_h5_close(h5, &ignored);
  return rc;
}

th_status th_h5_close(struct th_h5 *h5, struct th_error *err)
{
  if (h5->file <= 0)
    return TH_OK;
  th_status rc = TH_OK;
  if (h5->on_disk && H5Fflush(h5->file, H5F_SCOPE_GLOBAL) < 0)
    rc = th_h5_fail(h5, "cannot be written to its end", NULL, err);
  hid_t file = h5->file;
  h5->file = 0;
  if (H5Fclose(file) < 0 && rc == TH_OK)
    rc = th_h5_fail(h5, "cannot be written to its end", NULL, err);
  return rc;
}

bool th_h5_whole(const struct th_h5 *h5, int64_t size)
{
  haddr_t end = 0;
  return H5Fget_eoa(h5->file, &end) >= 0 && end == (haddr_t)size;
}

hid_t th_h5_type(enum th_type type)
{
  switch (type) {
  case TH_F32:
    return H5T_NATIVE_FLOAT;
  case TH_F64:
    return H5T_NATIVE_DOUBLE;
  case TH_U8:
  case TH_U2: /* four in each */
    return H5T_NATIVE_UINT8;
  case TH_I8:
    return H5T_NATIVE_INT8;
  case TH_TYPE_COUNT:
    break;
  }
  return -1;
}

/* --- Attributes of HDF5 files, groups and data sets ----------------------- */

static th_status put_attribute(const struct th_h5 *h5, const char *object,
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
  return put_attribute(h5, object, name, H5T_NATIVE_INT64, &value, err);
}

th_status th_h5_put_u64(const struct th_h5 *h5, const char *object,
                        const char *name, uint64_t value, struct th_error *err)
{
  return put_attribute(h5, object, name, H5T_NATIVE_UINT64, &value, err);
}

th_status th_h5_put_f64(const struct th_h5 *h5, const char *object,
                        const char *name, double value, struct th_error *err)
{
  return put_attribute(h5, object, name, H5T_NATIVE_DOUBLE, &value, err);
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
  th_status rc = put_attribute(h5, object, name, type, text, err);
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

static th_status get_attribute(const struct th_h5 *h5, const char *object,
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
  return get_attribute(h5, object, name, H5T_NATIVE_INT64, value, err);
}

th_status th_h5_get_u64(const struct th_h5 *h5, const char *object,
                        const char *name, uint64_t *value, struct th_error *err)
{
  return get_attribute(h5, object, name, H5T_NATIVE_UINT64, value, err);
}

th_status th_h5_get_f64(const struct th_h5 *h5, const char *object,
                        const char *name, double *value, struct th_error *err)
{
  return get_attribute(h5, object, name, H5T_NATIVE_DOUBLE, value, err);
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
                : get_attribute(h5, object, name, type, room, err);
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

/* --- Finds where HDF5 has put the bytes of a data set
 *
 * HDF5 1.10 spends microseconds on every read, and only one thread may call it.
 * If the place is known, pread(2) can read it. */

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

/* True if the items lie on disk as in memory, one after the other. */
static bool lies_as_in_memory(const struct th_h5_set *set, hid_t plan)
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
    layout->plain = offset != HADDR_UNDEF && lies_as_in_memory(set, plan);
    layout->offset = layout->plain ? (int64_t)offset : -1;
    return true;
  }
  case H5D_CHUNKED:
    layout->plain = lies_as_in_memory(set, plan);
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

th_status th_h5_group(const struct th_h5 *h5, const char *name,
                      struct th_error *err)
{
  hid_t plan = H5Pcreate(H5P_GROUP_CREATE);
  hid_t id = -1;
  if (plan >= 0 && H5Pset_obj_track_times(plan, false) >= 0)
    id = H5Gcreate2(h5->file, name, H5P_DEFAULT, plan, H5P_DEFAULT);
  th_h5_drop(plan);
  if (id < 0)
    return th_h5_fail(h5, "cannot write", name, err);
  H5Gclose(id);
  return TH_OK;
}

/* Links to other files are not followed, since these may be anything. */
static herr_t refuse_external(const char *file, const char *group,
                              const char *other, const char *object,
                              unsigned *flags, hid_t access, void *data)
{
  (void)file;
  (void)group;
  (void)other;
  (void)object;
  (void)flags;
  (void)access;
  (void)data;
  return -1;
}

herr_t th_h5_stay_inside(hid_t list)
{
  return H5Pset_elink_cb(list, refuse_external, NULL);
}
