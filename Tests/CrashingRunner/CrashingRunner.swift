import Chronicle
import ChronicleLog
import ChronicleStore
import CommandRunning
import DiskLog
import Glibc

/// A store and its runner in a process that a test can crash at a named place.
///
/// Lines on standard input control it.
///
/// `run KEY TEXT idempotent|once MILLISECONDS` is answered `accepted SEQUENCE first|again`; `await TEXT` with `done` or `parked`
/// and the reason; `rows` with the open commands; `end TEXT` with `TIME DUE` of the record of its end.
@main struct CrashingRunner {
    static func main() async throws {
        guard CommandLine.arguments.count == 3 else { return print("usage: CrashingRunner DIRECTORY SOCKET") }
        let log = try LMDBActionLog.open(
            directory: CommandLine.arguments[1], configuration: LogConfiguration(mapBytes: 1 << 26))
        let recovered = try RecoveryResult<Jobs>(from: log, initial: Jobs.State())
        let store = Store(recovered, log: log, options: StoreOptions(build: 1, crashPoints: .ofProcess))
        let runner = CommandRunner(
            store: store, target: SocketTarget(path: CommandLine.arguments[2]),
            options: RunnerOptions(backoffMin: .milliseconds(1), crashPoints: .ofProcess))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await runner.run() }
            while let line = readLine() {
                print(try await answer(line.split(separator: " ").map(String.init), store))
                fflush(nil)
            }
            group.cancelAll()
        }
        await store.stop()
    }

    private static func answer(_ words: [String], _ store: Store<Jobs>) async throws -> String {
        switch (words.first, words.count) {
        case ("run", 5):
            let job = Job(words[2], isOnce: words[3] != "idempotent", milliseconds: UInt64(words[4]) ?? 0)
            let answer = try await store.dispatch(Dispatch([.run(job)], key: words[1]))
            return "accepted \(answer.sequences.lowerBound) \(answer.isDuplicate ? "again" : "first")"
        case ("await", 2):
            for try await change in store.states() {
                if let end = Self.end(of: words[1], change.state) { return end }
            }
            throw StoreError.stopping
        case ("rows", 1):
            return try await store.commands().map { "\($0.command?.job.text ?? "?"):\($0.row.stage)" }.joined(separator: " ")
        case ("end", 2):
            let last = store.present.sequence
            let records = try await store.records(from: last - min(last - 1, 20), through: last)
            let ends = records.filter { $0.action == .done(words[1]) && $0.header.outcome == .result }
            return ends.map { "\($0.header.time) \($0.header.due)" }.joined(separator: " ")
        default: return "what?"
        }
    }

    private static func end(of text: String, _ state: Jobs.State) -> String? {
        let count = state.done.count { $0 == text }
        if count > 0 { return "done \(count)" }
        return state.parked.first { $0.hasPrefix(text + " ") }.map { "parked \($0)" }
    }
}
