/* dataset_store.h - an open data set as a store of values; internal to io/
 * SPDX-License-Identifier: MIT */
#ifndef TH_DATASET_STORE_H
#define TH_DATASET_STORE_H

#include "io/dataset/residency/examples.h"
#include "io/dataset/residency/prefetch.h"
#include "io/files/file.h"

struct th_held;

struct th_dataset {
  struct th_store store; /* first: the store is the data set */
  struct th_master_info info;
  char *path;
  struct th_identity identity;
  struct th_residency residency;
  struct th_prefetch prefetch;
  struct th_examples examples;
  const struct th_held *held; /* all of it is in memory (io/dataset/held.h), and
                                 neither residency nor prefetch have anything;
                                 NULL: it is in files; borrowed */
};

/* An error for a request outside of the data, or on rows of several row groups.
 * Local. */
th_status th_dataset_store_request(const struct th_dataset *dataset,
                                   struct th_rows rows, struct th_range range,
                                   struct th_error *err);

/* Of a struct th_dataset whose members are open. */
extern const struct th_store_ops th_dataset_store_ops;

#endif
