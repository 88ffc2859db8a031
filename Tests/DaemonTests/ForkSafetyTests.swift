import Foundation
import Glibc
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

/// Forks, and what must not be mistaken for one or lost with one.
@Suite(.ownThreads) struct ForkSafetyTests {
    @Test func `a daemon at the target of a symbolic link is not mistaken for the fork`() throws {
        let daemon = try Daemon.started()
        let forks = Forks(of: daemon)
        defer { withExtendedLifetime(forks) {} }
        #expect(try daemon.todoctl("fork", "try").end == .exit(0))
        #expect(try daemon.todoctl("fork", "stop", "try").end == .exit(0))
        try? FileManager.default.removeItem(atPath: forks.socket("try"))
        try FileManager.default.createSymbolicLink(atPath: forks.socket("try"), withDestinationPath: daemon.socket)
        for verb in ["stop", "start"] {
            let refused = try daemon.todoctl("fork", verb, "try")
            #expect(refused.end != .exit(0) && refused.error.contains("leads to another daemon"), "\(refused)")
        }
        let refused = try daemon.todoctl("--fork", "try", "add", "Bread")
        #expect(refused.end == .exit(1), "\(refused)")
        #expect(try daemon.connect().sequence() == 0)
        try FileManager.default.removeItem(atPath: forks.socket("try"))
        #expect(try daemon.todoctl("fork", "remove", "try", "--yes").end == .exit(0))
    }

    @Test func `removing a fork that was merged elsewhere, or whose merge was undone, needs confirmation`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("add", "Milk").end == .exit(0))
        let forks = Forks(of: daemon)
        defer { withExtendedLifetime(forks) {} }
        for name in ["one", "other"] { #expect(try daemon.todoctl("fork", name).end == .exit(0)) }
        #expect(try daemon.todoctl("--fork", "other", "add", "Bread").end == .exit(0))
        #expect(try daemon.todoctl("--fork", "one", "fork", "merge", "other", "--yes").end == .exit(0))
        let elsewhere = try daemon.todoctl("fork", "remove", "other")
        #expect(elsewhere.end == .exit(64) && elsewhere.error.contains("--yes"), "\(elsewhere)")
        #expect(try daemon.todoctl("fork", "merge", "other", "--yes").end == .exit(0))
        #expect(try daemon.todoctl("undo").end == .exit(0))
        #expect(try daemon.todoctl("fork", "remove", "other").end == .exit(64))
        #expect(try daemon.todoctl("redo").end == .exit(0))
        #expect(try daemon.stop() == .exit(0))
        #expect(try daemon.todoctl("fork", "remove", "other").end == .exit(64))
        try daemon.start()
        #expect(try daemon.todoctl("fork", "remove", "other").end == .exit(0))
    }
}
