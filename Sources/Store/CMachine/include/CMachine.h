// The system interface of the store and its threads; the only file to port.
#ifndef CSYSTEM_H
#define CSYSTEM_H

#include <dirent.h>
#include <stdint.h>

/// Microseconds since 1970.
int64_t wall_microseconds(void);
/// Microseconds since the machine started, including sleep.
int64_t boot_microseconds(void);
/// Nanoseconds since an arbitrary moment; never jumps.
uint64_t monotonic_nanoseconds(void);

/// Starts a detached thread that runs `body` once; returns 0 or the error.
int thread_start(void (*body)(void *), void *argument);
/// Names the calling thread (at most 15 bytes) and sets its timer slack to the minimum.
void thread_prepare(const char *name);
/// Identifies the calling thread among the running ones; never 0.
uintptr_t thread_current(void);

/// Wakes a waiting thread; 0 if creating it failed.
typedef uintptr_t wakeup_t;
wakeup_t wakeup_create(void);
void wakeup_destroy(wakeup_t wakeup);
/// Ends the current or the next wait.
void wakeup_ring(wakeup_t wakeup);
/// Waits for `wakeup_ring`, for at most `nanoseconds`, or without limit if that is negative.
void wakeup_wait(wakeup_t wakeup, long nanoseconds);

void process_kill(void);
/// The value of an environment variable; 0 if unset.
const char *environment_variable(const char *name);

/// The name of the next entry of a directory; 0 at the end.
/// Swift would copy a whole `struct dirent`, and so read beyond the end of the entry, possibly beyond mapped memory.
const char *directory_next(DIR *directory);

/// Returns the free memory of all heaps to the system.
void heaps_trim(void);
/// Returns blocks of 128 KiB and more as soon as they are free; glibc would otherwise raise that threshold after each large
/// block.
void heaps_keep_small(void);
/// Removes the program's code from resident memory; code that is needed is loaded again from the file or the page cache.
void code_give_back(void);

#endif
