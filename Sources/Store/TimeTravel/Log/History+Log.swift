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

    /// The records between two points, both included; empty if no record follows the given time or start.
    /// - Throws: `emptyRange` if the end precedes the beginning, and the errors of resolving a point.
    public func range(from: Point?, to: Point?) async throws(StoreError) -> Range<UInt64> {
        let first = try await first(of: from)
        let last = try await resolve(to ?? .now)
        if first <= last { return first..<last + 1 }
        let isReversed =
            switch (from, to) {
            case (nil, _): false
            case (.time(let from), .time(let to)): from > to
            case (.time, _): false
            case (let from?, _): try await resolve(from) > last
            }
        guard first == last + 1, !isReversed else { throw .emptyRange(from: first, to: last) }
        return first..<first
    }

    /// The record that leads to a point; for a time, the first record at or after it.
    /// - Throws: `futureSequence`, also for a future time, and the errors of resolving a point.
    public func first(of point: Point?) async throws(StoreError) -> UInt64 {
        guard let point else { return base.sequence + 1 }
        guard case .time(let time) = point else { return max(try await resolve(point), base.sequence + 1) }
        try checkHasCome(time)
        let first = try await query { (queries) async throws(StoreError) in
            try StoreError.reading { () throws(ActionLogError) in try self.log.sequence(atOrAfter: time) }
        }
        return max(first, base.sequence + 1)
    }

    /// The next page: about `HistoryLimits.pageRecordsMax` entries, or `HistoryLimits.pageChangedRecordsMax` with changes.
    ///
    /// It may be shorter, or empty, after `HistoryLimits.pageNanosecondsMax`. Only the first page of a long query may be refused.
    public func page(of cursor: inout LogCursor<App>) async throws(StoreError) -> [LogEntry<App>] {
        while true {
            do throws(StoreError) { return try await nextPage(of: &cursor) } catch {
                guard case .pruned(let base) = error, cursor.begin(after: base) else { throw error }
            }
        }
    }

    private func nextPage(of cursor: inout LogCursor<App>) async throws(StoreError) -> [LogEntry<App>] {
        let start = cursor
        let advance = {
            @Sendable (queries: isolated QueryExecutor) async throws(StoreError) -> ([LogEntry<App>], LogCursor<App>) in
            var cursor = start
            var entries: [LogEntry<App>] = []
            let end = monotonicNanoseconds() + HistoryLimits.pageNanosecondsMax
            if cursor.filter.looksAtStates {
                try await self.find(&cursor, until: end, queries)
                try self.readFound(&cursor) { entries.append($0) }
            } else {
                while let range = cursor.next(cursor.query.entriesMax - entries.count) {
                    let isWhole = try self.read(range, &cursor) { entries.append($0) }
                    if !isWhole || monotonicNanoseconds() > end { break }
                    try await queries.yieldIfNeeded()
                }
            }
            if cursor.rest == nil, cursor.pending.isEmpty, let last = cursor.finish() { entries.append(last) }
            if cursor.query.showsChanges { try await self.fillIn(&entries, at: cursor.query.path, queries) }
            cursor.hasBegun = true
            return (entries, cursor)
        }
        let (entries, rest) =
            switch (start.query.isLong, start.hasBegun) {
            case (false, _): try await queries.perform(.short, advance)
            case (true, false): try await queries.admit(.long, advance)
            case (true, true): try await queries.goOn(.long, advance)
            }
        cursor = rest
        return entries
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

    /// The entries of a range, up to `HistoryLimits.pageBytesMax` of records, and the last record read.
    func readPiece(
        _ range: ClosedRange<UInt64>, _ filter: LogFilter
    ) throws(StoreError) -> (found: [LogEntry<App>], last: UInt64, bytes: Int) {
        var found: [LogEntry<App>] = []
        var next = range.upperBound + 1
        var bytes = 0
        var undecodable: StoreError?
        try StoreError.reading { () throws(ActionLogError) in
            next = try log.read(
                from: range.lowerBound, through: range.upperBound, recordsMax: .max, bytesMax: HistoryLimits.pageBytesMax
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
                    undecodable = .undecodable(
                        sequence: header.sequence, what: "its action: \(error.sentence)")
                    return false
                }
            }
        }
        if let undecodable { throw undecodable }
        return (found, next - 1, bytes)
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

    /// Counts the records between two points, both included, in equal intervals; binary search reads only a few per interval.
    ///
    /// A point given as a time is the exact end of the range; otherwise the range ends at the time of the first or last record.
    /// - Parameter count: at least 1.
    /// - Throws: the errors of `range(from:to:)`.
    public func activity(from: Point? = nil, to: Point? = nil, stretches count: Int) async throws(StoreError) -> Activity {
        while true {
            let base = base.sequence
            do throws(StoreError) {
                let records = try await range(from: from, to: to)
                return try await query { (queries) async throws(StoreError) in
                    try await self.activity(of: records, from: from, to: to, stretches: count, queries)
                }
            } catch {
                // After a concurrent compaction, retry with the new base, unless the caller specified the beginning.
                guard case .pruned = error, from == nil, self.base.sequence > base else { throw error }
            }
        }
    }

    private func activity(
        of records: Range<UInt64>, from: Point?, to: Point?, stretches count: Int, _ queries: isolated QueryExecutor
    ) async throws(StoreError) -> Activity {
        let (before, last) = (records.lowerBound - 1, records.upperBound - 1)
        let end = if case .time(let time) = to { time } else { try time(of: last) }
        let begin = if case .time(let time) = from { time } else { try time(of: min(records.lowerBound, last)) }
        var activity = Activity(from: begin, to: max(begin, end), sequences: Array(repeating: last, count: count + 1))
        activity.sequences[0] = before
        // From the middle outwards, so that each search is bounded by its neighbors and empty ranges are skipped.
        var pieces = [0...count]
        while let piece = pieces.popLast() {
            let (low, high) = (activity.sequences[piece.lowerBound], activity.sequences[piece.upperBound])
            guard piece.count > 2 else { continue }
            let middle = (piece.lowerBound + piece.upperBound) / 2
            let time = activity.end(of: middle, among: count)
            activity.sequences[middle] =
                low == high
                ? low
                : try StoreError.reading { () throws(ActionLogError) in try log.sequence(atOrBefore: time, in: low + 1...high) }
            pieces += [piece.lowerBound...middle, middle...piece.upperBound]
            try await queries.yieldIfNeeded()
        }
        return activity
    }

    /// The time of a record or the base, in microseconds since 1970.
    func time(of sequence: UInt64) throws(StoreError) -> Int64 {
        let base = base
        if sequence == base.sequence { return base.time }
        return try StoreError.reading { () throws(ActionLogError) in
            var time: Int64 = 0
            _ = try log.fold(from: sequence, through: sequence) { record, _ in
                time = record.time
                return true
            }
            return time
        }
    }
}

/// Number of records in equal intervals of time.
public struct Activity: Sendable, Equatable {
    /// Start of the first interval, in microseconds since 1970.
    public var from: Int64
    public var to: Int64
    /// The record before the first interval, then the last record of each interval: differences of adjacent entries are the counts.
    public var sequences: [UInt64]

    /// The end of an interval, counted from 1.
    fileprivate func end(of stretch: Int, among count: Int) -> Int64 {
        let (whole, rest) = UInt64(bitPattern: to &- from).quotientAndRemainder(dividingBy: UInt64(count))
        return from &+ Int64(bitPattern: whole * UInt64(stretch) + rest * UInt64(stretch) / UInt64(count))
    }
}
