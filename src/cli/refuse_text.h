/* refuse_text.h - text where a data set or a model is wanted: what to type
 * SPDX-License-Identifier: MIT */
#ifndef TH_REFUSE_TEXT_H
#define TH_REFUSE_TEXT_H

#include "ranks/comm.h"

/* What the file is wanted for. */
enum th_text_use { TH_TEXT_TO_TRAIN, TH_TEXT_TO_SCORE, TH_TEXT_AS_MODEL };

/* An error where the file is text, with the line to type first, or where it
 * cannot be opened. Collective: as rank 0 sees it. */
th_status th_refuse_text(struct th_comm *comm, const char *path,
                         enum th_text_use use, struct th_error *err);

#endif
