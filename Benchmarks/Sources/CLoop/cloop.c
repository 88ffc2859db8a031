#include "cloop.h"

#include <errno.h>
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// A counter's or a todo's action: payload, header with its key, trailer.
enum { PAYLOAD = 24, HEADER = 60, TRAILER = 32, RECORD = PAYLOAD + HEADER + TRAILER };
enum { UID = 4, HEX = 32, KEY = UID + HEX, KEY_ROW = 40, HEAD_ROW = 96 };

struct cloop {
    MDB_env *environment;
    MDB_dbi records, keys, head;
    uint64_t sequence;
    uint64_t random;
};

static uint64_t now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint64_t next_random(struct cloop *loop) {
    uint64_t x = loop->random;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return loop->random = x;
}

static void hex(char *out, uint64_t value) {
    for (int digit = 15; digit >= 0; digit--, value >>= 4) out[digit] = "0123456789abcdef"[value & 15];
}

int cloop_open(const char *directory, size_t map_bytes, struct cloop **out) {
    struct cloop *loop = calloc(1, sizeof *loop);
    if (!loop) return ENOMEM;
    loop->random = now(CLOCK_REALTIME) | 1;
    int code = mdb_env_create(&loop->environment);
    if (code) { free(loop); return code; }
    MDB_txn *transaction = NULL;
    if ((code = mdb_env_set_mapsize(loop->environment, map_bytes))) goto failed;
    if ((code = mdb_env_set_maxdbs(loop->environment, 16))) goto failed;
    if ((code = mdb_env_open(loop->environment, directory, MDB_NOTLS, 0600))) goto failed;
    if ((code = mdb_txn_begin(loop->environment, NULL, 0, &transaction))) goto failed;
    if ((code = mdb_dbi_open(transaction, "records", MDB_CREATE | MDB_INTEGERKEY, &loop->records)) ||
        (code = mdb_dbi_open(transaction, "keys", MDB_CREATE, &loop->keys)) ||
        (code = mdb_dbi_open(transaction, "head", MDB_CREATE | MDB_INTEGERKEY, &loop->head))) {
        mdb_txn_abort(transaction);
        goto failed;
    }
    if ((code = mdb_txn_commit(transaction))) goto failed;
    *out = loop;
    return 0;
failed:
    cloop_close(loop);
    return code;
}

static int commit(struct cloop *loop, unsigned batch) {
    MDB_txn *transaction;
    int code = mdb_txn_begin(loop->environment, NULL, 0, &transaction);
    if (code) return code;
    char record[RECORD], key[KEY], row[KEY_ROW], head[HEAD_ROW];
    memset(record, 0x5a, sizeof record);
    memset(row, 0x5a, sizeof row);
    memset(head, 0x5a, sizeof head);
    uint32_t uid = (uint32_t)getuid();
    uint64_t sequence = loop->sequence;
    for (unsigned index = 0; index < batch; index++) {
        sequence++;
        memcpy(record, &sequence, sizeof sequence);
        MDB_val name = {sizeof sequence, &sequence}, value = {sizeof record, record};
        if ((code = mdb_put(transaction, loop->records, &name, &value, MDB_APPEND))) goto failed;
        for (int byte = 0; byte < UID; byte++) key[byte] = (char)(uid >> (8 * (UID - 1 - byte)));
        hex(key + UID, now(CLOCK_REALTIME) / 1000);
        hex(key + UID + 16, next_random(loop));
        memcpy(row, &sequence, sizeof sequence);
        MDB_val key_name = {sizeof key, key}, key_value = {sizeof row, row};
        if ((code = mdb_put(transaction, loop->keys, &key_name, &key_value, MDB_NOOVERWRITE))) goto failed;
    }
    uint64_t one = 1;
    memcpy(head, &sequence, sizeof sequence);
    MDB_val head_name = {sizeof one, &one}, head_value = {sizeof head, head};
    if ((code = mdb_put(transaction, loop->head, &head_name, &head_value, 0))) goto failed;
    if ((code = mdb_txn_commit(transaction))) return code;
    loop->sequence = sequence;
    return 0;
failed:
    mdb_txn_abort(transaction);
    return code;
}

int cloop_prepare(struct cloop *loop, uint64_t rows) {
    int code = mdb_env_set_flags(loop->environment, MDB_NOSYNC, 1);
    while (!code && rows > 0) {
        unsigned batch = rows < 10000 ? (unsigned)rows : 10000;
        code = commit(loop, batch);
        rows -= batch;
    }
    if (code) return code;
    if ((code = mdb_env_set_flags(loop->environment, MDB_NOSYNC, 0))) return code;
    return mdb_env_sync(loop->environment, 1);
}

int cloop_run(
    struct cloop *loop, unsigned batch, uint64_t nanoseconds, uint64_t *latencies, size_t latencies_max,
    struct cloop_result *result) {
    memset(result, 0, sizeof *result);
    uint64_t start = now(CLOCK_MONOTONIC), before = start, after = start;
    while (after - start < nanoseconds) {
        int code = commit(loop, batch);
        if (code) return code;
        after = now(CLOCK_MONOTONIC);
        if (result->latencies < latencies_max) latencies[result->latencies++] = after - before;
        before = after;
        result->commits++;
        result->records += batch;
    }
    result->nanoseconds = after - start;
    return 0;
}

uint64_t cloop_bytes(struct cloop *loop) {
    MDB_envinfo info;
    MDB_stat stat;
    if (mdb_env_info(loop->environment, &info) || mdb_env_stat(loop->environment, &stat)) return 0;
    return (uint64_t)(info.me_last_pgno + 1) * stat.ms_psize;
}

void cloop_close(struct cloop *loop) {
    if (!loop) return;
    mdb_env_close(loop->environment);
    free(loop);
}

const char *cloop_error(int code) { return mdb_strerror(code); }
