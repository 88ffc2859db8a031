// Tells ThreadSanitizer about the contended half of Swift's Mutex, which on Linux sleeps in a futex inside a library that
// is not instrumented: without this two threads that meet at a Mutex are reported as a race. To be preloaded.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SELF __attribute__((swift_context))

// Absent in programs that are not instrumented: tools that the tests start get the library like todod and todoctl.
extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

typedef __attribute__((swiftcall)) void (*Lock)(uint32_t, SELF void *);
typedef __attribute__((swiftcall)) void (*Unlock)(SELF void *);

__attribute__((swiftcall)) void lock_slow(uint32_t thread, SELF void *mutex) __asm__(LOCK);
__attribute__((swiftcall)) void unlock_slow(SELF void *mutex) __asm__(UNLOCK);

__attribute__((swiftcall)) void lock_slow(uint32_t thread, SELF void *mutex) {
    static _Atomic(Lock) next;
    Lock lock = next;
    if (!lock) next = lock = (Lock)dlsym(RTLD_NEXT, LOCK);
    lock(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

__attribute__((swiftcall)) void unlock_slow(SELF void *mutex) {
    static _Atomic(Unlock) next;
    Unlock unlock = next;
    if (!unlock) next = unlock = (Unlock)dlsym(RTLD_NEXT, UNLOCK);
    if (__tsan_release) __tsan_release(mutex);
    unlock(mutex);
}
