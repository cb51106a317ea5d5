/* source.h - --source: a synthetic family named on the command line
 * SPDX-License-Identifier: MIT */
#ifndef TH_CLI_SOURCE_H
#define TH_CLI_SOURCE_H

#include "api/data.h"
#include "cli/shared/family.h"

/* Read "FAMILY:key=value,...". The keys are the options of `generate` that
 * describe the data, by name or by letter. text receives the same with every
 * parameter as it is used. `command` opens the message of a failure. Local;
 * TH_EUSAGE, TH_ENOMEM. Release with th_family_free, also after a failure. */
th_status th_source_read(struct th_synthesis *synthesis, const char *source,
                         const char *command, char text[TH_SOURCE_TEXT],
                         struct th_error *err);

#endif
