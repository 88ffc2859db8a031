// The windows of ncurses are not used, but what it knows about terminals; Swift imports neither its macros nor variadic functions.
#include <curses.h>
#include <stdlib.h>
#include <term.h>

/// Reads what is known about a terminal: 1, or 0 if nothing, or -1 if there is no list of terminals.
static inline int terminal_description_read(const char *name) {
    int result = 0;
    return setupterm(name, 1, &result) == OK ? 1 : result < 0 ? -1 : 0;
}

/// Lets go of what was read.
static inline void terminal_description_free(void) {
    if (cur_term) del_curterm(cur_term);
}

/// A sequence by its name in terminfo, or none.
static inline const char *terminal_description_string(const char *name) {
    const char *value = tigetstr((char *)name);
    return value == (char *)-1 ? 0 : value;
}

/// A number by its name in terminfo, or -1.
static inline int terminal_description_number(const char *name) {
    int value = tigetnum((char *)name);
    return value < 0 ? -1 : value;
}

/// Whether a terminal can do something, by the name in terminfo.
static inline int terminal_description_flag(const char *name) { return tigetflag((char *)name) > 0; }

/// A sequence with two numbers put in; lives until the next call, or none.
static inline const char *terminal_description_filled(const char *sequence, int first, int second) {
    return tiparm(sequence, first, second);
}
