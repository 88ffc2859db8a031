import Foundation
import ProcessTesting
import Synchronization
import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct CrashTests {
    static let crashes = Sanitizer.share(of: 100)
    static let dispatchesPerSecondMin = Double(Sanitizer.share(of: 100))
    static let connections = 4
    static let seed: UInt64 = 20_261_201

    @Test
    func `after kills at a hundred random moments under load, no acknowledged record is lost or duplicated`() throws {
        let daemon = try Daemon.started()
        var generator = SeededGenerator(Self.seed)
        let writers = (0..<Self.connections).map { Writer(seed: Self.seed + UInt64($0), socket: daemon.socket) }
        var (counted, rounds) = (0, 0)

        while counted < Self.crashes, rounds < 2 * Self.crashes {
            rounds += 1
            let before = writers.map(\.acknowledged).reduce(0, +)
            let milliseconds = Double(Int.random(in: 20...200, using: &generator))
            let begin = ContinuousClock.now
            let running = writers.map { writer in Background { try writer.dispatchUntilClosed() } }
            // The moment of the crash. The daemon must not have ended before by itself.
            #expect(try daemon.waitForEnd(seconds: milliseconds / 1000) == nil, "\(daemon.output)")
            try daemon.kill()
            let elapsed = begin.duration(to: .now)
            for thread in running { try thread.value() }
            // On a busy machine a round may have no load. It proves nothing and is not counted.
            let dispatches = writers.map(\.acknowledged).reduce(0, +) - before
            if Double(dispatches) / (elapsed / .seconds(1)) >= Self.dispatchesPerSecondMin { counted += 1 }
            try daemon.start()
        }
        #expect(counted == Self.crashes, "\(rounds) rounds")

        // Unanswered dispatches are repeated with the same keys.
        for writer in writers { try writer.finish() }
        let client = try daemon.connect()
        let log = try client.log()
        let isInOrder = log.map { $0["sequence"]?.int ?? 0 } == Array(1...Int64(log.count))
        #expect(isInOrder)
        var records: [String: [Int64]] = [:]
        for record in log {
            guard let key = record["key"]?.text, let sequence = record["sequence"]?.int else { continue }
            records[key, default: []].append(sequence)
        }
        var lost: [String] = []
        var known = 0
        for (key, sequences) in writers.flatMap({ Array($0.answers) }) {
            known += 1
            if records[key] != sequences { lost.append("\(key): answered \(sequences), logged \(records[key] ?? [])") }
        }
        #expect(lost.isEmpty)
        // Every record belongs to a key that was acknowledged in the end, so the log contains nothing else.
        #expect(records.count == known)
        let isFold = try Model(log: log) == Model(state: client.state())
        #expect(isFold)
        #expect(try daemon.stop() == .exit(0))
    }
}

/// Dispatches with keys, eight in flight, and records which were answered.
private final class Writer: Sendable {
    private struct Memory {
        var keys: Keys
        var number = 0
        var pending: [(key: String, actions: [Value])] = []
        var answers: [String: [Int64]] = [:]
    }

    private let socket: String
    private let memory: Mutex<Memory>

    init(seed: UInt64, socket: String) {
        self.socket = socket
        memory = Mutex(Memory(keys: Keys(seed: seed)))
    }

    var answers: [String: [Int64]] { memory.withLock { $0.answers } }
    var acknowledged: Int { memory.withLock { $0.answers.count } }

    /// Repeats the unanswered dispatches, then continues with new actions until the daemon is gone.
    func dispatchUntilClosed() throws {
        do {
            try exchange(new: .max)
        } catch VarlinkClientError.closed {
            return
        } catch VarlinkClientError.unreachable(let number) where [ECONNREFUSED, ECONNRESET, EPIPE, ENOENT].contains(number) {
            return
        }
    }

    /// Repeats the unanswered dispatches.
    func finish() throws { try exchange(new: 0) }

    private func exchange(new: Int) throws {
        let client = try Client(socket, seconds: 60)
        var (sent, made) = (0, 0)
        while true {
            while made < new, memory.withLock({ $0.pending.count }) < 8 {
                memory.withLock { memory in
                    memory.number += 1
                    // Batches of several records show that a batch is kept or lost as a whole.
                    let actions = [Actions.increment, Actions.add("Todo \(memory.number)"), Actions.text("\(memory.number)")]
                    memory.pending.append((memory.keys.next(), Array(actions.prefix(1 + memory.number % 3))))
                }
                made += 1
            }
            let pending = memory.withLock { $0.pending }
            guard let first = pending.first else { return }
            while sent < pending.count {
                try client.send("org.todod.Store.Dispatch", Client.dispatch(pending[sent].actions, key: pending[sent].key))
                sent += 1
            }
            let answer = try Client.Answer(Client.result(client.receive()))
            sent -= 1
            memory.withLock { memory in
                memory.answers[first.key] = answer.sequences
                memory.pending.removeFirst()
            }
        }
    }
}
