// A copy of the engine's own layer below which files are, with another xSleep.

#define _GNU_SOURCE
#include <stddef.h>
#include <time.h>

#include "pauses_linux.h"

// The part of SQLite's interface that is used here, as its documentation
// declares it; it does not change. The functions are in the driver's package,
// which is linked into the same program later: hence weak.
typedef struct sqlite3_vfs sqlite3_vfs;
struct sqlite3_vfs {
  int iVersion;
  int szOsFile;
  int mxPathname;
  sqlite3_vfs *pNext;
  const char *zName;
  void *pAppData;
  void (*before[9])(void);
  int (*xSleep)(sqlite3_vfs *, int);
  void (*after[6])(void);
};

extern int sqlite3_initialize(void) __attribute__((weak));
extern sqlite3_vfs *sqlite3_vfs_find(const char *) __attribute__((weak));
extern int sqlite3_vfs_register(sqlite3_vfs *, int) __attribute__((weak));

static sqlite3_vfs layer;

enum { LONGEST = 1000 }; // microseconds

static int short_sleep(sqlite3_vfs *vfs, int microseconds) {
  (void)vfs;
  struct timespec pause = {0, 1000L * (microseconds < LONGEST ? microseconds : LONGEST)};
  nanosleep(&pause, NULL);
  return microseconds;
}

// pauses_shorten makes the layer the one that connections get from now on; 0 on
// success.
int pauses_shorten(void) {
  if (!sqlite3_initialize || !sqlite3_vfs_find || !sqlite3_vfs_register) return -1;
  if (sqlite3_initialize()) return -1;
  sqlite3_vfs *original = sqlite3_vfs_find(NULL);
  if (!original || original->iVersion < 3) return -1;
  layer = *original;
  layer.pNext = NULL;
  layer.zName = "short pauses";
  layer.xSleep = short_sleep;
  return sqlite3_vfs_register(&layer, 1);
}
