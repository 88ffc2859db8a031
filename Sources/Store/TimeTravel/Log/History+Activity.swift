public import Chronicle
import ChronicleLog
public import ChronicleStore

extension History where App.Action: ValueConvertible {
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
