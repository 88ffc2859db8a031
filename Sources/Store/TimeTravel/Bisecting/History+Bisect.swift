import Chronicle
public import ChronicleStore
public import Expressions

extension History {
    /// Finds the first record after which an expression is true.
    ///
    /// The binary search samples up to `HistoryLimits.samplesMax` points, at cached states if possible, and bisects the first interval in
    /// which the expression became true.
    /// - Parameters:
    ///   - good: a point at which it is false.
    ///   - bad: a later point at which it is true.
    ///   - method: `nil`: linear for up to `HistoryLimits.bisectRecordsMax` records.
    public func bisect(
        where expression: Expression, good: Point = .start, bad: Point = .now, by method: Bisection.Method? = nil,
        progress: @Sendable (UInt64) -> Void = { _ in }
    ) async throws(StoreError) -> Bisection {
        try await query(.long) { (queries) async throws(StoreError) in
            let range = try self.range(good, bad)
            let isShort = range.upperBound - range.lowerBound <= HistoryLimits.bisectRecordsMax
            var bisection =
                switch method ?? (isShort ? .linear : .halving) {
                case .linear: try await self.search(expression, range, progress, queries)
                case .halving: try await self.halve(expression, range, queries)
                }
            if case .found(let sequence) = bisection.outcome { bisection.changes = try await self.changes(by: sequence, queries) }
            return bisection
        }
    }

    func range(_ from: Point, _ to: Point) throws(StoreError) -> ClosedRange<UInt64> {
        let (from, to) = (try position(from), try position(to))
        guard from <= to else { throw .emptyRange(from: from, to: to) }
        return from...to
    }

    private func search(
        _ expression: Expression, _ range: ClosedRange<UInt64>, _ progress: (UInt64) -> Void, _ queries: isolated Queries
    ) async throws(StoreError) -> Bisection {
        let start = try await past(at: range.lowerBound, queries)
        var looks: [Bisection.Look] = []
        try await scan(
            expression, from: start, through: range.upperBound, HistoryLimits.expressionStepsMax, queries, progress: progress
        ) {
            sequence, holds in
            looks.append(Bisection.Look(sequence: sequence, holds: holds))
            return !holds
        }
        let outcome: Bisection.Outcome =
            switch looks.last {
            case let look? where look.holds: looks.count == 1 ? .heldAtStart : .found(look.sequence)
            default: .neverHeld
            }
        if case .neverHeld = outcome { looks.append(Bisection.Look(sequence: range.upperBound, holds: false)) }
        return Bisection(outcome: outcome, method: .linear, range: range, looks: looks, changes: [])
    }

    private func halve(
        _ expression: Expression, _ range: ClosedRange<UInt64>, _ queries: isolated Queries
    ) async throws(StoreError) -> Bisection {
        var looks: [Bisection.Look] = []
        var budget = HistoryLimits.expressionStepsMax
        // State of the last false point, from which the bisection folds.
        var low: PastState<App>?
        for sequence in try await moments(in: range, queries) {
            // Points without a cached state are close to the previous one.
            let past = try await past(at: sequence, from: looks.last?.sequence == low?.sequence ? low : nil, queries)
            let holds = try await holds(expression, in: past, &budget, queries)
            looks.append(Bisection.Look(sequence: sequence, holds: holds))
            if !holds, looks.allSatisfy({ !$0.holds }) { low = past }
        }
        guard let first = looks.first, !first.holds, let start = low else {
            return Bisection(outcome: .heldAtStart, method: .halving, range: range, looks: looks, changes: [])
        }
        guard let high = looks.first(where: \.holds) else {
            return Bisection(outcome: .neverHeld, method: .halving, range: range, looks: looks, changes: [])
        }
        let found = try await halve(expression, after: start, through: high.sequence, &looks, &budget, queries)
        looks.sort { $0.sequence < $1.sequence }
        return Bisection(outcome: .found(found), method: .halving, range: range, looks: looks, changes: [])
    }

    private func halve(
        _ expression: Expression, after start: PastState<App>, through end: UInt64, _ looks: inout [Bisection.Look],
        _ budget: inout Int, _ queries: isolated Queries
    ) async throws(StoreError) -> UInt64 {
        var (low, high) = (start, end)
        while high - low.sequence > 1 {
            let middle = low.sequence + (high - low.sequence) / 2
            let past = try await past(at: middle, from: low, queries)
            let holds = try await holds(expression, in: past, &budget, queries)
            looks.append(Bisection.Look(sequence: middle, holds: holds))
            if holds { high = middle } else { low = past }
        }
        return high
    }

    /// The state at a sequence, folded from the given state unless a cached one is closer.
    private func past(
        at sequence: UInt64, from low: PastState<App>?, _ queries: isolated Queries
    ) async throws(StoreError) -> PastState<App> {
        guard let low, low.sequence <= sequence, sequence - low.sequence <= HistoryLimits.shortFoldRecords else {
            return try await past(at: sequence, queries)
        }
        var past = low
        try await fold(&past, through: sequence, queries)
        return past
    }

    /// The ends of a range and samples between them: at cached states, or else evenly spaced.
    private func moments(in range: ClosedRange<UInt64>, _ queries: isolated Queries) async throws(StoreError) -> [UInt64] {
        var kept = await loader.sequences(in: range)
        try await queries.yieldIfNeeded()
        let count = HistoryLimits.samplesMax
        let length = range.upperBound - range.lowerBound
        if kept.isEmpty, length <= HistoryLimits.shortFoldRecords * 2 {
            kept = (1...UInt64(count)).map { range.lowerBound + length * $0 / UInt64(count) }
        }
        let inner = kept.filter { $0 > range.lowerBound && $0 < range.upperBound }
        let chosen = inner.count <= count ? inner : (0..<count).map { inner[$0 * inner.count / count] }
        return Set([range.lowerBound, range.upperBound] + chosen).sorted()
    }
}
