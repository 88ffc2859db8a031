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
            if noted.contains(next) { return query.posting(of: hits, in: rest.clamped(to: noted)) }
            // The file of the current run is older than the run in memory.
            if order == .forward, noted.lowerBound > next { rest = next...min(rest.upperBound, noted.lowerBound - 1) }
            if order == .reverse, noted.upperBound < next { rest = max(rest.lowerBound, noted.upperBound + 1)...next }
        }
        let (touched, isWhole) = await loader.touched(query, in: rest, order, max: Limits.pageRecordsMax)
        if !isWhole { isIndexed.withLock { $0 = false } }
        return touched
    }

    func isUntouched(
        _ path: Path?, in segment: ClosedRange<UInt64>, _ queries: isolated QueryExecutor
    ) async throws(StoreError) -> Bool {
        guard segment.lowerBound < segment.upperBound else { return false }
        var rest: ClosedRange? = segment.lowerBound + 1...segment.upperBound
        while let part = rest {
            guard let touched = try await touched(path, in: part, .reverse, queries), touched.knowledge != .unknown,
                touched.sequences.isEmpty
            else { return false }
            rest = part.rest(after: touched.range, .reverse)
            try await queries.yieldIfNeeded()
        }
        return true
    }
}

/// Index result for a range: the records that changed a path.
struct PathPosting: Sendable {
    enum Knowledge: Sendable {
        /// Exactly these.
        case exact
        /// A superset.
        case candidates
        case unknown
    }

    var range: ClosedRange<UInt64>
    var knowledge: Knowledge
    /// In ascending order; empty for an unknown range.
    var sequences: [UInt64] = []
}

extension SnapshotLoader {
    nonisolated var keepsPlaces: Bool { files?.places != nil }

    nonisolated var placesMax: UInt64 { files?.places?.recordsMax ?? PathIndexRun.recordsMax }

    nonisolated var touchesMax: Int { files?.places?.touchesMax ?? 0 }

    nonisolated func firstOfPlaces(for sequence: UInt64) -> UInt64 {
        files?.places?.first(for: sequence) ?? sequence
    }

    /// Index result for the next records of a range, or of a part of it, and whether no file was missing or unusable.
    func touched(
        _ query: PlaceQuery, in rest: ClosedRange<UInt64>, _ order: LogQuery.Order, max: Int
    ) -> (touched: PathPosting, isWhole: Bool) {
        var whole = piece(query, of: rest, order)
        var isWhole = whole.knowledge != .unknown
        while whole.knowledge != .candidates, whole.sequences.count < max, let left = rest.rest(after: whole.range, order) {
            let next = piece(query, of: left, order)
            if next.knowledge == .unknown { isWhole = false }
            guard next.knowledge == whole.knowledge else { break }
            whole.range =
                order == .forward
                ? whole.range.lowerBound...next.range.upperBound : next.range.lowerBound...whole.range.upperBound
            whole.sequences = order == .forward ? whole.sequences + next.sequences : next.sequences + whole.sequences
        }
        return (whole, isWhole)
    }

    /// Index result for the next records in one run, from the end at which the order begins.
    private func piece(_ query: PlaceQuery, of rest: ClosedRange<UInt64>, _ order: LogQuery.Order) -> PathPosting {
        let next = order == .forward ? rest.lowerBound : rest.upperBound
        let first = firstOfPlaces(for: next)
        let all = Swift.max(rest.lowerBound, first)...min(rest.upperBound, first + placesMax - 1)
        guard let (summary, hits) = files?.places?.hits(query.keys, in: first) else {
            // Remove a damaged run, so that it is rebuilt.
            files?.places?.remove(first)
            return PathPosting(range: all, knowledge: .unknown)
        }
        guard isOurs(summary), summary.from <= summary.last, all.overlaps(summary.from...summary.last) else {
            return PathPosting(range: all, knowledge: .unknown)
        }
        let noted = all.clamped(to: summary.from...summary.last)
        if !noted.contains(next) {
            let range = order == .forward ? all.lowerBound...noted.lowerBound - 1 : noted.upperBound + 1...all.upperBound
            return PathPosting(range: range, knowledge: .unknown)
        }
        return query.posting(of: hits, in: noted)
    }

    /// Whether a run belongs to this code and to the current log.
    private func isOurs(_ summary: PlaceSummary) -> Bool {
        summary.fingerprint == fingerprint
            && log.isConsistent(sequence: summary.last, checksum: summary.checksum, redactions: summary.redactions)
    }

    /// The last run of this code and log, to continue it.
    func newestPlaces(through last: UInt64) -> PathIndexRun? {
        for first in (files?.places?.firsts() ?? []).reversed() {
            if let run = files?.places?.read(first), isOurs(run.summary), run.summary.last <= last { return run }
        }
        return nil
    }

    /// The first run that is missing or incomplete.
    func missingPlaces(from first: UInt64, before end: UInt64, base: UInt64) -> UInt64? {
        stride(from: first, to: end, by: UInt64.Stride(placesMax)).first { first in
            guard let summary = files?.places?.summary(first), isOurs(summary) else { return true }
            return summary.from > Swift.max(first, base + 1) || summary.last < first + placesMax - 1
        }
    }

    /// Saves a run; if that fails, it is rebuilt later.
    func leave(_ run: PathIndexRun) {
        let last = run.summary.last
        guard run.summary.from <= last, let checksum = try? log.checksum(of: last),
            log.redactions.leave(last, foldedAfter: run.summary.redactions), hasRoom(for: 0)
        else { return }
        var run = run
        (run.summary.checksum, run.summary.fingerprint) = (checksum, fingerprint)
        try? files?.places?.write(run)
    }
}
