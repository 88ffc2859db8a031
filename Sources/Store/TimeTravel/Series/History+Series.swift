public import Chronicle
import ChronicleLog
public import ChronicleStore
import Expressions
import Synchronization

extension History where App.Action: ValueConvertible {
    /// Begins a series query.
    public func series(_ query: SeriesQuery) async throws(StoreError) -> SeriesCursor<App> {
        let records = try await range(from: query.from, to: query.to)
        return SeriesCursor(query: query, rest: records.isEmpty ? nil : ClosedRange(records))
    }

    /// The next points: at most `HistoryLimits.pageRecordsMax`; fewer, or none, after `HistoryLimits.pageNanosecondsMax`.
    /// - Throws: `tooManySteps` for more than `HistoryLimits.expressionStepsMax` evaluation steps in all.
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
            // The cached state may be the requested one.
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

    /// Folds for a slice and computes points; returns whether the last one is still pending.
    private func sample(
        _ past: inout PastState<App>, through goal: UInt64, last: UInt64, _ cursor: inout SeriesCursor<App>,
        _ sampler: inout Sampler<App>
    ) throws(StoreError) -> Bool {
        let (pace, before) = (cursor.query.pace, sampler.steps)
        var isPending = false
        try readSlice(from: past.sequence + 1, through: goal) { record, action in
            if case .steps = pace {
                // A step ends at the record before one of another step.
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

    /// The record of the next point, if known without reading the records between; `nil` also for a short distance.
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

    /// A cached state closer to a sequence, if loading it is faster than folding.
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
