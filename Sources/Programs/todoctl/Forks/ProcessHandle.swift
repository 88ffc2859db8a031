import CProcess
import Glibc

/// A handle of a process that stays valid when the pid is reused.
struct ProcessHandle: ~Copyable {
    private let descriptor: Int32

    /// Opens a handle; `nil` if the process does not exist.
    ///
    /// - Throws: if the kernel refuses the handle.
    init?(_ pid: Int32) throws(Failure) {
        descriptor = process_open(pid)
        guard descriptor < 0 else { return }
        guard errno == ESRCH else {
            throw Failure(.notPermitted, "Process \(pid) can't be opened: \(String(cString: strerror(errno))).")
        }
        return nil
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Sends a signal, unless the process has ended.
    func send(_ signal: Int32) throws(Failure) {
        guard process_signal(descriptor, signal) != 0, errno != ESRCH else { return }
        throw Failure(.notPermitted, "The process can't be stopped: \(String(cString: strerror(errno))).")
    }

    /// Waits for the end, also of zombies; `false` after the timeout.
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
