import Chronicle
import ChronicleLog
import ChronicleStore
import Expressions
import Synchronization

extension History {
    /// The next records of (a part of) a range that changed a path; `nil` if the index can't answer; indexes a few new records first.
    func touched(
        _ path: Path?, in rest: ClosedRange<UInt64>, _ order: LogQuery.Order, _ queries: isolated QueryExecutor
    ) async throws(StoreError) -> PathPosting? {
        guard loader.keepsPlaces, let query = path.flatMap(places.query) else { return nil }
        if let last = noting.withLock({ $0?.past.sequence }), last < rest.upperBound,
            rest.upperBound - last <= HistoryLimits.shortFoldRecords
        {
            while try await note(through: rest.upperBound, queries) > 0 { try await queries.yieldIfNeeded() }
        }
        let (next, redactions) = (order == .forward ? rest.lowerBound : rest.upperBound, redactions)
        let (noted, hits) = noting.withLock { noted -> (ClosedRange<UInt64>?, [PlaceHit]) in
            guard let known = noted?.range(after: redactions) else { return (nil, []) }
            return (known, known.contains(next) ? noted?.places.hits(query.keys) ?? [] : [])
        }
        var rest = rest
        if let noted {
            if noted.contains(next) {
                let range = rest.clamped(to: noted)
                let (sequences, isExact) = query.chosen(hits, in: range)
                return PathPosting(
                    range: range, knowledge: isExact || sequences.isEmpty ? .exact : .candidates, sequences: sequences)
            }
            // The file of the current run is older than the run in memory.
            if order == .forward, noted.lowerBound > next { rest = next...min(rest.upperBound, noted.lowerBound - 1) }
            if order == .reverse, noted.upperBound < next { rest = max(rest.lowerBound, noted.upperBound + 1)...next }
        }
        let (touched, isWhole) = await loader.touched(query, in: rest, order, max: HistoryLimits.pageRecordsMax)
        if !isWhole { isIndexed.withLock { $0 = false } }
        return touched
    }

    func isUntouched(
        _ path: Path?, in segment: ClosedRange<UInt64>, _ queries: isolated QueryExecutor
    ) async throws(StoreError) -> Bool {
        guard segment.lowerBound < segment.upperBound else { return false }
        var rest = segment.lowerBound + 1...segment.upperBound
        while let touched = try await touched(path, in: rest, .reverse, queries) {
            guard touched.knowledge != .unknown, touched.sequences.isEmpty else { return false }
            if touched.range.lowerBound <= rest.lowerBound { return true }
            rest = rest.lowerBound...touched.range.lowerBound - 1
            try await queries.yieldIfNeeded()
        }
        return false
    }
}
