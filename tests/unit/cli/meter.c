/* meter.c - what a meter shows, and when
 * SPDX-License-Identifier: MIT */
#include "cli/run/meter.h"
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 512 };

/* The clock of all meters here. */
static double now;

static double tell(void)
{
  return now;
}

static struct th_meter begin(bool terminal)
{
  struct th_meter meter;
  th_meter_begin(&meter, true);
  meter.clock = tell;
  meter.began = meter.shown = meter.part_began = now;
  meter.out = tmpfile();
  meter.terminal = terminal;
  if (meter.out == NULL)
    abort();
  return meter;
}

static void wait(double seconds)
{
  now += seconds;
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
  wait(1.5);
  CHECK(!th_meter_due(&meter));
  th_meter_show(&meter, 0.1, "too early");
  wait(10.5);
  CHECK(th_meter_due(&meter));
  th_meter_show(&meter, 0.005, "a");
  th_meter_show(&meter, 0.25, "too soon");
  wait(3);
  th_meter_show(&meter, 0.25, "b");
  wait(3);
  th_meter_show(&meter, -1, "c");
  wait(102);
  th_meter_show(&meter, 2, "d");
  wait(4);
  th_meter_show(&meter, 1, "too soon after a minute");
  th_meter_clear(&meter);
  check_text(&meter, "  0 %, 12 s elapsed  a\n"
                     " 25 %, 15 s elapsed, 45 s left  b\n"
                     "18 s elapsed  c\n"
                     "100 %, 2 min 0 s elapsed  d\n");
}

/* An estimate that was wrong is not followed by another one, until the next
 * part of the work. */
static void test_broken_promise(void)
{
  struct th_meter meter = begin(false);
  wait(9);
  th_meter_show(&meter, 0.9, "a");
  wait(1.4);
  th_meter_show(&meter, 0.95, "not due");
  wait(0.6);
  for (int k = 0; k < 4; k++, wait(2))
    th_meter_show(&meter, 0.93 + k / 100.0, "b");
  th_meter_part(&meter);
  meter.at_most = true;
  wait(30);
  th_meter_show(&meter, 0.25, "c");
  wait(30);
  th_meter_show(&meter, 0.25, "d");
  wait(29);
  th_meter_show(&meter, 0.5, "e");
  wait(5);
  th_meter_show(&meter, 0.5, "f");
  wait(150);
  th_meter_show(&meter, 0.9, "g");
  check_text(&meter,
             " 90 %, 9 s elapsed, 1 s left  a\n"
             " 93 %, 11 s elapsed  b\n"
             " 94 %, 13 s elapsed  b\n"
             " 95 %, 15 s elapsed  b\n"
             " 96 %, 17 s elapsed  b\n"
             " 25 %, 49 s elapsed, at most 90 s left of part 1  c\n"
             " 25 %, 79 s elapsed, at most 3 min 0 s left of part 1  d\n"
             " 50 %, 108 s elapsed, at most 89 s left of part 1  e\n"
             " 50 %, 113 s elapsed, at most 94 s left of part 1  f\n"
             " 90 % of part 1, 4 min 23 s elapsed  g\n");
}

/* No line may follow the end that an earlier one has promised and promise
 * another, whatever the pace. */
static void test_all_paces(void)
{
  char line[TEXT];
  for (int power = 1; power <= 6; power++) {
    struct th_meter meter = begin(false);
    for (int k = 1; k <= 100; k++) {
      wait(1);
      th_meter_show(&meter, pow(k / 100.0, 1.0 / power), "");
    }
    double promised = INFINITY;
    int told = 0;
    rewind(meter.out);
    while (fgets(line, sizeof line, meter.out) != NULL) {
      double share;
      int elapsed;
      int left;
      if (sscanf(line, "%lf %%, %d s elapsed, %d s left", &share, &elapsed,
                 &left) < 3)
        continue;
      CHECK(elapsed <= promised + 1);
      promised = fmin(promised, elapsed + left);
      told++;
    }
    CHECK(told > 0 && told < 50);
    fclose(meter.out);
  }
}

/* A run that is gone on with: the first share is not its own work. */
static void test_going_on(void)
{
  struct th_meter meter = begin(false);
  wait(3);
  th_meter_go_on(&meter, 0.5);
  th_meter_show(&meter, 0.5, "a");
  wait(10);
  th_meter_show(&meter, 0.6, "b");
  check_text(&meter, " 50 %, 3 s elapsed  a\n"
                     " 60 %, 13 s elapsed, 40 s left  b\n");
}

static void test_bar(void)
{
  struct th_meter meter = begin(true);
  char what[2 * TEXT];
  memset(what, 'x', sizeof what);
  what[sizeof what - 1] = '\0';
  wait(30);
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
  wait(100);
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
  CASE(test_lines());
  CASE(test_broken_promise());
  CASE(test_all_paces());
  CASE(test_going_on());
  CASE(test_bar());
  CASE(test_quiet());
  CASE(test_durations());
  return check_finish(NULL);
}
