#define _GNU_SOURCE
#include "CThread.h"

#include <malloc.h>
#include <poll.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <time.h>

int wakeup_create(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void wakeup_ring(int descriptor) { eventfd_write(descriptor, 1); }

void wakeup_wait(int descriptor, long nanoseconds) {
    struct pollfd wait = {.fd = descriptor, .events = POLLIN};
    struct timespec time = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
    ppoll(&wait, 1, nanoseconds < 0 ? 0 : &time, 0);
    eventfd_t count;
    eventfd_read(descriptor, &count);
}

void thread_prepare(const char *name) {
    prctl(PR_SET_NAME, name);
    // The kernel otherwise gathers timers within 50 microseconds; a flush gathers for 200 at most.
    prctl(PR_SET_TIMERSLACK, 1UL);
}

void heaps_trim(void) { malloc_trim(0); }
