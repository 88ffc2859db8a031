import CProcess
import Glibc
import Synchronization

/// Defers termination signals until temporary work is cleaned up.
///
/// The signal handler only stores the signal.
enum Interruption {
    private static let signals = [SIGTERM, SIGHUP, SIGINT, SIGQUIT]
    private static let caught = Atomic<Int32>(0)
    /// Polling interval for a deferred signal.
    static let pollMilliseconds: Int32 = 100
    static let failure = Failure(.tryAgain, "Ended by a signal.")

    /// Starts to defer signals, except ignored ones.
    static func hold() {
        caught.store(0, ordering: .sequentiallyConsistent)
        for number in signals where process_ignores(number) == 0 {
            signal(number) { number in Interruption.caught.store(number, ordering: .sequentiallyConsistent) }
        }
    }

    static var isRequested: Bool { caught.load(ordering: .sequentiallyConsistent) != 0 }

    /// Stops deferring; a deferred signal ends the program now.
    static func release() {
        for number in signals where process_ignores(number) == 0 { signal(number, SIG_DFL) }
        let number = caught.load(ordering: .sequentiallyConsistent)
        if number != 0 { raise(number) }
    }
}
