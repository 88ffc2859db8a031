import Foundation
import ProcessTesting
import TestSupport

/// A library that changes a program's clock.
enum FakeClock {
    static let library = ["x86_64", "aarch64"].map { "/usr/lib/\($0)-linux-gnu/faketime/libfaketimeMT.so.1" }
        .first { FileManager.default.fileExists(atPath: $0) }

    /// The environment of a daemon whose wall clock is controlled by a file.
    ///
    /// Monotonic clocks are not affected.
    ///
    /// Empty if the library is missing or a sanitizer must be loaded first.
    static func environment(_ daemon: Daemon) throws -> [String: String] {
        guard let library, Command.environment["LD_PRELOAD"] == nil, !Sanitizer.isOn else { return [:] }
        return [
            "LD_PRELOAD": "\(try rightTimers(in: daemon.directory)):\(library)",
            "FAKETIME_TIMESTAMP_FILE": try daemon.directory.write("+0", to: "clock"),
            "FAKETIME_CACHE_DURATION": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        ].merging(places(of: daemon)) { $1 }
    }

    /// A library that is loaded before that one and leaves timers unchanged.
    ///
    /// The other library treats timer times as wall clock times. If the clock goes back an hour, a short sleep would last an
    /// hour, which does not happen with a real clock change.
    private static func rightTimers(in directory: TemporaryDirectory) throws -> String {
        let source = try directory.write(
            """
            #include <sys/syscall.h>
            #include <sys/timerfd.h>
            #include <unistd.h>
            int timerfd_settime(int timer, int flags, const struct itimerspec *value, struct itimerspec *old) {
                return (int)syscall(SYS_timerfd_settime, timer, flags, value, old);
            }

            """, to: "timers.c")
        let library = directory.path + "/timers.so"
        let built = try Command.run(["/usr/bin/env", "cc", "-shared", "-fPIC", "-o", library, source])
        guard built.end == .exit(0) else { throw Unexpected("\(built)") }
        return library
    }

    /// Sets a daemon's paths by variables.
    ///
    /// The library adds a variable, and if that moves the variables, Swift finds no flags.
    static func places(of daemon: Daemon) -> [String: String] { ["TODOD_DATA": daemon.data, "TODOD_SOCKET": daemon.socket] }

    /// Shifts the clock by a number of seconds from the correct time.
    ///
    /// It takes effect within a second.
    static func turn(_ daemon: Daemon, by seconds: Int) throws {
        try daemon.directory.write("\(seconds < 0 ? "" : "+")\(seconds)", to: "clock")
    }
}
