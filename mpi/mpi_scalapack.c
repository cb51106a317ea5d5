/* mpi_scalapack.c - ScaLAPACK, loaded when it is wanted
 *
 * OpenBLAS, where it is what ScaLAPACK stands on, starts threads as soon as it
 * is loaded, and they wait busily at first. Few runs want it. It is told to use
 * one thread: there is a rank for every core.
 * SPDX-License-Identifier: MIT */
#include "mpi/mpi_scalapack.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct th_mpi_scalapack, member)

static const struct {
  const char *name;
  size_t at;
} functions[] = {
    {"Csys2blacs_handle", AT(sys2blacs_handle)},
    {"Cfree_blacs_system_handle", AT(free_blacs_system_handle)},
    {"Cblacs_gridinit", AT(gridinit)},
    {"Cblacs_gridexit", AT(gridexit)},
    {"descinit_", AT(descinit)},
    {"pdpotrf_", AT(pdpotrf)},
    {"pdpotrs_", AT(pdpotrs)},
};

/* By its name, as the system finds it, or where it was when this was built. */
static void *open_library(void)
{
  void *found = dlopen(TH_SCALAPACK_NAME, RTLD_NOW | RTLD_LOCAL);
  return found != NULL ? found
                       : dlopen(TH_SCALAPACK_FILE, RTLD_NOW | RTLD_LOCAL);
}

th_status th_mpi_scalapack_load(struct th_mpi_scalapack *library,
                                struct th_error *err)
{
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  void *found = open_library();
  if (found == NULL)
    return th_fail(err, TH_EIO,
                   "cannot load ScaLAPACK: %s; install it, or choose {factor} "
                   "own or cg",
                   dlerror());
  for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
    void *function = dlsym(found, functions[k].name);
    if (function == NULL)
      return th_fail(err, TH_EIO,
                     "%s: no function %s; choose {factor} own or cg",
                     TH_SCALAPACK_NAME, functions[k].name);
    memcpy((char *)library + functions[k].at, &function, sizeof function);
  }
  return TH_OK;
}
