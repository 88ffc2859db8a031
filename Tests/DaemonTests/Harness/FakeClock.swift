import Foundation
import ProcessTesting
import TestSupport

/// A library that lets a program's clock be wrong.
enum FakeClock {
    static let library = ["x86_64", "aarch64"].map { "/usr/lib/\($0)-linux-gnu/faketime/libfaketimeMT.so.1" }
        .first { FileManager.default.fileExists(atPath: $0) }

    /// What a daemon is started with, so that a file turns its clock while it runs; what measures times goes on as before.
    ///
    /// Nothing where the library is missing, or a sanitizer has to come first.
    static func environment(_ daemon: Daemon) throws -> [String: String] {
        guard let library, Command.environment["LD_PRELOAD"] == nil, !Sanitizer.isOn else { return [:] }
        return [
            "LD_PRELOAD": "\(try rightTimers(in: daemon.directory)):\(library)",
            "FAKETIME_TIMESTAMP_FILE": try daemon.directory.write("+0", to: "clock"),
            "FAKETIME_CACHE_DURATION": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        ].merging(places(of: daemon)) { $1 }
    }

    /// A library that comes before that one and leaves timers as they are.
    ///
    /// It takes each time of a timer for one of the clock that it turns: where that goes back an hour, whoever sleeps a moment would
    /// sleep an hour, which no clock that is set does to him.
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

    /// Tells a daemon by variables where its places are: the library adds one to them, and where that moved them Swift finds no flags.
    static func places(of daemon: Daemon) -> [String: String] { ["TODOD_DATA": daemon.data, "TODOD_SOCKET": daemon.socket] }

    /// Turns it by so many seconds from what is right, within a second.
    static func turn(_ daemon: Daemon, by seconds: Int) throws {
        try daemon.directory.write("\(seconds < 0 ? "" : "+")\(seconds)", to: "clock")
    }
}
