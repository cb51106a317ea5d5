/* preload.h - for libraries that are preloaded: what they stand before
 * SPDX-License-Identifier: MIT */
#ifndef TH_PRELOAD_H
#define TH_PRELOAD_H

#include <dlfcn.h>
#include <string.h>

/* Find the function of that name in the libraries behind this one, for the
 * pointer at `function`: C has no cast from the one kind of pointer to the
 * other. */
static inline void preload_next(void *function, const char *name)
{
  void *found = dlsym(RTLD_NEXT, name);
  memcpy(function, &found, sizeof found);
}

#endif
