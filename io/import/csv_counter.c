/* csv_counter.c - columns that only count the rows: the index that R and pandas
 * write in front of the data
 * SPDX-License-Identifier: MIT */
#include "io/import/csv_reader.h"

#include "core/search.h"

#include <ctype.h>
#include <string.h>

/* "Row_Names", "row.names" and "rownames" are one name; "" and "#" another. */
static bool is_index_name(const char *name)
{
  static const char unnamed[] = "unnamed"; /* of pandas: "Unnamed: 0" */
  static const char *const names[] = {
      "",         "index",  "idx",       "id",      "row",      "rowid",
      "rowindex", "rownum", "rownumber", "rowname", "rownames", "obs"};
  char plain[16];
  size_t length = 0;
  for (const char *p = name; *p != '\0' && length + 1 < sizeof plain; p++)
    if (isalnum((unsigned char)*p) || (unsigned char)*p >= 0x80)
      plain[length++] = (char)tolower((unsigned char)*p);
  plain[length] = '\0';
  if (strncmp(plain, unnamed, sizeof unnamed - 1) == 0)
    return true;
  return TH_SEARCH_NAME(names, plain) >= 0;
}

void th_csv_find_counters(struct th_csv *csv)
{
  csv->counters = 0;
  for (int64_t k = 0; csv->names != NULL && k < csv->columns; k++)
    if (csv->role[k] >= 0 && csv->counters < TH_CSV_COUNTERS &&
        is_index_name(csv->names[k]))
      csv->counter[csv->counters++] = (struct th_csv_counter){.column = k};
}
