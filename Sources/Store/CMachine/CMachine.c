#define _GNU_SOURCE
#include "CMachine.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

static struct timespec now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time;
}

static int64_t microseconds(clockid_t clock) {
    struct timespec time = now(clock);
    return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

int64_t wall_microseconds(void) { return microseconds(CLOCK_REALTIME); }

uint64_t monotonic_nanoseconds(void) {
    struct timespec time = now(CLOCK_MONOTONIC);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

struct start {
    void (*body)(void *);
    void *argument;
};

static void *run(void *argument) {
    struct start start = *(struct start *)argument;
    free(argument);
    start.body(start.argument);
    return 0;
}

int thread_start(void (*body)(void *), void *argument) {
    struct start *start = malloc(sizeof *start);
    if (start == 0) return ENOMEM;
    *start = (struct start){body, argument};
    pthread_t thread;
    int error = pthread_create(&thread, 0, run, start);
    if (error == 0) pthread_detach(thread);
    else free(start);
    return error;
}

uintptr_t thread_current(void) { return (uintptr_t)pthread_self(); }

void process_kill(void) { raise(SIGKILL); }

const char *environment_variable(const char *name) { return getenv(name); }

#ifdef __linux__

#include <link.h>
#include <malloc.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

int64_t boot_microseconds(void) { return microseconds(CLOCK_BOOTTIME); }

void thread_prepare(const char *name) {
    prctl(PR_SET_NAME, name);
    // The default slack of a timer is 50 microseconds, and a flush gathers for at most 200.
    prctl(PR_SET_TIMERSLACK, 1UL);
}

// The descriptor plus one, so that 0 means failure.
static int descriptor(wakeup_t wakeup) { return (int)wakeup - 1; }

wakeup_t wakeup_create(void) { return (wakeup_t)(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) + 1); }

void wakeup_destroy(wakeup_t wakeup) { close(descriptor(wakeup)); }

void wakeup_ring(wakeup_t wakeup) { eventfd_write(descriptor(wakeup), 1); }

void wakeup_wait(wakeup_t wakeup, long nanoseconds) {
    struct pollfd wait = {.fd = descriptor(wakeup), .events = POLLIN};
    struct timespec time = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
    ppoll(&wait, 1, nanoseconds < 0 ? 0 : &time, 0);
    eventfd_t count;
    eventfd_read(descriptor(wakeup), &count);
}

void heaps_trim(void) { malloc_trim(0); }

void heaps_keep_small(void) { mallopt(M_MMAP_THRESHOLD, 128 << 10); }

static int give_back_code(struct dl_phdr_info *info, size_t size, void *argument) {
    (void)size;
    (void)argument;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int index = 0; index < info->dlpi_phnum; index++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[index];
        // Only code is certain to be unchanged since it was loaded from the file.
        if (part->p_type != PT_LOAD || part->p_flags != (PF_R | PF_X)) continue;
        uintptr_t start = (info->dlpi_addr + part->p_vaddr + page - 1) / page * page;
        uintptr_t end = (info->dlpi_addr + part->p_vaddr + part->p_filesz) / page * page;
        if (end > start) madvise((void *)start, end - start, MADV_DONTNEED);
    }
    // Stops after the first entry, the program itself.
    return 1;
}

void code_give_back(void) { dl_iterate_phdr(give_back_code, 0); }

#else

// Elsewhere only POSIX is used. The monotonic clock continues, or nearly so, while the machine sleeps.

int64_t boot_microseconds(void) { return microseconds(CLOCK_MONOTONIC); }

void thread_prepare(const char *name) { (void)name; }

struct wakeup {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
    int rung;
};

wakeup_t wakeup_create(void) {
    struct wakeup *wakeup = malloc(sizeof *wakeup);
    if (wakeup == 0) return 0;
    pthread_mutex_init(&wakeup->mutex, 0);
    pthread_cond_init(&wakeup->condition, 0);
    wakeup->rung = 0;
    return (wakeup_t)wakeup;
}

void wakeup_destroy(wakeup_t number) {
    struct wakeup *wakeup = (struct wakeup *)number;
    pthread_cond_destroy(&wakeup->condition);
    pthread_mutex_destroy(&wakeup->mutex);
    free(wakeup);
}

void wakeup_ring(wakeup_t number) {
    struct wakeup *wakeup = (struct wakeup *)number;
    pthread_mutex_lock(&wakeup->mutex);
    wakeup->rung = 1;
    pthread_cond_signal(&wakeup->condition);
    pthread_mutex_unlock(&wakeup->mutex);
}

void wakeup_wait(wakeup_t number, long nanoseconds) {
    struct wakeup *wakeup = (struct wakeup *)number;
    struct timespec end = now(CLOCK_REALTIME);
    if (nanoseconds >= 0) {
        end.tv_sec += (end.tv_nsec + nanoseconds) / 1000000000;
        end.tv_nsec = (end.tv_nsec + nanoseconds) % 1000000000;
    }
    pthread_mutex_lock(&wakeup->mutex);
    while (!wakeup->rung) {
        if (nanoseconds < 0) pthread_cond_wait(&wakeup->condition, &wakeup->mutex);
        else if (pthread_cond_timedwait(&wakeup->condition, &wakeup->mutex, &end) != 0) break;
    }
    wakeup->rung = 0;
    pthread_mutex_unlock(&wakeup->mutex);
}

void heaps_trim(void) {}

void heaps_keep_small(void) {}

void code_give_back(void) {}

#endif

const char *directory_next(DIR *directory) {
    struct dirent *entry = readdir(directory);
    return entry ? entry->d_name : 0;
}
