/* h5.h - a thin layer over HDF5, with our errors
 *
 * Files keep no times, use one fixed format version and no file locks, so the
 * same calls give the same bytes. Data sets are read and written past HDF5's
 * chunk cache. HDF5's own error printing is off; our message includes its
 * innermost one. All functions are local. Internal to io/.
 * SPDX-License-Identifier: MIT */
#ifndef TH_H5_H
#define TH_H5_H

#include "base/error.h"
#include "data/slab.h"

#include <hdf5.h>
#include <stdint.h>

/* Of data sets that are written whole: the attribute with their hash. */
#define TH_A_CHECKSUM "checksum"

/* The bytes of a file in memory, handed over when it is closed. */
struct th_h5_image {
  void *bytes; /* owned by whoever asked for the file */
  int64_t count;
};

/* An open file; zeroed: none. */
struct th_h5 {
  hid_t file;
  const char *name; /* as messages call it; borrowed */
  bool on_disk;     /* being written there */
};

/* An open data set; zeroed: none. */
struct th_h5_set {
  const struct th_h5 *h5;
  const char *name; /* inside the file; borrowed */
  hid_t id;
  hid_t space;
  hid_t type; /* of the memory that is read into or written from; borrowed */
};

/* How a new data set is stored: chunk[0] == 0 is one contiguous piece. */
struct th_h5_plan {
  int rank;
  hsize_t size[2];
  hsize_t chunk[2];
  bool grows; /* along dimension 0 */
};

/* A new file in memory or on disk; an existing one, for reading. *image
 * (borrowed until then) receives the bytes at th_h5_close, as they are to be on
 * disk, with their seal (io/files/output.h); free them. TH_ENOMEM says nothing
 * about the file. */
th_status th_h5_create_memory(struct th_h5 *h5, struct th_h5_image *image,
                              const char *name, struct th_error *err);
th_status th_h5_create(struct th_h5 *h5, const char *path, const char *name,
                       struct th_error *err);
th_status th_h5_open(struct th_h5 *h5, const char *path, const char *name,
                     struct th_error *err);

/* Open, for reading, a file that nobody may have stored anew, as shards may be:
 * its metadata have checksums. TH_ENOMEM says nothing about the file. */
th_status th_h5_open_own(struct th_h5 *h5, const char *path, const char *name,
                         struct th_error *err);

/* Open, for reading, a file that is in memory, of which HDF5 makes a copy. */
th_status th_h5_open_image(struct th_h5 *h5, const struct th_h5_image *image,
                           const char *name, struct th_error *err);

/* True if a program has the file open for writing, or was killed while it had:
 * then th_h5_open fails, and says so. */
bool th_h5_left_open(const char *path);

/* Close. A failed write is noticed here at the latest. Legal on a zeroed
 * record. */
th_status th_h5_close(struct th_h5 *h5, struct th_error *err);

/* The length of a file by its first TH_H5_HEAD bytes (superblock version 2 or
 * 3). */
enum { TH_H5_HEAD = 48 };
int64_t th_h5_end(const void *bytes);

/* True if a file on disk has the length that HDF5 gave it. */
bool th_h5_whole(const struct th_h5 *h5, int64_t size);

/* Release a handle of any kind; legal on a failed one (negative). */
static inline void th_h5_drop(hid_t id)
{
  if (id >= 0)
    (void)H5Idec_ref(id);
}

/* Record HDF5's last failure. what: "cannot write", ... A file that is being
 * written can then only be closed and removed. */
th_status th_h5_fail(const struct th_h5 *h5, const char *what,
                     const char *object, struct th_error *err);

/* Links to other files are an error for what is opened by this access list. */
herr_t th_h5_stay_inside(hid_t list);

/* The HDF5 type of a storage type (borrowed); of strings of that many bytes
 * (owned by the caller, negative on failure). */
hid_t th_h5_type(enum th_type type);
hid_t th_h5_text_type(size_t size);

/* Bytes of each string of a data set of fixed-length strings; 0: it is none. */
size_t th_h5_set_text_width(const struct th_h5 *h5, const char *name);

/* ---- attributes of the file's root or of a group ---- */

th_status th_h5_put_i64(const struct th_h5 *h5, const char *object,
                        const char *name, int64_t value, struct th_error *err);
th_status th_h5_put_u64(const struct th_h5 *h5, const char *object,
                        const char *name, uint64_t value, struct th_error *err);
th_status th_h5_put_f64(const struct th_h5 *h5, const char *object,
                        const char *name, double value, struct th_error *err);
th_status th_h5_put_text(const struct th_h5 *h5, const char *object,
                         const char *name, const char *text,
                         struct th_error *err);
th_status th_h5_get_i64(const struct th_h5 *h5, const char *object,
                        const char *name, int64_t *value, struct th_error *err);
th_status th_h5_get_u64(const struct th_h5 *h5, const char *object,
                        const char *name, uint64_t *value,
                        struct th_error *err);
th_status th_h5_get_f64(const struct th_h5 *h5, const char *object,
                        const char *name, double *value, struct th_error *err);
bool th_h5_has(const struct th_h5 *h5, const char *object, const char *name);
/* *text is owned by the caller. A line: control characters become question
 * marks, so that it can be shown, whoever wrote it. */
th_status th_h5_get_text(const struct th_h5 *h5, const char *object,
                         const char *name, char **text, struct th_error *err);
th_status th_h5_get_line(const struct th_h5 *h5, const char *object,
                         const char *name, char **text, struct th_error *err);

/* ---- data sets ---- */

th_status th_h5_group(const struct th_h5 *h5, const char *name,
                      struct th_error *err);
bool th_h5_set_exists(const struct th_h5 *h5, const char *name);

/* An error unless a one-dimensional data set has that many items. Call it
 * before reserving room for a number of items that another part of the file
 * gives. */
th_status th_h5_set_expect(const struct th_h5 *h5, const char *name,
                           int64_t count, struct th_error *err);

/* A one-dimensional data set written whole, with its checksum; read whole and
 * verified. count must be what is stored. */
th_status th_h5_set_put(const struct th_h5 *h5, const char *name, hid_t type,
                        int64_t count, const void *data, struct th_error *err);
th_status th_h5_set_get(const struct th_h5 *h5, const char *name, hid_t type,
                        int64_t count, void *data, struct th_error *err);

/* A data set of strings written or read whole: zero padded to the longest.
 * *texts and the room that they point into are one allocation, owned by the
 * caller. */
th_status th_h5_set_put_texts(const struct th_h5 *h5, const char *name,
                              int64_t count, const char *const *texts,
                              struct th_error *err);
th_status th_h5_set_get_texts(const struct th_h5 *h5, const char *name,
                              int64_t count, char ***texts,
                              struct th_error *err);
/* Likewise, but each text is an allocation of its own; after a failure the list
 * is to be released all the same. */
th_status th_h5_set_get_copies(const struct th_h5 *h5, const char *name,
                               int64_t count, char ***copies,
                               struct th_error *err);

/* A new data set that is written in parts; an existing one of exactly that many
 * dimensions. */
th_status th_h5_set_create(struct th_h5_set *set, const struct th_h5 *h5,
                           const char *name, hid_t stored, hid_t memory,
                           const struct th_h5_plan *plan, struct th_error *err);
th_status th_h5_set_open(struct th_h5_set *set, const struct th_h5 *h5,
                         const char *name, hid_t memory, int rank,
                         hsize_t size[2], struct th_error *err);
th_status th_h5_set_close(struct th_h5_set *set, struct th_error *err);

/* How an existing data set lies in its file. */
struct th_h5_layout {
  bool plain;       /* bytes on disk are items of the set's memory type */
  hsize_t chunk[2]; /* chunk[0] == 0: no chunks */
  int64_t offset;   /* plain, no chunks: where the items begin in the file */
};
th_status th_h5_set_layout(const struct th_h5_set *set,
                           struct th_h5_layout *layout, struct th_error *err);

/* Where the chunk that begins at item `first` lies in the file; -1: nowhere
 * yet. Takes time in proportion to the number of chunks. */
int64_t th_h5_set_chunk(const struct th_h5_set *set, const hsize_t first[2]);

/* The file's descriptor, for pread(2) at such places; the file's own. -1: there
 * is none, or places do not count from the file's first byte. */
int th_h5_descriptor(const struct th_h5 *h5);

/* Read the box first .. first + count. */
th_status th_h5_set_read(const struct th_h5_set *set, const hsize_t first[2],
                         const hsize_t count[2], void *data,
                         struct th_error *err);

/* Items first .. first + count of a one-dimensional data set. */
th_status th_h5_set_range(const struct th_h5_set *set, int64_t first,
                          int64_t count, void *data, struct th_error *err);

/* Append to a growing data set that holds `length` items. */
th_status th_h5_set_append(struct th_h5_set *set, int64_t length, int64_t count,
                           const void *data, struct th_error *err);

#endif
