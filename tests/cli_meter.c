/* cli_meter.c - what a meter shows, and when
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "cli/meter.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT = 512 };

static struct th_meter begin(bool terminal)
{
  struct th_meter meter;
  th_meter_begin(&meter, true);
  meter.out = tmpfile();
  meter.terminal = terminal;
  if (meter.out == NULL)
    abort();
  return meter;
}

/* As if that much time had passed since the last look. */
static void wait(struct th_meter *meter, double seconds)
{
  meter->began -= seconds;
  meter->shown -= seconds;
}

static void check_text(struct th_meter *meter, const char *wanted)
{
  char text[TEXT] = "";
  rewind(meter->out);
  size_t length = fread(text, 1, TEXT - 1, meter->out);
  text[length] = '\0';
  if (strcmp(text, wanted) != 0)
    fprintf(stderr, "'%s', wanted '%s'\n", text, wanted);
  CHECK(strcmp(text, wanted) == 0);
  fclose(meter->out);
}

static void test_lines(void)
{
  struct th_meter meter = begin(false);
  wait(&meter, 1.5);
  CHECK(!th_meter_due(&meter));
  th_meter_show(&meter, 0.1, "too early");
  wait(&meter, 10.5);
  CHECK(th_meter_due(&meter));
  th_meter_show(&meter, 0.25, "a");
  th_meter_show(&meter, 0.25, "too soon");
  wait(&meter, 3);
  th_meter_show(&meter, 0.001, "b");
  wait(&meter, 3);
  th_meter_show(&meter, -1, "c");
  wait(&meter, 102);
  th_meter_show(&meter, 2, "d");
  wait(&meter, 4);
  th_meter_show(&meter, 1, "too soon after a minute");
  meter.at_most = true;
  wait(&meter, 96);
  th_meter_show(&meter, 0.5, "e");
  th_meter_clear(&meter);
  check_text(&meter, " 25 %, 12 s elapsed, 36 s left  a\n"
                     "  0 %, 15 s elapsed  b\n"
                     "18 s elapsed  c\n"
                     "100 %, 2 min 0 s elapsed, 0 s left  d\n"
                     " 50 %, 3 min 40 s elapsed, at most 3 min 40 s left  e\n");
}

static void test_bar(void)
{
  struct th_meter meter = begin(true);
  char what[2 * TEXT];
  memset(what, 'x', sizeof what);
  what[sizeof what - 1] = '\0';
  wait(&meter, 30);
  th_meter_show(&meter, 0.5, what);
  th_meter_clear(&meter);
  th_meter_clear(&meter);
  char wanted[TEXT];
  int used = snprintf(wanted, sizeof wanted,
                      "\r\033[K[############............]  50 %%, 30 s "
                      "elapsed, 30 s left  ");
  for (; used < 79 + 4; used++) /* the width, and four to go to its begin */
    wanted[used] = 'x';
  snprintf(wanted + used, 5, "\r\033[K");
  check_text(&meter, wanted);
}

static void test_quiet(void)
{
  struct th_meter meter;
  struct th_meter none = {0};
  th_meter_begin(&meter, false);
  wait(&meter, 100);
  CHECK(!th_meter_due(&meter));
  th_meter_show(&meter, 0.5, "nothing");
  th_meter_clear(&meter);
  th_meter_clear(&none);
}

static void test_durations(void)
{
  static const struct {
    double seconds;
    const char *text;
  } cases[] = {{0, "0 s"},
               {-3, "0 s"},
               {119.4, "119 s"},
               {120, "2 min 0 s"},
               {7199, "119 min 59 s"},
               {7200, "2 h 0 min"},
               {1e300, "277777 h 46 min"},
               {NAN, "0 s"}};
  char text[TH_DURATION_TEXT];
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    CHECK(strcmp(th_meter_duration_text(cases[k].seconds, text),
                 cases[k].text) == 0);
}

int main(void)
{
  test_lines();
  test_bar();
  test_quiet();
  test_durations();
  return check_finish(NULL);
}
