/* npy.c - arrays as NumPy writes them: a header in Python's words, then numbers
 * SPDX-License-Identifier: MIT */
#include "io/import/arrays/npy.h"

#include "base/integer.h"
#include "base/memory.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char magic[] = "\x93NUMPY";

enum {
  MAGIC = 6,
  MOST_HEADER = 1 << 16,
  DESCRIPTION = 96,
  LONGEST_WORD = 4096
};

bool th_npy_begins(const char *head, size_t bytes)
{
  return bytes >= MAGIC && memcmp(head, magic, MAGIC) == 0;
}

/* --- The header ----------------------------------------------------------- */

struct header {
  char *text;    /* owned */
  int64_t bytes; /* before the numbers */
};

static th_status wrong_header(const struct th_stretch_place *place,
                              int64_t offset, const char *what,
                              struct th_error *err)
{
  return th_fail(err, TH_EFORMAT,
                 "%s: byte %lld: %s; the file is cut short or damaged, or not "
                 "written by numpy.save",
                 place->name, (long long)offset, what);
}

static th_status read_header(struct th_stretch *bytes,
                             const struct th_stretch_place *place,
                             struct header *header, struct th_error *err)
{
  unsigned char head[12] = {0};
  th_status rc = TH_OK;
  if (place->bytes < (int64_t)sizeof head)
    return wrong_header(place, place->bytes, "no room for a header", err);
  TH_TRY(th_stretch_read(bytes, 0, sizeof head, head, err));
  if (memcmp(head, magic, MAGIC) != 0)
    return wrong_header(place, 0, "no header of a NumPy array", err);
  if (head[6] < 1 || head[6] > 3)
    return wrong_header(place, 6, "a version that nobody knows", err);
  int64_t length = head[8] | head[9] << 8;
  int64_t begin = 10;
  if (head[6] > 1) {
    length |= (int64_t)head[10] << 16 | (int64_t)head[11] << 24;
    begin = 12;
  }
  if (length > MOST_HEADER || length > place->bytes - begin)
    return wrong_header(place, 8, "a header longer than it can be", err);
  TH_TRY(TH_NEW(&header->text, length + 1, "a header", err));
  TH_TRY(th_stretch_read(bytes, begin, length, header->text, err));
  header->bytes = begin + length;
done:
  return rc;
}

/* Behind 'key': in the header; NULL: it is not there. */
static const char *find_key(const char *text, const char *key)
{
  char quoted[32];
  snprintf(quoted, sizeof quoted, "'%s'", key);
  const char *at = text != NULL ? strstr(text, quoted) : NULL;
  if (at == NULL)
    return NULL;
  at += strlen(quoted);
  while (*at == ' ' || *at == ':')
    at++;
  return at;
}

/* Are columns stored one after the other? */
static th_status read_order(const struct th_stretch_place *place,
                            const char *at, bool *by_columns,
                            struct th_error *err)
{
  size_t length = at == NULL ? 0 : strspn(at, "FTaelrsu");
  *by_columns = length == 4 && strncmp(at, "True", 4) == 0;
  if (*by_columns || (length == 5 && strncmp(at, "False", 5) == 0))
    return TH_OK;
  return wrong_header(place, 10,
                      at == NULL ? "a header without 'fortran_order'"
                                 : "'fortran_order' is neither True nor False",
                      err);
}

/* The shape: numbers between commas and parentheses. False: none. */
static bool parse_shape(const char *at, int *dimensions, int64_t *shape)
{
  *dimensions = 0;
  if (at == NULL || *at++ != '(')
    return false;
  while (true) {
    while (*at == ' ' || *at == ',')
      at++;
    if (*at == ')')
      return true;
    int64_t value = 0;
    const char *begin = at;
    for (; isdigit((unsigned char)*at); at++)
      if (__builtin_mul_overflow(value, 10, &value) ||
          __builtin_add_overflow(value, *at - '0', &value))
        return false;
    if (*at == 'L') /* of old versions of Python */
      at++;
    if (at == begin)
      return false;
    if (*dimensions < TH_NPY_DIMENSIONS)
      shape[*dimensions] = value;
    ++*dimensions;
  }
}

/* --- The kind of its numbers ---------------------------------------------- */

struct kind {
  enum th_element element;
  bool turned; /* bytes stand the other way round */
  char letter;
  int64_t size;
};

static th_status refuse_kind(const struct th_stretch_place *place,
                             const char *what, const char *remedy,
                             struct th_error *err)
{
  return th_fail(err, TH_EDATA, "%s: an array of %s, expected numbers; %s",
                 place->name, what, remedy);
}

static th_status read_kind(const struct th_stretch_place *place, const char *at,
                           struct kind *kind, struct th_error *err)
{
  char shown[DESCRIPTION];
  if (at != NULL && *at == '[')
    return refuse_kind(place, "records",
                       "write its columns as one array of numbers: "
                       "numpy.lib.recfunctions.structured_to_unstructured",
                       err);
  if (at == NULL || *at++ != '\'')
    return wrong_header(place, 10, "a header without 'descr'", err);
  char order = *at;
  kind->letter = order == '\0' ? '\0' : at[1];
  if (order != '<' && order != '>' && order != '|' && order != '=')
    return wrong_header(place, 10, "a 'descr' that nobody knows", err);
  if (kind->letter == 'O')
    return refuse_kind(place, "Python objects",
                       "write it as numbers: numpy.save(FILE, "
                       "X.astype(numpy.float32)); objects are not opened, "
                       "since they may run code",
                       err);
  kind->size = strtol(at + 2, NULL, 10);
  kind->turned = order == '>';
  if (strchr("SU", kind->letter) != NULL)
    return TH_OK; /* texts are looked at by their shape */
  bool known = strchr("fiub", kind->letter) != NULL && kind->size > 0 &&
               kind->size <= (kind->letter == 'b' ? 1 : 8);
  int element = !known
                    ? -1
                    : th_items_element(kind->letter == 'f', kind->letter == 'i',
                                       (size_t)kind->size);
  if (element >= 0) {
    kind->element = (enum th_element)element;
    return TH_OK;
  }
  snprintf(shown, sizeof shown, "type '%.*s'",
           (int)strcspn(at, "'") < 32 ? (int)strcspn(at, "'") : 32, at);
  return refuse_kind(place, shown, "write it with .astype(numpy.float64)", err);
}

/* --- Its numbers ---------------------------------------------------------- */

struct numbers {
  struct th_stretch *bytes;
  int64_t begin;
  bool turned;
  bool truths; /* bytes that are 0 where false */
};

static th_status read_npy_items(struct th_items *items, int64_t first,
                                int64_t count, void *to, struct th_error *err)
{
  const struct numbers *self = items->self;
  int64_t size = (int64_t)th_items_size(items->element);
  if (first < 0 || count < 0 || first > items->count - count)
    return th_fail(err, TH_EARG, "%s: items beyond the end", items->name);
  th_status rc = th_stretch_read(self->bytes, self->begin + first * size,
                                 count * size, to, err);
  if (rc == TH_OK && self->turned)
    th_items_swap(items->element, to, count);
  for (int64_t k = 0; rc == TH_OK && self->truths && k < count; k++)
    ((uint8_t *)to)[k] = ((uint8_t *)to)[k] != 0;
  return rc;
}

static void close_numbers(struct th_items *items)
{
  struct numbers *self = items->self;
  th_stretch_close(self->bytes);
  free(self);
}

/* The numbers fill the rest of the bytes. */
static th_status check_size(const struct th_stretch_place *place,
                            const struct th_npy *npy,
                            const struct header *header, int64_t size,
                            int64_t *count, struct th_error *err)
{
  int64_t bytes = 0;
  bool fits = true;
  *count = 1;
  for (int k = 0; k < npy->dimensions; k++)
    fits = fits && !__builtin_mul_overflow(*count, npy->shape[k], count);
  fits = fits && size > 0 && !__builtin_mul_overflow(*count, size, &bytes);
  int64_t there = place->bytes - header->bytes;
  if (!fits)
    return th_fail(err, TH_EFORMAT,
                   "%s: the header says a shape that no file can hold; it is "
                   "damaged, make the file again",
                   place->name);
  if (bytes > there)
    return th_fail(err, TH_EFORMAT,
                   "%s: the header says %lld bytes of numbers, and %lld are "
                   "there; the file is cut short, copy it again",
                   place->name, (long long)bytes, (long long)there);
  if (bytes < there)
    return th_fail(err, TH_EFORMAT,
                   "%s: %lld bytes behind the array's end at byte %lld; write "
                   "one array to a file",
                   place->name, (long long)(there - bytes),
                   (long long)(header->bytes + bytes));
  return TH_OK;
}

/* --- Words -----------------------------------------------------------------
 */

/* A character as UTF-8; the bytes behind it, NULL where there is none such. */
static char *put_character(uint32_t c, char *to)
{
  if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
    return NULL;
  int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
  *to++ = (char)(first[more] | c >> (6 * more));
  while (more-- > 0)
    *to++ = (char)(0x80 | (c >> (6 * more) & 0x3f));
  return to;
}

/* A word of `size` characters, filled up with zeros. False: it is none. */
static bool read_npy_text(const unsigned char *from, const struct kind *kind,
                          char *to)
{
  bool wide = kind->letter == 'U';
  bool ended = false;
  for (int64_t k = 0; k < kind->size; k++) {
    uint32_t c = from[k];
    if (wide) {
      memcpy(&c, from + 4 * k, sizeof c);
      c = kind->turned ? __builtin_bswap32(c) : c;
    }
    if (ended && c != 0)
      return false;
    ended = c == 0;
    if (!ended && wide)
      to = put_character(c, to);
    else if (!ended)
      *to++ = (char)c;
    if (to == NULL)
      return false;
  }
  *to = '\0';
  return true;
}

/* All words of a list. */
static th_status read_npy_words(const struct th_stretch_place *place,
                                struct th_stretch *bytes, struct th_npy *npy,
                                const struct header *header,
                                const struct kind *kind, struct th_error *err)
{
  const int64_t size = kind->size * (kind->letter == 'U' ? 4 : 1);
  unsigned char *room = NULL;
  int64_t count = 0;
  th_status rc = check_size(place, npy, header, size, &count, err);
  if (rc == TH_OK)
    rc = TH_NEW(&room, size, "words", err);
  if (rc == TH_OK)
    rc = TH_NEW(&npy->word, count, "words", err);
  for (; rc == TH_OK && npy->words < count; npy->words++) {
    int64_t k = npy->words;
    TH_TRY(TH_NEW(&npy->word[k], size + 1, "words", err));
    TH_TRY(th_stretch_read(bytes, header->bytes + k * size, size, room, err));
    if (!read_npy_text(room, kind, npy->word[k])) {
      npy->words++;
      rc = th_fail(err, TH_EFORMAT,
                   "%s: word %lld, counted from 0, is no text; the file is "
                   "damaged, make it again",
                   place->name, (long long)k);
      break;
    }
  }
done:
  free(room);
  return rc;
}

/* One short text, as SciPy writes the name of its format: bytes, or characters
 * of four bytes. */
static th_status read_npy_word(const struct th_stretch_place *place,
                               struct th_stretch *bytes, struct th_npy *npy,
                               const struct header *header,
                               const struct kind *kind, struct th_error *err)
{
  char room[4 * TH_NPY_TEXT] = {0};
  int64_t step = kind->letter == 'U' ? 4 : 1;
  int64_t size = step * kind->size;
  if (npy->dimensions == 1 && kind->size >= 1 && kind->size <= LONGEST_WORD)
    return read_npy_words(place, bytes, npy, header, kind, err);
  if (npy->dimensions != 0 || kind->size < 1 || kind->size >= TH_NPY_TEXT)
    return refuse_kind(place, "words",
                       "write it as numbers: numpy.save(FILE, "
                       "X.astype(numpy.float32))",
                       err);
  th_status rc = th_stretch_read(bytes, header->bytes, size, room, err);
  for (int64_t k = 0; k < kind->size; k++)
    npy->text[k] = room[k * step + (step == 4 && kind->turned ? 3 : 0)];
  npy->is_text = true;
  return rc;
}

static th_status take_npy_items(const struct th_stretch_place *place,
                                struct th_stretch **bytes, struct th_npy *npy,
                                const struct header *header,
                                const struct kind *kind, struct th_error *err)
{
  struct numbers *self = NULL;
  th_status rc =
      check_size(place, npy, header, kind->size, &npy->items.count, err);
  if (rc == TH_OK)
    rc = TH_NEW(&self, 1, "an array", err);
  if (rc != TH_OK)
    return rc;
  *self = (struct numbers){*bytes, header->bytes, kind->turned,
                           kind->letter == 'b'};
  npy->items.element = kind->element;
  npy->items.read = read_npy_items;
  npy->items.close = close_numbers;
  npy->items.in_place = !place->deflated;
  npy->items.self = self;
  snprintf(npy->items.name, TH_ITEMS_NAME, "%s", place->name);
  *bytes = NULL;
  return TH_OK;
}

th_status th_npy_open(struct th_npy *npy, const struct th_stretch_place *place,
                      struct th_error *err)
{
  struct th_stretch *bytes = NULL;
  struct header header = {0};
  struct kind kind = {0};
  th_status rc = TH_OK;
  *npy = (struct th_npy){0};
  if (place->stored < 0)
    return th_fail(
        err, TH_EFORMAT,
        "%s: byte %lld: compressed in a way that NumPy does not use, "
        "or encrypted; write it with numpy.savez_compressed",
        place->name, (long long)place->offset);
  TH_TRY(th_stretch_open(&bytes, place, err));
  TH_TRY(read_header(bytes, place, &header, err));
  TH_TRY(read_kind(place, find_key(header.text, "descr"), &kind, err));
  TH_TRY(read_order(place, find_key(header.text, "fortran_order"),
                    &npy->by_columns, err));
  if (!parse_shape(find_key(header.text, "shape"), &npy->dimensions,
                   npy->shape)) {
    rc = wrong_header(place, 10, "a header without a 'shape' that can be", err);
    goto done;
  }
  if (npy->dimensions > TH_NPY_DIMENSIONS) {
    rc = th_fail(err, TH_EDATA,
                 "%s: an array of %d dimensions, expected rows and columns; "
                 "write it with X.reshape(len(X), -1)",
                 place->name, npy->dimensions);
    goto done;
  }
  if (strchr("SU", kind.letter) != NULL)
    rc = read_npy_word(place, bytes, npy, &header, &kind, err);
  else
    rc = take_npy_items(place, &bytes, npy, &header, &kind, err);
done:
  th_stretch_close(bytes);
  free(header.text);
  return rc;
}

void th_npy_close(struct th_npy *npy)
{
  th_items_close(&npy->items);
  TH_FREE_LIST(npy->word, npy->words);
  *npy = (struct th_npy){0};
}
