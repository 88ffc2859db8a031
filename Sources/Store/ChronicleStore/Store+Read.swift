public import Chronicle
public import ChronicleLog

extension Store {
    /// Reads one page of records, at most `Limits.pageRecordsMax` of them and `Limits.pageBytesMax` bytes.
    /// - Throws: `.damaged` or `.undecodable` if the first record is bad (a later one ends the page), `.pruned` if it was compacted away.
    public nonisolated func records(from first: UInt64, through last: UInt64) async throws(StoreError) -> [LoggedRecord<App>] {
        try await queries.perform { queries throws(StoreError) in
            try await queries.yieldIfNeeded()
            return try LoggedRecord<App>.page(from: first, through: last, in: self.log)
        }
    }

    /// The last record at or before a time in microseconds since 1970; 0: none.
    public nonisolated func sequence(atOrBefore time: Int64) async throws(StoreError) -> UInt64 {
        try await queries.perform { _ throws(StoreError) in
            try StoreError.reading { () throws(ActionLogError) in try self.log.sequence(atOrBefore: time) }
        }
    }
}

extension LoggedRecord where App.Action: CanonicalCodable {
    /// Reads one page of records on the calling thread, like ``Store/records(from:through:)``.
    /// - Throws: the error of the first record; a later one ends the page.
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
                    undecodable = .undecodable(sequence: header.sequence, what: "its action: \(error.sentence)")
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
