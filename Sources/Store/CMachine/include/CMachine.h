// What a store and its threads need from the system: the one place to port.
#ifndef CSYSTEM_H
#define CSYSTEM_H

#include <dirent.h>
#include <stdint.h>

/// Microseconds since 1970.
int64_t wall_microseconds(void);
/// Microseconds since the machine was started, asleep or not.
int64_t boot_microseconds(void);
/// Nanoseconds since some moment; never jumps.
uint64_t monotonic_nanoseconds(void);

/// Starts a thread that runs a body once, and lets go of it; 0, or the error.
int thread_start(void (*body)(void *), void *argument);
/// Names the calling thread (at most 15 bytes), and makes its timers exact to the microsecond.
void thread_prepare(const char *name);
/// Tells the calling thread from all others that run; never 0.
uintptr_t thread_current(void);

/// Wakes a thread that waits; 0 when there is none to be had.
typedef uintptr_t wakeup_t;
wakeup_t wakeup_create(void);
void wakeup_destroy(wakeup_t wakeup);
/// Wakes, now or at the next wait.
void wakeup_ring(wakeup_t wakeup);
/// Waits until somebody rings; at most so many nanoseconds, or for ever if that is negative.
void wakeup_wait(wakeup_t wakeup, long nanoseconds);

/// Kills this process, as `kill -9` does.
void process_kill(void);
/// What a variable of the environment says; 0: it is not set.
const char *environment_variable(const char *name);

/// The name of the next entry of a directory; 0: there is none.
///
/// An entry ends behind its name, so one that is copied as a whole is read beyond its end, and now and then beyond all memory.
const char *directory_next(DIR *directory);

/// Gives back to the system what is free in the heaps of all threads.
void heaps_trim(void);
/// Has blocks of 128 KiB and more given back as soon as they are free; glibc would keep more of them after each large one.
void heaps_keep_small(void);
/// Takes the program's code out of resident memory; what of it is needed comes back from the file, or from where that is kept in memory.
void code_give_back(void);

#endif
