#ifndef CLOAD_H
#define CLOAD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// What to send, and for how long.
struct cload_options {
    unsigned connections;
    unsigned pipelined;     // calls outstanding on each connection
    uint64_t calls;         // stop after this many; 0: when the time is over
    uint64_t nanoseconds;   // with calls 0
    int keyed;              // a key with each call, as todoctl makes it
    int whole;              // the texts are whole calls
    unsigned uid;           // whose connections they are; needs root unless it is the own uid
};

struct cload_result {
    uint64_t answered;      // within the time
    uint64_t errors;        // error replies among them
    uint64_t nanoseconds;
    uint64_t latencies;     // how many were written
};

/// Dispatches from one thread over `connections` sockets, each with `pipelined` calls outstanding.
///
/// `actions` are texts of `actions` arrays, each ended by a NUL; they are taken in turn, again and again. Returns 0 or an
/// errno; the time from a call's write to its answer goes to `latencies`, in nanoseconds, the first error reply to `error`.
int cload_run(
    const char *socket_path, const char *actions, size_t actions_bytes, const struct cload_options *options,
    uint64_t *latencies, size_t latencies_max, struct cload_result *result, char *error, size_t error_max);

/// Connects to a Unix stream socket; returns the descriptor or minus an errno.
int cload_connect(const char *path);

/// Connects to a port of this machine, of which an answer is waited for ten seconds at most; returns the descriptor or minus an errno.
int cload_connect_port(uint16_t port);

#define PORTS_MAX 16

/// Finds ports of this machine, at most PORTS_MAX, that nobody listens on now; returns 0 or an errno.
int cload_free_ports(uint16_t *ports, size_t count);

/// Starts a program; both lists are strings ended by a NUL each. Returns its pid or minus an errno.
int cload_spawn(
    const char *arguments, size_t arguments_bytes, const char *environment, size_t environment_bytes, const char *output_path);

/// Waits for a child at most that long; returns 1 with its wait status, 0 when it still runs, minus an errno otherwise.
int cload_wait(int pid, uint64_t nanoseconds, int *status);

/// Runs a program to its end; returns 0 or an errno.
int cload_time(
    const char *arguments, size_t arguments_bytes, const char *environment, size_t environment_bytes, const char *output_path,
    uint64_t *nanoseconds, int *status);

/// Starts a program on a terminal of its own, of that size; returns the terminal's descriptor or minus an errno.
int cload_spawn_terminal(
    const char *arguments, size_t arguments_bytes, const char *environment, size_t environment_bytes, unsigned short columns,
    unsigned short rows, int *pid);

/// Reads what a descriptor has, or gets within that time; returns 0 if that is nothing, minus an errno when it has ended.
ssize_t cload_read_within(int descriptor, uint8_t *bytes, size_t bytes_max, uint64_t nanoseconds);

/// Lets this process and those that it starts have so many descriptors; returns 0 or an errno.
int cload_allow_descriptors(unsigned count);

struct cload_readers;

/// Opens connections that each send one call; all that comes is read on a thread of its own, or never if `reads` is 0.
///
/// If `reads` is 2, each connection is closed after its first bytes and opened again.
struct cload_readers *cload_readers_start(
    const char *socket_path, unsigned connections, const char *call, size_t call_bytes, int reads, int *error);

/// How many frames they have read.
uint64_t cload_readers_frames(struct cload_readers *readers);

void cload_readers_end(struct cload_readers *readers);

/// Makes calls in turn, again and again, on one connection, at fixed times unless the answer takes longer; each ends with its 0.
///
/// Returns 0 or an errno, EPROTO for an error reply; the times from write to answer go to `latencies`, in nanoseconds.
int cload_paced(
    const char *socket_path, const char *call, size_t call_bytes, uint64_t interval, size_t count, uint64_t *latencies);

uint64_t cload_now(void);

#endif
