public import Chronicle
import ChronicleLog
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
        var budget = HistoryLimits.expressionStepsMax
        var looks = try await flips(
            of: expression, from: start, through: range.upperBound, &budget, queries, progress: progress
        ) { $0.last?.holds == false }
        let outcome: Bisection.Outcome =
            if let look = looks.last, look.holds {
                looks.count == 1 ? .heldAtStart : .found(look.sequence)
            } else {
                .neverHeld
            }
        if case .neverHeld = outcome { looks.append(Bisection.Look(sequence: range.upperBound, holds: false)) }
        return Bisection(outcome: outcome, method: .linear, range: range, looks: looks, changes: [])
    }

    /// The first value of an expression and each record that changes it, until the closure returns `false`.
    private func flips(
        of expression: Expression, from start: PastState<App>, through last: UInt64, _ budget: inout Int,
        _ queries: isolated QueryExecutor, progress: (UInt64) -> Void = { _ in },
        while goesOn: @escaping ([Bisection.Look]) -> Bool
    ) async throws(StoreError) -> [Bisection.Look] {
        var past = start
        var finder = FlipFinder<App>(expression, from: past, while: goesOn)
        try await scan(&past, through: last, &finder, &budget, queries, progress: progress)
        return finder.looks
    }

    private func holds(
        _ expression: Expression, in past: PastState<App>, _ budget: inout Int, _ queries: isolated QueryExecutor
    ) async throws(StoreError) -> Bool {
        try await flips(of: expression, from: past, through: past.sequence, &budget, queries) { _ in false }.last?.holds == true
    }

    private func halve(
        _ expression: Expression, _ range: ClosedRange<UInt64>, _ queries: isolated QueryExecutor
    ) async throws(StoreError) -> Bisection {
        var looks: [Bisection.Look] = []
        var budget = HistoryLimits.expressionStepsMax
        // The last point at which it is false before the first one at which it is true.
        var (low, high): (PastState<App>?, UInt64?) = (nil, nil)
        var samples = try await samples(in: range, queries)[...]
        while true {
            let next: UInt64
            if let sample = samples.popFirst() {
                next = sample
            } else if let low, let high, high - low.sequence > 1 {
                next = low.sequence + (high - low.sequence) / 2
            } else {
                break
            }
            let past = try await past(at: next, from: low, queries)
            let holds = try await holds(expression, in: past, &budget, queries)
            looks.append(Bisection.Look(sequence: next, holds: holds))
            if holds { high = min(high ?? next, next) } else if next < high ?? .max { low = past }
        }
        looks.sort { $0.sequence < $1.sequence }
        let outcome: Bisection.Outcome = low == nil ? .heldAtStart : high.map { .found($0) } ?? .neverHeld
        return Bisection(outcome: outcome, method: .halving, range: range, looks: looks, changes: [])
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

    private func samples(in range: ClosedRange<UInt64>, _ queries: isolated QueryExecutor) async throws(StoreError) -> [UInt64] {
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
            let start = try await self.past(at: range.lowerBound, queries)
            var budget = stepsMax
            let looks = try await self.flips(
                of: expression, from: start, through: range.upperBound, &budget, queries, progress: progress
            ) { looks in
                wanted == .first ? looks.last?.holds == true : looks.count { !$0.holds } <= HistoryLimits.answersMax
            }
            let begins = looks.indices.filter { !looks[$0].holds }
            let ranges = begins.prefix(HistoryLimits.answersMax).map { index in
                let first = looks[index].sequence
                if index + 1 < looks.count { return first...looks[index + 1].sequence - 1 }
                return first...(wanted == .all ? range.upperBound : first)
            }
            return Violations(range: range, ranges: ranges, isCut: begins.count > ranges.count)
        }
    }
}

/// Finds the first value of an expression, and each record that changes it.
private struct FlipFinder<App: Feature>: RecordVisitor where App.State: CanonicalCodable, App.Action: CanonicalCodable {
    private var tracker: ExpressionTracker<App>
    private var sequence: UInt64
    private let goesOn: ([Bisection.Look]) -> Bool
    private(set) var looks: [Bisection.Look] = []

    init(_ expression: Expression, from past: PastState<App>, while goesOn: @escaping ([Bisection.Look]) -> Bool) {
        tracker = ExpressionTracker(expression, in: past)
        sequence = past.sequence
        self.goesOn = goesOn
    }

    var steps: Int { tracker.steps }

    mutating func visit(_ past: inout PastState<App>, _ record: HeaderFields, _ action: App.Action?) -> Bool? {
        past.apply(action, of: record)
        guard tracker.follow(past) else { return true }
        sequence = past.sequence
        return goOn()
    }

    mutating func goOn() -> Bool? {
        guard tracker.isPending else { return true }
        guard let holds = tracker.advance() else { return nil }
        if holds == looks.last?.holds { return true }
        looks.append(Bisection.Look(sequence: sequence, holds: holds))
        return goesOn(looks)
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

/// Evaluates an expression in successive states, and again only when its inputs change.
struct ExpressionTracker<App: Feature> where App.State: CanonicalCodable, App.Action: CanonicalCodable {
    private let expression: Expression
    // The scopes that the expression reads; `nil`: unknown.
    private let scopes: ScopeSet?
    private var state: App.State
    private var evaluation: Evaluation<StateReading<App>>
    private(set) var isPending = true
    private(set) var steps = 0

    init(_ expression: Expression, in past: PastState<App>) {
        self.expression = expression
        scopes = expression.reads.facts.isEmpty ? App.scopes(of: expression.reads.paths) : nil
        state = past.state
        let reading = StateReading<App>(past.state)
        evaluation =
            expression.tallies.map { expression.evaluation(in: reading, facts: past.facts, after: $0, []) }
            ?? expression.evaluation(in: reading, facts: past.facts)
    }

    /// The number in the last state; `nil` if it has none, or one too large to be exact.
    var number: Int64? { evaluation.number.flatMap { $0.magnitude <= Int64.exactMax.magnitude ? $0 : nil } }

    /// Continues the evaluation; returns whether the expression holds, or `nil` if more steps are needed.
    mutating func advance() -> Bool? {
        let before = evaluation.steps
        let holds = evaluation.advance(steps: HistoryLimits.expressionSteps)
        steps += evaluation.steps - before
        isPending = holds == nil
        return holds
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
        isPending = true
        return true
    }
}

extension PastState {
    fileprivate var facts: RecordFacts { RecordFacts(time: sequence > 0 ? time : nil) }
}
