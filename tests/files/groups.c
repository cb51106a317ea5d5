/* groups.c - files of groups: what is read on any ranks, what is refused
 * with which words
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "io_data.h"
#include "ranks/partition.h"

#include "io/import/text/groups_file.h"
#include "mpi/mpi_comm.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ATTRIBUTES = 1000 };

static char folder[64];

static void file_path(char path[128], const char *name)
{
  snprintf(path, 128, "%s/%s", folder, name);
}

/* Write on rank 0, read on all. */
static th_status read_text(struct th_comm *comm, const char *text,
                           int64_t attributes, struct th_groups *groups,
                           struct th_error *err)
{
  char path[128];
  char output[128];
  file_path(path, "groups.txt");
  file_path(output, "model.h5");
  th_error_clear(err);
  if (comm->rank == 0) {
    FILE *file = fopen(path, "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0)
      abort();
  }
  comm->ops->barrier(comm);
  return th_groups_file_read(groups, comm, path, output, attributes, NULL, err);
}

static void check_bad(struct th_comm *comm, const char *text, const char *words)
{
  struct th_groups groups = {0};
  struct th_error err;
  CHECK(read_text(comm, text, 20, &groups, &err) == TH_EDATA);
  if (strstr(err.text, words) == NULL)
    fprintf(stderr, "wanted '%s', got '%s'\n", words, err.text);
  CHECK(strstr(err.text, words) != NULL && err.rank == 0);
  CHECK(groups.piece == NULL);
}

static void test_bad(struct th_comm *comm)
{
  check_bad(comm, "0-9\n10-17\n\n3,18-19",
            ".txt:4: attribute 3 is in the "
            "groups of lines 1 and 4; give");
  check_bad(comm, "0-9 9\n10-19", ".txt:1: attribute 9 is there twice");
  check_bad(comm, "5-9\n0-4 10-18",
            "groups.txt: attribute 19 is in no group; "
            "give every attribute of the data");
  check_bad(comm, "1-19", "attribute 0 is in no group");
  check_bad(comm, "0-4\n6-19", "attribute 5 is in no group");
  check_bad(comm, "# nothing\n\n", "attribute 0 is in no group");
  check_bad(comm, "", "attribute 0 is in no group");
  check_bad(comm, "0-18\n20",
            ".txt:2:1: attribute 20 found, but the data have "
            "20; attributes are counted from 0");
  check_bad(comm, "0-99999999999999999999999", ".txt:1:3: attribute 99999999");
  check_bad(comm, "0-9\n 9-5", ".txt:2:2: the range 9-5 ends before it begins");
  check_bad(comm, "0-9,x\n",
            ".txt:1:5: 'x' found, expected an attribute, a "
            "range a-b or weight=W");
  check_bad(comm, "0-9,-3", ".txt:1:5: '-3' found, expected an attribute");
  check_bad(comm, "0-", ".txt:1:3: ");
  check_bad(comm, "1.5", ".txt:1:1: '1.5' found, expected an attribute");
  check_bad(comm, "0-9 weight=0", "attribute 10 is in no group"); /* no fault */
  check_bad(comm, "0-9 weight=-1", ".txt:1:12: the weight must not be below 0");
  check_bad(comm, "0-9 weight=", ".txt:1:5: 'weight='");
  check_bad(comm, "0-9 weight=nan",
            ".txt:1:12: 'nan' found, expected a finite "
            "decimal number as the weight");
  check_bad(comm, "weight=2 0-9 weight=2", ".txt:1:21: a second weight");
  check_bad(comm, "0-9 weight=2x", ".txt:1:12: '2x' found");
  check_bad(comm, "0-9\xef\xbb\xbf\n10-19", ".txt:1:1: '0-9\\xef\\xbb\\xbf'");
  check_bad(comm, "0-9\r10-18", "attribute 19 is in no group"); /* two lines */
  check_bad(comm, "\xff\xfe\n", ".txt:1:1: text in UTF-16 found");
  check_bad(comm, "weight=2 # 0-19", ".txt:1:1: a weight without attributes");
}

/* What a description says of one attribute, asked of whoever has it. */
static struct th_group_piece look_up(const struct th_groups *groups,
                                     struct th_comm *comm, int64_t attribute)
{
  struct th_group_piece *piece = NULL;
  struct th_group_piece found = {{0, 0}, -1, -1, -1};
  struct th_error err = {0};
  int64_t count = 0;
  struct th_range range = {attribute, attribute + 1};
  CHECK(th_groups_fetch(groups, comm, range, &piece, &count, &err) == TH_OK);
  CHECK(count == 1 && piece[0].range.first == attribute &&
        piece[0].range.last == attribute + 1);
  if (count == 1)
    found = piece[0];
  free(piece);
  return found;
}

static void check_attribute(const struct th_groups *groups,
                            struct th_comm *comm, int64_t attribute,
                            int64_t group, int64_t size, double weight)
{
  struct th_group_piece found = look_up(groups, comm, attribute);
  CHECK(found.group == group && found.size == size && found.weight == weight);
}

static const char good[] = "# a comment\r\n"
                           "999 500-700, 2 weight=0.25\r\n"
                           "\t3,4,5\n"
                           "\n"
                           "weight=3e0 0 1,6-499 # and another\n"
                           "701-998";

static void check_good(const struct th_groups *groups, struct th_comm *comm)
{
  check_attribute(groups, comm, 0, 0, 496, 3);
  check_attribute(groups, comm, 2, 2, 203, 0.25);
  check_attribute(groups, comm, 4, 3, 3, 0);
  check_attribute(groups, comm, 6, 0, 496, 3);
  check_attribute(groups, comm, 600, 2, 203, 0.25);
  check_attribute(groups, comm, 998, 701, 298, 0);
  check_attribute(groups, comm, 999, 2, 203, 0.25);
}

/* How programs on other systems end lines, and begin files. */
static const char marked[] = "\xef\xbb\xbf"
                             "999 500-700, 2 weight=0.25\r\n"
                             "3,4,5\r\n"
                             "\r\n"
                             "weight=3e0 0 1,6-499\r\n"
                             "701-998\r\n";

static void test_good(struct th_comm *comm, const char *text)
{
  struct th_groups groups = {0};
  struct th_error err;
  struct th_range mine = th_partition_rank(ATTRIBUTES, comm->rank, comm->size);
  CHECK(read_text(comm, text, ATTRIBUTES, &groups, &err) == TH_OK);
  CHECK(groups.count == 0 || groups.piece[0].range.first == mine.first);
  CHECK(groups.count == 0 ||
        groups.piece[groups.count - 1].range.last == mine.last);
  int64_t pieces = groups.count;
  comm->ops->sum_i64(comm, &pieces, 1);
  CHECK(comm->size > 1 || pieces == 7); /* neighbours are one piece */
  check_good(&groups, comm);
  th_groups_free(&groups);
}

/* Each rank asks for another range, one of them for nothing. */
static void test_fetch(struct th_comm *comm)
{
  struct th_groups groups = {0};
  struct th_group_piece *piece = NULL;
  struct th_error err;
  struct th_range range = {400 - 100 * comm->rank, 750};
  int64_t count = -1;
  CHECK(read_text(comm, good, ATTRIBUTES, &groups, &err) == TH_OK);
  if (comm->rank == comm->size - 1 && comm->size > 1)
    range = (struct th_range){0, 0};
  CHECK(th_groups_fetch(&groups, comm, range, &piece, &count, &err) == TH_OK);
  int64_t reached = range.first;
  for (int64_t k = 0; k < count; k++) {
    CHECK(piece[k].range.first == reached && piece[k].range.last > reached);
    reached = piece[k].range.last;
  }
  CHECK(reached == range.last);
  free(piece);
  th_groups_free(&groups);
}

static void test_compressed(struct th_comm *comm)
{
  struct th_groups groups = {0};
  struct th_error err;
  char path[128];
  char command[160];
  CHECK(read_text(comm, good, ATTRIBUTES, &groups, &err) == TH_OK);
  th_groups_free(&groups);
  file_path(path, "groups.txt");
  snprintf(command, sizeof command, "gzip -f %s", path);
  if (comm->rank == 0 && system(command) != 0)
    abort();
  comm->ops->barrier(comm);
  file_path(path, "groups.txt.gz");
  CHECK(th_groups_file_read(&groups, comm, path, NULL, ATTRIBUTES, NULL,
                            &err) == TH_OK);
  CHECK(groups.groups == 4);
  check_good(&groups, comm);
  th_groups_free(&groups);
  th_error_clear(&err);
  CHECK(th_groups_file_read(&groups, comm, "/none/of/this", path, ATTRIBUTES,
                            NULL, &err) == TH_EIO);
  CHECK(strstr(err.text, "/none/of/this") != NULL);
}

int main(int argc, char **argv)
{
  struct th_comm comm;
  th_mpi_comm_start(&comm, &argc, &argv);
  check_start(&comm);
  test_folder(&comm, folder);
  CASE(test_good(&comm, good));
  CASE(test_good(&comm, marked));
  CASE(test_fetch(&comm));
  CASE(test_bad(&comm));
  CASE(test_compressed(&comm));
  test_folder_remove(&comm, folder);
  int failed = check_finish(&comm);
  th_mpi_comm_stop(&comm);
  return failed;
}
