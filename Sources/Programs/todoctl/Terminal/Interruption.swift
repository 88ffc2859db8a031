import CProcess
import Glibc
import Synchronization

/// A signal that asks the program to end, held back until what was begun is put away.
///
/// What a signal handler may do is little: it notes the signal.
enum Interruption {
    private static let signals = [SIGTERM, SIGHUP, SIGINT, SIGQUIT]
    private static let caught = Atomic<Int32>(0)
    /// How long whoever waits for something does not look whether one has come.
    static let lookMilliseconds: Int32 = 100
    /// What ends the work where one has come.
    static let failure = Failure(.tryAgain, "Ended by a signal.")

    /// Begins to hold signals back, but for those that are left aside.
    static func hold() {
        caught.store(0, ordering: .sequentiallyConsistent)
        for number in signals where process_ignores(number) == 0 {
            signal(number) { number in Interruption.caught.store(number, ordering: .sequentiallyConsistent) }
        }
    }

    /// Whether a signal has come.
    static var hasCome: Bool { caught.load(ordering: .sequentiallyConsistent) != 0 }

    /// Lets signals end the program again; one that was held back does so now.
    static func release() {
        for number in signals where process_ignores(number) == 0 { signal(number, SIG_DFL) }
        let number = caught.load(ordering: .sequentiallyConsistent)
        if number != 0 { raise(number) }
    }
}
