/* library.h - HDF5 in a process that uses it for our files alone
 * SPDX-License-Identifier: MIT */
#ifndef TH_LIBRARY_H
#define TH_LIBRARY_H

/* HDF5 does nothing of its own when the process ends: all files are closed by
 * then, but for those that could not be written, on which it would fail again
 * and crash. To be called before any file is opened, by a program that has no
 * HDF5 files of its own. Local. */
void th_library_alone(void);

#endif
