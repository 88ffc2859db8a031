import Glibc
import Synchronization

/// A signal that asks the program to end, held back until the terminal is as it was.
///
/// What a signal handler may do is little: it notes the signal and closes a pipe, so that whoever waits on the other end goes on.
enum Interruption {
    private static let signals = [SIGTERM, SIGHUP, SIGINT, SIGQUIT]
    private static let caught = Atomic<Int32>(0)
    private static let open = Atomic<Int32>(-1)

    /// Begins to hold signals back; the descriptor is at its end when one has come.
    static func held() -> Int32 {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return -1 }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        open.store(ends[1], ordering: .sequentiallyConsistent)
        caught.store(0, ordering: .sequentiallyConsistent)
        for number in signals {
            signal(number) { number in
                Interruption.caught.store(number, ordering: .sequentiallyConsistent)
                let end = Interruption.open.exchange(-1, ordering: .sequentiallyConsistent)
                if end >= 0 { close(end) }
            }
        }
        return ends[0]
    }

    /// Whether a signal has come.
    static var hasCome: Bool { caught.load(ordering: .sequentiallyConsistent) != 0 }

    /// Lets signals end the program again; one that was held back does so now.
    static func release() {
        for number in signals { signal(number, SIG_DFL) }
        let number = caught.load(ordering: .sequentiallyConsistent)
        if number != 0 { raise(number) }
    }
}
