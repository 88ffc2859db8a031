import CProcess
import Glibc
import TodoClient

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
