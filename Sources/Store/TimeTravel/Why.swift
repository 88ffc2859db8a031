public import Chronicle
public import ChronicleLog
public import ChronicleStore
import ChronicleValues

/// The cause of a record: the first dispatch of its chain, with everything that followed from its commands.
public struct Explanation<App: Feature>: Sendable {
    public var sequence: UInt64
    /// The records of the first dispatch, in order.
    public var roots: [UInt64]
    /// The roots, and the results of the commands of any of these records, in order.
    public var records: [LoggedRecord<App>]
    /// The outcome of each of their commands, in order.
    public var fates: [(id: CommandID, fate: Fate)]
    /// Whether parts were left out, because there are more than `HistoryLimits.answersMax`.
    public var isCut: Bool

    public enum Fate: Sendable, Equatable {
        /// Executed by the client that requested it.
        case presentational
        case open(OutboxRow)
        case ended
        /// Neither an end in the log nor a row in the outbox: it only cancelled others.
        case without
    }
}

extension History {
    public func why(_ sequence: UInt64) async throws(StoreError) -> Explanation<App> {
        try await query { (queries) async throws(StoreError) in
            guard try self.position(.sequence(sequence)) > self.base.sequence else { throw .pruned(base: self.base.sequence) }
            let (roots, isCut) = try await self.roots(of: try self.root(of: sequence), queries)
            var chain = CausalChain<App>(roots)
            let open = try StoreError.reading { () throws(ActionLogError) in try self.log.outbox() }
            try await self.descend(&chain, after: roots.last?.header.sequence ?? sequence, queries)
            let rows = Dictionary(open.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
            return Explanation(
                sequence: sequence, roots: roots.map(\.header.sequence), records: chain.records, fates: chain.fates(rows),
                isCut: isCut || chain.isFull)
        }
    }

    private func root(of sequence: UInt64) throws(StoreError) -> LoggedRecord<App> {
        var record = try self.record(at: sequence)
        // A cause always precedes its effect, so this ends.
        while let cause = record.header.cause, cause.sequence < record.header.sequence, cause.sequence > base.sequence {
            record = try self.record(at: cause.sequence)
        }
        return record
    }

    /// The adjacent records of the same dispatch or command, and whether some are left out.
    private func roots(
        of root: LoggedRecord<App>, _ queries: isolated QueryExecutor
    ) async throws(StoreError) -> (records: [LoggedRecord<App>], isCut: Bool) {
        var (records, isCut) = ([root], false)
        for isForward in [false, true] {
            _ = try await outermost(from: root, isForward: isForward, queries) { before, after in
                guard after.isKin(of: before) else { return false }
                guard records.count < HistoryLimits.answersMax else {
                    isCut = true
                    return false
                }
                records.insert(isForward ? after : before, at: isForward ? records.count : 0)
                return true
            }
        }
        return (records, isCut)
    }

    private func descend(
        _ chain: inout CausalChain<App>, after last: UInt64, _ queries: isolated QueryExecutor
    ) async throws(StoreError) {
        guard chain.awaitsMore else { return }
        var found: UInt64?
        try await walk(from: last + 1, through: log.head.sequence, queries) { record, _ in
            if chain.take(record) { found = record.sequence }
            return found == nil
        } between: { () throws(StoreError) in
            if let sequence = found { chain.add(try record(at: sequence)) }
            found = nil
            return chain.awaitsMore
        }
    }
}

/// The records caused by one dispatch, as far as found.
private struct CausalChain<App: Feature> {
    private(set) var records: [LoggedRecord<App>] = []
    // Commands whose end is not found yet, and the one that ended at the last record, whose result may continue.
    private var awaited: Set<CommandID> = []
    private var ending: CommandID?
    private var ended: Set<CommandID> = []

    init(_ roots: [LoggedRecord<App>]) { for root in roots { add(root) } }

    var isFull: Bool { records.count >= HistoryLimits.answersMax }

    /// Whether more of its records may follow.
    var awaitsMore: Bool { !isFull && (!awaited.isEmpty || ending != nil) }

    /// Whether the next record belongs to the chain.
    mutating func take(_ record: HeaderFields) -> Bool {
        if record.cause != ending { ending = nil }
        guard let cause = record.cause else { return false }
        return cause == ending || awaited.contains(cause)
    }

    mutating func add(_ record: LoggedRecord<App>) {
        records.append(record)
        if record.header.kind == .end, let cause = record.header.cause, awaited.remove(cause) != nil {
            ended.insert(cause)
            ending = cause
        }
        for (index, call) in record.header.commands.enumerated() where !call.presentational {
            awaited.insert(CommandID(sequence: record.header.sequence, index: UInt32(index)))
        }
    }

    func fates(_ open: [CommandID: OutboxRow]) -> [(id: CommandID, fate: Explanation<App>.Fate)] {
        records.flatMap { record in
            record.header.commands.enumerated().map { index, call -> (id: CommandID, fate: Explanation<App>.Fate) in
                let id = CommandID(sequence: record.header.sequence, index: UInt32(index))
                if call.presentational { return (id, .presentational) }
                return (id, ended.contains(id) ? .ended : open[id].map { .open($0) } ?? .without)
            }
        }
    }
}

extension LoggedRecord {
    /// Whether it belongs to the same dispatch or command as the preceding record.
    fileprivate func isKin(of before: LoggedRecord) -> Bool {
        let (one, other) = (before.header, header)
        guard one.cause != nil else { return other.isOfBatch(of: one) }
        return one.cause == other.cause && one.step == other.step
            && [one, other].allSatisfy { $0.kind == .action || $0.kind == .end }
    }
}

extension RecordHeader {
    /// Whether it belongs to the dispatch of the preceding record; without a key, it may be a later dispatch that continues the step.
    func isOfDispatch(of before: RecordHeader) -> Bool {
        guard step == before.step, cause == nil, kind == .action else { return false }
        // The cancellations of an undo precede its own records and have no key.
        guard before.kind == .action, before.cause == nil else { return before.kind == .end && before.origin == origin }
        return switch (key, before.key) {
        case (let key?, let other?): key.hasSameBytes(as: other)
        case (nil, nil): true
        default: false
        }
    }

    /// Whether it belongs to the dispatch, or to the undo of one step, of the preceding record.
    func isOfBatch(of before: RecordHeader) -> Bool {
        isOfDispatch(of: before) && before.kind == .action && origin == before.origin && undoes == before.undoes
    }
}
