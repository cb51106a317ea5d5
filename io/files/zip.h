/* zip.h - where the members of a zip archive lie, by its directory
 * SPDX-License-Identifier: MIT */
#ifndef TH_ZIP_H
#define TH_ZIP_H

#include "io/files/stretch.h"

enum { TH_ZIP_NAME = 256 };

struct th_zip_member {
  char name[TH_ZIP_NAME];
  struct th_stretch_place place; /* without a name; its path is borrowed, and
                                    it stores -1 bytes where it cannot be read:
                                    it is encrypted, or not deflated */
};

struct th_zip {
  struct th_zip_member *member; /* owned */
  int64_t members;
};

/* Read the directory of the archive that is all of these bytes, which are not
 * deflated. Release with th_zip_free, also on failure. Local. */
th_status th_zip_open(struct th_zip *zip, const struct th_stretch_place *file,
                      struct th_error *err);
void th_zip_free(struct th_zip *zip);

/* The member of that name; NULL: there is none. Local. */
const struct th_zip_member *th_zip_find(const struct th_zip *zip,
                                        const char *name);

#endif
