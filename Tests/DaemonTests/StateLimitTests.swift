import Foundation
import Glibc
import ProcessTesting
import TestSupport
import Testing
import Varlink

@Suite(.ownThreads) struct StateLimitTests {
    private static let note = String(repeating: "note ", count: 13_000)

    private static func large(_ title: String) -> Value {
        ["todos": ["add": ["items": [["title": .text(title), "note": .text(note)]]]]]
    }

    /// Adds large todos until one is refused.
    ///
    /// Returns how many were accepted.
    private func fill(_ client: Client, atMost max: Int) throws -> (count: Int, refusal: Reply?) {
        for count in 0..<max {
            let reply = try client.ask("org.todod.Store.Dispatch", Client.dispatch([Self.large("large \(count)")]))
            if reply.error != nil { return (count, reply) }
        }
        return (max, nil)
    }

    /// The largest resident memory of the daemon so far, in bytes.
    private func peak(_ daemon: Daemon) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(daemon.pid)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) }) << 10
    }

    @Test func `at the limit the daemon refuses only changes that enlarge the state`() throws {
        let daemon = try Daemon(environment: ["TODOD_STATE_BYTES_MAX": "2000000"].merging(Daemon.ownLog) { $1 })
        try daemon.start()
        let client = try daemon.connect()
        let (count, refusal) = try fill(client, atMost: 100)
        #expect(count == 30)
        let reply = try #require(refusal)
        #expect(Client.short(reply) == "StateFull")
        #expect(reply.parameters["max"]?.int == 2_000_000 && reply.parameters["bytes"]?.int ?? 0 > 2_000_000)
        #expect(reply.parameters["message"]?.text?.contains("Remove some data, or raise the limit.") == true)
        let sequence = try client.sequence()
        #expect(sequence == Int64(count))

        for id in 1..<Int64(count) { try client.dispatch([Actions.complete(id)]) }
        try client.dispatch([Actions.edit(2, title: "short")])
        try client.dispatch([Actions.increment, Actions.move(3, to: 0)])
        _ = try client.call("org.todod.History.Compact", ["before": ["sequence": 10]])
        #expect(try client.refusal([Self.large("more")]) == "StateFull")
        // A batch counts as a whole.
        try client.dispatch([Actions.remove(1), Self.large("more")])
        #expect(try client.refusal([Self.large("more")]) == "StateFull")
        // Undoing an add frees memory; undoing a removal needs it.
        _ = try client.call("org.todod.History.Undo", ["steps": [.int(sequence)]])
        try client.dispatch([Self.large("in its place")])
        let removal = try client.dispatch([Actions.remove(2)]).sequences[0]
        try client.dispatch([Self.large("in its place")])
        let undo = try client.ask("org.todod.History.Undo", ["steps": [.int(removal)]])
        #expect(Client.short(undo) == "StateFull")

        // A start folds the log regardless of the limit.
        daemon.environment["TODOD_STATE_BYTES_MAX"] = "1000000"
        try daemon.crash()
        let again = try daemon.connect()
        #expect(try again.state("todos.items").titles.count == count)
        #expect(try again.refusal([Self.large("more")]) == "StateFull")
        try again.dispatch([Actions.remove(3)])
        #expect(try daemon.stop() == .exit(0))
    }

    @Test func `the default limit is a quarter of the memory, which is more than a few todos`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        #expect(try fill(client, atMost: 3).refusal == nil)
    }

    @Test(.enabled(if: !Sanitizer.isOn, "a sanitizer takes memory of its own"))
    func `with a full state, also at a start, the daemon uses less than four times the limit`() throws {
        let max = 32 << 20
        let daemon = try Daemon(environment: ["TODOD_STATE_BYTES_MAX": "\(max)"].merging(Daemon.ownLog) { $1 })
        try daemon.start()
        let idle = try peak(daemon)
        let (count, refusal) = try fill(try daemon.connect(), atMost: 1_000)
        #expect(count > 500 && refusal.map(Client.short) == "StateFull")
        #expect(try peak(daemon) < idle + 4 * max)
        // It writes a snapshot when it stops.
        #expect(try daemon.stop() == .exit(0))
        try daemon.start()
        #expect(try daemon.connect().status()["snapshot"]?["sequence"]?.int == Int64(count))
        #expect(try peak(daemon) < idle + 4 * max)
    }
}
