/* name_print.h - the names of all attributes, as hashes
 * SPDX-License-Identifier: MIT */
#ifndef TH_NAME_PRINT_H
#define TH_NAME_PRINT_H

#include <stdint.h>

struct th_name_print {
  uint64_t list; /* of the names in their order; 0: there are none */
  uint64_t set;  /* the same in whatever order they come */
};

#endif
