import Foundation
import TestSupport
import Testing
import Varlink

@Suite(.ownThreads) struct PastMemoryTests {
    @Test func `undo and replay use at most the memory of two further states, whatever was queried before`() throws {
        let daemon = try Daemon.started()
        let empty = try daemon.anonymousKiB()
        try fill(daemon.connect(), todos: 20_000)
        // The stop writes a snapshot, and the memory for filling gaps ends with the process.
        try daemon.stop()
        try daemon.start()
        let client = try daemon.connect()
        for id in 1...20 as ClosedRange<Int64> { try client.dispatch([Actions.edit(id, title: "Buy \(id) bottles")]) }
        let last = try client.sequence()
        let present = try daemon.anonymousKiB()
        let state = present - empty

        // It folds all records on another thread than the one that reads snapshots.
        let diff = try daemon.peakKiB {
            _ = try client.call(
                "org.todod.History.Diff", ["from": ["sequence": 0], "to": ["bookmark": "now"], "path": "counter"])
        }
        let undo = try daemon.peakKiB { _ = try client.call("org.todod.History.Undo", ["count": 20, "dryRun": true]) }
        let replay = try daemon.peakKiB {
            for sequence in last - 19..<last {
                _ = try client.call("org.todod.Store.GetState", ["scope": "todos.draft", "at": ["sequence": .int(sequence)]])
            }
        }
        for peak in [diff, undo, replay] {
            #expect(
                peak - present < state * 9 / 4, "diff \(diff), undo \(undo), replay \(replay) over \(present), empty \(empty)")
        }
    }

    private func fill(_ client: Client, todos: Int) throws {
        let note = Value.text(String(repeating: "n", count: 1_000))
        for _ in 0..<todos / 100 {
            let items = Value.list(Array(repeating: ["title": "Buy the milk", "note": note], count: 100))
            try client.dispatch([["todos": ["add": ["items": items]]]])
        }
    }
}

extension Daemon {
    /// The maximum anonymous memory during the body in KiB, plus new pages of files.
    fileprivate func peakKiB(_ body: () throws -> Void) throws -> Int {
        // Resets the high-water mark; proc(5).
        try "5".write(toFile: "/proc/\(pid)/clear_refs", atomically: false, encoding: .utf8)
        let files = try memoryKiB("VmRSS") - memoryKiB("RssAnon")
        try body()
        return try memoryKiB("VmHWM") - files
    }
}
