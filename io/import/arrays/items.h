/* items.h - numbers of one kind in a row, wherever they are stored
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_ITEMS_H
#define TH_ITEMS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Enumerator, C type, whether it is an integer. Truth values are of 8 bits. */
#define TH_ELEMENT_LIST(X)                                                     \
  X(TH_ELEMENT_F16, uint16_t, false)                                           \
  X(TH_ELEMENT_F32, float, false)                                              \
  X(TH_ELEMENT_F64, double, false)                                             \
  X(TH_ELEMENT_I8, int8_t, true)                                               \
  X(TH_ELEMENT_I16, int16_t, true)                                             \
  X(TH_ELEMENT_I32, int32_t, true)                                             \
  X(TH_ELEMENT_I64, int64_t, true)                                             \
  X(TH_ELEMENT_U8, uint8_t, true)                                              \
  X(TH_ELEMENT_U16, uint16_t, true)                                            \
  X(TH_ELEMENT_U32, uint32_t, true)                                            \
  X(TH_ELEMENT_U64, uint64_t, true)

enum th_element {
#define TH_ELEMENT_ENUM(code, ctype, integer) code,
  TH_ELEMENT_LIST(TH_ELEMENT_ENUM)
#undef TH_ELEMENT_ENUM
      TH_ELEMENT_COUNT
};

enum { TH_ITEMS_NAME = 352 };

/* Zeroed: none. Whoever has them open calls th_items_close. */
struct th_items {
  enum th_element element;
  int64_t count;
  char name[TH_ITEMS_NAME]; /* in messages */
  bool in_place; /* reading some of them reads no others, in any order */
  /* Items first .. first + count, as this machine stores them. */
  th_status (*read)(struct th_items *items, int64_t first, int64_t count,
                    void *to, struct th_error *err);
  void (*close)(struct th_items *items);
  void *self;
};

void th_items_close(struct th_items *items);

size_t th_items_size(enum th_element element);
bool th_items_integer(enum th_element element);

/* The element of so many bytes, a floating number, or an integer with a sign or
 * without; -1: there is none. */
int th_items_element(bool floating, bool has_sign, size_t bytes);

/* Turn the bytes of each item round. */
void th_items_swap(enum th_element element, void *items, int64_t count);

/* Items `first` .. `first` + count of an array in memory as numbers. */
void th_items_doubles(enum th_element element, const void *from, int64_t first,
                      int64_t count, double *to);

/* Read items as whole numbers; those beyond int64_t become -1. The element is
 * an integer. */
th_status th_items_whole(struct th_items *items, int64_t first, int64_t count,
                         int64_t *to, struct th_error *err);

/* Read items as numbers. */
th_status th_items_numbers(struct th_items *items, int64_t first, int64_t count,
                           double *to, struct th_error *err);

#endif
