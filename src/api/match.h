/* match.h - the attributes of a model found again in other data, by name
 * SPDX-License-Identifier: MIT */
#ifndef TH_MATCH_H
#define TH_MATCH_H

#include "api/data.h"
#include "core/model.h"

/* Which of a model's attributes the data must have. */
enum th_match_part { TH_MATCH_SUPPORT, TH_MATCH_ALL };

/* Give the attributes of the model's support the numbers that they have in the
 * data, and the model as many attributes: by name, where both have names, and
 * not the same ones. Else nothing changes; whether the numbers of attributes
 * agree is the caller's to check. path: of the model. The data's listener hears
 * of it. Collective. TH_EDATA for a name that is not there, or not one
 * attribute's; with TH_MATCH_ALL also where the data have other attributes
 * beside the support, or the model has groups. Also TH_EFORMAT, TH_EIO,
 * TH_ENOMEM. */
th_status th_match(struct th_model *model, struct th_data *data,
                   enum th_match_part part, const char *path,
                   struct th_comm *comm, struct th_error *err);

/* Whether the data have names. Local, replicated. */
bool th_match_named(const struct th_data *data);

/* The numbers of attributes by their names in data that have some. `where`
 * opens the message of a failure. Collective; TH_EUSAGE, TH_EFORMAT, TH_EIO,
 * TH_ENOMEM. */
th_status th_match_names(struct th_data *data, char *const *name, int64_t count,
                         int64_t *attribute, const char *where,
                         struct th_comm *comm, struct th_error *err);

/* Give a model of these data the names of its attributes, on rank 0.
 * Collective. TH_EFORMAT, TH_EIO, TH_ENOMEM. */
th_status th_match_label(struct th_model *model, struct th_data *data,
                         struct th_comm *comm, struct th_error *err);

#endif
