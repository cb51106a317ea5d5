/* no_scalapack.c - preloaded, it hides ScaLAPACK from a program that loads it
 * SPDX-License-Identifier: MIT */
#include "preload.h"

void *dlopen(const char *name, int mode)
{
  void *(*open)(const char *, int);
  preload_next((void *)&open, "dlopen");
  return open(name != NULL && strstr(name, "scalapack") != NULL
                  ? "libscalapack-that-is-hidden.so"
                  : name,
              mode);
}
