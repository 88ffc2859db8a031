#include <lmdb.h>
// LMDB is unsafe on network file systems. Swift's Glibc module lacks statfs, which detects them.
#include <sys/vfs.h>
