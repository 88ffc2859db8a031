#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "arguments.h"
#include "cload.h"

uint64_t cload_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int cload_spawn(
    const char *arguments, size_t arguments_bytes, const char *environment, size_t environment_bytes, const char *output_path) {
    char *argv[STRINGS_MAX + 1], *envp[STRINGS_MAX + 1];
    int code = split(arguments, arguments_bytes, argv);
    if (!code) code = split(environment, environment_bytes, envp);
    if (code) return -code;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, output_path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t pid;
    code = posix_spawn(&pid, argv[0], &actions, NULL, argv, envp);
    posix_spawn_file_actions_destroy(&actions);
    return code ? -code : (int)pid;
}

int cload_wait(int pid, uint64_t nanoseconds, int *status) {
    uint64_t start = cload_now();
    struct timespec pause = {0, 1000000};
    for (;;) {
        pid_t ended = waitpid(pid, status, WNOHANG);
        if (ended == pid) return 1;
        if (ended < 0 && errno != EINTR) return -errno;
        if (cload_now() - start >= nanoseconds) return 0;
        nanosleep(&pause, NULL);
    }
}

int cload_time(
    const char *arguments, size_t arguments_bytes, const char *environment, size_t environment_bytes, const char *output_path,
    uint64_t *nanoseconds, int *status) {
    uint64_t start = cload_now();
    int pid = cload_spawn(arguments, arguments_bytes, environment, environment_bytes, output_path);
    if (pid < 0) return -pid;
    while (waitpid(pid, status, 0) < 0)
        if (errno != EINTR) return errno;
    *nanoseconds = cload_now() - start;
    return 0;
}
