#ifndef CLOAD_ARGUMENTS_H
#define CLOAD_ARGUMENTS_H

#include <errno.h>
#include <stddef.h>
#include <string.h>

enum { STRINGS_MAX = 64 };

/// Makes a list of strings, each ended by a NUL, one as a program takes it.
static inline int split(const char *text, size_t bytes, char *out[STRINGS_MAX + 1]) {
    int count = 0;
    for (const char *end = text + bytes; text < end; text += strlen(text) + 1) {
        if (count == STRINGS_MAX) return E2BIG;
        out[count++] = (char *)text;
    }
    out[count] = NULL;
    return 0;
}

#endif
