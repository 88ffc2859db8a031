public import Chronicle
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
        _ expression: Expression, _ range: ClosedRange<UInt64>, _ progress: (UInt64) -> Void, _ queries: isolated QueryExecutor
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
        _ expression: Expression, _ range: ClosedRange<UInt64>, _ queries: isolated QueryExecutor
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
        _ budget: inout Int, _ queries: isolated QueryExecutor
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

    private func past(
        at sequence: UInt64, from low: PastState<App>?, _ queries: isolated QueryExecutor
    ) async throws(StoreError) -> PastState<App> {
        guard let low, low.sequence <= sequence, sequence - low.sequence <= HistoryLimits.shortFoldRecords else {
            return try await past(at: sequence, queries)
        }
        var past = low
        try await fold(&past, through: sequence, queries)
        return past
    }

    private func moments(in range: ClosedRange<UInt64>, _ queries: isolated QueryExecutor) async throws(StoreError) -> [UInt64] {
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

    public enum Wanted: Sendable {
        case first
        /// All, up to `HistoryLimits.answersMax` ranges.
        case all
    }

    /// Checks whether an expression is true at all points of a range.
    /// - Throws: `tooManySteps` when its evaluation takes more than `stepsMax` steps.
    public func check(
        where expression: Expression, from: Point = .start, to: Point = .now, _ wanted: Wanted = .first,
        stepsMax: Int = HistoryLimits.expressionStepsMax, progress: @Sendable (UInt64) -> Void = { _ in }
    ) async throws(StoreError) -> Violations {
        try await query(.long) { (queries) async throws(StoreError) in
            let range = try self.range(from, to)
            var violations = Violations(range: range, ranges: [], isCut: false)
            var begun: UInt64?
            let start = try await self.past(at: range.lowerBound, queries)
            try await self.scan(expression, from: start, through: range.upperBound, stepsMax, queries, progress: progress) {
                sequence, holds in
                if let first = begun, holds {
                    violations.ranges.append(first...sequence - 1)
                    begun = nil
                }
                guard !holds else { return true }
                violations.isCut = violations.ranges.count >= HistoryLimits.answersMax
                if !violations.isCut { begun = sequence }
                return wanted == .all && !violations.isCut
            }
            if let begun { violations.ranges.append(begun...(wanted == .all ? range.upperBound : begun)) }
            return violations
        }
    }

    func holds(
        _ expression: Expression, in past: PastState<App>, _ budget: inout Int, _ queries: isolated QueryExecutor
    ) async throws(StoreError) -> Bool {
        var evaluation = expression.evaluation(in: StateReading<App>(past.state), facts: past.facts)
        return try await finish(&evaluation, at: past.sequence, &budget, queries)
    }

    func finish(
        _ evaluation: inout Evaluation<StateReading<App>>, at sequence: UInt64, _ budget: inout Int,
        _ queries: isolated QueryExecutor
    ) async throws(StoreError) -> Bool {
        while true {
            let before = evaluation.steps
            let holds = evaluation.advance(steps: HistoryLimits.expressionSteps)
            budget -= evaluation.steps - before
            if let holds { return holds }
            guard budget > 0 else { throw .tooManySteps(reached: sequence) }
            try await queries.yieldIfNeeded()
        }
    }

    /// Evaluates an expression record by record, incrementally; reports its first value and each change until the closure returns `false`.
    func scan(
        _ expression: Expression, from start: PastState<App>, through last: UInt64, _ budget: Int,
        _ queries: isolated QueryExecutor,
        progress: (UInt64) -> Void, _ body: (UInt64, Bool) -> Bool
    ) async throws(StoreError) {
        var past = start
        var budget = budget
        progress(past.sequence)
        var following = ExpressionTracker<App>(expression, in: past)
        var holds = try await finish(&following.evaluation, at: past.sequence, &budget, queries)
        guard body(past.sequence, holds) else { return }
        while past.sequence < last {
            var isPending = false
            var goesOn = true
            var steps = 0
            try foldSlice(&past, through: last) { past, _ in
                guard following.follow(past) else { return true }
                let now = following.evaluation.advance(steps: HistoryLimits.expressionSteps)
                steps += following.evaluation.steps
                guard let now else {
                    isPending = true
                    return false
                }
                if now != holds {
                    holds = now
                    goesOn = body(past.sequence, now)
                }
                return goesOn && steps < HistoryLimits.sliceSteps
            }
            budget -= steps
            if isPending {
                let now = try await finish(&following.evaluation, at: past.sequence, &budget, queries)
                if now != holds {
                    holds = now
                    goesOn = body(past.sequence, now)
                }
            }
            guard goesOn else { return }
            guard budget > 0 else { throw .tooManySteps(reached: past.sequence) }
            progress(past.sequence)
            try await queries.yieldIfNeeded()
        }
    }
}

public struct Bisection: Sendable {
    public enum Outcome: Sendable, Equatable {
        case found(UInt64)
        case heldAtStart
        /// False at the end and at all evaluated points.
        case neverHeld
    }

    public struct Look: Sendable, Equatable {
        public var sequence: UInt64
        public var holds: Bool
    }

    public enum Method: String, Sendable {
        /// Binary search between samples: fast, and exact if the expression became true only once.
        case halving
        /// Linear search: always finds the first record.
        case linear
    }

    public var outcome: Outcome
    public var method: Method
    public var range: ClosedRange<UInt64>
    /// The evaluated points, by sequence; a linear search lists only the ends and the result.
    public var looks: [Look]
    /// The changes of the found record; `nil` for more than `HistoryLimits.changesMax`.
    public var changes: [Change]?

    /// Number of times that the value changed between evaluated points; if more than 1, a linear search may find an earlier record.
    public var flips: Int { zip(looks, looks.dropFirst()).count { $0.holds != $1.holds } }
}

public struct Violations: Sendable {
    public var range: ClosedRange<UInt64>
    /// The ranges in which it is false, in order; with `Wanted.first`, one range of one record.
    public var ranges: [ClosedRange<UInt64>]
    public var isCut: Bool
}

struct ExpressionTracker<App: Feature> where App.State: CanonicalCodable, App.Action: CanonicalCodable {
    private let expression: Expression
    // The scopes that the expression reads; `nil`: unknown.
    private let scopes: ScopeSet?
    private var state: App.State
    var evaluation: Evaluation<StateReading<App>>

    init(_ expression: Expression, in past: PastState<App>) {
        self.expression = expression
        scopes = expression.reads.facts.isEmpty ? App.scopes(of: expression.reads.paths) : nil
        state = past.state
        let reading = StateReading<App>(past.state)
        evaluation =
            expression.tallies.map { expression.evaluation(in: reading, facts: past.facts, after: $0, []) }
            ?? expression.evaluation(in: reading, facts: past.facts)
    }

    /// Begins the evaluation in the next state, after the one in this state has ended; `false` if no input has changed.
    mutating func follow(_ next: borrowing PastState<App>) -> Bool {
        defer { state = next.state }
        if let scopes, App.changedScopes(from: state, to: next.state).isDisjoint(with: scopes) { return false }
        let reading = StateReading<App>(next.state)
        if let tallies = evaluation.tallies {
            let changes = tallies.isEmpty ? [] : App.changes(from: state, to: next.state, limit: HistoryLimits.countedChangesMax)
            evaluation = expression.evaluation(in: reading, facts: next.facts, after: tallies, changes)
        } else {
            evaluation = expression.evaluation(in: reading, facts: next.facts)
        }
        return true
    }
}

extension PastState {
    var facts: RecordFacts { RecordFacts(time: sequence > 0 ? time : nil) }
}
