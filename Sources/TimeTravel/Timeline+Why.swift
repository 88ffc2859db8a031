import ActionCoding
import ActionLogs
import Reducing
import StoreRuntime

extension Timeline {
    /// The tree of causes that a record stands in.
    public func why(_ sequence: UInt64) async throws(TravelError) -> Explanation<App> {
        try await query { (queries) async throws(TravelError) in
            guard try self.position(.sequence(sequence)) > self.base.sequence else { throw .pruned(base: self.base.sequence) }
            let roots = try self.roots(of: try self.root(of: sequence))
            var family = Family<App>(roots)
            let open = try TravelError.reading { () throws(ActionLogError) in try self.log.outbox() }
            try await self.descend(&family, queries)
            return family.explanation(of: sequence, open: open)
        }
    }

    /// The record with which a chain of causes begins.
    private func root(of sequence: UInt64) throws(TravelError) -> LoggedRecord<App> {
        var record = try self.record(at: sequence)
        // Each cause comes before what it brought about, so this ends.
        while let cause = record.header.cause, cause.sequence < record.header.sequence, cause.sequence > base.sequence {
            record = try self.record(at: cause.sequence)
        }
        return record
    }

    /// The records around one that came with the same dispatch.
    private func roots(of root: LoggedRecord<App>) throws(TravelError) -> [LoggedRecord<App>] {
        guard root.header.kind == .action, root.header.cause == nil else { return [root] }
        let sequence = root.header.sequence
        let reach = UInt64(TravelLimits.pageRecordsMax)
        let first = max(base.sequence + 1, sequence - min(sequence, reach))
        let around = try records(from: first, through: sequence + reach)
        let isKin = { (other: LoggedRecord<App>) in
            let (one, other) = (root.header, other.header)
            return other.kind == .action && other.cause == nil && other.step == one.step && other.origin == one.origin
                && other.key == one.key && other.undoes == one.undoes
        }
        let before = around.filter { $0.header.sequence < sequence }.reversed().prefix { isKin($0) }.reversed()
        let after = around.filter { $0.header.sequence > sequence }.prefix { isKin($0) }
        return before + [root] + after
    }

    /// Finds what came of the commands of a family, and of the commands of that.
    private func descend(_ family: inout Family<App>, _ queries: isolated Queries) async throws(TravelError) {
        let head = log.head.sequence
        while family.awaitsMore, family.next <= head {
            var found: [UInt64] = []
            var next = family.next
            let end = monotonicNanoseconds() + TravelLimits.sliceNanoseconds
            try TravelError.reading { () throws(ActionLogError) in
                next = try log.fold(from: next, through: head) { record, _ in
                    if let cause = record.cause, family.awaits(cause) { found.append(record.sequence) }
                    if found.isEmpty { family.pass(record) }
                    return found.isEmpty && (record.sequence % 1_024 != 0 || monotonicNanoseconds() < end)
                }
            }
            family.next = next
            for sequence in found { family.add(try record(at: sequence)) }
            try await breathe(queries)
        }
    }

    /// One record.
    func record(at sequence: UInt64) throws(TravelError) -> LoggedRecord<App> {
        guard let record = try records(from: sequence, through: sequence).first else { throw .future(head: log.head.sequence) }
        return record
    }

    /// One page of records.
    func records(from first: UInt64, through last: UInt64) throws(TravelError) -> [LoggedRecord<App>] {
        var records: [LoggedRecord<App>] = []
        var undecodable: TravelError?
        try TravelError.reading { () throws(ActionLogError) in
            _ = try log.read(
                from: first, through: last, recordsMax: 2 * TravelLimits.pageRecordsMax + 1, bytesMax: TravelLimits.pageBytesMax
            ) { header, payload in
                do throws(CanonicalError) {
                    records.append(try LoggedRecord(header, payload))
                    return true
                } catch {
                    undecodable = .damaged(
                        sequence: header.sequence, what: "its action can't be read by this version: \(error.reason)")
                    return false
                }
            }
        }
        if let undecodable, records.isEmpty { throw undecodable }
        return records
    }
}
