/* lock.h - one run at a time writes an output, or uses a folder
 *
 * What is locked is a regular file of that run. The system locks it, by
 * flock(2) or, where that fails, by an OFD lock of fcntl(2): such a lock ends
 * with the process. Some file systems have neither, Lustre without its option
 * `flock` among them. There an owner record stands beside the file: NAME.owner,
 * a symbolic link that leads nowhere and whose text tells host, machine, boot,
 * process and when it began. It comes into being whole or not at all.
 *
 * The record of a process that is gone is taken over. Whether it is gone can
 * only be told on its host. A host that was started again has another boot, the
 * same name and the same machine number; containers, which may share these, do
 * not count as hosts. Any other owner counts as living, until somebody removes
 * the record. There is one exception, a job of Slurm that was put into the
 * queue again: Slurm has ended its earlier leg. No option takes a record over,
 * since a living run would lose its work.
 *
 * Runs that lock by different kinds do not see one another, but for records,
 * which all see.
 *
 * After a lock is taken, see that the file still has its name, since another
 * run may have removed it in between. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_LOCK_H
#define TH_LOCK_H

#include <stdbool.h>

enum { TH_LOCK_TEXT = 512, TH_LOCK_HOLDER = 700, TH_LOCK_NOTE = 512 };

enum th_lock_answer {
  TH_LOCK_MINE,
  TH_LOCK_HELD, /* by another run: see holder */
  TH_LOCK_NEVER /* nothing can be locked there: errno */
};

/* Zeroed: none. */
struct th_lock {
  int folder;                  /* that the names are relative to; borrowed */
  char *record;                /* name of the record that is ours; NULL: none */
  char text[TH_LOCK_TEXT];     /* and what it says */
  int why;                     /* errno of flock where it fails, else 0 */
  char holder[TH_LOCK_HOLDER]; /* " (...)": who holds it, and what to do; "" */
};

/* Lock an open file that was opened for writing under this name; it is not
 * waited for. The lock ends with th_lock_end, and with the process. */
enum th_lock_answer th_lock_try(struct th_lock *lock, int file, int folder,
                                const char *name);

/* Give back a record; to be called before the file is closed, which ends locks
 * of the system. Legal on a zeroed lock. */
void th_lock_end(struct th_lock *lock);

/* Give back the record of a locked file by the file's name, where the lock
 * itself is at hand no more. */
void th_lock_forget(int folder, const char *name);

/* True if another run has locked a file, which need not be there; holder: as in
 * struct th_lock. */
bool th_lock_held(int folder, const char *name, char holder[TH_LOCK_HOLDER]);

/* One line that says that flock does not work there, and what is done instead;
 * empty where it works. path: of the file, or of anything beside it. */
void th_lock_note(const struct th_lock *lock, const char *path,
                  char note[TH_LOCK_NOTE]);

#endif
