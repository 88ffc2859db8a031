#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "cload.h"

int cload_spawn_terminal(
    const char *arguments, size_t arguments_bytes, const char *environment, size_t environment_bytes, unsigned short columns,
    unsigned short rows, int *pid) {
    char *argv[STRINGS_MAX + 1], *envp[STRINGS_MAX + 1];
    int code = split(arguments, arguments_bytes, argv);
    if (!code) code = split(environment, environment_bytes, envp);
    if (code) return -code;
    struct winsize size = {.ws_col = columns, .ws_row = rows};
    int terminal;
    *pid = forkpty(&terminal, NULL, NULL, &size);
    if (*pid < 0) return -errno;
    if (*pid == 0) {
        execve(argv[0], argv, envp);
        _exit(127);
    }
    fcntl(terminal, F_SETFD, FD_CLOEXEC);
    return terminal;
}

ssize_t cload_read_within(int descriptor, uint8_t *bytes, size_t bytes_max, uint64_t nanoseconds) {
    struct pollfd polled = {.fd = descriptor, .events = POLLIN};
    struct timespec pause = {(time_t)(nanoseconds / 1000000000u), (long)(nanoseconds % 1000000000u)};
    int ready = ppoll(&polled, 1, &pause, NULL);
    if (ready <= 0) return ready == 0 || errno == EINTR ? 0 : -errno;
    ssize_t count = read(descriptor, bytes, bytes_max);
    // A terminal whose program has ended gives EIO, or nothing.
    return count > 0 ? count : count == 0 ? -EIO : -errno;
}
