/* printable.c - texts for people: names and texts of others, as a terminal may
 * show them, and sizes
 * SPDX-License-Identifier: MIT */
#include "base/printable.h"

#include <string.h>

/* Bytes of the character that this byte begins; 0: none. */
static int length_by(unsigned char byte)
{
  return byte < 0x80   ? 1
         : byte < 0xc2 ? 0
         : byte < 0xe0 ? 2
         : byte < 0xf0 ? 3
         : byte < 0xf5 ? 4
                       : 0;
}

static bool continues(char byte)
{
  return ((unsigned char)byte & 0xc0U) == 0x80U;
}

int th_printable_decode(const char *text, uint32_t *code)
{
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  unsigned char lead = (unsigned char)*text;
  int length = length_by(lead);
  uint32_t found = length > 1 ? lead & (0x7fU >> length) : lead;
  for (int k = 1; k < length; k++) {
    if (!continues(text[k])) /* nor does the end of the text */
      return 0;
    found = found << 6 | ((unsigned char)text[k] & 0x3fU);
  }
  bool surrogate = found >= 0xd800 && found <= 0xdfff;
  if (length == 0 || found < least[length] || found > 0x10ffff || surrogate)
    return 0;
  *code = found;
  return length;
}

bool th_printable_code(uint32_t code)
{
  static const uint32_t hidden[][2] = {
      {0, 0x1f},        {0x7f, 0x9f}, {0x61c, 0x61c}, /* Arabic letter mark */
      {0x200e, 0x200f},                               /* marks of a direction */
      {0x2028, 0x202e},  /* ends of lines and paragraphs; directions */
      {0x2066, 0x2069},  /* directions, isolated */
      {0xfeff, 0xfeff}}; /* byte order mark */
  for (size_t k = 0; k < sizeof hidden / sizeof *hidden; k++)
    if (code >= hidden[k][0] && code <= hidden[k][1])
      return false;
  return true;
}

/* Bytes at the beginning that can be shown, and of what follows them and
 * cannot; at the end of the text there are none of the latter. */
static size_t measure_shown(const char *text, size_t *hidden)
{
  size_t shown = 0;
  *hidden = 0;
  while (text[shown] != '\0') {
    uint32_t code;
    int length = th_printable_decode(text + shown, &code);
    if (length == 0 || !th_printable_code(code)) {
      *hidden = length == 0 ? 1 : (size_t)length;
      break;
    }
    shown += (size_t)length;
  }
  return shown;
}

void th_printable(char *text)
{
  char *to = text;
  size_t hidden = 1;
  while (hidden > 0) {
    size_t shown = measure_shown(text, &hidden);
    memmove(to, text, shown);
    to += shown;
    text += shown + hidden;
    if (hidden > 0)
      *to++ = '?';
  }
  *to = '\0';
}

void th_printable_put(FILE *out, const char *text)
{
  size_t hidden = 1;
  while (hidden > 0) {
    size_t shown = measure_shown(text, &hidden);
    fwrite(text, 1, shown, out);
    text += shown + hidden;
    if (hidden > 0)
      fputc('?', out);
  }
}

void th_printable_drop_tail(char *text)
{
  size_t length = strlen(text);
  size_t tail = 0; /* bytes that continue a character, and it has at most 3 */
  while (tail < 3 && tail < length && continues(text[length - tail - 1]))
    tail++;
  if (tail == length)
    return;
  char *lead = text + length - tail - 1;
  if (length_by((unsigned char)*lead) > (int)tail + 1)
    *lead = '\0';
}

const char *th_printable_size(int64_t bytes, char text[TH_SIZE_TEXT])
{
  static const char *const units[] = {"kB", "MB", "GB", "TB", "PB"};
  double size = (double)bytes / 1000.0;
  size_t unit = 0;
  while (size >= 999.95 && unit + 1 < sizeof units / sizeof *units) {
    size /= 1000.0;
    unit++;
  }
  if (bytes < 1000)
    snprintf(text, TH_SIZE_TEXT, "%lld bytes", (long long)bytes);
  else
    snprintf(text, TH_SIZE_TEXT, "%.1f %s", size, units[unit]);
  return text;
}

const char *th_printable_name(const char *name, char *text, size_t size)
{
  static const char more[] = "...";
  static const char blanks[] = "\t\n\v\f\r";
  size_t length = strlen(name);
  size_t kept = length < size ? length : size - sizeof more;
  memcpy(text, name, kept);
  text[kept] = '\0';
  if (kept < length)
    th_printable_drop_tail(text);
  for (char *c = strpbrk(text, blanks); c != NULL; c = strpbrk(c, blanks))
    *c = ' ';
  th_printable(text);
  if (kept < length)
    memcpy(text + strlen(text), more, sizeof more);
  return text;
}
