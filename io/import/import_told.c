/* import_told.c - what the user says of text that is imported like other text
 * must not contradict what is known of that
 * SPDX-License-Identifier: MIT */
#include "io/import/import_job.h"

#include <stdio.h>
#include <string.h>

/* What an option says, and what it says of the other text. */
struct told {
  const char *option;
  const char *mine;   /* NULL: nothing was said */
  const char *theirs; /* NULL: nothing is known */
};

static const char *yes_or_no(enum th_fact fact)
{
  return fact == TH_FACT_UNKNOWN ? NULL : fact == TH_FACT_YES ? "yes" : "no";
}

static const char *said_header(enum th_header header)
{
  return header == TH_HEADER_AUTO  ? NULL
         : header == TH_HEADER_YES ? "yes"
                                   : "no";
}

static th_status refuse(const struct th_importing *im, const struct told *told,
                        struct th_error *err)
{
  return th_fail(err, TH_EUSAGE,
                 "{%s} %s contradicts %s, where it is %s; that is taken over, "
                 "so leave the option out, or write the text as that one was",
                 told->option, told->mine, im->job->like, told->theirs);
}

/* Text of another format may be told so: its attributes go by their numbers.
 * Weights may be added to the labels, but not denied. */
th_status th_import_check_told(const struct th_importing *im,
                               struct th_error *err)
{
  const struct th_import *job = im->job;
  const struct th_origin *origin = &im->like.origin;
  bool plain = job->labels == TH_LABELS_PLAIN;
  const struct told all[] = {
      {"format", strcmp(job->format, "auto") == 0 ? NULL : job->format,
       origin->format},
      {"header", said_header(job->header), yes_or_no(origin->header)},
      {"zero-based", yes_or_no(job->zero_based), yes_or_no(origin->zero_based)},
      {"labels", plain ? "plain" : NULL,
       origin->label_weights == TH_FACT_YES ? "weighted" : NULL}};
  if (job->like == NULL)
    return TH_OK;
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    if (all[k].mine != NULL && all[k].theirs != NULL &&
        strcmp(all[k].mine, all[k].theirs) != 0)
      return refuse(im, &all[k], err);
  return TH_OK;
}
