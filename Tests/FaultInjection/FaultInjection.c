#include "FaultInjection.h"

#ifdef __linux__

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

// The replacements of the C library's functions make system calls directly, so they need not look up the functions that they
// hide.

typedef enum { WRITE, SYNC, RENAME, REMOVE, CREATE, TRUNCATE, KINDS } call_kind;
static const char *const kind_names[KINDS] = {"write", "sync", "rename", "remove", "create", "truncate"};

typedef enum { FAIL, KILL, CUT, SHORTEN } fault_action;

static struct {
  char folder[PATH_MAX];
  size_t folder_length;  // 0: nothing is watched
  int kind;              // KINDS: any
  long number;           // 0: no call fails
  fault_action action;
  int error;
  int is_sticky;
  char report[PATH_MAX];
  struct timespec start;
} plan;

static atomic_long counts[KINDS], due_count;
static atomic_int has_fired;

// MARK: The report

static void report(const char *line) {
  if (!plan.report[0]) return;
  int file = (int)syscall(SYS_openat, AT_FDCWD, plan.report, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) return;
  syscall(SYS_write, file, line, strlen(line));
  syscall(SYS_close, file);
}

__attribute__((constructor)) static void read_plan(void) {
  const char *folder = getenv("FAULT_FOLDER"), *call = getenv("FAULT_CALL"), *number = getenv("FAULT_NUMBER");
  const char *action = getenv("FAULT_ACTION"), *sticky = getenv("FAULT_STICKY"), *after = getenv("FAULT_AFTER");
  const char *path = getenv("FAULT_REPORT");
  if (path) snprintf(plan.report, sizeof plan.report, "%s", path);
  clock_gettime(CLOCK_MONOTONIC, &plan.start);
  plan.kind = KINDS;
  for (int kind = 0; call && kind < KINDS; kind++) {
    if (strcmp(call, kind_names[kind]) == 0) plan.kind = kind;
  }
  plan.number = number ? atol(number) : 0;
  plan.is_sticky = sticky && *sticky == '1';
  plan.error = ENOSPC;
  if (action && strcmp(action, "EIO") == 0) plan.error = EIO;
  if (action && strcmp(action, "kill") == 0) plan.action = KILL;
  if (action && strcmp(action, "cut") == 0) plan.action = CUT;
  if (action && strcmp(action, "short") == 0) plan.action = SHORTEN;
  if (after) {
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    long microseconds = atol(after);
    struct itimerspec due = {.it_value = {.tv_sec = microseconds / 1000000, .tv_nsec = microseconds % 1000000 * 1000 + 1}};
    timer_t timer;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0) timer_settime(timer, 0, &due, NULL);
  }
  if (folder) {
    snprintf(plan.folder, sizeof plan.folder, "%s", folder);
    plan.folder_length = strlen(plan.folder);
  }
}

__attribute__((destructor)) static void report_counts(void) {
  static atomic_int is_reported;
  if (atomic_exchange(&is_reported, 1)) return;
  char line[64];
  for (int kind = 0; kind < KINDS; kind++) {
    snprintf(line, sizeof line, "count %s %ld\n", kind_names[kind], atomic_load(&counts[kind]));
    report(line);
  }
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  long microseconds = (now.tv_sec - plan.start.tv_sec) * 1000000 + (now.tv_nsec - plan.start.tv_nsec) / 1000;
  snprintf(line, sizeof line, "microseconds %ld\n", microseconds);
  report(line);
}

// A process that exits this way, like some shells, runs no destructors.
void _exit(int status) {
  report_counts();
  for (;;) syscall(SYS_exit_group, status);
}

// MARK: What is watched

static int is_watched(const char *path) {
  return plan.folder_length && strncmp(path, plan.folder, plan.folder_length) == 0 &&
         (path[plan.folder_length] == '/' || path[plan.folder_length] == 0);
}

// The current path of a descriptor's file. A file without a name also has a path in its folder here.
static const char *path_of(int descriptor, char *path) {
  char link[48];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX - 1);
  path[length > 0 ? length : 0] = 0;
  return path;
}

// The absolute path of a name, without following links.
static const char *full_path(int folder, const char *name, char *path) {
  if (name[0] == '/') return name;
  char base[PATH_MAX];
  if (folder == AT_FDCWD) {
    if (!getcwd(base, sizeof base)) return name;
  } else {
    path_of(folder, base);
  }
  if (snprintf(path, PATH_MAX, "%s/%s", base, name) >= PATH_MAX) return name;
  return path;
}

static int needs_space(call_kind kind) { return kind == WRITE || kind == CREATE || kind == TRUNCATE; }

typedef enum { GO_ON, FAIL_NOW, KILL_NOW, WRITE_HALF, WRITE_HALF_AND_KILL } verdict;

// Counts a call, and decides what happens to it.
static verdict decide(call_kind kind, const char *path) {
  if (!is_watched(path)) return GO_ON;
  atomic_fetch_add(&counts[kind], 1);
  if (!plan.number) return GO_ON;
  if (atomic_load(&has_fired)) {
    if (!plan.is_sticky || (plan.action != FAIL && plan.action != SHORTEN)) return GO_ON;
    return plan.error == EIO || needs_space(kind) ? FAIL_NOW : GO_ON;
  }
  if (plan.kind != KINDS && plan.kind != (int)kind) return GO_ON;
  if (atomic_fetch_add(&due_count, 1) + 1 != plan.number) return GO_ON;
  atomic_store(&has_fired, 1);
  char line[PATH_MAX + 32];
  snprintf(line, sizeof line, "fired %s %s\n", kind_names[kind], path);
  report(line);
  switch (plan.action) {
    case FAIL: return FAIL_NOW;
    case KILL: return KILL_NOW;
    case CUT: return WRITE_HALF_AND_KILL;
    case SHORTEN: return WRITE_HALF;
  }
  return GO_ON;
}

static void end_process(void) { syscall(SYS_kill, getpid(), SIGKILL); }

static long failure(int error) {
  errno = error;
  return -1;
}

// A call that writes nothing.
#define MAKE_CALL(kind, path, ...)                        \
  switch (decide(kind, path)) {                           \
    case FAIL_NOW: return (int)failure(plan.error);       \
    case KILL_NOW: end_process(); break;                  \
    case WRITE_HALF_AND_KILL:                             \
      syscall(__VA_ARGS__);                               \
      end_process();                                      \
      break;                                              \
    default: break;                                       \
  }                                                       \
  return (int)syscall(__VA_ARGS__)

// Half of the bytes, but at least one: some callers would take 0 written bytes for the end of the file.
static size_t half(size_t count) { return count > 1 ? count / 2 : count; }

// A call that writes `count` bytes.
#define WRITE_BYTES(descriptor, count, call)              \
  char path[PATH_MAX];                                    \
  int does_end = 0;                                       \
  switch (decide(WRITE, path_of(descriptor, path))) {     \
    case FAIL_NOW: return failure(plan.error);            \
    case KILL_NOW: end_process(); break;                  \
    case WRITE_HALF_AND_KILL: does_end = 1;               \
    /* fall through */                                    \
    case WRITE_HALF: count = half(count); break;          \
    case GO_ON: break;                                    \
  }                                                       \
  ssize_t written = (ssize_t)(call);                      \
  if (does_end) end_process();                            \
  return written

// MARK: Writing

ssize_t write(int descriptor, const void *bytes, size_t count) {
  WRITE_BYTES(descriptor, count, syscall(SYS_write, descriptor, bytes, count));
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t offset) {
  WRITE_BYTES(descriptor, count, syscall(SYS_pwrite64, descriptor, bytes, count, offset));
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  return pwrite64(descriptor, bytes, count, offset);
}

// Half means the first half of the pieces.
ssize_t writev(int descriptor, const struct iovec *pieces, int piece_count) {
  size_t count = (size_t)piece_count;
  WRITE_BYTES(descriptor, count, syscall(SYS_writev, descriptor, pieces, count));
}

ssize_t pwritev(int descriptor, const struct iovec *pieces, int piece_count, off_t offset) {
  size_t count = (size_t)piece_count;
  WRITE_BYTES(descriptor, count, syscall(SYS_pwritev, descriptor, pieces, count, offset, 0L));
}

ssize_t copy_file_range(int from, off_t *from_offset, int to, off_t *to_offset, size_t count, unsigned flags) {
  WRITE_BYTES(to, count, syscall(SYS_copy_file_range, from, from_offset, to, to_offset, count, flags));
}

ssize_t sendfile(int to, int from, off_t *offset, size_t count) {
  WRITE_BYTES(to, count, syscall(SYS_sendfile, to, from, offset, count));
}

// MARK: Syncing

int fsync(int descriptor) {
  char path[PATH_MAX];
  MAKE_CALL(SYNC, path_of(descriptor, path), SYS_fsync, descriptor);
}

int fdatasync(int descriptor) {
  char path[PATH_MAX];
  MAKE_CALL(SYNC, path_of(descriptor, path), SYS_fdatasync, descriptor);
}

int syncfs(int descriptor) {
  char path[PATH_MAX];
  MAKE_CALL(SYNC, path_of(descriptor, path), SYS_syncfs, descriptor);
}

// MARK: Names

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  char path[PATH_MAX];
  MAKE_CALL(RENAME, full_path(to_folder, to, path), SYS_renameat2, from_folder, from, to_folder, to, flags);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
  return renameat2(from_folder, from, to_folder, to, 0);
}

int rename(const char *from, const char *to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
  char path[PATH_MAX];
  MAKE_CALL(RENAME, full_path(to_folder, to, path), SYS_linkat, from_folder, from, to_folder, to, flags);
}

int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

int symlinkat(const char *from, int folder, const char *to) {
  char path[PATH_MAX];
  MAKE_CALL(RENAME, full_path(folder, to, path), SYS_symlinkat, from, folder, to);
}

int symlink(const char *from, const char *to) { return symlinkat(from, AT_FDCWD, to); }

int unlinkat(int folder, const char *name, int flags) {
  char path[PATH_MAX];
  MAKE_CALL(REMOVE, full_path(folder, name, path), SYS_unlinkat, folder, name, flags);
}

int unlink(const char *name) { return unlinkat(AT_FDCWD, name, 0); }

int rmdir(const char *name) { return unlinkat(AT_FDCWD, name, AT_REMOVEDIR); }

// The C library's own function doesn't call the one above.
int remove(const char *name) {
  int result = unlink(name);
  return result < 0 && errno == EISDIR ? rmdir(name) : result;
}

int mkdirat(int folder, const char *name, mode_t mode) {
  char path[PATH_MAX];
  MAKE_CALL(CREATE, full_path(folder, name, path), SYS_mkdirat, folder, name, mode);
}

int mkdir(const char *name, mode_t mode) { return mkdirat(AT_FDCWD, name, mode); }

// MARK: Opening

static int makes_file(int flags) { return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE; }

static int open_at(int folder, const char *name, int flags, mode_t mode) {
  // Opening an existing file takes no space.
  int is_there = !(flags & O_TRUNC) && (flags & O_TMPFILE) != O_TMPFILE && syscall(SYS_faccessat, folder, name, F_OK) == 0;
  if (!makes_file(flags) || is_there) return (int)syscall(SYS_openat, folder, name, flags, mode);
  char path[PATH_MAX];
  MAKE_CALL(CREATE, full_path(folder, name, path), SYS_openat, folder, name, flags, mode);
}

// Only a call that creates a file has a mode.
#define MODE_BEHIND(flags)          \
  mode_t mode = 0;                  \
  if (makes_file(flags)) {          \
    va_list rest;                   \
    va_start(rest, flags);          \
    mode = va_arg(rest, mode_t);    \
    va_end(rest);                   \
  }

int open(const char *name, int flags, ...) {
  MODE_BEHIND(flags)
  return open_at(AT_FDCWD, name, flags, mode);
}

int open64(const char *name, int flags, ...) {
  MODE_BEHIND(flags)
  return open_at(AT_FDCWD, name, flags, mode);
}

int openat(int folder, const char *name, int flags, ...) {
  MODE_BEHIND(flags)
  return open_at(folder, name, flags, mode);
}

int openat64(int folder, const char *name, int flags, ...) {
  MODE_BEHIND(flags)
  return open_at(folder, name, flags, mode);
}

int creat(const char *name, mode_t mode) { return open_at(AT_FDCWD, name, O_WRONLY | O_CREAT | O_TRUNC, mode); }

// MARK: Sizes

int ftruncate64(int descriptor, off_t size) {
  char path[PATH_MAX];
  MAKE_CALL(TRUNCATE, path_of(descriptor, path), SYS_ftruncate, descriptor, size);
}

int ftruncate(int descriptor, off_t size) { return ftruncate64(descriptor, size); }

int fallocate64(int descriptor, int mode, off_t offset, off_t size) {
  char path[PATH_MAX];
  MAKE_CALL(TRUNCATE, path_of(descriptor, path), SYS_fallocate, descriptor, mode, offset, size);
}

int fallocate(int descriptor, int mode, off_t offset, off_t size) { return fallocate64(descriptor, mode, offset, size); }

int posix_fallocate64(int descriptor, off_t offset, off_t size) {
  return fallocate64(descriptor, 0, offset, size) == 0 ? 0 : errno;
}

int posix_fallocate(int descriptor, off_t offset, off_t size) { return posix_fallocate64(descriptor, offset, size); }

#endif
