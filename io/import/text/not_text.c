/* not_text.c - files that are no text, and what makes text of them
 * SPDX-License-Identifier: MIT */
#include "io/import/text/not_text.h"

#include "io/import/text/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define TH_PANDAS(reader)                                                      \
  "make CSV of it: python3 -c \"import pandas; pandas." reader                 \
  "('FILE').to_csv('FILE.csv', index=False)\""
/* Commands of other programs are written in two parts: no options of ours. */
#define TH_OFFICE                                                              \
  "make CSV of it: soffice -"                                                  \
  "-headless -"                                                                \
  "-convert-to csv FILE"
#define TH_ARFF                                                                \
  "a file of Weka (ARFF)",                                                     \
      "make CSV of it: python3 -c \"import pandas, scipy.io.arff; "            \
      "pandas.DataFrame(scipy.io.arff.loadarff('FILE')[0])"                    \
      ".to_csv('FILE.csv', index=False)\""
#define TH_GCT                                                                 \
  "make CSV of it: python3 -c \"import pandas; pandas.read_csv('FILE', "       \
  "sep='\\t', skiprows=2, index_col=0).iloc[:, 1:].T.to_csv('FILE.csv')\""
#define TH_APART "import it apart, and without {format}"

/* Archives of zip by what is first in them; others are unpacked. */
static const struct th_not_text_row rows[] = {
    {0, 4, "PAR1", "a Parquet file", TH_PANDAS("read_parquet")},
    {0, 6, "ARROW1", "a Feather or Arrow file", TH_PANDAS("read_feather")},
    {0, 4, "FEA1", "a Feather file", TH_PANDAS("read_feather")},
    {0, 3, "ORC", "an ORC file", TH_PANDAS("read_orc")},
    {0, 4, "Obj\1", "an Avro file",
     "make CSV of it, for instance with avro cat -"
     "-format csv FILE"},
    {30, 19, "[Content_Types].xml", "an Excel workbook (xlsx)", TH_OFFICE},
    {30, 6, "_rels/", "an Excel workbook (xlsx)", TH_OFFICE},
    {30, 3, "xl/", "an Excel workbook (xlsx)", TH_OFFICE},
    {30, 8, "mimetype", "an OpenDocument table (ods)", TH_OFFICE},
    {0, 8, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel workbook (xls)",
     TH_OFFICE},
    {0, 5, "RDX2\n", "an R workspace (RData)",
     "in R: load('FILE'), then write.csv(DATA, 'FILE.csv', row.names = FALSE)"},
    {0, 5, "RDX3\n", "an R workspace (RData)",
     "in R: load('FILE'), then write.csv(DATA, 'FILE.csv', row.names = FALSE)"},
    {0, 5, "X\n\0\0\0", "an R object (RDS)",
     "make CSV of it: Rscript -e \"write.csv(readRDS('FILE'), 'FILE.csv', "
     "row.names = FALSE)\""},
    {16, 4, "bgen", "genotypes in BGEN",
     "convert it: plink2 -"
     "-bgen FILE ref-first -"
     "-make-bed -"
     "-out NAME"},
    {0, 16, "##fileformat=VCF", "genotypes in VCF",
     "convert it: plink2 -"
     "-vcf FILE -"
     "-make-bed -"
     "-out NAME"},
    {0, 4, "BCF\2", "genotypes in BCF",
     "convert it: plink2 -"
     "-bcf FILE -"
     "-make-bed -"
     "-out NAME"},
    {0, 3, "\x6c\x1b\x01", "genotypes of PLINK (.bed)",
     "make text of it: plink2 -"
     "-bfile NAME -"
     "-export A"},
    {0, 2, "\x6c\x1b", "genotypes of PLINK 2 (.pgen)",
     "convert it: plink2 -"
     "-pfile NAME -"
     "-make-bed -"
     "-out NAME"},
    {0, 2, "\x80\2", "a Python pickle", TH_PANDAS("read_pickle")},
    {0, 2, "\x80\3", "a Python pickle", TH_PANDAS("read_pickle")},
    {0, 2, "\x80\4", "a Python pickle", TH_PANDAS("read_pickle")},
    {0, 2, "\x80\5", "a Python pickle", TH_PANDAS("read_pickle")},
    {0, 15, "SQLite format 3", "an SQLite database",
     "make CSV of a table: sqlite3 -header -csv FILE 'select * from TABLE' > "
     "FILE.csv"},
    {0, 10, "MATLAB 7.3", "a MATLAB file (.mat, 7.3)",
     "make an array of it: python3 -c \"import h5py, numpy; "
     "numpy.save('FILE.npy', h5py.File('FILE')['X'][()].T)\""},
    {0, 10, "MATLAB 5.0", "a MATLAB file (.mat)",
     "make an array of it: python3 -c \"import numpy, scipy.io; "
     "numpy.save('FILE.npy', scipy.io.loadmat('FILE')['X'])\""},
    {12, 8, "\xc2\xea\x81\x60\xb3\x14\x11\xcf", "a SAS file",
     TH_PANDAS("read_sas")},
    {0, 11, "<stata_dta>", "a Stata file", TH_PANDAS("read_stata")},
    {0, 8, "$FL2@(#)", "an SPSS file", TH_PANDAS("read_spss")},
    {0, 4, "\x02\x21\x4c\x18", "compressed by lz4 in its old form",
     "compress it again: lz4 -dc FILE | lz4 > NAME"},
    {0, 4, "PK\5\6", "a zip archive without a file", "put one into it"},
    {0, 6, "7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "unpack it: 7z x FILE"},
    {0, 6, "Rar!\x1a\7", "a RAR archive", "unpack it: unrar x FILE"},
    {257, 5, "ustar", "a tar archive",
     "unpack it, and import what is in it: tar -xf FILE"},
    {0, 6, "\x93NUMPY", "an array of NumPy", TH_APART},
    {0, 4, "\x89PNG", "a picture (PNG)", "save the table in it as CSV"},
    {12, 8, "\xc2\xea\x81\x60\xb3\x14\x11\xcf", "a SAS file",
     TH_PANDAS("read_sas")},
    {0, 9, "@relation", TH_ARFF},
    {0, 9, "@RELATION", TH_ARFF},
    {0, 9, "@Relation", TH_ARFF},
    {0, 2, "{\"", "JSON", TH_PANDAS("read_json")},
    {0, 2, "{\n", "JSON", TH_PANDAS("read_json")},
    {0, 2, "[{", "JSON", TH_PANDAS("read_json")},
    {0, 2, "[[", "JSON", TH_PANDAS("read_json")},
    {0, 2, "[\n", "JSON", TH_PANDAS("read_json")},
    {0, 5, "<?xml", "XML", TH_PANDAS("read_xml")},
    {0, 9, "<!DOCTYPE", "a page of HTML", "save the table in it as CSV"},
    {0, 5, "#1.2\n", "expression data (GCT), where examples are columns",
     TH_GCT},
    {0, 6, "#1.2\r\n", "expression data (GCT), where examples are columns",
     TH_GCT},
    {0, 5, "#1.3\n", "expression data (GCT 1.3)",
     "save the table in it as CSV, with a line for each example"},
    {0, 4, "%PDF", "a PDF document", "save the table in it as CSV"},
};

/* A zip archive whose first member is an array. */
static bool has_arrays(const char *head, size_t bytes)
{
  enum { NAME_AT = 30, LENGTH_AT = 26, TAIL = 4 };
  if (bytes < NAME_AT || memcmp(head, "PK\3\4", 4) != 0)
    return false;
  size_t length = (unsigned char)head[LENGTH_AT] |
                  (size_t)(unsigned char)head[LENGTH_AT + 1] << 8;
  return length > TAIL && length <= bytes - NAME_AT &&
         memcmp(head + NAME_AT + length - TAIL, ".npy", TAIL) == 0;
}

/* A column may be called so, too: only where other bytes are not those of text
 * it is a magic number. */
static bool may_be_name(const struct th_not_text_row *row)
{
  enum { SHORT = 4 };
  bool plain = row->bytes <= SHORT;
  for (size_t k = 0; plain && k < row->bytes; k++)
    plain = isalnum((unsigned char)row->magic[k]) != 0;
  return plain;
}

static bool has_text_alone(const char *head, size_t bytes)
{
  for (size_t k = 0; k < bytes; k++)
    if (head[k] == '\0' || (iscntrl((unsigned char)head[k]) &&
                            strchr("\t\n\r\f", head[k]) == NULL))
      return false;
  return true;
}

static const struct th_not_text_row *find_row(const char *head, size_t bytes)
{
  static const struct th_not_text_row arrays = {
      0, 0, "", "arrays of NumPy (.npz)", TH_APART};
  if (has_arrays(head, bytes))
    return &arrays;
  for (const struct th_not_text_row *row = rows;
       row < rows + sizeof rows / sizeof *rows; row++)
    if (row->place + row->bytes <= bytes &&
        memcmp(head + row->place, row->magic, row->bytes) == 0 &&
        !(may_be_name(row) && has_text_alone(head, bytes)))
      return row;
  return NULL;
}

const struct th_not_text_row *th_not_text_table(size_t *count)
{
  *count = sizeof rows / sizeof *rows;
  return rows;
}

/* Put the name of the file in the place of FILE. */
static void write_remedy(const char *remedy, const char *name, char *text,
                         size_t size)
{
  static const char mark[] = "FILE";
  size_t used = 0;
  while (*remedy != '\0' && used + 1 < size) {
    if (strncmp(remedy, mark, sizeof mark - 1) != 0) {
      text[used++] = *remedy++;
      continue;
    }
    int put = snprintf(text + used, size - used, "%.120s", name);
    used += put > 0 ? (size_t)put : 0;
    remedy += sizeof mark - 1;
  }
  text[used < size ? used : size - 1] = '\0';
}

/* Text that only its name tells from a table. */
static const struct th_not_text_row *find_named(const char *name)
{
  static const struct th_not_text_row ped = {
      0, 0, "", "genotypes of PLINK as text (.ped)",
      "convert it: plink -"
      "-file NAME -"
      "-make-bed -"
      "-out NAME"};
  size_t length = strlen(name);
  return length > 4 && strcmp(name + length - 4, ".ped") == 0 ? &ped : NULL;
}

th_status th_not_text_refuse(const char *name, const char *head, size_t bytes,
                             struct th_error *err)
{
  char remedy[TH_ERROR_TEXT / 2];
  const struct th_not_text_row *row = find_row(head, bytes);
  if (row == NULL)
    row = find_named(name);
  if (row == NULL)
    return TH_OK;
  write_remedy(row->remedy, name, remedy, sizeof remedy);
  return th_fail(err, TH_EFORMAT, "%s: not text, but %s; %s", name, row->kind,
                 remedy);
}

th_status th_not_text_refuse_zero(const char *name, const char *head,
                                  size_t begin, size_t bytes,
                                  struct th_error *err)
{
  enum { SHOWN = 6, DIGITS = 3 };
  char first[DIGITS * SHOWN + 1] = "";
  const char *zero =
      bytes > begin ? memchr(head + begin, '\0', bytes - begin) : NULL;
  const char *line = head + begin;
  long long number = 1;
  if (zero == NULL)
    return TH_OK;
  bool plain = has_text_alone(line, (size_t)(zero - line));
  for (const char *at = line; at < zero; at++)
    if (*at == '\n') {
      line = at + 1;
      number++;
    }
  for (size_t k = 0; k < SHOWN && k < bytes; k++)
    snprintf(first + DIGITS * k, DIGITS + 1, " %02x",
             (unsigned)(unsigned char)head[k]);
  if (plain && zero > head)
    return th_fail(err, TH_EDATA, "%s:%lld:%lld: " TH_NOT_TEXT_ZERO, name,
                   number, (long long)(zero - line) + 1);
  return th_fail(err, TH_EFORMAT,
                 "%s:%lld:%lld: a byte 0 found, so it is not text, and its "
                 "first bytes,%s, are of no kind that is known; save it as "
                 "text in UTF-8",
                 name, number, (long long)(zero - line) + 1, first);
}
