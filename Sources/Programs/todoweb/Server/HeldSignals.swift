import Glibc

/// Blocks the terminating signals and SIGCHLD, and waits for them on a thread.
///
/// Unlike a signal handler, a thread may call any function.
struct HeldSignals {
    private var held = sigset_t()

    /// Blocks the signals in this thread and in those that it creates.
    init() {
        sigemptyset(&held)
        for number in [SIGHUP, SIGINT, SIGTERM, SIGCHLD] { sigaddset(&held, number) }
        pthread_sigmask(SIG_BLOCK, &held, nil)
    }

    /// Waits for the next signal.
    mutating func next() -> Int32 {
        var number: Int32 = 0
        while sigwait(&held, &number) != 0 {}
        return number
    }

    /// Unblocks and raises a signal; returns only if the signal is ignored.
    mutating func pass(_ number: Int32) {
        var one = sigset_t()
        sigemptyset(&one)
        sigaddset(&one, number)
        pthread_sigmask(SIG_UNBLOCK, &one, nil)
        raise(number)
        pthread_sigmask(SIG_BLOCK, &held, nil)
    }
}
