import Foundation
import Glibc
import ProcessTesting
import TestSupport
import Testing

@Suite(.ownThreads) struct SocketTrustTests {
    static let canChange = getuid() == 0 && Products.tool("setpriv") != nil && Products.tool("socat") != nil
    static let reason: Comment = "serving as another user needs root, setpriv and socat"

    /// Lets another user listen at a path and record the received bytes in a file.
    private func listen(as uid: UInt32, at path: String, into heard: String) throws -> ChildProcess {
        let (setpriv, socat) = (try #require(Products.tool("setpriv")), try #require(Products.tool("socat")))
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        let process = try ChildProcess(
            [
                setpriv, "--reuid=\(uid)", "--regid=\(uid)", "--clear-groups", socat, "-u", "UNIX-LISTEN:\(path),mode=0666",
                "OPEN:\(heard),creat,append",
            ], environment: Command.environment, output: null, error: null)
        let deadline = Deadline(seconds: 30)
        while access(path, F_OK) != 0, deadline.milliseconds > 0 { sched_yield() }
        return process
    }

    @Test func `a socket in a world-writable directory is not used, even if it was named`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("counter").end == .exit(0))
        chmod(daemon.directory.path, 0o777)
        let refused = try daemon.todoctl("counter")
        #expect(refused.end == .exit(77) && refused.error.contains("chmod go-w \(daemon.directory.path)"), "\(refused)")
        chmod(daemon.directory.path, 0o755)
        #expect(try daemon.todoctl("counter").text == "0\n")
    }

    @Test(.enabled(if: canChange, reason))
    func `another user who listens at the path of the user's own daemon receives nothing`() throws {
        let directory = TemporaryDirectory()
        chmod(directory.path, 0o755)
        let place = directory.path + "/run/todod"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        for path in [directory.path + "/run", place] { chown(path, 1, 1) }
        let heard = directory.path + "/run/heard"
        let listener = try listen(as: 1, at: place + "/org.todod.Store", into: heard)
        defer { listener.signal(SIGKILL) }
        let outcome = try Command.run(
            [Products.todoctl, "add", "My secret"], environment: ["XDG_RUNTIME_DIR": directory.path + "/run"])
        #expect(outcome.end == .exit(77) && outcome.error.contains("Uid 1 answers"), "\(outcome)")
        _ = try listener.wait(seconds: 30)
        #expect(((try? Data(contentsOf: URL(fileURLWithPath: heard))) ?? Data()).isEmpty)
    }

    @Test(.enabled(if: canChange, reason))
    func `another user's directory below a world-writable one is not trusted, even if it was named`() throws {
        let directory = TemporaryDirectory()
        chmod(directory.path, 0o1777)
        let place = "\(directory.path)/todod-0/todod"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        for path in ["\(directory.path)/todod-0", place] { chown(path, 1, 1) }
        let heard = "\(directory.path)/todod-0/heard"
        let listener = try listen(as: 1, at: place + "/org.todod.Store", into: heard)
        defer { listener.signal(SIGKILL) }
        for arguments in [["counter"], ["counter", "--socket", place + "/org.todod.Store"]] {
            let outcome = try Command.run([Products.todoctl] + arguments, environment: ["TMPDIR": directory.path])
            #expect(outcome.end == .exit(77) && outcome.error.contains("--socket"), "\(outcome)")
        }
        // There was no connection. The system's socket is used instead if it exists.
        #expect(listener.isRunning)
    }
}
