#define _GNU_SOURCE
#include "CTerminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

// The terminating signals, the fatal faults, and the signals that are reported to the program.
static const int ends[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT};
static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE};
static const int news[] = {SIGWINCH, SIGTSTP, SIGCONT};
#define count(list) (sizeof(list) / sizeof *(list))

struct sequence {
    char bytes[terminal_sequence_bytes_max];
    size_t count;
};

static struct sequence taking, giving;
static struct termios given;
static int is_known;
static atomic_int is_held;
static struct sigaction before[65];
static int signal_pipe[2] = {-1, -1};
static int polled = -1;
// A copy of the original standard error, and the file that replaces it while the terminal is taken.
static int original_errors = -1, errors = -1;
static char fault_stack[32768];
static stack_t stack_before;

static void write_all(int descriptor, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t written = write(descriptor, bytes, length);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        bytes += written;
        length -= (size_t)written;
    }
}

// A background process must not change the modes: the kernel would stop it, or it would overwrite the shell's modes.
static int is_ours(void) { return tcgetpgrp(0) == getpgrp(); }

static void keep_errors(void) {
    if (!isatty(2)) return;
    if (original_errors < 0) original_errors = memfd_create("errors", MFD_CLOEXEC);
    if (original_errors < 0) return;
    errors = fcntl(2, F_DUPFD_CLOEXEC, 3);
    if (errors >= 0) dup2(original_errors, 2);
}

static void tell_errors(void) {
    if (errors < 0) return;
    dup2(errors, 2);
    close(errors);
    errors = -1;
    char piece[1024];
    off_t at = 0;
    ssize_t length;
    while ((length = pread(original_errors, piece, sizeof piece, at)) > 0) {
        write_all(2, piece, (size_t)length);
        at += length;
    }
    if (ftruncate(original_errors, 0) == 0) lseek(original_errors, 0, SEEK_SET);
}

// Async-signal-safe.
void terminal_give_back(void) {
    if (!atomic_exchange(&is_held, 0)) return;
    int error = errno;
    if (is_ours()) {
        write_all(1, giving.bytes, giving.count);
        tcsetattr(0, TCSANOW, &given);
    }
    tell_errors();
    errno = error;
}

// A killed program may have left raw modes. They are reset to the kernel's defaults.
static void reset_modes(struct termios *modes) {
    if (modes->c_lflag & (ICANON | ECHO)) return;
    modes->c_iflag |= ICRNL | IXON;
    modes->c_oflag |= OPOST | ONLCR;
    modes->c_lflag |= ICANON | ECHO | ECHOE | ECHOK | ISIG | IEXTEN;
}

int terminal_take_again(void) {
    if (atomic_load(&is_held)) return 0;
    // In the background these are the modes of the shell's line editor, and setting them stops the program until it is
    // in the foreground.
    if ((!is_known || is_ours()) && tcgetattr(0, &given) != 0) return errno;
    is_known = 1;
    reset_modes(&given);
    struct termios modes = given;
    cfmakeraw(&modes);
    modes.c_cc[VMIN] = 1;
    modes.c_cc[VTIME] = 0;
    while (tcsetattr(0, TCSANOW, &modes) != 0) {
        if (errno != EINTR) return errno;
    }
    keep_errors();
    atomic_store(&is_held, 1);
    write_all(1, taking.bytes, taking.count);
    return 0;
}

static void end(int number) {
    terminal_give_back();
    sigaction(number, &before[number], 0);
    raise(number);
}

static void tell(int number) {
    int error = errno;
    char byte =
        number == SIGWINCH ? terminal_signal_size : number == SIGTSTP ? terminal_signal_stop : terminal_signal_continue;
    ssize_t written = write(signal_pipe[1], &byte, 1);
    // If the pipe is full, a wakeup is pending already.
    (void)written;
    errno = error;
}

static void catch(int number, void (*handler)(int), int flags) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigemptyset(&action.sa_mask);
    sigaction(number, 0, &before[number]);
    // Under `nohup` the program keeps running.
    if (before[number].sa_handler == SIG_IGN && handler == end && !(flags & SA_ONSTACK)) return;
    sigaction(number, &action, 0);
}

static void catch_all(void) {
    stack_t stack = {.ss_sp = fault_stack, .ss_size = sizeof fault_stack};
    sigaltstack(&stack, &stack_before);
    // A nested fault ends the program immediately.
    for (size_t index = 0; index < count(faults); index++) catch(faults[index], end, SA_ONSTACK | SA_RESETHAND | SA_NODEFER);
    for (size_t index = 0; index < count(ends); index++) catch(ends[index], end, SA_NODEFER);
    for (size_t index = 0; index < count(news); index++) catch(news[index], tell, SA_RESTART);
}

static int watch(int descriptor) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
    return epoll_ctl(polled, EPOLL_CTL_ADD, descriptor, &event);
}

static int open_descriptors(void) {
    polled = epoll_create1(EPOLL_CLOEXEC);
    if (polled < 0 || pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) != 0 || watch(0) != 0 || watch(signal_pipe[0]) != 0) return errno;
    return 0;
}

static void close_descriptors(void) {
    int *all[] = {&signal_pipe[0], &signal_pipe[1], &polled, &original_errors};
    for (size_t index = 0; index < count(all); index++) {
        if (*all[index] >= 0) close(*all[index]);
        *all[index] = -1;
    }
}

static void keep(struct sequence *sequence, const char *bytes, size_t length) {
    sequence->count = length;
    memcpy(sequence->bytes, bytes, length);
}

int terminal_take(const char *taking_bytes, size_t taking_count, const char *giving_bytes, size_t giving_count) {
    static int leaves_behind;
    if (polled >= 0) return EBUSY;
    if (taking_count > terminal_sequence_bytes_max || giving_count > terminal_sequence_bytes_max) return E2BIG;
    if (!isatty(0) || !isatty(1)) return ENOTTY;
    keep(&taking, taking_bytes, taking_count);
    keep(&giving, giving_bytes, giving_count);
    is_known = 0;
    int error = open_descriptors();
    if (error == 0) {
        catch_all();
        error = terminal_take_again();
        if (error != 0) terminal_release();
    }
    if (error != 0) close_descriptors();
    else if (!leaves_behind) leaves_behind = atexit(terminal_give_back) == 0;
    return error;
}

void terminal_release(void) {
    if (polled < 0) return;
    terminal_give_back();
    for (size_t index = 0; index < count(faults); index++) sigaction(faults[index], &before[faults[index]], 0);
    for (size_t index = 0; index < count(ends); index++) sigaction(ends[index], &before[ends[index]], 0);
    for (size_t index = 0; index < count(news); index++) sigaction(news[index], &before[news[index]], 0);
    sigaltstack(&stack_before, 0);
    close_descriptors();
}

int terminal_stop(void) {
    terminal_give_back();
    struct sigaction action = {.sa_handler = SIG_DFL}, caught;
    sigaction(SIGTSTP, &action, &caught);
    // Stops the whole process group, as the terminal does. Execution continues here after SIGCONT.
    kill(0, SIGTSTP);
    sigaction(SIGTSTP, &caught, 0);
    int error = terminal_take_again();
    while (terminal_next_signal() != terminal_signal_none) continue;
    return error;
}

int terminal_descriptor(void) { return polled; }

enum terminal_signal terminal_next_signal(void) {
    char byte;
    return polled >= 0 && read(signal_pipe[0], &byte, 1) == 1 ? (enum terminal_signal)byte : terminal_signal_none;
}
