/* slab.h - storage types, and a view of stored values as kernels see them
 *
 * A slab is what lies together in a store: the values of consecutive
 * attributes on consecutive rows of one row group, in the type they are stored
 * in. Kernels compute from it directly; nothing is inflated.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SLAB_H
#define TH_SLAB_H

#include "core/partition.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One list: enumerator, name in options and files, C type, smallest and
 * largest value that it holds exactly as an integer, help. */
#define TH_TYPE_LIST(X)                                                        \
  X(TH_F32, "f32", float, -0x1p24, 0x1p24, "IEEE single precision")            \
  X(TH_F64, "f64", double, -0x1p53, 0x1p53, "IEEE double precision")           \
  X(TH_U8, "u8", uint8_t, 0, 255, "whole numbers 0..255")                      \
  X(TH_I8, "i8", int8_t, -128, 127, "whole numbers -128..127")

enum th_type {
#define TH_TYPE_ENUM(code, name, ctype, lowest, highest, help) code,
  TH_TYPE_LIST(TH_TYPE_ENUM)
#undef TH_TYPE_ENUM
      TH_TYPE_COUNT
};

/* The most rows in a row group of sparse data: rows and counts of a run fit
 * 16 bits. */
enum { TH_SPARSE_ROWS = 1 << 15 };

enum th_layout { TH_DENSE, TH_SPARSE, TH_LAYOUT_COUNT };

/* Name, bytes per value; the code of a name or -1. Local. */
const char *th_type_name(enum th_type type);
size_t th_type_size(enum th_type type);
/* Bytes that `items` values take; also where item `items` begins. Local. */
size_t th_type_bytes(enum th_type type, int64_t items);
int th_type_find(const char *name);
const char *th_layout_name(enum th_layout layout);
int th_layout_find(const char *name);

/* Store value as item `index` of an array of that type: the nearest f32 of the
 * double, integers only when exact. False where the value cannot be stored
 * (too large for f32, not a whole number in range for u8 and i8, not finite).
 * Local. */
bool th_type_store(enum th_type type, void *array, int64_t index, double value);

/* Item `index` of an array of that type. Local. */
double th_type_load(enum th_type type, const void *array, int64_t index);

/* Borrowed view; valid until the store is asked for the next slab.
 * Dense: attribute first + a has its rows at values + a * stride (in items).
 * Sparse: run k belongs to attribute base + attribute[k] (ascending, not
 * empty); its entries are start[k] - start[0] .. start[k + 1] - start[0] of
 * row[] and value, rows ascending and counted from the row group's first;
 * attributes of the slab without a run are zero. */
struct th_slab {
  enum th_layout layout;
  enum th_type type;
  struct th_range attributes; /* of the data set */
  int64_t row; /* first row, counted from the row group's first */
  int32_t rows;
  const void *values;
  int64_t stride; /* dense: items from one attribute to the next */
  int64_t runs;   /* sparse */
  int64_t base;   /* sparse: what attribute[] counts from */
  const uint32_t *attribute;
  const uint32_t *start;
  const uint16_t *row_in_group; /* hence R <= TH_SPARSE_ROWS */
};

/* The part of a dense slab that holds these of its attributes. Local. */
struct th_slab th_slab_part(const struct th_slab *slab, struct th_range part);

/* Bytes of the stored values on the slab's rows; sparse: of the entries, with
 * their rows. row_group: R. Local. */
int64_t th_slab_bytes(const struct th_slab *slab, int64_t row_group);

#endif
