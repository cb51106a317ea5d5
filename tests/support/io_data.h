/* io_data.h - small data sets for the tests: every value follows from its place
 * SPDX-License-Identifier: MIT */
#ifndef TH_IO_DATA_H
#define TH_IO_DATA_H

#include "io/dataset/residency/dataset.h"
#include "io/dataset/writer/writer.h"

/* A recipe; the values do not depend on shards or ranks. */
struct recipe {
  struct th_shape shape;
  int64_t shards;
  int64_t writers;    /* of the plan */
  int64_t estimate;   /* sparse: entries to announce; 0: about right */
  int64_t bad_target; /* stored row whose target is not a number; 0: none */
  bool named;
  int64_t indexed; /* attributes are called by indices, every so many-th from
                      2^63 on; 0: they are not */
  bool grouped;    /* every ten attributes act together */
  int64_t turn;  /* attribute a is called as attribute a + turn otherwise is */
  int64_t twin;  /* this one is called like attribute 0; 0: none */
  uint64_t salt; /* another salt: other values */
};

/* The stored value of attribute a, stored row i; sparse data are zero at most
 * places, and attribute 3 has no entry at all. */
double recipe_value(const struct recipe *recipe, int64_t a, int64_t i);
double recipe_target(const struct recipe *recipe, int64_t i);
double recipe_weight(const struct recipe *recipe, int64_t i);
int64_t recipe_row(const struct recipe *recipe, int64_t i);

/* Write it. Collective. */
th_status recipe_write(const struct recipe *recipe, struct th_comm *comm,
                       const char *path, bool force, struct th_error *err);

/* Just what this rank writes of shards. Local. */
th_status recipe_fill(const struct recipe *recipe, struct th_writer *writer,
                      struct th_error *err);

/* A new empty folder, the same on every rank; remove it with all in it. */
void test_folder(struct th_comm *comm, char folder[64]);
void test_folder_remove(struct th_comm *comm, const char *folder);

/* Wait until files that were written just now are old enough to be mapped. */
void test_grow_old(void);

/* Files and folders in a folder. */
int64_t test_count_files(const char *folder);

/* The dense value that a slab holds at attribute a, row r of the slab. */
double slab_value(const struct th_slab *slab, int64_t a, int64_t r);

#endif
