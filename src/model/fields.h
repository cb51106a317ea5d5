/* fields.h - numbers that a run hands on, as tables of fields
 *
 * A record is a list of rows; its struct, its part of a model file, what
 * checkpoints keep of it, JSON and text follow from the rows. A row is
 * X(type, name, shown, ...): REAL, LOSS, COUNT or FLAG; the member, which is
 * also its name in files; where JSON shows it; and of struct th_fields_row what
 * else it needs. A row that is new says `.later = true`, since files of older
 * programs lack it, and `.absent` where its value is not 0 then.
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_FIELDS_H
#define TH_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Eight bytes each. A flag is a count that is 0 or 1. */
enum th_fields_type {
  TH_FIELD_REAL,
  TH_FIELD_LOSS, /* a real, shown in the unit that evaluate prints */
  TH_FIELD_COUNT,
  TH_FIELD_FLAG,
  TH_FIELD_BITS, /* uint64_t */
  TH_FIELD_TEXT  /* char *, owned; in records of files alone */
};

struct th_fields_row {
  const char *name;
  enum th_fields_type type;
  size_t place;      /* in the record's struct */
  const char *shown; /* in JSON, "group.name"; "": not by itself */
  const char *what;  /* for people */
  bool later;        /* not in a file where the value is `absent` */
  double absent;     /* of records whose file lacks the field */
  int64_t most;      /* that a count may be; 0: any */
  const char *(*word)(int64_t count); /* how a count is shown */
  bool zero_unknown;                  /* 0 is shown as null */
  bool unverified; /* of the run: model and data alone do not give it */
};

struct th_fields {
  const struct th_fields_row *row;
  int rows;
};

#define TH_FIELDS_REAL double
#define TH_FIELDS_LOSS double
#define TH_FIELDS_COUNT int64_t
#define TH_FIELDS_FLAG int64_t

/* For the rows of a list: a member of the struct, and a row of the table. */
#define TH_FIELDS_MEMBER(type, name, ...) TH_FIELDS_##type name;
#define TH_FIELDS_ROW(record, type_, name_, ...)                               \
  {.name = #name_,                                                             \
   .type = TH_FIELD_##type_,                                                   \
   .place = offsetof(record, name_),                                           \
   .shown = __VA_ARGS__},
#define TH_FIELDS(rows)                                                        \
  {                                                                            \
    (rows), sizeof(rows) / sizeof *(rows)                                      \
  }

/* Where a field lies in a record. */
static inline void *th_fields_at(const struct th_fields_row *field,
                                 void *record)
{
  return (char *)record + field->place;
}

/* True for a double. The value as a double; counts are at most 2^46. */
static inline bool th_fields_is_real(const struct th_fields_row *field)
{
  return field->type == TH_FIELD_REAL || field->type == TH_FIELD_LOSS;
}

static inline double th_fields_number(const struct th_fields_row *field,
                                      const void *record)
{
  const void *at = (const char *)record + field->place;
  return th_fields_is_real(field) ? *(const double *)at
                                  : (double)*(const int64_t *)at;
}

/* True if files do not have the field: it came later, and has the value of
 * those that lack it. */
static inline bool th_fields_left_out(const struct th_fields_row *field,
                                      const void *record)
{
  return field->later && th_fields_number(field, record) == field->absent;
}

/* True if counts are 0 or more and no larger than they may be, and reals,
 * where they are looked at, finite and not negative. */
bool th_fields_good(const struct th_fields *record, const void *values,
                    bool reals);

#endif
