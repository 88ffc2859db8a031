import Glibc

/// The signals that end the server, and the one of a child's end, held until somebody asks for them.
///
/// A handler may do next to nothing, and a thread that waits may do all.
struct HeldSignals {
    private var held = sigset_t()

    /// Holds them in this thread and in those that it begins from now on.
    init() {
        sigemptyset(&held)
        for number in [SIGHUP, SIGINT, SIGTERM, SIGCHLD] { sigaddset(&held, number) }
        pthread_sigmask(SIG_BLOCK, &held, nil)
    }

    /// Waits for the next.
    mutating func next() -> Int32 {
        var number: Int32 = 0
        while sigwait(&held, &number) != 0 {}
        return number
    }

    /// Has this process get one as if it had not been held; returns if it is one that the process was told to ignore.
    mutating func pass(_ number: Int32) {
        var one = sigset_t()
        sigemptyset(&one)
        sigaddset(&one, number)
        pthread_sigmask(SIG_UNBLOCK, &one, nil)
        raise(number)
        pthread_sigmask(SIG_BLOCK, &held, nil)
    }
}
