// SQLite's own file layer for Unix, below which system calls can be made to
// fail. The calls that SQLite lets be exchanged are exchanged, so that its own
// code meets the error number and makes of it what it does in earnest. It does
// not let fdatasync be exchanged: there the method of the open file is, by a
// layer that is a copy of the default one with another xOpen.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "faultvfs_linux.h"

// The part of SQLite's interface that is used here, as its documentation
// declares it; it does not change. The functions are in the driver's package,
// which is linked into the same program later: hence weak.
typedef struct sqlite3_file sqlite3_file;
typedef struct sqlite3_vfs sqlite3_vfs;
typedef struct sqlite3_io_methods sqlite3_io_methods;
typedef long long int sqlite3_int64;
typedef void (*sqlite3_syscall_ptr)(void);

struct sqlite3_file {
  const sqlite3_io_methods *pMethods;
};

struct sqlite3_io_methods {
  int iVersion;
  int (*xClose)(sqlite3_file *);
  int (*xRead)(sqlite3_file *, void *, int, sqlite3_int64);
  int (*xWrite)(sqlite3_file *, const void *, int, sqlite3_int64);
  int (*xTruncate)(sqlite3_file *, sqlite3_int64);
  int (*xSync)(sqlite3_file *, int);
  int (*xFileSize)(sqlite3_file *, sqlite3_int64 *);
  int (*xLock)(sqlite3_file *, int);
  int (*xUnlock)(sqlite3_file *, int);
  int (*xCheckReservedLock)(sqlite3_file *, int *);
  int (*xFileControl)(sqlite3_file *, int, void *);
  int (*xSectorSize)(sqlite3_file *);
  int (*xDeviceCharacteristics)(sqlite3_file *);
  int (*xShmMap)(sqlite3_file *, int, int, int, void volatile **);
  int (*xShmLock)(sqlite3_file *, int, int, int);
  void (*xShmBarrier)(sqlite3_file *);
  int (*xShmUnmap)(sqlite3_file *, int);
  int (*xFetch)(sqlite3_file *, sqlite3_int64, int, void **);
  int (*xUnfetch)(sqlite3_file *, sqlite3_int64, void *);
};

struct sqlite3_vfs {
  int iVersion;
  int szOsFile;
  int mxPathname;
  sqlite3_vfs *pNext;
  const char *zName;
  void *pAppData;
  int (*xOpen)(sqlite3_vfs *, const char *, sqlite3_file *, int, int *);
  int (*xDelete)(sqlite3_vfs *, const char *, int);
  int (*xAccess)(sqlite3_vfs *, const char *, int, int *);
  int (*xFullPathname)(sqlite3_vfs *, const char *, int, char *);
  void *(*xDlOpen)(sqlite3_vfs *, const char *);
  void (*xDlError)(sqlite3_vfs *, int, char *);
  void (*(*xDlSym)(sqlite3_vfs *, void *, const char *))(void);
  void (*xDlClose)(sqlite3_vfs *, void *);
  int (*xRandomness)(sqlite3_vfs *, int, char *);
  int (*xSleep)(sqlite3_vfs *, int);
  int (*xCurrentTime)(sqlite3_vfs *, double *);
  int (*xGetLastError)(sqlite3_vfs *, int, char *);
  int (*xCurrentTimeInt64)(sqlite3_vfs *, sqlite3_int64 *);
  int (*xSetSystemCall)(sqlite3_vfs *, const char *, sqlite3_syscall_ptr);
  sqlite3_syscall_ptr (*xGetSystemCall)(sqlite3_vfs *, const char *);
  const char *(*xNextSystemCall)(sqlite3_vfs *, const char *);
};

#define SQLITE_OK 0
#define SQLITE_IOERR_FSYNC (10 | (4 << 8))

extern int sqlite3_initialize(void) __attribute__((weak));
extern sqlite3_vfs *sqlite3_vfs_find(const char *) __attribute__((weak));
extern int sqlite3_vfs_register(sqlite3_vfs *, int) __attribute__((weak));

// What is to fail. Connections of several threads come here.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long counts[FAULT_CALLS];
static int armed_call = -1, armed_number, armed_forever;
static int armed_sleeps;
static long armed_at, fired;

// strike counts a call and reports whether it has to fail; errno is set then.
static int strike(int call) {
  int hit = 0;
  pthread_mutex_lock(&mutex);
  long n = ++counts[call];
  if (call == armed_call && (n == armed_at || (armed_forever && n > armed_at))) {
    hit = armed_number;
    fired++;
  }
  pthread_mutex_unlock(&mutex);
  if (hit) errno = hit;
  return hit;
}

void fault_arm(int call, long nth, int number, int forever) {
  pthread_mutex_lock(&mutex);
  memset(counts, 0, sizeof counts);
  armed_call = call;
  armed_at = nth;
  armed_number = number;
  armed_forever = forever;
  fired = 0;
  pthread_mutex_unlock(&mutex);
}

long fault_disarm(void) {
  pthread_mutex_lock(&mutex);
  long n = fired;
  armed_call = -1;
  fired = 0;
  pthread_mutex_unlock(&mutex);
  return n;
}

long fault_count(int call) {
  pthread_mutex_lock(&mutex);
  long n = counts[call];
  pthread_mutex_unlock(&mutex);
  return n;
}

// The calls that were exchanged, as SQLite had them.
static int (*real_open)(const char *, int, int);
static int (*real_fstat)(int, struct stat *);
static ssize_t (*real_read)(int, void *, size_t);
static ssize_t (*real_pread)(int, void *, size_t, off_t);
static ssize_t (*real_pread64)(int, void *, size_t, off64_t);
static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_pwrite64)(int, const void *, size_t, off64_t);
static int (*real_ftruncate)(int, off_t);
static int (*real_fcntl)(int, int, ...);
static void *(*real_mmap)(void *, size_t, int, int, int, off_t);
static int (*real_unlink)(const char *);

static int fault_open(const char *name, int flags, int mode) {
  return strike(FAULT_OPEN) ? -1 : real_open(name, flags, mode);
}

static int fault_fstat(int fd, struct stat *s) { return strike(FAULT_STAT) ? -1 : real_fstat(fd, s); }

static ssize_t fault_read(int fd, void *b, size_t n) { return strike(FAULT_READ) ? -1 : real_read(fd, b, n); }

static ssize_t fault_pread(int fd, void *b, size_t n, off_t at) {
  return strike(FAULT_READ) ? -1 : real_pread(fd, b, n, at);
}

static ssize_t fault_pread64(int fd, void *b, size_t n, off64_t at) {
  return strike(FAULT_READ) ? -1 : real_pread64(fd, b, n, at);
}

// A write that fails leaves half of its bytes behind, as it may in earnest.
static ssize_t fault_write(int fd, const void *b, size_t n) {
  int hit = strike(FAULT_WRITE);
  if (!hit) return real_write(fd, b, n);
  if (n > 1) (void)!real_write(fd, b, n / 2);
  errno = hit;
  return -1;
}

static ssize_t fault_pwrite(int fd, const void *b, size_t n, off_t at) {
  int hit = strike(FAULT_WRITE);
  if (!hit) return real_pwrite(fd, b, n, at);
  if (n > 1) (void)!real_pwrite(fd, b, n / 2, at);
  errno = hit;
  return -1;
}

static ssize_t fault_pwrite64(int fd, const void *b, size_t n, off64_t at) {
  int hit = strike(FAULT_WRITE);
  if (!hit) return real_pwrite64(fd, b, n, at);
  if (n > 1) (void)!real_pwrite64(fd, b, n / 2, at);
  errno = hit;
  return -1;
}

static int fault_ftruncate(int fd, off_t n) { return strike(FAULT_TRUNCATE) ? -1 : real_ftruncate(fd, n); }

static int fault_fcntl(int fd, int command, ...) {
  va_list list;
  va_start(list, command);
  void *argument = va_arg(list, void *);
  va_end(list);
  if (command == F_SETLK) {
    const struct flock *lock = argument;
    if (lock->l_type != F_UNLCK && strike(FAULT_LOCK)) return -1;
  }
  return real_fcntl(fd, command, argument);
}

static void *fault_mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset) {
  return strike(FAULT_MAP) ? MAP_FAILED : real_mmap(at, n, protection, flags, fd, offset);
}

static int fault_unlink(const char *name) { return strike(FAULT_DELETE) ? -1 : real_unlink(name); }

// Open files whose xSync is exchanged have a copy of their methods; there are
// few kinds of them.
static struct {
  const sqlite3_io_methods *original;
  sqlite3_io_methods copy;
} kinds[8];

// A sync that does not fail does nothing: no test pulls the plug, and thousands
// of them would take minutes.
static int fault_sync(sqlite3_file *file, int flags) {
  (void)file;
  (void)flags;
  return strike(FAULT_SYNC) ? SQLITE_IOERR_FSYNC : SQLITE_OK;
}

static sqlite3_vfs *original;
static sqlite3_vfs layer;

// The engine waits for some locks by itself. Here none of them comes free, so
// that it does so only where a test asks how long that takes.
static int fault_xsleep(sqlite3_vfs *vfs, int microseconds) {
  (void)vfs;
  pthread_mutex_lock(&mutex);
  int sleeps = armed_sleeps;
  pthread_mutex_unlock(&mutex);
  return sleeps ? original->xSleep(original, microseconds) : microseconds;
}

void fault_sleeps(int on) {
  pthread_mutex_lock(&mutex);
  armed_sleeps = on;
  pthread_mutex_unlock(&mutex);
}

static int fault_xopen(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out) {
  int rc = original->xOpen(vfs, name, file, flags, out);
  if (rc != SQLITE_OK || !file->pMethods) return rc;
  pthread_mutex_lock(&mutex);
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (!kinds[i].original) {
      kinds[i].original = file->pMethods;
      kinds[i].copy = *file->pMethods;
      kinds[i].copy.xSync = fault_sync;
    }
    if (kinds[i].original == file->pMethods) {
      file->pMethods = &kinds[i].copy;
      break;
    }
  }
  pthread_mutex_unlock(&mutex);
  return rc;
}

static int exchange(const char *name, void *real, sqlite3_syscall_ptr fault) {
  sqlite3_syscall_ptr now = original->xGetSystemCall(original, name);
  if (!now) return SQLITE_OK; // this build does without
  memcpy(real, &now, sizeof now);
  return original->xSetSystemCall(original, name, fault);
}

#define EXCHANGE(name) exchange(#name, &real_##name, (sqlite3_syscall_ptr)fault_##name)

// fault_install makes the layer the one that connections get from now on; 0 on
// success.
int fault_install(void) {
  if (!sqlite3_initialize || !sqlite3_vfs_find || !sqlite3_vfs_register) return -1;
  if (sqlite3_initialize()) return -1;
  original = sqlite3_vfs_find(NULL);
  if (!original || original->iVersion < 3) return -1;
  int rc = EXCHANGE(open) | EXCHANGE(fstat) | EXCHANGE(read) | EXCHANGE(pread) | EXCHANGE(pread64) |
           EXCHANGE(write) | EXCHANGE(pwrite) | EXCHANGE(pwrite64) | EXCHANGE(ftruncate) |
           EXCHANGE(fcntl) | EXCHANGE(mmap) | EXCHANGE(unlink);
  if (rc) return rc;
  layer = *original;
  layer.pNext = NULL;
  layer.zName = "faults";
  layer.xOpen = fault_xopen;
  layer.xSleep = fault_xsleep;
  return sqlite3_vfs_register(&layer, 1);
}
