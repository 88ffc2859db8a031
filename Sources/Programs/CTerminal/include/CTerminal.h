// Takes the user's terminal and restores it however the program ends. This is in C because Swift code is not
// async-signal-safe.
#ifndef CTERMINAL_H
#define CTERMINAL_H

#include <stddef.h>

/// Takes the terminal of standard input and output: raw mode, with standard error redirected until it is given back.
///
/// `taking` is written each time the terminal is taken, and `giving` each time it is given back, including at exit, on
/// a signal and after a crash. Each has at most `terminal_sequence_bytes_max` bytes. The terminal must not be taken
/// twice.
///
/// Returns 0 or the error number.
int terminal_take(const char *taking, size_t taking_bytes, const char *giving, size_t giving_bytes);

enum { terminal_sequence_bytes_max = 1024 };

/// Restores the terminal and writes the collected standard error. Does nothing if it is already restored.
void terminal_give_back(void);

/// Takes the terminal again in the same way. Returns 0 or the error number.
int terminal_take_again(void);

/// Restores the terminal, stops the program like Ctrl-Z, and takes the terminal again after SIGCONT. Returns 0 or the
/// error number.
int terminal_stop(void);

/// Restores the terminal and the previous signal handlers.
void terminal_release(void);

/// Readable when keys are available or `terminal_next_signal` has a signal; -1 if no terminal was taken.
int terminal_descriptor(void);

/// The signals received since the last call.
enum terminal_signal {
    terminal_signal_none = 0,
    terminal_signal_size,
    terminal_signal_stop,
    terminal_signal_continue,
};
enum terminal_signal terminal_next_signal(void);

#endif
