/* interrupt.h - removes unfinished outputs when a signal ends the run
 *
 * A run that does not end well must not leave its outputs behind. These files
 * and folders are made, renamed and removed here, so that a signal finds each
 * of them either registered or not there. Names are relative to the descriptor
 * of a folder, which stays open as long as the name is registered. All
 * functions are local and for the thread that called th_interrupt_hold.
 * SPDX-License-Identifier: MIT */
#ifndef TH_INTERRUPT_H
#define TH_INTERRUPT_H

#include <stdbool.h>
#include <stdint.h>

/* Call at the beginning of the program, before there are other threads. SIGINT,
 * SIGTERM, SIGHUP and SIGUSR1 are held back from now on. */
void th_interrupt_hold(void);

/* From now on these signals end the process, but only after the registered
 * names have been removed; rank 0 says so in one line. With several ranks, each
 * stays for half a second, since mpirun ends the others at once when the first
 * one has gone. A signal that was ignored stays ignored. hurried: the launcher
 * kills ranks that stay after a signal, SIGUSR1 apart. */
void th_interrupt_start(int rank, int ranks, bool hurried);

/* This rank speaks in place of the first one, a process of this host, if that
 * is gone. */
void th_interrupt_stand_in(int64_t process);

/* asks: from now on the first of these signals does not end the process but
 * asks for the end, where the launcher leaves time for it. The same signal
 * within a fifth of a second is that one. */
void th_interrupt_ask(bool asks);

/* True if a signal has asked for the end. */
bool th_interrupt_asked(void);

/* From now on SIGUSR2 asks for a checkpoint; it is not passed on to the
 * default, which would end the process. */
void th_interrupt_listen(void);

/* True if SIGUSR2 has come since the last call. */
bool th_interrupt_heard(void);

/* The run is over, and nothing is registered any more: signals end the process
 * in the usual way; SIGUSR1 does nothing. */
void th_interrupt_stop(void);

/* Signals wait while work on several names is under way; pairs may be nested.
 */
struct th_interrupt_pause {
  uint64_t before[16]; /* a signal mask */
};
void th_interrupt_pause(struct th_interrupt_pause *pause);
void th_interrupt_resume(const struct th_interrupt_pause *pause);

/* A new empty file for reading and writing: its descriptor, or -1 with errno
 * (EEXIST: whatever has that name stays as it is, and is not followed). */
int th_interrupt_own_open(int folder, const char *name);

/* A new symbolic link with that text; -1 with errno, as above. */
int th_interrupt_own_link(int folder, const char *name, const char *text);

/* mkstemp(3), with a path in place of a folder and a name. A lock of the system
 * on its descriptor lasts as long as the name is registered. */
int th_interrupt_own_temporary(char *path);

/* Register a folder in which there are going to be shards 0 .. count - 1 and
 * nothing else; inside: its descriptor. -1 with errno. */
int th_interrupt_own_folder(int folder, const char *name, int inside,
                            int64_t count);

/* Give it its final name in the same folder; it is then no longer registered.
 * -1 with errno: it has the old name and stays registered. */
int th_interrupt_own_rename(int folder, const char *name, const char *final);

/* Rename what is registered, in place of another file in the same folder; it
 * stays registered, by its new name. -1: it has the old one. */
int th_interrupt_own_replace(int folder, const char *name, const char *other);

/* Remove a file (folder AT_FDCWD: the path of th_interrupt_own_temporary), or
 * what a folder of shards holds and then the folder; registered or not, there
 * or not.
 */
void th_interrupt_own_remove(int folder, const char *name);

/* Its descriptor is closed, or another rank removes it: it is no longer
 * registered. */
void th_interrupt_own_forget(int folder, const char *name);

#endif
