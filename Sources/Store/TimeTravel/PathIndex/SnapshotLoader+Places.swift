import Chronicle
import ChronicleLog

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
        var (whole, isWhole) = (PathPosting?.none, true)
        var left = rest
        while true {
            let piece = piece(query, of: left, order)
            if piece.knowledge == .unknown { isWhole = false }
            if let before = whole {
                guard piece.knowledge == before.knowledge else { return (before, isWhole) }
            }
            let known = whole?.sequences ?? []
            let before = whole?.range ?? piece.range
            let joined = min(before.lowerBound, piece.range.lowerBound)...Swift.max(before.upperBound, piece.range.upperBound)
            let found = PathPosting(
                range: joined, knowledge: piece.knowledge,
                sequences: order == .forward ? known + piece.sequences : piece.sequences + known)
            whole = found
            if found.knowledge == .candidates || found.sequences.count >= max { return (found, isWhole) }
            switch order {
            case .forward where joined.upperBound < rest.upperBound: left = joined.upperBound + 1...rest.upperBound
            case .reverse where joined.lowerBound > rest.lowerBound: left = rest.lowerBound...joined.lowerBound - 1
            default: return (found, isWhole)
            }
        }
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
        let (sequences, isExact) = query.chosen(hits, in: noted)
        return PathPosting(range: noted, knowledge: isExact || sequences.isEmpty ? .exact : .candidates, sequences: sequences)
    }

    /// Whether a run belongs to this code and to the current log.
    private func isOurs(_ summary: PlaceSummary) -> Bool {
        summary.fingerprint == fingerprint
            && log.isConsistent(sequence: summary.last, checksum: summary.checksum, redactions: summary.redactions)
    }

    /// The run that begins with a record, if it ends at or before `last`, to continue it.
    func places(_ first: UInt64, through last: UInt64) -> PathIndexRun? {
        guard let run = files?.places?.read(first), isOurs(run.summary), run.summary.last <= last else { return nil }
        return run
    }

    /// The last run of this code and log, to continue it.
    func newestPlaces(through last: UInt64) -> PathIndexRun? {
        for first in (files?.places?.firsts() ?? []).reversed() {
            if let run = places(first, through: last) { return run }
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
