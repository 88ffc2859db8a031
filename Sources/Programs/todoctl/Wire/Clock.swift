import CProcess
import Dates
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

extension Zone {
    /// The user's zone: TZ, or the machine's zone.
    static let user = Zone { seconds in
        var time = time_t(seconds)
        var parts = tm()
        guard localtime_r(&time, &parts) != nil else { return 0 }
        return parts.tm_gmtoff
    }

    /// A zone by its name, such as `Europe/Berlin`, if the machine knows it.
    static func named(_ name: String) -> Zone? {
        let isName = name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
        guard isName, !name.isEmpty, !name.hasPrefix("/"), !name.contains(".."),
            access("/usr/share/zoneinfo/\(name)", R_OK) == 0
        else { return nil }
        return Zone { seconds in
            // The C library has one global zone.
            let own = Environment.variable("TZ")
            setenv("TZ", name, 1)
            tzset()
            defer {
                if let own { setenv("TZ", own, 1) } else { unsetenv("TZ") }
                tzset()
            }
            return Zone.user.offset(seconds)
        }
    }
}

extension Failure {
    /// The message may quote user input, so it is made visible.
    init(_ mistake: DateMistake) { self.init(.usage, Visible.text(mistake.message)) }
}
