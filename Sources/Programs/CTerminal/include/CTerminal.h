// Takes the user's terminal, and gives it back however the program ends: what a handler of a signal may do, and Swift can't promise.
#ifndef CTERMINAL_H
#define CTERMINAL_H

#include <stddef.h>

/// Takes the terminal of standard input and output: keys come one by one and as bytes, and standard error is kept until the end.
///
/// `taking` is written now and whenever it is taken again, `giving` whenever it is given back, also when a signal or a crash ends the
/// program, or it exits. Each has at most `terminal_sequence_bytes_max` bytes. There is one terminal: it is taken once at a time.
///
/// 0, or the error.
int terminal_take(const char *taking, size_t taking_bytes, const char *giving, size_t giving_bytes);

enum { terminal_sequence_bytes_max = 1024 };

/// Gives the terminal back, and writes what was kept of standard error; does nothing if it is given back already.
void terminal_give_back(void);

/// Takes it again, as it was taken first. 0, or the error.
int terminal_take_again(void);

/// Gives it back, stops the program as Ctrl-Z does, and takes it again when the program goes on. 0, or the error.
int terminal_stop(void);

/// Gives it back, and lets signals do what they did before.
void terminal_release(void);

/// A descriptor that can be read when there are keys or `terminal_next_signal` has something to tell; -1 if none was taken.
int terminal_descriptor(void);

/// What a signal asked for since the last call.
enum terminal_signal {
    terminal_signal_none = 0,
    /// The terminal has another size.
    terminal_signal_size,
    /// The program is to stop.
    terminal_signal_stop,
    /// The program was stopped and goes on.
    terminal_signal_continue,
};
enum terminal_signal terminal_next_signal(void);

#endif
