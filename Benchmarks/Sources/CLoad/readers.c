#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cload.h"

struct cload_readers {
    int *descriptors;
    unsigned connections;
    char *socket_path, *call;
    size_t call_bytes;
    int epoll;
    pthread_t thread;
    atomic_int is_ended;
    atomic_ullong frames;
};

int cload_allow_descriptors(unsigned count) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit)) return errno;
    if (limit.rlim_cur >= count) return 0;
    limit.rlim_cur = count < limit.rlim_max ? count : limit.rlim_max;
    return setrlimit(RLIMIT_NOFILE, &limit) ? errno : 0;
}

static int send_all(int descriptor, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t sent = send(descriptor, bytes, count, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return errno;
        bytes += sent;
        count -= (size_t)sent;
    }
    return 0;
}

/// Connects again in the place of a descriptor, which stays the same number, and makes the call; returns 0 or an errno.
static int renew(struct cload_readers *readers, int descriptor) {
    int fresh = cload_connect(readers->socket_path);
    if (fresh < 0) return -fresh;
    int error = dup2(fresh, descriptor) < 0 ? errno : 0;
    close(fresh);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
    if (!error) error = send_all(descriptor, readers->call, readers->call_bytes);
    if (!error && epoll_ctl(readers->epoll, EPOLL_CTL_ADD, descriptor, &event)) error = errno;
    return error;
}

/// Has `take` handle what each connection received, or that it failed, until the readers are ended or `take` returns an errno.
static void serve(struct cload_readers *readers, int (*take)(struct cload_readers *, int descriptor, char *bytes, ssize_t size)) {
    struct epoll_event events[256];
    static char bytes[1 << 18];
    while (!atomic_load(&readers->is_ended)) {
        int count = epoll_wait(readers->epoll, events, 256, 50);
        for (int event = 0; event < count; event++) {
            int descriptor = events[event].data.fd;
            ssize_t size = recv(descriptor, bytes, sizeof bytes, MSG_DONTWAIT);
            if (size < 0 && (errno == EAGAIN || errno == EINTR)) continue;
            if (take(readers, descriptor, bytes, size)) return;
        }
    }
}

static int subscribe_again(struct cload_readers *readers, int descriptor, char *bytes, ssize_t size) {
    (void)bytes, (void)size;
    atomic_fetch_add(&readers->frames, 1);
    return renew(readers, descriptor);
}

static int count_frames(struct cload_readers *readers, int descriptor, char *bytes, ssize_t size) {
    if (size <= 0) epoll_ctl(readers->epoll, EPOLL_CTL_DEL, descriptor, NULL);
    unsigned long long frames = 0;
    for (char *at = bytes; size > 0 && (at = memchr(at, 0, (size_t)(bytes + size - at))); at++) frames++;
    atomic_fetch_add(&readers->frames, frames);
    return 0;
}

/// Reads some replies on each connection, then closes it and subscribes again.
static void *subscribe_on(void *readers) {
    serve(readers, subscribe_again);
    return NULL;
}

static void *read_on(void *readers) {
    serve(readers, count_frames);
    return NULL;
}

struct cload_readers *cload_readers_start(
    const char *socket_path, unsigned connections, const char *call, size_t call_bytes, int reads, int *error) {
    struct cload_readers *readers = calloc(1, sizeof *readers);
    if (!readers) {
        *error = ENOMEM;
        return NULL;
    }
    readers->epoll = epoll_create1(EPOLL_CLOEXEC);
    readers->descriptors = calloc(connections, sizeof *readers->descriptors);
    *error = readers->epoll >= 0 && readers->descriptors ? 0 : ENOMEM;
    while (!*error && readers->connections < connections) {
        int descriptor = cload_connect(socket_path);
        if (descriptor < 0) {
            *error = -descriptor;
            break;
        }
        readers->descriptors[readers->connections++] = descriptor;
        struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
        *error = send_all(descriptor, call, call_bytes);
        if (!*error && epoll_ctl(readers->epoll, EPOLL_CTL_ADD, descriptor, &event)) *error = errno;
    }
    readers->socket_path = strdup(socket_path);
    readers->call = malloc(call_bytes);
    if (!readers->socket_path || !readers->call) *error = ENOMEM;
    else memcpy(readers->call, call, call_bytes);
    readers->call_bytes = call_bytes;
    atomic_store(&readers->is_ended, !reads);
    if (!*error) *error = pthread_create(&readers->thread, NULL, reads == 2 ? subscribe_on : read_on, readers);
    if (!*error) return readers;
    for (unsigned index = 0; index < readers->connections; index++) close(readers->descriptors[index]);
    if (readers->epoll >= 0) close(readers->epoll);
    free(readers->descriptors);
    free(readers->socket_path);
    free(readers->call);
    free(readers);
    return NULL;
}

uint64_t cload_readers_frames(struct cload_readers *readers) {
    return atomic_load(&readers->frames);
}

void cload_readers_end(struct cload_readers *readers) {
    atomic_store(&readers->is_ended, 1);
    pthread_join(readers->thread, NULL);
    for (unsigned index = 0; index < readers->connections; index++) close(readers->descriptors[index]);
    close(readers->epoll);
    free(readers->descriptors);
    free(readers->socket_path);
    free(readers->call);
    free(readers);
}

int cload_paced(
    const char *socket_path, const char *call, size_t call_bytes, uint64_t interval, size_t count, uint64_t *latencies) {
    int descriptor = cload_connect(socket_path);
    if (descriptor < 0) return -descriptor;
    char bytes[65536];
    int code = 0;
    uint64_t due = cload_now();
    size_t next = 0;
    for (size_t done = 0; done < count && !code; done++, due += interval) {
        struct timespec time = {(time_t)(due / 1000000000u), (long)(due % 1000000000u)};
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR) continue;
        uint64_t start = cload_now();
        size_t size = strnlen(call + next, call_bytes - next - 1) + 1;
        code = send_all(descriptor, call + next, size);
        next = (next + size) % call_bytes;
        int is_answered = 0;
        while (!code && !is_answered) {
            ssize_t size = recv(descriptor, bytes, sizeof bytes, 0);
            if (size == 0) code = ECONNRESET;
            else if (size < 0 && errno != EINTR) code = errno;
            else if (size > 0 && memmem(bytes, (size_t)size, "\"error\":", 8)) code = EPROTO;
            else is_answered = size > 0 && memchr(bytes, 0, (size_t)size);
        }
        latencies[done] = cload_now() - start;
    }
    close(descriptor);
    return code;
}
