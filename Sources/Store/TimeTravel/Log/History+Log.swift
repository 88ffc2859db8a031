public import Chronicle
import ChronicleLog
public import ChronicleStore
import Expressions

extension History where App.Action: ValueConvertible {
    /// Begins a log query; by default, it ends at the last published record, or before the damage of a log opened read-only.
    public func log(_ query: LogQuery) async throws(StoreError) -> LogCursor<App> {
        // Before the base is looked up: an empty log that begins with a base publishes it a moment later.
        let shown = query.to == nil ? shown : nil
        var records = try await range(from: query.from, to: query.to)
        if let shown { records = records.lowerBound..<max(records.lowerBound, min(records.upperBound, shown + 1)) }
        let last = records.upperBound - 1
        var query = query
        if let path = query.path {
            query.path = try await self.query { (queries) async throws(StoreError) in
                try await self.resolved(path, at: last, queries)
            }
        }
        return LogCursor(query, records.isEmpty ? nil : ClosedRange(records))
    }

    /// The next page: about `Limits.pageRecordsMax` entries, or `HistoryLimits.pageChangedRecordsMax` with changes.
    ///
    /// It may be shorter, or empty, after `HistoryLimits.pageNanosecondsMax`. Only the first page of a long query may be refused.
    public func page(of cursor: inout LogCursor<App>) async throws(StoreError) -> [LogEntry<App>] {
        while true {
            do throws(StoreError) { return try await entries(of: &cursor) } catch {
                guard case .pruned(let base) = error, cursor.begin(after: base) else { throw error }
            }
        }
    }

    /// The next page of matching records, or none after `HistoryLimits.pageNanosecondsMax`; moves the cursor's `reached`.
    /// - Throws: `.damaged`, `.undecodable`, `.pruned` if the records were compacted away, `.stopping` when the task is cancelled.
    public func records(
        of cursor: inout FilterCursor<App>, through last: UInt64
    ) async throws(StoreError) -> [LoggedRecord<App>] {
        cursor.extend(through: last)
        return try await entries(of: &cursor.log).map(\.record)
    }

    private func entries(of cursor: inout LogCursor<App>) async throws(StoreError) -> [LogEntry<App>] {
        let exempt: QueryThread.Length? = cursor.query.isLong ? (cursor.follows ? .long : nil) : .short
        return try await nextPage(of: &cursor, exempt: exempt) { (cursor, queries) async throws(StoreError) in
            var entries: [LogEntry<App>] = []
            let end = monotonicNanoseconds() + HistoryLimits.pageNanosecondsMax
            if cursor.filter.looksAtStates {
                try await self.find(&cursor, until: end, queries)
                try self.readFound(&cursor) { entries.append($0) }
            } else {
                while let range = cursor.next(cursor.query.entriesMax - entries.count) {
                    let isWhole = try self.read(range, &cursor) { entries.append($0) }
                    // A follower gets its first records at once.
                    if !isWhole || cursor.follows && !entries.isEmpty || monotonicNanoseconds() > end { break }
                    try await queries.yieldIfNeeded()
                }
            }
            if cursor.rest == nil, cursor.pending.isEmpty, let last = cursor.finish() { entries.append(last) }
            if cursor.query.showsChanges { try await self.fillIn(&entries, at: cursor.query.path, queries) }
            return entries
        }
    }

    private func read(
        _ range: ClosedRange<UInt64>, _ cursor: inout LogCursor<App>, _ body: (LogEntry<App>) -> Void
    ) throws(StoreError) -> Bool {
        var piece = range
        var read = try readPiece(piece, cursor.filter)
        // Backwards, the end of the range is read first, and how much of it fits is known only after reading.
        while cursor.query.order == .reverse, read.last < piece.upperBound {
            piece = piece.lowerBound + (piece.upperBound - piece.lowerBound) / 2 + 1...piece.upperBound
            read = try readPiece(piece, cursor.filter)
        }
        for entry in cursor.query.order == .forward ? read.found : read.found.reversed() {
            if let finished = cursor.take(entry) { body(finished) }
        }
        piece = piece.lowerBound...read.last
        cursor.pass(piece)
        return piece == range
    }

    /// The entries of a range, up to `Limits.pageBytesMax` of records, and the last record read.
    func readPiece(
        _ range: ClosedRange<UInt64>, _ filter: LogFilter
    ) throws(StoreError) -> (found: [LogEntry<App>], last: UInt64, bytes: Int) {
        var found: [LogEntry<App>] = []
        var (next, bytes) = (range.upperBound + 1, 0)
        var failure: StoreError?
        do throws(ActionLogError) {
            next = try log.read(
                from: range.lowerBound, through: range.upperBound, recordsMax: .max, bytesMax: Limits.pageBytesMax
            ) { header, payload in
                let facts = RecordFacts(header)
                guard filter.mayContain(facts), filter.mayContain(payload) else { return true }
                do throws(CanonicalError) {
                    let record = try LoggedRecord<App>(header, payload)
                    let value = record.action?.value
                    guard filter.contains(facts, action: { value }) else { return true }
                    bytes += payload.byteCount
                    found.append(LogEntry(first: header.sequence, record: record, name: value?.actionName))
                    return true
                } catch {
                    failure = .undecodable(sequence: header.sequence, what: "its action: \(error.sentence)")
                    return false
                }
            }
        } catch {
            failure = StoreError(error)
        }
        guard let failure else { return (found, next - 1, bytes) }
        // The entries before the failure are returned first.
        guard let last = found.last?.last else { throw failure }
        return (found, last, bytes)
    }

    // Adds changes in log order, so that each state is folded from the previous one; with a path, only its changes.
    private func fillIn(_ entries: inout [LogEntry<App>], at path: Path?, _ queries: isolated QueryExecutor)
        async throws(StoreError)
    {
        let filter = ChangeFilter(path)
        for index in entries.indices.sorted(by: { entries[$0].first < entries[$1].first }) {
            let (old, new) = try await pair(entries[index].first - 1, entries[index].last, queries)
            let changes = App.changes(from: old.state, to: new.state, limit: HistoryLimits.changesMax)
            entries[index].changes = changes?.filter(filter.contains).map(filter.narrowed)
            try await queries.yieldIfNeeded()
        }
    }
}
