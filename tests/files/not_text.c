/* not_text.c - every kind of file that is no text is known by its first bytes,
 * is named, and gets a command; what only looks like one is text
 * SPDX-License-Identifier: MIT */
#include "io/import/text/not_text.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

static const char name[] = "some file";

/* Exactly so many bytes, so that the sanitizer sees any other one looked at. */
static th_status refuse(const char *head, size_t bytes, struct th_error *err)
{
  char *copy = malloc(bytes > 0 ? bytes : 1);
  *err = (struct th_error){0};
  memcpy(copy, head, bytes);
  th_status rc = th_not_text_refuse(name, copy, bytes, err);
  free(copy);
  return rc;
}

/* What a remedy tells to do: a program with the file, or with those beside it,
 * or what the program itself does. */
static bool is_told(const char *remedy)
{
  static const char *const doers[] = {"FILE", "plink2", "import it",
                                      "save the table", "put one into it"};
  for (size_t k = 0; k < sizeof doers / sizeof *doers; k++)
    if (strstr(remedy, doers[k]) != NULL)
      return true;
  return false;
}

static void test_row(const struct th_not_text_row *row)
{
  enum { HEAD = 512 };
  static const char archive[] = {'P', 'K', 3, 4};
  char head[HEAD] = {0};
  struct th_error err;
  size_t end = row->place + row->bytes;
  CHECK(row->bytes > 1 && end < HEAD);
  memcpy(head + row->place, row->magic, row->bytes);
  if (row->place == 30) /* of a member of a zip archive */
    memcpy(head, archive, sizeof archive);
  CHECK(refuse(head, HEAD, &err) == TH_EFORMAT);
  CHECK(strncmp(err.text, name, strlen(name)) == 0);
  CHECK(strstr(err.text, row->kind) != NULL);
  CHECK(is_told(row->remedy));
  CHECK(strstr(row->remedy, "FILE") == NULL ||
        strstr(strstr(err.text, row->kind), name) != NULL);
  CHECK(strstr(err.text, "FILE.") == NULL);
  CHECK(strlen(err.text) + 1 < TH_ERROR_TEXT);
  /* without its last byte it is none, or another one */
  th_status rc = refuse(head, end - 1, &err);
  CHECK(rc == TH_OK || strstr(err.text, row->kind) == NULL);
  head[end - 1] ^= 0x55;
  rc = refuse(head, HEAD, &err);
  CHECK(rc == TH_OK || strstr(err.text, row->kind) == NULL);
}

static void test_table(void)
{
  size_t count = 0;
  const struct th_not_text_row *row = th_not_text_table(&count);
  CHECK(count >= 30);
  for (size_t k = 0; k < count; k++)
    CASE_NAMED(row[k].kind, test_row(&row[k]));
}

/* Columns may be called like formats; archives are another one's business. */
static void test_text(void)
{
  static const char *const texts[] = {
      "PAR1,PAR2,y\n1,2,3\n", "ORC,age\n1,2\n",    "FEA1\tb\n1\t2\n",
      "BCF,y\n1,2\n",         "Rar!,y\n1,2\n",     "$FL2,y\n1,2\n",
      "1 1:2 3:4\n",          "##file\n1,2\n",     "",
      "\xef\xbb\xbf,b\n",     "\xc3\xa4,b\n1,2\n", "PK,y\n1,2\n"};
  struct th_error err;
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
    CHECK(refuse(texts[k], strlen(texts[k]), &err) == TH_OK);
  CHECK(refuse("PK\3\4\24\0\0\0", 8, &err) == TH_OK);
}

/* A byte 0 anywhere among the first ones, and the place that is told. */
static void test_zero(void)
{
  static const struct {
    const char *head;
    size_t bytes;
    size_t begin;
    const char *told; /* NULL: it is text */
  } rows_of[] = {
      {"a,b\n1,2\n", 8, 0, NULL},
      {"", 0, 0, NULL},
      {"a,b\n1,\0\n", 8, 0, "some file:2:3: a byte 0 found, which"},
      {"\xef\xbb\xbf"
       "a\0",
       5, 3, "some file:1:2: a byte 0 found, which"},
      {"\0a", 2, 0, "some file:1:1: a byte 0 found, so"},
      {"\1\2\n\0", 4, 0, "first bytes, 01 02 0a 00, are of no kind"}};
  for (size_t k = 0; k < sizeof rows_of / sizeof *rows_of; k++) {
    struct th_error err = {0};
    th_status rc = th_not_text_refuse_zero(
        name, rows_of[k].head, rows_of[k].begin, rows_of[k].bytes, &err);
    CHECK((rc == TH_OK) == (rows_of[k].told == NULL));
    CHECK(rows_of[k].told == NULL || strstr(err.text, rows_of[k].told) != NULL);
  }
}

int main(void)
{
  test_table();
  CASE(test_text());
  CASE(test_zero());
  return check_finish(NULL);
}
