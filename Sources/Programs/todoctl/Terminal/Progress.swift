import CProcess
import Glibc
import Synchronization

/// Progress of a long operation; shown on a terminal only, after one second.
struct Progress {
    private let isShown = isatty(2) == 1
    private let start = Clock.uptime()
    private var shown: Int64 = 0
    private var isOnScreen = false

    mutating func show(_ count: Int) { put { _ in "\(Digits.grouped(count)) added" } }

    mutating func show(record reached: UInt64, of last: UInt64? = nil) {
        put { _ in "record \(Digits.grouped(reached))" + (last.map { " of \(Digits.grouped($0))" } ?? "") }
    }

    mutating func show(_ text: String) { put { seconds in "\(text), \(seconds) s" } }

    // Builds the text only if it is shown.
    private mutating func put(_ text: (_ seconds: Int64) -> String) {
        let now = Clock.uptime()
        guard isShown, now - start > 1_000_000, now - shown > 100_000 else { return }
        shown = now
        isOnScreen = true
        Output.note("\r\(text((now - start) / 1_000_000))\u{1B}[K")
    }

    static func wait(on descriptor: Int32) {
        guard isatty(2) == 1 else { return }
        let start = Clock.uptime()
        var isOnScreen = false
        var answer = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&answer, 1, 1_000) == 0 {
            isOnScreen = true
            Output.note("\rworking, \((Clock.uptime() - start) / 1_000_000) s\u{1B}[K")
        }
        if isOnScreen { Output.note("\r\u{1B}[K") }
    }

    /// Writes a note for the user of a terminal on its own line, replacing the progress.
    static func tell(_ text: String) {
        if isatty(2) == 1 { Output.complain("\r\u{1B}[K" + text) }
    }

    mutating func clear() {
        guard isOnScreen else { return }
        isOnScreen = false
        Output.note("\r\u{1B}[K")
    }
}

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
