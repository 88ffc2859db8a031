// What a thread of our own needs from Linux and Swift's Glibc module does not show.
#ifndef CTHREAD_H
#define CTHREAD_H

/// A descriptor that wakes whoever waits on it; -1 and errno when there is none.
int wakeup_create(void);
/// Wakes, now or at the next wait.
void wakeup_ring(int descriptor);
/// Waits until somebody rings; at most so many nanoseconds, or for ever if that is negative.
void wakeup_wait(int descriptor, long nanoseconds);
/// Names the calling thread (at most 15 bytes), and makes its timers exact to the microsecond.
void thread_prepare(const char *name);
/// Gives back to the system what is free in the heaps of all threads.
void heaps_trim(void);

#endif
