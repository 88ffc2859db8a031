#ifndef CLOOP_H
#define CLOOP_H

#include <stddef.h>
#include <stdint.h>

/// The plain loop that the daemon is compared with: the rows of the daemon's commits, and nothing else.
struct cloop;

struct cloop_result {
    uint64_t commits;
    uint64_t records;
    uint64_t nanoseconds;
    uint64_t latencies;  // how many were written
};

/// Opens an environment in an existing directory, with the options of the daemon. Returns an LMDB or errno code.
int cloop_open(const char *directory, size_t map_bytes, struct cloop **loop);

/// Puts `rows` records and keys into it in large batches that are flushed once at the end.
int cloop_prepare(struct cloop *loop, uint64_t rows);

/// Commits batches of `batch` records for `nanoseconds`; the time of each commit, its rows included, goes to `latencies`.
int cloop_run(
    struct cloop *loop, unsigned batch, uint64_t nanoseconds, uint64_t *latencies, size_t latencies_max,
    struct cloop_result *result);

/// The bytes of the map in use.
uint64_t cloop_bytes(struct cloop *loop);

void cloop_close(struct cloop *loop);

const char *cloop_error(int code);

#endif
