/* output.c - outputs appear whole or not at all, and touch nothing that is
 * not their own
 * SPDX-License-Identifier: MIT */
#include "io/files/output.h"
#include "base/error.h"
#include "check.h"
#include "io/dataset/writer/writer.h"
#include "output_folder.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static void expect(th_status rc, const struct th_error *err, const char *words)
{
  bool good = rc != TH_OK && strstr(err->text, words) != NULL &&
              strchr(err->text, '\n') == NULL;
  CHECK(good);
  if (!good)
    fprintf(stderr, "wanted \"%s\", not %d \"%s\"\n", words, (int)rc,
            err->text);
}

static void refuse(const char *name, bool force, const char *words)
{
  struct th_output output;
  struct th_error err;
  th_error_clear(&err);
  int before = names_in_folder();
  th_status rc = th_output_begin(&output, in_folder(name), force, &err);
  expect(rc, &err, words);
  th_output_abort(&output);
  CHECK(names_in_folder() == before);
}

static th_status write_text(const char *name, bool force, const char *text)
{
  struct th_output output;
  struct th_error err;
  th_error_clear(&err);
  th_status rc = TH_OK;
  TH_TRY(th_output_begin(&output, in_folder(name), force, &err));
  TH_TRY(th_output_write(&output, text, (int64_t)strlen(text), &err));
  TH_TRY(th_output_commit(&output, &err));
done:
  th_output_abort(&output);
  return rc;
}

static void test_plain(void)
{
  folder_start();
  CHECK(write_text("a", false, "one") == TH_OK && holds("a", "one"));
  refuse("a", false, "exists; give {force}");
  CHECK(write_text("a", true, "two") == TH_OK && holds("a", "two"));
  CHECK(names_in_folder() == 1);
  refuse("none/a", true, "choose a folder that exists");
  refuse("no\nne\x1b/a", true, "no?ne?/a"); /* one line, whatever the name */
  refuse("", true, "is a folder; name a file in it");
  refuse(".", true, "is a folder; name a file in it");
}

/* The limit on file sizes stands in for a full disk. */
static void test_full(void)
{
  struct rlimit before;
  struct rlimit none = {0, 0};
  struct th_output output;
  struct th_error err;
  signal(SIGXFSZ, SIG_IGN);
  th_error_clear(&err);
  CHECK(th_output_begin_text(&output, in_folder("f"), false, &err) == TH_OK);
  CHECK(th_output_text(&output, &err) == TH_OK);
  getrlimit(RLIMIT_FSIZE, &before);
  none.rlim_max = before.rlim_max;
  setrlimit(RLIMIT_FSIZE, &none);
  fputs("more than nothing", output.text);
  expect(th_output_commit(&output, &err), &err, "cannot write");
  setrlimit(RLIMIT_FSIZE, &before);
  th_output_abort(&output);
  CHECK(!is_there("f") && !is_there(".f.partial"));
}

static void test_text(void)
{
  struct th_output output;
  struct th_error err;
  folder_start();
  th_error_clear(&err);
  CHECK(th_output_begin_text(&output, in_folder("t"), false, &err) == TH_OK);
  CHECK(th_output_text(&output, &err) == TH_OK);
  fputs("some text", output.text);
  CHECK(!is_there("t") && is_there(".t.partial"));
  CHECK(th_output_commit(&output, &err) == TH_OK && holds("t", "some text"));
  CHECK(th_output_begin_text(&output, "-", false, &err) == TH_OK);
  CHECK(th_output_text(&output, &err) == TH_OK && output.text == stdout);
  CHECK(th_output_commit(&output, &err) == TH_OK && stdout != NULL);
  th_output_abort(&output);
  CHECK(fcntl(STDOUT_FILENO, F_GETFD) >= 0);
  test_full();
  expect(th_output_begin(&output, "-", true, &err), &err,
         "cannot go to the standard output; name a file");
  CHECK(names_in_folder() == 1);
}

/* What is neither a file nor a new name stays as it is, --force or not. */
static void test_other_kinds(void)
{
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  folder_start();
  put("file", "mine");
  mkdir(in_folder("folder"), 0700);
  mkfifo(in_folder("fifo"), 0600);
  int made = socket(AF_UNIX, SOCK_STREAM, 0);
  snprintf(name.sun_path, sizeof name.sun_path, "%s/socket", folder_path());
  CHECK(bind(made, (struct sockaddr *)&name, sizeof name) == 0);
  close(made);
  CHECK(symlink("file", in_folder("link")) == 0);
  CHECK(symlink("nowhere", in_folder("dangling")) == 0);
  CHECK(symlink("/dev/null", in_folder("device")) == 0);
  for (int force = 0; force < 2; force++) {
    refuse("folder", force, "is a folder");
    refuse("fifo", force, "neither a file nor a new name");
    refuse("socket", force, "neither a file nor a new name");
    refuse("link", force, "is a symbolic link to file; give the name");
    refuse("dangling", force, "is a symbolic link to nowhere");
    refuse("device", force, "is a symbolic link to /dev/null");
  }
  CHECK(holds("file", "mine") && is_link("link") && is_link("dangling"));
  CHECK(names_in_folder() == 7);
}

/* A folder by way of a link is where it leads. */
static void test_folder_link(void)
{
  folder_start();
  mkdir(in_folder("real"), 0700);
  CHECK(symlink("real", in_folder("way")) == 0);
  CHECK(write_text("way/a", false, "x") == TH_OK && holds("real/a", "x"));
}

/* What somebody has put in the place of the partial file. */
static void test_planted(void)
{
  folder_start();
  put("precious", "precious");
  CHECK(link(in_folder("precious"), in_folder(".a.partial")) == 0);
  CHECK(write_text("a", false, "x") == TH_OK && holds("a", "x"));
  CHECK(holds("precious", "precious") && !is_there(".a.partial"));
  CHECK(symlink("precious", in_folder(".b.partial")) == 0);
  refuse("b", true, ".b.partial beside it is in the way");
  CHECK(holds("precious", "precious") && is_link(".b.partial"));
  mkdir(in_folder(".c.partial"), 0700);
  refuse("c", true, ".c.partial beside it is in the way");
  mkfifo(in_folder(".d.partial"), 0600);
  refuse("d", true, ".d.partial beside it is in the way");
}

/* What came while the output was written is not replaced. */
static void test_swapped(void)
{
  struct th_output output;
  struct th_error err;
  folder_start();
  put("precious", "precious");
  for (int force = 0; force < 2; force++) {
    th_error_clear(&err);
    CHECK(th_output_begin(&output, in_folder("a"), force, &err) == TH_OK);
    CHECK(symlink("precious", in_folder("a")) == 0);
    expect(th_output_commit(&output, &err), &err, "is a symbolic link");
    th_output_abort(&output);
    CHECK(is_link("a") && !is_there(".a.partial"));
    unlink(in_folder("a"));
    th_error_clear(&err);
    CHECK(th_output_begin(&output, in_folder("a"), force, &err) == TH_OK);
    unlink(in_folder(".a.partial"));
    CHECK(symlink("precious", in_folder(".a.partial")) == 0);
    expect(th_output_commit(&output, &err), &err, "is in the way");
    th_output_abort(&output);
    CHECK(!is_there("a"));
    unlink(in_folder(".a.partial"));
  }
  th_error_clear(&err);
  CHECK(th_output_begin(&output, in_folder("a"), false, &err) == TH_OK);
  put("a", "came first");
  expect(th_output_commit(&output, &err), &err, "exists; give {force}");
  th_output_abort(&output);
  CHECK(holds("a", "came first") && holds("precious", "precious"));
  CHECK(names_in_folder() == 2);
}

static void test_lock(void)
{
  struct th_output one;
  struct th_error err;
  folder_start();
  th_error_clear(&err);
  CHECK(th_output_begin(&one, in_folder("a"), false, &err) == TH_OK);
  refuse("a", true, "another run is writing");
  CHECK(is_there(".a.partial"));
  CHECK(th_output_commit(&one, &err) == TH_OK && is_there("a"));
  put(".b.partial", "of a run that was killed");
  CHECK(th_output_begin(&one, in_folder("b"), false, &err) == TH_OK);
  th_output_abort(&one);
  CHECK(names_in_folder() == 1);
}

/* Claim NAME.h5, whose shards would come to NAME.shards. */
static void check_folder(const char *name, const char *words)
{
  struct th_error err;
  char file[64];
  snprintf(file, sizeof file, "%s.h5", name);
  th_error_clear(&err);
  th_status rc = th_writer_check(in_folder(file), true, &err);
  if (words == NULL)
    CHECK(rc == TH_OK);
  else
    expect(rc, &err, words);
}

static void remove_folder(const char *name)
{
  int at = open(folder_path(), O_RDONLY | O_DIRECTORY);
  th_writer_folder_remove(at, name);
  close(at);
}

static void test_shard_folders(void)
{
  static const char *const foreign[] = {"notes.txt", "0000.h5", "00000.h5.bak",
                                        "000000.h5", ".hidden", "x00000.h5"};
  folder_start();
  check_folder("none", NULL);
  mkdir(in_folder("s.shards"), 0700);
  check_folder("s", NULL);
  put("s.shards/00000.h5", "");
  put("s.shards/00011.h5", "");
  put("s.shards/123456.h5", "");
  check_folder("s", NULL);
  for (size_t k = 0; k < sizeof foreign / sizeof *foreign; k++) {
    char name[64];
    char words[128];
    snprintf(name, sizeof name, "s.shards/%s", foreign[k]);
    snprintf(words, sizeof words, "s.shards holds %s, which is no shard",
             foreign[k]);
    put(name, "mine");
    check_folder("s", words);
    remove_folder("s.shards"); /* even so */
    CHECK(holds(name, "mine") && !is_there("s.shards/00011.h5"));
    unlink(in_folder(name));
    put("s.shards/00011.h5", "");
  }
  mkdir(in_folder("s.shards/00003.h5"), 0700);
  check_folder("s", "holds 00003.h5, which is no shard");
  rmdir(in_folder("s.shards/00003.h5"));
  put("precious", "precious");
  CHECK(symlink("../precious", in_folder("s.shards/00003.h5")) == 0);
  check_folder("s", "holds 00003.h5, which is no shard");
  remove_folder("s.shards");
  CHECK(is_link("s.shards/00003.h5") && holds("precious", "precious"));
  unlink(in_folder("s.shards/00003.h5"));
  put("s.shards/00001.h5", "mine");
  put("file.shards", "precious");
  CHECK(symlink("s.shards", in_folder("way.shards")) == 0);
  check_folder("way", "it is a link or a file, not a folder of shards");
  check_folder("file", "it is a link or a file, not a folder of shards");
  remove_folder("way.shards");
  remove_folder("file.shards");
  CHECK(is_link("way.shards") && holds("s.shards/00001.h5", "mine"));
  CHECK(holds("file.shards", "precious"));
  remove_folder("s.shards");
  CHECK(!is_there("s.shards"));
}

int main(void)
{
  CASE(test_plain());
  CASE(test_text());
  CASE(test_other_kinds());
  CASE(test_folder_link());
  CASE(test_planted());
  CASE(test_swapped());
  CASE(test_lock());
  CASE(test_shard_folders());
  folder_end();
  return check_finish(NULL);
}
