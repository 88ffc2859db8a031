import Records
public import Reducing
public import StoreRuntime
import Values

/// How many records came in each of equal stretches of time.
public struct Activity: Sendable, Equatable {
    /// When the first stretch begins, in microseconds since 1970.
    public var from: Int64
    /// When the last one ends.
    public var to: Int64
    /// The record before the first one, then for each stretch the last record at or before its end: how many came in it is the difference
    /// from one to the next.
    public var sequences: [UInt64]

    /// The end of a stretch, counted from 1.
    fileprivate func end(of stretch: Int, among count: Int) -> Int64 {
        let (whole, rest) = UInt64(bitPattern: to &- from).quotientAndRemainder(dividingBy: UInt64(count))
        return from &+ Int64(bitPattern: whole * UInt64(stretch) + rest * UInt64(stretch) / UInt64(count))
    }
}

extension History where App.Action: ValueConvertible {
    /// How many of the records between two points, both included, came in each of so many equal stretches of the time between them.
    ///
    /// A time that a point names is an end of that time as it is; else it is the time of the first, or of the last record. No record is
    /// read but those whose times are compared: some for each stretch.
    ///
    /// - Parameter count: at least 1.
    /// - Throws: what `range(from:to:)` throws.
    public func activity(from: Point? = nil, to: Point? = nil, stretches count: Int) async throws(StoreError) -> Activity {
        while true {
            let base = base.sequence
            do throws(StoreError) {
                let records = try await range(from: from, to: to)
                return try await query { (queries) async throws(StoreError) in
                    try await self.activity(of: records, from: from, to: to, stretches: count, queries)
                }
            } catch {
                // Compacted meanwhile, what stays is asked for, unless somebody named the beginning.
                guard case .pruned = error, from == nil, self.base.sequence > base else { throw error }
            }
        }
    }

    private func activity(
        of records: Range<UInt64>, from: Point?, to: Point?, stretches count: Int, _ queries: isolated Queries
    ) async throws(StoreError) -> Activity {
        let (before, last) = (records.lowerBound - 1, records.upperBound - 1)
        let end = if case .time(let time) = to { time } else { try time(of: last) }
        let begin = if case .time(let time) = from { time } else { try time(of: min(records.lowerBound, last)) }
        var activity = Activity(from: begin, to: max(begin, end), sequences: Array(repeating: last, count: count + 1))
        activity.sequences[0] = before
        // From the middle outwards, so that each is looked for between its neighbours, and where nothing came not at all.
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

    /// The time of a record, in microseconds since 1970; that of the base, too.
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
