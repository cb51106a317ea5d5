/* printable.c - what of a text reaches a terminal
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "base/error.h"
#include "base/printable.h"

#include <stdlib.h>
#include <string.h>

/* Texts, and what is shown of them. */
static const char *const cases[][2] = {
    {"", ""},
    {"plain, \"text\" {option} 100%", "plain, \"text\" {option} 100%"},
    {"Gr\xc3\xb6\xc3\x9f"
     "e \xe6\x97\xa5 \xf0\x9d\x9b\xbd",
     "Gr\xc3\xb6\xc3\x9f"
     "e \xe6\x97\xa5 \xf0\x9d\x9b\xbd"},
    {"\xc2\xa0 \xed\x9f\xbf \xee\x80\x80 \xf4\x8f\xbf\xbf \xef\xbf\xbd",
     "\xc2\xa0 \xed\x9f\xbf \xee\x80\x80 \xf4\x8f\xbf\xbf \xef\xbf\xbd"},
    {"a\x1b[31m\tb\nc\x7f", "a?[31m?b?c?"},
    {"\xc2\x80\xc2\x9b\xc2\x9f", "???"},
    {"\xd8\x9c\xe2\x80\x8e\xe2\x80\x8f\xef\xbb\xbf", "????"},
    {"\x80 \xbf \xff \xfe", "? ? ? ?"},
    {"\xc0\x9b \xc1\xbf", "?? ??"},                /* too long */
    {"\xe0\x82\x9b \xf0\x82\x82\x9b", "??? ????"}, /* too long */
    {"\xed\xa0\x80", "???"},                       /* a surrogate */
    {"\xf4\x90\x80\x80 \xf5\x80", "???? ??"},      /* beyond the last */
    {"\xe2\x80x \xf0\x9d\x9b", "??x ???"},         /* not finished */
};

/* The first and the last of the characters that turn text around, and their
 * neighbours: the last byte of E2 80 xx and of E2 81 xx, and whether it is
 * shown. As numbers, since they have no place in the text of a program. */
static const struct {
  unsigned char middle;
  unsigned char last;
  bool shown;
} turning[] = {{0x80, 0xa7, true},  {0x80, 0xa8, false}, {0x80, 0xae, false},
               {0x80, 0xaf, true},  {0x81, 0xa5, true},  {0x81, 0xa6, false},
               {0x81, 0xa9, false}, {0x81, 0xaa, true}};

static void check_put(const char *text, const char *shown)
{
  char *written = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&written, &size);
  CHECK(file != NULL);
  th_printable_put(file, text);
  fclose(file);
  CHECK(strcmp(written, shown) == 0);
  free(written);
}

static void test_cases(void)
{
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[64];
    snprintf(text, sizeof text, "%s", cases[k][0]);
    th_printable(text);
    CHECK(strcmp(text, cases[k][1]) == 0);
    check_put(cases[k][0], cases[k][1]);
  }
}

static void test_turning(void)
{
  for (size_t k = 0; k < sizeof turning / sizeof *turning; k++) {
    const char text[] = {
        'a', (char)0xe2, (char)turning[k].middle, (char)turning[k].last,
        'z', '\0'};
    check_put(text, turning[k].shown ? text : "a?z");
  }
}

/* Cut after each byte: whole characters are left, and all that are. */
static void test_tail(void)
{
  static const char whole[] = "a\xc3\xb6\xe6\x97\xa5\xf0\x9d\x9b\xbdz";
  static const size_t kept[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11};
  for (size_t length = 0; length < sizeof whole; length++) {
    char text[sizeof whole];
    snprintf(text, sizeof text, "%.*s", (int)length, whole);
    th_printable_drop_tail(text);
    CHECK(strlen(text) == kept[length]);
    CHECK(memcmp(text, whole, kept[length]) == 0);
  }
  char stray[] = "\x80\x80\x80\x80\x80"; /* nothing begins: not cut here */
  th_printable_drop_tail(stray);
  CHECK(strlen(stray) == 5);
}

/* A message that does not fit ends with a whole character. */
static void test_message(void)
{
  char name[2 * TH_ERROR_TEXT + 1] = "";
  for (size_t k = 0; k < TH_ERROR_TEXT; k++)
    for (size_t b = 0; b < 2; b++)
      name[2 * k + b] = "\xc3\xb6"[b];
  for (int before = 0; before < 2; before++) {
    struct th_error err;
    th_error_clear(&err);
    th_fail(&err, TH_EIO, "%.*s%s", before, "a", name);
    size_t length = strlen(err.text);
    CHECK(length >= TH_ERROR_TEXT - 2);
    CHECK(memcmp(err.text + length - 2, "\xc3\xb6", 2) == 0);
    CHECK(strchr(err.text, '?') == NULL);
  }
}

int main(void)
{
  CASE(test_cases());
  CASE(test_turning());
  CASE(test_tail());
  CASE(test_message());
  return check_finish(NULL);
}
