public import Expressions
import Records
public import Reducing
public import StoreRuntime

extension History where App.Action: ValueConvertible {
    /// Without which steps an expression that holds now would not hold: the smallest set of them, as far as that can be told.
    ///
    /// The newest `HistoryLimits.candidatesMax` steps that stand are tried, together and apart, as "what if" would: with a step
    /// goes what came of it, and its undos.
    /// - Parameters:
    ///   - from: only steps that began with this record or later; `nil`: all. A time that has not come is none.
    ///   - nanoseconds: after which no further history is tried, but for the two that it takes to know whether there is an answer.
    ///   - progress: how many histories were tried.
    /// - Throws: `tooManySteps` when the expression takes more than `HistoryLimits.expressionStepsMax` steps in all, and `stopping` once
    ///   its task is cancelled.
    public func culprit(
        where expression: Expression, from: Point? = nil, within nanoseconds: UInt64 = HistoryLimits.triesNanosecondsMax,
        progress: @Sendable (UInt64) -> Void = { _ in }
    ) async throws(StoreError) -> Culprit {
        let first = try await first(of: from)
        let last = head
        let candidates = try await standingSteps(from: first, through: last)
        return try await query(.long) { (queries) async throws(StoreError) in
            var search = CulpritSearch(self, expression, try await self.past(at: last, queries), within: nanoseconds)
            var answer = Culprit(outcome: .doesNotHold, candidates: candidates.count, isSmallest: true, tries: 0)
            guard try await search.holds(without: [], queries) else {
                answer.tries = search.tries
                return answer
            }
            // That it holds without all of them together says nothing of one alone: one may have taken away what another brought.
            var isFound = try await !search.holds(without: candidates, queries)
            var reduction = Reduction(candidates)
            while isFound, !reduction.isDone, search.goesOn {
                reduction.take(try await !search.holds(without: reduction.candidate, queries))
                progress(UInt64(search.tries))
            }
            var found = reduction.rest
            // One that would do alone may not be among those that are left. The oldest come first: so each history goes on from the state
            // from which the one before it went on, and not from a snapshot further back.
            var rest = Array(candidates.reversed())[...]
            while found.count > 1, !rest.isEmpty, search.goesOn {
                let step = rest.removeFirst()
                if try await !search.holds(without: [step], queries) {
                    found = [step]
                    isFound = true
                }
                progress(UInt64(search.tries))
            }
            answer.tries = search.tries
            guard isFound else {
                answer.outcome = .notAmongThese
                answer.isCut = candidates.count > 1 && !rest.isEmpty
                return answer
            }
            answer.isSmallest = found.count == 1 || found.count == 2 && rest.isEmpty
            answer.isCut = found.count > 1 && !(reduction.isDone && rest.isEmpty)
            answer.outcome = .found(found.sorted { $0.step < $1.step })
            return answer
        }
    }

    private func standingSteps(from first: UInt64, through last: UInt64) async throws(StoreError) -> [StepSummary] {
        var cursor = steps(of: nil)
        var found: [StepSummary] = []
        while cursor.hasMore, found.count < HistoryLimits.candidatesMax, cursor.reached > first {
            found += try await page(of: &cursor).filter { step in
                if case .undone = step.stage { return false }
                return step.step >= first && step.step <= last
            }
        }
        return Array(found.prefix(HistoryLimits.candidatesMax))
    }
}

/// Asks of altered histories whether an expression holds at their end.
private struct CulpritSearch<App: Feature>
where App.State: CanonicalCodable, App.Action: CanonicalCodable, App.Command: CanonicalCodable {
    private let history: History<App>
    private let expression: Expression
    private let real: PastState<App>
    private let deadline: UInt64
    private var budget = HistoryLimits.expressionStepsMax
    /// How many histories were tried.
    private(set) var tries = 0

    init(_ history: History<App>, _ expression: Expression, _ real: PastState<App>, within nanoseconds: UInt64) {
        self.history = history
        self.expression = expression
        self.real = real
        deadline = monotonicNanoseconds() + nanoseconds
    }

    /// Whether there are time and histories left.
    var goesOn: Bool { tries < HistoryLimits.triesMax && monotonicNanoseconds() < deadline }

    mutating func holds(without steps: [StepSummary], _ queries: isolated Queries) async throws(StoreError) -> Bool {
        tries += 1
        let question = WhatIfQuery<App>(steps.map { .skip($0.step...$0.step) }, at: .sequence(real.sequence))
        let state = try await history.alternative(to: question, from: real, { _ in }, queries).answer.state
        try await queries.yieldIfNeeded()
        return try await history.holds(
            expression, in: PastState(sequence: real.sequence, time: real.time, state: state), &budget, queries)
    }
}
