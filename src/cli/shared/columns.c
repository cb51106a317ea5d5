/* columns.c - what became of each column of a table
 * SPDX-License-Identifier: MIT */
#include "cli/shared/columns.h"
#include "cli/shared/json.h"

#include <string.h>

/* The columns of a table in their order, to tell what became of each. */
struct column_walk {
  const struct th_origin *origin;
  char **name; /* of attributes; NULL: they have none */
  int64_t attributes;
  int64_t attribute; /* the next one */
  int64_t word;      /* the next column of words */
  int64_t other;     /* the next column that is no attribute */
};

/* The next attribute is a level of the next column of words. */
static bool begins_words(const struct column_walk *at)
{
  const struct th_origin *origin = at->origin;
  if (at->name == NULL || at->word == origin->words ||
      at->attribute == at->attributes)
    return false;
  const char *word = origin->word[at->word];
  return strncmp(at->name[at->attribute], word, strlen(word)) == 0 &&
         at->name[at->attribute][strlen(word)] == '=';
}

/* The words of a column, each an attribute. */
static json_t *take_words(struct column_walk *at)
{
  const size_t name = strlen(at->origin->word[at->word]);
  json_t *levels = json_array();
  for (; begins_words(at); at->attribute++)
    json_array_append_new(levels,
                          th_json_string(at->name[at->attribute] + name + 1));
  at->word++;
  return levels;
}

/* What a column that is no attribute was read as, and its name, or NULL. */
static const char *take_other(struct column_walk *at, int64_t column,
                              const char **name)
{
  const struct th_origin *origin = at->origin;
  if (column == origin->target) {
    *name = origin->target_name;
    return "target";
  }
  if (at->other == origin->others || origin->other[at->other] != column)
    return NULL;
  *name = origin->name != NULL ? origin->name[at->other] : NULL;
  at->other++;
  if (column == origin->weight) {
    *name = origin->weight_name;
    return "weight";
  }
  if (column == origin->id) {
    *name = origin->id_name;
    return "id";
  }
  return "left out";
}

static json_t *column_json(struct column_walk *at, int64_t column)
{
  json_t *o = json_object();
  json_t *levels = NULL;
  const char *name = NULL;
  const char *role = take_other(at, column, &name);
  if (role == NULL && begins_words(at)) {
    role = "words";
    name = at->origin->word[at->word];
    levels = take_words(at);
  } else if (role == NULL) {
    role = "attribute";
    if (at->name != NULL && at->attribute < at->attributes)
      name = at->name[at->attribute];
    at->attribute++;
  }
  th_json_int(o, "column", column);
  th_json_text(o, "name", name);
  th_json_text(o, "role", role);
  if (levels != NULL)
    json_object_set_new(o, "levels", levels);
  return o;
}

json_t *th_columns_json(const struct th_origin *origin, char **name,
                        int64_t attributes)
{
  struct column_walk at = {origin, name, attributes, 0, 0, 0};
  if (origin->columns == 0)
    return json_null();
  json_t *columns = json_array();
  for (int64_t column = 1; column <= origin->columns; column++)
    json_array_append_new(columns, column_json(&at, column));
  return columns;
}
