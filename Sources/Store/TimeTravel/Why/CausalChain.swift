import Chronicle
import ChronicleLog
import ChronicleStore

/// The records caused by one dispatch, as far as found.
struct CausalChain<App: Feature> {
    private let roots: [UInt64]
    private var records: [UInt64: LoggedRecord<App>] = [:]
    private var results: [CommandID: [UInt64]] = [:]
    // Commands whose end is not found yet, and the one that ended at the last record, whose result may continue.
    private var awaited: Set<CommandID> = []
    private var ending: CommandID?
    private var ended: Set<CommandID> = []
    let first: UInt64

    private let lacksRoots: Bool

    init(_ roots: [LoggedRecord<App>], isCut: Bool) {
        lacksRoots = isCut
        self.roots = roots.map(\.header.sequence)
        first = (self.roots.last ?? 0) + 1
        for root in roots { note(root) }
    }

    private var isFull: Bool { records.count >= HistoryLimits.answersMax }

    /// Whether more of its records may follow.
    var awaitsMore: Bool { !isFull && (!awaited.isEmpty || ending != nil) }

    func awaits(_ cause: CommandID) -> Bool { awaited.contains(cause) || ending == cause }

    mutating func pass(_ record: HeaderFields) { if record.cause != ending { ending = nil } }

    mutating func add(_ record: LoggedRecord<App>) {
        guard let cause = record.header.cause, !isFull else { return }
        results[cause, default: []].append(record.header.sequence)
        if cause != ending { ending = nil }
        if record.header.kind == .end {
            awaited.remove(cause)
            ended.insert(cause)
            ending = cause
        }
        note(record)
    }

    private mutating func note(_ record: LoggedRecord<App>) {
        records[record.header.sequence] = record
        for (index, call) in record.header.commands.enumerated() where !call.presentational {
            awaited.insert(CommandID(sequence: record.header.sequence, index: UInt32(index)))
        }
    }

    func explanation(of sequence: UInt64, open: [OutboxRow]) -> Explanation<App> {
        let rows = Dictionary(open.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        return Explanation(sequence: sequence, roots: roots.compactMap { node($0, rows) }, isCut: isFull || lacksRoots)
    }

    private func node(_ sequence: UInt64, _ rows: [CommandID: OutboxRow]) -> Explanation<App>.Node? {
        guard let record = records[sequence] else { return nil }
        let commands = record.header.commands.enumerated().map { index, call in
            let id = CommandID(sequence: sequence, index: UInt32(index))
            let fate: Explanation<App>.Fate =
                if call.presentational {
                    .presentational
                } else if ended.contains(id) {
                    .ended
                } else if let row = rows[id] {
                    .open(row)
                } else {
                    .without
                }
            // A result always comes after its cause, so this ends.
            let results = (results[id] ?? []).filter { $0 > sequence }.compactMap { node($0, rows) }
            return Explanation<App>.Branch(id: id, call: call, fate: fate, results: results)
        }
        return Explanation<App>.Node(record: record, commands: commands)
    }
}
