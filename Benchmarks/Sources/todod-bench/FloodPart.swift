import CLoad
import Foundation
import Synchronization

/// A client at a fixed rate beside 64 connections of another uid that flood the daemon.
struct FloodPart {
    let setup: Setup

    private static let interval: UInt64 = 10_000_000
    private static let attacker: UInt32 = 1
    private static let todos = 400
    private static let boundMilliseconds = 50.0

    private struct Flood {
        var name: String
        var texts: ActionTexts
        var load = Load(connections: 64, isKeyed: false, uid: FloodPart.attacker, mayFail: true)
    }

    func run() throws(BenchmarkError) -> Findings {
        var findings = Findings()
        guard geteuid() == 0 else {
            Progress.say("  skipped: to connect as another uid needs root")
            return findings
        }
        for (index, flood) in Self.floods.enumerated() {
            Progress.say("  \(flood.name)")
            let data = try setup.folder.make("flood-\(index)")
            defer { setup.folder.remove(data) }
            let daemon = try Daemon(setup, data: data)
            chmod(setup.folder.sockets.path, 0o711)
            chmod(daemon.socket, 0o666)
            var list = TodoList()
            try list.add(Self.todos, to: daemon.socket)
            let alone = try p99(on: daemon)
            let (beside, perSecond) = try p99(beside: flood, on: daemon)
            findings.add("\(flood.name), calls/s", perSecond, "")
            findings.add("the other uid's p99 alone", alone, "ms")
            findings.add("\(flood.name), the other uid's p99, ms", beside, .atMost(Self.boundMilliseconds))
            try daemon.stop()
        }
        return findings
    }

    private static var floods: [Flood] {
        let batch = Array(repeating: ActionTexts.increment, count: 16_000)
        var (large, refused, edits, bookmarks) = (ActionTexts(), ActionTexts(), ActionTexts(), ActionTexts())
        large.append(batch)
        refused.append(batch.dropLast() + [ActionTexts.complete(1_000_000)])
        for round in 0..<2 {
            let tags = (0..<60).map { "tag-\(round)-\($0)" }
            edits.append((1...todos).map { ActionTexts.edit($0, tags: tags) })
        }
        // More than there may be: the last are refused.
        for number in 0..<5_000 {
            bookmarks.append(call: #"{"method":"org.todod.History.SetBookmark","parameters":{"bookmark":"b\#(number)"}}"#)
        }
        var setting = Flood(name: "SetBookmark", texts: bookmarks)
        (setting.load.isWhole, setting.load.pipelined) = (true, 16)
        return [
            Flood(name: "batches of 16,000 actions", texts: large), Flood(name: "400 edits with 60 tags", texts: edits),
            Flood(name: "batches that end in a refusal", texts: refused), setting,
        ]
    }

    private func p99(beside flood: Flood, on daemon: Daemon) throws(BenchmarkError) -> (p99: Double, perSecond: Double) {
        // As long as the paced client takes on a daemon that keeps its bound.
        var load = flood.load
        load.nanoseconds = 2 * Self.interval * UInt64(setup.sizes.watchedEvents)
        let outcome = Mutex<Result<Load.Result, BenchmarkError>?>(nil)
        let done = DispatchSemaphore(value: 0)
        let (socket, running) = (daemon.socket, load)
        Thread.detachNewThread {
            let result = Result { () throws(BenchmarkError) in try running.run(flood.texts, on: socket) }
            outcome.withLock { $0 = result }
            done.signal()
        }
        usleep(500_000)
        let p99 = Result { () throws(BenchmarkError) in try self.p99(on: daemon) }
        done.wait()
        guard let flooded = outcome.withLock({ $0 }) else { throw BenchmarkError("the load has no result") }
        return (try p99.get(), try flooded.get().perSecond)
    }

    private func p99(on daemon: Daemon) throws(BenchmarkError) -> Double {
        var latencies = [UInt64](repeating: 0, count: setup.sizes.watchedEvents)
        let call = Array(WatchPart.write.utf8).map { CChar(bitPattern: $0) }
        let code = cload_paced(daemon.socket, call, call.count, Self.interval, latencies.count, &latencies)
        guard code == 0 else { throw BenchmarkError("a paced client: \(String(cString: strerror(code)))") }
        var all = Latencies()
        all.add(latencies)
        return all.percentile(99) / 1e3
    }
}
