package store

/*
#include <malloc.h>

static void keep_freed_pages(void) {
#ifdef __GLIBC__
	mallopt(M_TRIM_THRESHOLD, 256 << 20);
	mallopt(M_TOP_PAD, 1 << 20);
#endif
}
*/
import "C"

import "sync"

// keepFreedPages tells the C library to keep what SQLite frees. Many
// statements build a small table and drop it; given back to the system each
// time, its pages have to be faulted in again, which took a fifth of the time
// of completing a task.
var keepFreedPages = sync.OnceFunc(func() { C.keep_freed_pages() })
