// ncurses is used only for terminfo. Swift imports neither its macros nor its variadic functions.
#include <curses.h>
#include <stdlib.h>
#include <term.h>

/// Reads the terminfo entry of a terminal: 1 if it exists, 0 if not, -1 if there is no terminfo database.
static inline int terminal_description_read(const char *name) {
    int result = 0;
    return setupterm(name, 1, &result) == OK ? 1 : result < 0 ? -1 : 0;
}

/// Frees the entry.
static inline void terminal_description_free(void) {
    if (cur_term) del_curterm(cur_term);
}

/// A string capability by its terminfo name, or NULL.
static inline const char *terminal_description_string(const char *name) {
    const char *value = tigetstr((char *)name);
    return value == (char *)-1 ? 0 : value;
}

/// A numeric capability by its terminfo name, or -1.
static inline int terminal_description_number(const char *name) {
    int value = tigetnum((char *)name);
    return value < 0 ? -1 : value;
}

/// A boolean capability by its terminfo name.
static inline int terminal_description_flag(const char *name) { return tigetflag((char *)name) > 0; }

/// A sequence with two parameters filled in, or NULL. It is valid until the next call.
static inline const char *terminal_description_filled(const char *sequence, int first, int second) {
    return tiparm(sequence, first, second);
}
