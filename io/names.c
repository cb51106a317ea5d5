/* names.c - the attributes' names of an open data set
 * SPDX-License-Identifier: MIT */
#include "io/format.h"
#include "io/reader.h"

th_status th_dataset_names(struct th_dataset *dataset, char ***names,
                           struct th_error *err)
{
  const struct th_h5 *master = &dataset->examples.h5;
  *names = NULL;
  if (!th_h5_exists(master, TH_D_NAMES))
    return TH_OK;
  return th_h5_get_texts(master, TH_D_NAMES, dataset->store.shape.attributes,
                         names, err);
}
