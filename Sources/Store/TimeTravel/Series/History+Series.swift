import Expressions
import Records
public import Reducing
public import StoreRuntime
import Synchronization
import Values

extension History where App.Action: ValueConvertible {
    /// Begins to answer a query for a series.
    public func series(_ query: SeriesQuery) async throws(StoreError) -> SeriesCursor<App> {
        let records = try await range(from: query.from, to: query.to)
        return SeriesCursor(query: query, rest: records.isEmpty ? nil : ClosedRange(records))
    }

    /// The next points, in order: `HistoryLimits.pageRecordsMax` at most, and fewer, or none, when that is all that was found within
    /// `HistoryLimits.pageNanosecondsMax`.
    ///
    /// A page is one of the long queries: the first may be refused, later ones wait for a place.
    /// - Throws: `tooManySteps` when the expression takes more than `HistoryLimits.expressionStepsMax` in all.
    public func page(of cursor: inout SeriesCursor<App>) async throws(StoreError) -> [SeriesPoint] {
        let start = cursor
        let advance = { @Sendable (queries: isolated Queries) async throws(StoreError) -> ([SeriesPoint], SeriesCursor<App>) in
            var cursor = start
            let points = try await self.points(&cursor, queries)
            cursor.hasBegun = true
            return (points, cursor)
        }
        let (points, rest) = start.hasBegun ? try await queries.goOn(.long, advance) : try await queries.admit(.long, advance)
        cursor = rest
        return points
    }

    private func points(
        _ cursor: inout SeriesCursor<App>, _ queries: isolated Queries
    ) async throws(StoreError) -> [SeriesPoint] {
        guard let rest = cursor.rest else { return [] }
        let end = monotonicNanoseconds() + HistoryLimits.pageNanosecondsMax
        var past = try await past(at: rest.lowerBound - 1, queries)
        var sampler = Sampler<App>(cursor.query.expression)
        while past.sequence < rest.upperBound, sampler.points.count < HistoryLimits.pageRecordsMax, monotonicNanoseconds() < end {
            let goal = try goal(of: cursor.query.pace, after: past.sequence, through: rest.upperBound)
            if let goal, let nearer = try await nearer(past, to: goal, &cursor, queries) {
                past = nearer
                sampler.forget()
            }
            let before = (steps: sampler.steps, sequence: past.sequence)
            // A state that is kept may be the very one.
            let isPending =
                past.sequence == goal
                ? !sampler.take(past)
                : try sample(&past, through: goal ?? rest.upperBound, last: rest.upperBound, &cursor, &sampler)
            counting.withLock { [past] in $0.folded += past.sequence - before.sequence }
            while isPending, !sampler.goOn() {
                guard cursor.stepsLeft > sampler.steps - before.steps else { throw .tooManySteps(reached: past.sequence) }
                try await queries.yieldIfNeeded()
            }
            cursor.stepsLeft -= sampler.steps - before.steps
            guard cursor.stepsLeft > 0 else { throw .tooManySteps(reached: past.sequence) }
            try await queries.yieldIfNeeded()
        }
        cursor.told = sampler.points.last?.sequence ?? cursor.told
        cursor.rest = past.sequence < rest.upperBound ? past.sequence + 1...rest.upperBound : nil
        if cursor.rest != nil {
            keep(&past, insteadOf: cursor.kept)
            cursor.kept = past.sequence
        }
        return sampler.points
    }

    /// Folds on for a slice, to a sequence at most, and computes the points on the way; gives whether the last one is not computed yet.
    private func sample(
        _ past: inout PastState<App>, through goal: UInt64, last: UInt64, _ cursor: inout SeriesCursor<App>,
        _ sampler: inout Sampler<App>
    ) throws(StoreError) -> Bool {
        let (pace, before) = (cursor.query.pace, sampler.steps)
        var isPending = false
        try readSlice(from: past.sequence + 1, through: goal) { record, action in
            if case .steps = pace {
                // It ends with the record before one of another step.
                let ends = cursor.step.map { $0 != record.step } ?? false
                if ends, past.sequence != sampler.points.last?.sequence ?? cursor.told {
                    isPending = !sampler.take(past)
                    if isPending || !goesOn(sampler, since: before) { return false }
                }
                cursor.step = record.step
            }
            past.apply(action, of: record)
            let isPoint =
                switch pace {
                case .time: past.sequence == goal
                case .records(let count): past.sequence % count == 0 || past.sequence == last
                case .steps: past.sequence == last
                }
            if isPoint { isPending = !sampler.take(past) }
            return !isPending && goesOn(sampler, since: before)
        }
        return isPending
    }

    private func goesOn(_ sampler: Sampler<App>, since steps: Int) -> Bool {
        sampler.points.count < HistoryLimits.pageRecordsMax && sampler.steps - steps < HistoryLimits.sliceSteps
    }

    /// The record after which the next point stands, where that is known without looking at the records between; `nil`: it is not, or
    /// there may be many on a short way.
    private func goal(of pace: SeriesQuery.Pace, after sequence: UInt64, through last: UInt64) throws(StoreError) -> UInt64? {
        switch pace {
        case .steps: return nil
        case .records(let count):
            guard count > HistoryLimits.shortFoldRecords else { return nil }
            return last - sequence > count - sequence % count ? sequence + (count - sequence % count) : last
        case .time(let clock, let stretch):
            let end = clock.end(of: stretch, at: try time(of: sequence + 1))
            return try StoreError.reading { () throws(ActionLogError) in
                min(last, max(sequence + 1, try log.sequence(atOrBefore: end == .max ? .max : end - 1)))
            }
        }
    }

    /// A state that is kept and closer to a sequence than one at hand, if to load it takes less than to fold what is between them.
    private func nearer(
        _ past: PastState<App>, to goal: UInt64, _ cursor: inout SeriesCursor<App>, _ queries: isolated Queries
    ) async throws(StoreError) -> PastState<App>? {
        guard goal - past.sequence > HistoryLimits.shortFoldRecords else { return nil }
        if let present = present(at: goal) { return present }
        let redactions = log.redactions.count
        guard cursor.usesFiles, let file = await loader.newestFile(in: past.sequence + 1...goal),
            file.bytes / HistoryLimits.snapshotBytesPerRecord < file.sequence - past.sequence
        else { return nil }
        var found = await loader.newest(in: past.sequence + 1...goal) { self.cache.withLock { $0.removeLarge() } }
        try await queries.yieldIfNeeded()
        found?.redactions = redactions
        if found != nil { counting.withLock { $0.decoded += 1 } } else { cursor.usesFiles = false }
        return found
    }
}
