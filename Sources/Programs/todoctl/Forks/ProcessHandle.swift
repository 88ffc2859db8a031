import CProcess
import Glibc

/// A process, which is never mistaken for one that got its number later.
struct ProcessHandle: ~Copyable {
    private let descriptor: Int32

    /// The process of a number; `nil`: there is none.
    ///
    /// - Throws: where the system gives no handle of it.
    init?(_ pid: Int32) throws(Failure) {
        descriptor = process_open(pid)
        guard descriptor < 0 else { return }
        guard errno == ESRCH else {
            throw Failure(.notPermitted, "Process \(pid) can't be held on to: \(String(cString: strerror(errno))).")
        }
        return nil
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Sends it a signal; one that has ended gets none.
    func send(_ signal: Int32) throws(Failure) {
        guard process_signal(descriptor, signal) != 0, errno != ESRCH else { return }
        throw Failure(.notPermitted, "The process can't be stopped: \(String(cString: strerror(errno))).")
    }

    /// Waits until it has ended, also while nobody has waited for it yet; `false`: it did not within so many milliseconds.
    func hasEnded(within milliseconds: Int32) -> Bool {
        let deadline = Clock.uptime() + Int64(milliseconds) * 1_000
        while true {
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let left = max(0, deadline - Clock.uptime()) / 1_000
            let count = poll(&polled, 1, Int32(clamping: left))
            if count > 0 { return true }
            guard count < 0, errno == EINTR else { return false }
        }
    }
}
