import Foundation
import Synchronization
import TodoAPI

/// Notes of 65,000 bytes at full rate against a small limit of the state, and the same load without reaching a limit.
struct LimitPart {
    let setup: Setup
    private let limit = 64 << 20
    private let noteBytes = 65_000

    func run() throws(BenchmarkError) -> Findings {
        var findings = Findings()
        let calls = 2 * limit / noteBytes
        let megabytes = Double(limit) / 1e6

        let free = try setup.folder.make("without-limit")
        defer { setup.folder.remove(free) }
        let unlimited = try Daemon(setup, data: free, environment: ["TODOD_STATE_BYTES_MAX": "\(1 << 40)"])
        let load = try notes(calls, on: unlimited)
        findings.add("notes of 65,000 bytes without a limit", load.perSecond * Double(noteBytes) / 1e6, "MB/s")
        findings.add("peak memory, the same notes without a limit", try unlimited.memory("VmHWM"), "MB")
        try unlimited.stop()

        let data = try setup.folder.make("with-limit")
        defer { setup.folder.remove(data) }
        let environment = ["TODOD_STATE_BYTES_MAX": "\(limit)"]
        let full = try Daemon(setup, data: data, environment: environment)
        let idle = try full.memory("VmHWM")
        var refusal = ""
        do throws(BenchmarkError) { _ = try notes(calls, on: full) } catch { refusal = error.message }
        guard refusal.contains("StateFull") else { throw BenchmarkError("no StateFull at the limit: \(refusal)") }
        let peak = try full.memory("VmHWM")
        // At the limit: room is made, and used.
        let sequence = try full.client().sequence()
        var removal = ActionTexts()
        removal.append(ActionTexts.remove(1))
        _ = try Load(calls: 1).run(removal, on: full.socket)
        _ = try notes(1, on: full)
        guard try full.client().sequence() == sequence + 2 else { throw BenchmarkError("a removal at the limit was not logged") }
        // Twice, since a compacted log keeps the state that it begins with. Pages of the log's file are not counted: the system takes them
        // back when memory is short.
        var compaction = 0.0
        for id in 2...3 {
            var removal = ActionTexts()
            removal.append(ActionTexts.remove(id))
            _ = try Load(calls: 1).run(removal, on: full.socket)
            _ = try notes(1, on: full)
            compaction = max(compaction, try peakOfCompaction(on: full))
        }
        // The last snapshot is written here, from which the next start goes on.
        try full.stop()
        let again = try Daemon(setup, data: data, environment: environment)
        let start = try again.memory("VmHWM")
        try again.stop()

        findings.add("peak memory, idle", idle, "MB")
        findings.add("peak memory, notes up to a limit of \(limit >> 20) MiB and refusals", peak, "MB")
        findings.add("peak anonymous memory, compactions at the limit", compaction, "MB")
        findings.add("peak memory, start at the limit", start, "MB")
        findings.add("peak above idle at the limit / limit", (peak - idle) / megabytes, .atMost(4))
        findings.add("peak anonymous memory of compactions at the limit / limit", compaction / megabytes, .atMost(4))
        findings.add("peak above idle of a start at the limit / limit", (start - idle) / megabytes, .atMost(4))
        return findings
    }

    /// The most anonymous memory that the daemon has while it compacts its log, in MB.
    private func peakOfCompaction(on daemon: Daemon) throws(BenchmarkError) -> Double {
        let outcome = Mutex<Result<Void, BenchmarkError>?>(nil)
        let socket = daemon.socket
        Thread.detachNewThread {
            let result = Result { () throws(BenchmarkError) in
                _ = try Client(socket).call(CompactMethod.self, CompactMethod.Input(before: .now))
            }
            outcome.withLock { $0 = result }
        }
        var peak = 0.0
        while true {
            peak = max(peak, try daemon.memory("RssAnon"))
            guard let result = outcome.withLock({ $0 }) else {
                usleep(2_000)
                continue
            }
            try result.get()
            return peak
        }
    }

    private func notes(_ calls: Int, on daemon: Daemon) throws(BenchmarkError) -> Load.Result {
        var texts = ActionTexts()
        let note = String(repeating: "note ", count: noteBytes / 5)
        texts.append(#"{"todos":{"add":{"items":[{"title":"Large","note":"\#(note)"}]}}}"#)
        return try Load(connections: min(calls, 16), pipelined: 4, calls: calls).run(texts, on: daemon.socket, latenciesMax: 0)
    }
}
