public import Records
public import Reducing
public import Values

extension Store {
    /// Reads one page of records, at most `Limits.pageRecordsMax` of them and `Limits.pageBytesMax` bytes.
    ///
    /// - Returns: the records from `first` on; those after the last one returned are another page.
    /// - Throws: `.damaged` or `.undecodable` with the sequence of the first bad record, if that is the first one asked for; otherwise the
    ///   page ends before it. `.pruned` for what was compacted away.
    public nonisolated func records(
        from first: UInt64, through last: UInt64
    ) async throws(StoreError) -> [LoggedRecord<App>] {
        try await queries.perform { queries throws(StoreError) in
            try await queries.yieldIfNeeded()
            return try LoggedRecord<App>.page(from: first, through: last, in: self.log)
        }
    }

    /// The last sequence whose record is not younger than a time in microseconds since 1970; 0 if there is none.
    public nonisolated func sequence(atOrBefore time: Int64) async throws(StoreError) -> UInt64 {
        try await queries.perform { _ throws(StoreError) in
            try StoreError.reading { () throws(ActionLogError) in try self.log.sequence(atOrBefore: time) }
        }
    }
}

extension LoggedRecord where App.Action: CanonicalCodable {
    /// Reads one page of records, as ``Store/records(from:through:)`` gives them; takes as long as that takes.
    ///
    /// - Throws: what is wrong with the first of them; what is wrong further on ends the page.
    public static func page(
        from first: UInt64, through last: UInt64, in log: any ActionLog, recordsMax: Int = Limits.pageRecordsMax,
        bytesMax: Int = Limits.pageBytesMax
    ) throws(StoreError) -> [LoggedRecord] {
        var records: [LoggedRecord] = []
        var undecodable: StoreError?
        do throws(ActionLogError) {
            _ = try log.read(from: first, through: last, recordsMax: recordsMax, bytesMax: bytesMax) { header, payload in
                do throws(CanonicalError) {
                    records.append(try LoggedRecord(header, payload))
                    return true
                } catch {
                    undecodable = .undecodable(
                        sequence: header.sequence, what: "its action: \(error.sentence)")
                    return false
                }
            }
        } catch {
            if records.isEmpty { throw StoreError(error) }
        }
        if let undecodable, records.isEmpty { throw undecodable }
        return records
    }
}
