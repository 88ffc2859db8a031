import CProcess
import Glibc
import TodoClient

enum Clock {
    static func now() -> Int64 { microseconds(CLOCK_REALTIME) }

    /// Monotonic microseconds.
    static func uptime() -> Int64 { microseconds(CLOCK_MONOTONIC) }

    static func pause(microseconds: Int64) {
        var time = timespec(tv_sec: Int(microseconds / 1_000_000), tv_nsec: Int(microseconds % 1_000_000) * 1000)
        var rest = timespec()
        while nanosleep(&time, &rest) != 0, errno == EINTR { time = rest }
    }

    private static func microseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec / 1000)
    }
}

/// Exponential backoff with a total time limit.
struct Retry {
    /// Microseconds since the first wait.
    let patience: Int64
    private var deadline: Int64?
    private var pause: Int64 = 5_000

    init(patience: Int64) { self.patience = patience }

    mutating func reset() {
        deadline = nil
        pause = 5_000
    }

    /// Waits before the next attempt; false if the time limit is reached.
    ///
    /// - Parameter passing: sleeps for some microseconds.
    mutating func wait(_ passing: (Int64) throws(Failure) -> Void) throws(Failure) -> Bool {
        let now = Clock.uptime()
        let deadline = deadline ?? now + patience
        self.deadline = deadline
        guard now + pause < deadline else { return false }
        try passing(pause)
        pause = min(pause * 2, 200_000)
        return true
    }
}

/// A descriptor that becomes readable when a connection does or when a timer expires.
///
/// Verbs poll it together with keys and clocks.
final class SilenceTimer {
    let descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    private let timer = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_CLOEXEC))

    /// - Throws: `unreachable` if the process has no descriptors left.
    init(_ connection: Int32) throws(VarlinkClientError) {
        for watched in [connection, timer] {
            var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(fd: watched))
            guard epoll_ctl(descriptor, EPOLL_CTL_ADD, watched, &event) == 0 else { throw .unreachable(errno) }
        }
    }

    deinit {
        close(descriptor)
        close(timer)
    }

    func begin(milliseconds: Int) {
        let time = timespec(tv_sec: milliseconds / 1_000, tv_nsec: milliseconds % 1_000 * 1_000_000)
        var setting = itimerspec(it_interval: timespec(), it_value: time)
        timerfd_settime(timer, 0, &setting, nil)
    }

    var hasPassed: Bool {
        var polled = pollfd(fd: timer, events: Int16(POLLIN), revents: 0)
        return poll(&polled, 1, 0) > 0
    }
}
