import DispatchHistory
import Glibc
import Synchronization
import TodoClient
import Varlink

extension LoggedRecord {
    /// Decodes a record from a daemon's answer.
    init(_ record: Value) {
        let isResult = record["kind"] == "end" && record["outcome"] == "result"
        self.init(
            record["sequence"]?.int ?? 0, record["key"]?.text,
            amount: record["action"]?["counter"]?["increment"] == nil ? 0 : 1,
            runner: isResult ? record["node"]?.text ?? "" : nil)
    }
}

/// Follows the records of a log from the first on, and resumes after the last one whenever its daemon hangs up.
struct TeamReader {
    /// The last record to read, once it is known.
    final class End: Sendable {
        private let sequence = Atomic<Int64>(.max)
        func set(_ last: Int64) { sequence.store(last, ordering: .releasing) }
        var last: Int64 { sequence.load(ordering: .acquiring) }
    }

    /// The daemons to read from.
    ///
    /// After each disconnect the next one is used.
    let sockets: [String]
    let end: End

    /// All received records.
    func read() throws -> [LoggedRecord] {
        var (told, turn): ([LoggedRecord], Int) = ([], 0)
        var idle = 0
        while true {
            if (told.last?.sequence ?? 0) >= end.last { return told }
            do { try follow(sockets[turn % sockets.count], &told) } catch is VarlinkClientError { pause() }
            turn += 1
            idle = end.last == .max ? 0 : idle + 1
            guard idle < 200 else { throw Unexpected("the end \(end.last) did not come to \(sockets)") }
        }
    }

    private func follow(_ socket: String, _ told: inout [LoggedRecord]) throws {
        guard let client = try? Client(socket, seconds: 0.25) else { return pause() }
        let next = (told.last?.sequence ?? 0) + 1
        try client.send("org.todod.Store.Subscribe", ["kind": "records", "from": ["sequence": .int(next)]], more: true)
        var count = 0
        while (told.last?.sequence ?? 0) < end.last {
            do {
                let reply = try client.receive()
                // This daemon lacks records that the previous one had.
                if Client.short(reply) == "FutureSequence" { return pause() }
                let item = try Client.result(reply)
                guard item["skipped"]?.int == 0 else { throw Unexpected("records were skipped after \(next): \(item)") }
                told += (item["records"]?.list ?? []).map { LoggedRecord($0) }
            } catch VarlinkClientError.timedOut {
                // It is possible that nothing happens.
                count += 1
                if count > 20, sockets.count > 1 || end.last < .max { return }
            }
        }
    }

    private func pause() { usleep(50_000) }
}
