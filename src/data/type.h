/* type.h - storage types and layouts: one list, and operations on values
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_TYPE_H
#define TH_TYPE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One list: enumerator, name in options and files, C type of a value by itself,
 * bits that it takes in an array, smallest and largest value that it holds
 * exactly as an integer, help. Values of less than a byte share it: of four
 * u2, value k lies in bits 2 k and 2 k + 1. */
#define TH_TYPE_LIST(X)                                                        \
  X(TH_F32, "f32", float, 32, -0x1p24, 0x1p24, "IEEE single precision")        \
  X(TH_F64, "f64", double, 64, -0x1p53, 0x1p53, "IEEE double precision")       \
  X(TH_U8, "u8", uint8_t, 8, 0, 255, "whole numbers 0..255")                   \
  X(TH_I8, "i8", int8_t, 8, -128, 127, "whole numbers -128..127")              \
  X(TH_U2, "u2", uint8_t, 2, 0, 3, "whole numbers 0..3, four in a byte")

enum th_type {
#define TH_TYPE_ENUM(code, name, ctype, bits, lowest, highest, help) code,
  TH_TYPE_LIST(TH_TYPE_ENUM)
#undef TH_TYPE_ENUM
      TH_TYPE_COUNT
};

/* The most rows in a row group of sparse data: rows and counts of a run fit
 * 16 bits. */
enum { TH_SPARSE_ROWS = 1 << 15 };

enum th_layout { TH_DENSE, TH_SPARSE, TH_LAYOUT_COUNT };

/* Name; the code of a name or -1. Local. */
const char *th_type_name(enum th_type type);
int th_type_find(const char *name);

/* Bytes of one value by itself, of th_type_single(type). Local. */
size_t th_type_size(enum th_type type);

/* Bytes that an array of `items` values takes, the last byte perhaps in part;
 * the byte in which item `item` begins. Local. */
size_t th_type_bytes(enum th_type type, int64_t items);
size_t th_type_offset(enum th_type type, int64_t item);

/* Values in a byte, at least 1; `items` rounded up to whole bytes. Local. */
int th_type_packed(enum th_type type);
int64_t th_type_whole(enum th_type type, int64_t items);

/* The type that carries a value of that type by itself: u8 for u2, else the
 * type itself. Local. */
enum th_type th_type_single(enum th_type type);

/* Pack the first `count` values of an array of th_type_single(type) into one of
 * that type, in the same memory. The rest of the last byte becomes zero. Local.
 */
void th_type_pack(enum th_type type, void *array, int64_t count);

/* What is stored for a value that is missing, in data of which some are: NaN,
 * and of whole numbers the one that is set aside: 255, -128, 3. Local. */
double th_type_missing(enum th_type type);
bool th_type_whole_numbers(enum th_type type);

/* True if that type can store the value: see th_type_store. Local. */
bool th_type_fits(enum th_type type, double value);

const char *th_type_layout_name(enum th_layout layout);
int th_type_layout_find(const char *name);

/* Packed values are dense, and their runs begin with a byte: an error for the
 * sparse layout, or for row groups of `row_group` rows that end inside of a
 * byte. Local. */
th_status th_type_allows(enum th_type type, enum th_layout layout,
                         int64_t row_group, struct th_error *err);

/* Store value as item `index` of an array of that type: the nearest f32 of the
 * double, integers only when exact. False where the value cannot be stored
 * (too large for f32, not a whole number in range for u8, i8 and u2, not
 * finite). Local. */
bool th_type_store(enum th_type type, void *array, int64_t index, double value);

/* Store the items first .. first + count: returns how many could be stored,
 * from the first on. values must not overlap them. Local. */
int64_t th_type_store_all(enum th_type type, void *array, int64_t first,
                          int64_t count, const double *values);

/* Item `index` of an array of that type. Local. */
double th_type_load(enum th_type type, const void *array, int64_t index);

/* values[k] = item index[k] of array[k], all of that type, in a loop that knows
 * it. Local. */
void th_type_gather(enum th_type type, const void *const *array,
                    const int64_t *index, int64_t count, double *values);

/* Items first .. first + count of an array of that type, in a loop that knows
 * the type. Local. */
void th_type_load_all(enum th_type type, const void *array, int64_t first,
                      int64_t count, double *values);

/* How many of the first `items` values of an array of u2 are 0, 1, 2 and 3.
 * Local. */
void th_type_tally(const void *array, int64_t items, int64_t count[4]);

#endif
