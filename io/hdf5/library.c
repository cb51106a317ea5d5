/* library.c - HDF5 in a process that uses it for our files alone
 * SPDX-License-Identifier: MIT */
#include "io/hdf5/library.h"

#include <hdf5.h>

void th_library_alone(void)
{
  (void)H5dont_atexit(); /* too late: then it is as it was */
}
