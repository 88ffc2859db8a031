#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cload.h"

static const char HEAD[] = "{\"method\":\"org.todod.Store.Dispatch\",\"parameters\":{\"actions\":";
static const char KEY[] = ",\"key\":\"";

struct buffer {
    char *bytes;
    size_t count, capacity;
};

struct connection {
    int descriptor;
    int wants_write;
    struct buffer input, output;
    size_t written;           // of the output
    uint64_t *sent;           // a ring of send times, one for each outstanding call
    unsigned first, outstanding;
};

struct run {
    const struct cload_options *options;
    struct connection *connections;
    int epoll;
    const char *actions;
    size_t actions_bytes, next_action;
    char *error;
    size_t error_max;
    uint64_t calls;           // sent
    uint64_t outstanding;
    uint64_t start, now;
    uint64_t random;
    uint64_t *latencies;
    size_t latencies_max;
    struct cload_result *result;
};

static int reserve(struct buffer *buffer, size_t more) {
    if (buffer->count + more <= buffer->capacity) return 0;
    size_t capacity = buffer->capacity ? buffer->capacity : 16384;
    while (capacity < buffer->count + more) capacity *= 2;
    char *bytes = realloc(buffer->bytes, capacity);
    if (!bytes) return ENOMEM;
    buffer->bytes = bytes;
    buffer->capacity = capacity;
    return 0;
}

static void append(struct buffer *buffer, const char *bytes, size_t count) {
    memcpy(buffer->bytes + buffer->count, bytes, count);
    buffer->count += count;
}

static void append_hex(struct buffer *buffer, uint64_t value) {
    char *out = buffer->bytes + buffer->count;
    for (int digit = 15; digit >= 0; digit--, value >>= 4) out[digit] = "0123456789abcdef"[value & 15];
    buffer->count += 16;
}

static uint64_t next_random(struct run *run) {
    uint64_t x = run->random;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return run->random = x;
}

static uint64_t microseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (uint64_t)time.tv_sec * 1000000u + (uint64_t)time.tv_nsec / 1000u;
}

static int may_send(const struct run *run) {
    if (run->options->calls) return run->calls < run->options->calls;
    return run->now - run->start < run->options->nanoseconds;
}

static int compose(struct run *run, struct connection *connection) {
    const struct cload_options *options = run->options;
    const char *actions = run->actions + run->next_action;
    size_t count = strlen(actions);
    run->next_action += count + 1;
    if (run->next_action >= run->actions_bytes) run->next_action = 0;
    int code = reserve(&connection->output, count + sizeof HEAD + sizeof KEY + 64);
    if (code) return code;
    if (!options->whole) append(&connection->output, HEAD, sizeof HEAD - 1);
    append(&connection->output, actions, count);
    if (options->keyed) {
        append(&connection->output, KEY, sizeof KEY - 1);
        append_hex(&connection->output, microseconds());
        append_hex(&connection->output, next_random(run));
        append(&connection->output, "\"", 1);
    }
    if (options->whole) append(&connection->output, "", 1);
    else append(&connection->output, "}}", 3);  // with the NUL
    connection->sent[(connection->first + connection->outstanding) % options->pipelined] = run->now;
    connection->outstanding++;
    run->outstanding++;
    run->calls++;
    return 0;
}

static int write_out(struct run *run, struct connection *connection, unsigned index) {
    while (connection->written < connection->output.count) {
        ssize_t count = send(
            connection->descriptor, connection->output.bytes + connection->written,
            connection->output.count - connection->written, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno != EAGAIN) return errno;
        if (count < 0) break;
        connection->written += (size_t)count;
    }
    int wants_write = connection->written < connection->output.count;
    if (!wants_write) connection->written = connection->output.count = 0;
    if (wants_write != connection->wants_write) {
        struct epoll_event event = {.events = EPOLLIN | (wants_write ? EPOLLOUT : 0), .data.u32 = index};
        if (epoll_ctl(run->epoll, EPOLL_CTL_MOD, connection->descriptor, &event)) return errno;
        connection->wants_write = wants_write;
    }
    return 0;
}

static int answered(struct run *run, struct connection *connection, const char *frame, size_t count) {
    if (connection->outstanding == 0) return EPROTO;
    uint64_t sent = connection->sent[connection->first];
    connection->first = (connection->first + 1) % run->options->pipelined;
    connection->outstanding--;
    run->outstanding--;
    struct cload_result *result = run->result;
    if (run->options->calls == 0 && run->now - run->start > run->options->nanoseconds) return 0;
    result->answered++;
    result->nanoseconds = run->now - run->start;
    if (result->latencies < run->latencies_max) run->latencies[result->latencies++] = run->now - sent;
    if (memmem(frame, count, "\"error\":", 8) && result->errors++ == 0) {
        size_t kept = count < run->error_max - 1 ? count : run->error_max - 1;
        memcpy(run->error, frame, kept);
        run->error[kept] = 0;
    }
    return 0;
}

static int read_in(struct run *run, struct connection *connection) {
    struct buffer *input = &connection->input;
    int code = reserve(input, 16384);
    if (code) return code;
    size_t searched = input->count;
    ssize_t count = recv(connection->descriptor, input->bytes + input->count, input->capacity - input->count, MSG_DONTWAIT);
    if (count == 0) return ECONNRESET;
    if (count < 0) return errno == EAGAIN || errno == EINTR ? 0 : errno;
    input->count += (size_t)count;
    size_t begin = 0;
    char *end;
    while ((end = memchr(input->bytes + searched, 0, input->count - searched))) {
        size_t length = (size_t)(end - input->bytes);
        code = answered(run, connection, input->bytes + begin, length - begin);
        if (code) return code;
        begin = searched = length + 1;
        if (may_send(run) && (code = compose(run, connection))) return code;
    }
    memmove(input->bytes, input->bytes + begin, input->count - begin);
    input->count -= begin;
    return 0;
}

static int loop(struct run *run) {
    const struct cload_options *options = run->options;
    run->start = run->now = cload_now();
    for (unsigned index = 0; index < options->connections; index++) {
        for (unsigned call = 0; call < options->pipelined && may_send(run); call++) {
            int code = compose(run, &run->connections[index]);
            if (code) return code;
        }
        int code = write_out(run, &run->connections[index], index);
        if (code) return code;
    }
    struct epoll_event events[64];
    while (run->outstanding > 0) {
        int count = epoll_wait(run->epoll, events, 64, 30000);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno;
        if (count == 0) return ETIMEDOUT;
        run->now = cload_now();
        for (int event = 0; event < count; event++) {
            unsigned index = events[event].data.u32;
            struct connection *connection = &run->connections[index];
            int code = 0;
            if (events[event].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) code = read_in(run, connection);
            if (!code && connection->output.count) code = write_out(run, connection, index);
            if (code) return code;
        }
    }
    return 0;
}

int cload_run(
    const char *socket_path, const char *actions, size_t actions_bytes, const struct cload_options *options,
    uint64_t *latencies, size_t latencies_max, struct cload_result *result, char *error, size_t error_max) {
    memset(result, 0, sizeof *result);
    if (!options->connections || !options->pipelined || !actions_bytes || !error_max) return EINVAL;
    struct run run = {
        .options = options, .actions = actions, .actions_bytes = actions_bytes, .latencies = latencies,
        .latencies_max = latencies_max, .result = result, .error = error, .error_max = error_max};
    run.random = (cload_now() * 0x9e3779b97f4a7c15u) | 1;
    run.connections = calloc(options->connections, sizeof *run.connections);
    run.epoll = epoll_create1(EPOLL_CLOEXEC);
    int code = run.connections && run.epoll >= 0 ? 0 : ENOMEM;
    unsigned opened = 0;
    while (!code && opened < options->connections) {
        struct connection *connection = &run.connections[opened];
        // The kernel notes the effective uid of the thread that connects. The function of libc would change that of all threads.
        uid_t own = geteuid();
        if (options->uid != own && syscall(SYS_setresuid, -1, options->uid, -1)) code = errno;
        if (code) break;
        connection->descriptor = cload_connect(socket_path);
        if (options->uid != own) syscall(SYS_setresuid, -1, own, -1);
        if (connection->descriptor < 0) {
            code = -connection->descriptor;
            break;
        }
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = opened++};
        connection->sent = calloc(options->pipelined, sizeof *connection->sent);
        if (!connection->sent) code = ENOMEM;
        else if (epoll_ctl(run.epoll, EPOLL_CTL_ADD, connection->descriptor, &event)) code = errno;
    }
    if (!code) code = loop(&run);
    for (unsigned index = 0; index < opened; index++) {
        struct connection *connection = &run.connections[index];
        close(connection->descriptor);
        free(connection->input.bytes);
        free(connection->output.bytes);
        free(connection->sent);
    }
    free(run.connections);
    if (run.epoll >= 0) close(run.epoll);
    return code;
}
