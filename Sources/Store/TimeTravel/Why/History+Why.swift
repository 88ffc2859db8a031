import Chronicle
import ChronicleLog
public import ChronicleStore

extension History {
    public func why(_ sequence: UInt64) async throws(StoreError) -> Explanation<App> {
        try await query { (queries) async throws(StoreError) in
            guard try self.position(.sequence(sequence)) > self.base.sequence else { throw .pruned(base: self.base.sequence) }
            let (roots, isCut) = try self.roots(of: try self.root(of: sequence))
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
    private func roots(of root: LoggedRecord<App>) throws(StoreError) -> (records: [LoggedRecord<App>], isCut: Bool) {
        let head = log.head.sequence
        var (before, after): ([LoggedRecord<App>], [LoggedRecord<App>]) = ([], [])
        var isCut = false
        var place = root.header.sequence - 1
        while place > base.sequence {
            let record = try record(at: place)
            guard root.isKin(of: record) else { break }
            isCut = before.count >= HistoryLimits.answersMax - 1
            if isCut { break }
            before.append(record)
            place -= 1
        }
        place = root.header.sequence + 1
        while place <= head {
            let record = try record(at: place)
            guard root.isKin(of: record) else { break }
            guard before.count + after.count + 1 < HistoryLimits.answersMax else {
                return (before.reversed() + [root] + after, true)
            }
            after.append(record)
            place += 1
        }
        return (before.reversed() + [root] + after, isCut)
    }

    private func descend(_ chain: inout CausalChain<App>, _ queries: isolated Queries) async throws(StoreError) {
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
    /// Whether an adjacent record belongs to the same dispatch or command.
    fileprivate func isKin(of other: LoggedRecord) -> Bool {
        let (one, other) = (header, other.header)
        guard one.kind == .action || one.kind == .end, one.cause == other.cause, one.step == other.step else { return false }
        if one.cause != nil { return other.kind == .action || other.kind == .end }
        return one.kind == .action && other.kind == .action && one.origin == other.origin && one.undoes == other.undoes
            && one.key.map(ExactText.init) == other.key.map(ExactText.init)
    }
}
