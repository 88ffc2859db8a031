// Swift's Glibc module leaves these out, and older C libraries have no functions for them.
#include <signal.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

/// A descriptor of a process, which goes on to mean this one when its number is another's; -1 with `errno`.
static inline int process_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

/// Sends a signal to the process of a descriptor; -1 with `errno`.
static inline int process_signal(int descriptor, int signal) {
    return (int)syscall(SYS_pidfd_send_signal, descriptor, signal, (void *)0, 0);
}

/// Whether a signal is left aside, as whoever starts a program in the background or with nohup has it.
static inline int process_ignores(int signal) {
    struct sigaction action;
    return sigaction(signal, 0, &action) == 0 && action.sa_handler == SIG_IGN;
}

// Beyond POSIX, and not in Glibc as Swift knows it: what a program that is started has open ends before this number.
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);
