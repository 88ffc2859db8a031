// Swift's Glibc module leaves these out, and older C libraries have no functions for them.
#include <signal.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

/// Opens a pidfd, which keeps referring to this process when its pid is reused; -1 with `errno` on error.
static inline int process_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

/// Sends a signal through a pidfd; -1 with `errno` on error.
static inline int process_signal(int descriptor, int signal) {
    return (int)syscall(SYS_pidfd_send_signal, descriptor, signal, (void *)0, 0);
}

/// Whether a signal is ignored, as in background jobs and under nohup.
static inline int process_ignores(int signal) {
    struct sigaction action;
    return sigaction(signal, 0, &action) == 0 && action.sa_handler == SIG_IGN;
}

// A GNU extension that Swift's Glibc module lacks: closes all descriptors from this one on in the child.
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);
