import Chronicle
import ChronicleLog
public import ChronicleStore

extension History {
    public func why(_ sequence: UInt64) async throws(StoreError) -> Explanation<App> {
        try await query { (queries) async throws(StoreError) in
            guard try self.position(.sequence(sequence)) > self.base.sequence else { throw .pruned(base: self.base.sequence) }
            let (roots, isCut) = try await self.roots(of: try self.root(of: sequence), queries)
            var chain = CausalChain<App>(roots, isCut: isCut)
            let open = try StoreError.reading { () throws(ActionLogError) in try self.log.outbox() }
            try await self.descend(&chain, queries)
            return chain.explanation(of: sequence, open: open)
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

    private func descend(_ chain: inout CausalChain<App>, _ queries: isolated QueryExecutor) async throws(StoreError) {
        guard chain.awaitsMore else { return }
        var found: UInt64?
        try await walk(from: chain.first, through: log.head.sequence, queries) { record, _ in
            if let cause = record.cause, chain.awaits(cause) { found = record.sequence } else { chain.pass(record) }
            return found == nil
        } between: { () throws(StoreError) in
            if let sequence = found { chain.add(try record(at: sequence)) }
            found = nil
            return chain.awaitsMore
        }
    }

    func record(at sequence: UInt64) throws(StoreError) -> LoggedRecord<App> {
        guard let record = try records(from: sequence, through: sequence).first else {
            throw .futureSequence(head: log.head.sequence)
        }
        return record
    }

    func records(from first: UInt64, through last: UInt64) throws(StoreError) -> [LoggedRecord<App>] {
        try LoggedRecord<App>.page(
            from: first, through: last, in: log, recordsMax: 2 * HistoryLimits.pageRecordsMax + 1,
            bytesMax: HistoryLimits.pageBytesMax)
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
