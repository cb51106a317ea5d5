/* mapping.c - files that are used in place, where the system has them in memory
 *
 * This file has mutable state that is not passed on as an argument, as
 * interrupt.c has: the handler of SIGBUS gets nothing but an address. One
 * thread opens and closes mappings; what the handler looks at is atomic. It
 * calls mmap, which POSIX does not list for handlers, but which is a bare
 * system call here.
 *
 * mincore and preadv2 are not in POSIX: io/files/CMakeLists.txt asks for their
 * declarations.
 * SPDX-License-Identifier: MIT */
#include "io/files/mapping.h"

#include "base/error.h"
#include "io/files/output.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#ifdef RWF_NOWAIT
enum { AT_ONCE = RWF_NOWAIT };
#else
enum { AT_ONCE = -1 }; /* every such call fails */
#endif

enum {
  MOST = 2048,  /* mappings; files beyond them are read */
  PAGES = 1024, /* asked about at once */
  PROBES = 8
};

struct th_mapping {
  atomic_uintptr_t first; /* 0: free */
  atomic_size_t bytes;
  atomic_bool broken;
  int file;   /* borrowed */
  bool exact; /* the system tells of every page whether it is in memory */
};

static struct {
  struct th_mapping mapping[MOST];
  int open;
  atomic_int broken;
  struct sigaction before; /* the action of SIGBUS before the first mapping */
} state;

/* The mapping that holds an address, or NULL. */
static struct th_mapping *find_mapping(uintptr_t address)
{
  for (int k = 0; k < MOST; k++) {
    uintptr_t first = atomic_load(&state.mapping[k].first);
    if (first != 0 && address >= first &&
        address - first < atomic_load(&state.mapping[k].bytes))
      return &state.mapping[k];
  }
  return NULL;
}

/* Zeros in the place of all of it. */
static bool map_zeros(struct th_mapping *mapping)
{
  void *first = (void *)atomic_load(&mapping->first);
  return mmap(first, atomic_load(&mapping->bytes), PROT_READ,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1,
              0) == first;
}

/* Nobody's fault: another process has sent the signal. */
static bool is_sent(const siginfo_t *info)
{
  return info->si_code <= 0;
}

/* What has nothing to do with mappings: as if this handler was not there. Where
 * there was none, the process ends once the signal comes again, which raise
 * sees to. */
static void pass_on(int number, siginfo_t *info, void *context)
{
  const struct sigaction plain = {.sa_handler = SIG_DFL};
  bool ignored = (state.before.sa_flags & SA_SIGINFO) == 0 &&
                 state.before.sa_handler == SIG_IGN;
  if ((state.before.sa_flags & SA_SIGINFO) != 0) {
    state.before.sa_sigaction(number, info, context);
  } else if (state.before.sa_handler == SIG_DFL ||
             (ignored && !is_sent(info))) {
    sigaction(number, &plain, NULL);
    raise(number);
  } else if (!ignored) {
    state.before.sa_handler(number);
  }
}

static void on_fault(int number, siginfo_t *info, void *context)
{
  int saved = errno;
  struct th_mapping *mapping =
      is_sent(info) ? NULL : find_mapping((uintptr_t)info->si_addr);
  if (mapping != NULL && map_zeros(mapping)) {
    if (!atomic_exchange(&mapping->broken, true))
      atomic_fetch_add(&state.broken, 1);
  } else {
    pass_on(number, info, context);
  }
  errno = saved;
}

/* A fault whose signal is blocked, as whoever started the program may have left
 * it, ends the process. */
static bool is_heard(void)
{
  sigset_t blocked;
  return pthread_sigmask(SIG_BLOCK, NULL, &blocked) == 0 &&
         sigismember(&blocked, SIGBUS) == 0;
}

static bool listen(void)
{
  struct sigaction action = {.sa_sigaction = on_fault,
                             .sa_flags = SA_SIGINFO | SA_RESTART};
  sigemptyset(&action.sa_mask);
  return is_heard() && sigaction(SIGBUS, &action, &state.before) == 0;
}

/* Unless somebody else has put another handler there since. */
static void stop_listening(void)
{
  struct sigaction now;
  if (sigaction(SIGBUS, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 &&
      now.sa_sigaction == on_fault)
    sigaction(SIGBUS, &state.before, NULL);
}

static struct th_mapping *free_place(void)
{
  for (int k = 0; k < MOST; k++)
    if (atomic_load(&state.mapping[k].first) == 0)
      return &state.mapping[k];
  return NULL;
}

/* True if the next change of a file has another time than its last one. Some
 * file systems have whole seconds only, others those of the system's ticks. */
static bool is_settled(const struct stat *s)
{
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  double age = (double)(now.tv_sec - s->st_ctim.tv_sec) +
               1e-9 * (double)(now.tv_nsec - s->st_ctim.tv_nsec);
  return age > (s->st_ctim.tv_nsec == 0 ? 2 : 0.02);
}

bool th_mapping_shows(int file)
{
  struct stat s;
  struct statfs system;
  return fstat(file, &s) == 0 && is_settled(&s) &&
         fstatfs(file, &system) == 0 && system.f_type != TMPFS_MAGIC &&
         system.f_type != RAMFS_MAGIC && system.f_type != HUGETLBFS_MAGIC;
}

/* Addresses that a mapping takes are then missing for memory. */
static bool addresses_are_limited(void)
{
  struct rlimit limit;
  return getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

struct th_mapping *th_mapping_open(int file)
{
  struct stat s;
  struct th_mapping *mapping = free_place();
  if (mapping == NULL || addresses_are_limited() || fstat(file, &s) != 0 ||
      !S_ISREG(s.st_mode) || s.st_size <= 0 || s.st_size > PTRDIFF_MAX ||
      !th_mapping_shows(file))
    return NULL;
  void *first = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_SHARED, file, 0);
  if (first == MAP_FAILED)
    return NULL;
  if (state.open == 0 && !listen()) {
    munmap(first, (size_t)s.st_size);
    return NULL;
  }
  state.open++;
  mapping->file = file;
  /* of other files it says that all is in memory */
  mapping->exact = s.st_uid == geteuid() || geteuid() == 0;
  atomic_store(&mapping->broken, false);
  atomic_store(&mapping->bytes, (size_t)s.st_size);
  atomic_store(&mapping->first, (uintptr_t)first);
  return mapping;
}

void th_mapping_close(struct th_mapping *mapping)
{
  if (mapping == NULL)
    return;
  void *first = (void *)atomic_exchange(&mapping->first, 0);
  munmap(first, atomic_load(&mapping->bytes));
  if (atomic_load(&mapping->broken))
    atomic_fetch_sub(&state.broken, 1);
  if (--state.open == 0)
    stop_listening();
}

static bool is_inside(const struct th_mapping *mapping, int64_t offset,
                      int64_t bytes)
{
  int64_t all = (int64_t)atomic_load(&mapping->bytes);
  return offset >= 0 && bytes >= 0 && offset <= all && bytes <= all - offset;
}

const char *th_mapping_at(const struct th_mapping *mapping, int64_t offset,
                          int64_t bytes)
{
  if (!is_inside(mapping, offset, bytes))
    return NULL;
  return (const char *)atomic_load(&mapping->first) + offset;
}

/* True if all pages are in memory. */
static bool all_resident(char *first, size_t bytes, size_t page)
{
  unsigned char there[PAGES];
  for (size_t done = 0; done < bytes; done += PAGES * page) {
    size_t part = bytes - done < PAGES * page ? bytes - done : PAGES * page;
    size_t pages = (part + page - 1) / page;
    if (mincore(first + done, part, there) != 0)
      return false;
    for (size_t k = 0; k < pages; k++)
      if ((there[k] & 1) == 0)
        return false;
  }
  return true;
}

/* True if some bytes, evenly spread, can be read without waiting. */
static bool some_resident(int file, int64_t offset, int64_t bytes)
{
  char byte;
  struct iovec one = {&byte, 1};
  for (int64_t k = 0; k < PROBES; k++) {
    off_t at = (off_t)(offset + (bytes - 1) * k / (PROBES - 1));
    if (AT_ONCE < 0 || preadv2(file, &one, 1, at, AT_ONCE) != 1)
      return false;
  }
  return true;
}

bool th_mapping_resident(const struct th_mapping *mapping, int64_t offset,
                         int64_t bytes)
{
  if (bytes < 1 || !is_inside(mapping, offset, bytes))
    return false;
  if (!mapping->exact)
    return some_resident(mapping->file, offset, bytes);
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t skip = (size_t)offset % page;
  char *first = (char *)atomic_load(&mapping->first) + offset - skip;
  return all_resident(first, (size_t)bytes + skip, page);
}

void th_mapping_advise(const struct th_mapping *mapping, int64_t offset,
                       int64_t bytes)
{
  (void)posix_fadvise(mapping->file, (off_t)offset, (off_t)bytes,
                      POSIX_FADV_WILLNEED);
}

/* The text of smaps is a line with the addresses of a mapping, and then lines
 * about it. */
int64_t th_mapping_memory(void)
{
  char line[256];
  const char resident[] = "Rss:";
  bool ours = false;
  int64_t kilobytes = 0;
  FILE *maps = state.open > 0 ? fopen("/proc/self/smaps", "r") : NULL;
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
    char *end = line;
    uintptr_t first = (uintptr_t)strtoull(line, &end, 16);
    if (end > line && *end == '-')
      ours = find_mapping(first) != NULL;
    else if (ours && strncmp(line, resident, sizeof resident - 1) == 0)
      kilobytes += strtoll(line + sizeof resident - 1, NULL, 10);
  }
  if (maps != NULL)
    (void)fclose(maps);
  return kilobytes * 1024;
}

bool th_mapping_any_broken(void)
{
  return atomic_load_explicit(&state.broken, memory_order_relaxed) > 0;
}

th_status th_mapping_check(const struct th_mapping *mapping, const char *name,
                           struct th_error *err)
{
  struct stat s;
  if (fstat(mapping->file, &s) == 0 &&
      (size_t)s.st_size < atomic_load(&mapping->bytes))
    return th_output_temporary_ended(name, err);
  if (atomic_load(&mapping->broken))
    return th_fail(err, TH_EIO, "%s: %s; check the file", name, strerror(EIO));
  return TH_OK;
}
