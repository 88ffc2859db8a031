#include <lmdb.h>
// LMDB cannot be trusted on file systems of other machines; Swift's Glibc module leaves statfs out.
#include <sys/vfs.h>
