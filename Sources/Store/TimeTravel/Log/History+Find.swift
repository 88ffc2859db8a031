import Chronicle
import ChronicleLog
import ChronicleStore
import Expressions
import Synchronization

extension History where App.Action: ValueConvertible {
    /// Finds the next matching records of a query that depends on states, until a page is full, its time is over, or the range ends.
    ///
    /// Newest first, it goes back from cached state to cached state, folds each segment, and skips those without relevant actions.
    func find(_ cursor: inout LogCursor<App>, until end: UInt64, _ queries: isolated QueryExecutor) async throws(StoreError) {
        while cursor.pending.isEmpty, let rest = cursor.rest {
            if let touched = try await touched(cursor.query.path, in: rest, cursor.query.order, queries) {
                try await find(touched, &cursor, until: end, queries)
            } else {
                try await scan(rest, &cursor, until: end, queries)
            }
            if monotonicNanoseconds() > end { return }
            try await queries.yieldIfNeeded()
        }
    }

    private func find(
        _ touched: PathPosting, _ cursor: inout LogCursor<App>, until end: UInt64, _ queries: isolated QueryExecutor
    ) async throws(StoreError) {
        let range = touched.range
        switch touched.knowledge {
        case .unknown: try await scan(range, &cursor, until: end, queries)
        case .exact where cursor.filter.reads == nil:
            cursor.pending = cursor.query.order == .forward ? touched.sequences[...] : touched.sequences.reversed()[...]
            cursor.pass(range)
        case .exact, .candidates:
            guard let first = touched.sequences.first, let last = touched.sequences.last else { return cursor.pass(range) }
            switch cursor.query.order {
            case .forward:
                if first > range.lowerBound { cursor.pass(range.lowerBound...first - 1) }
                try await scan(first...last, &cursor, until: end, queries)
            case .reverse:
                if last < range.upperBound { cursor.pass(last + 1...range.upperBound) }
                try await scan(range.lowerBound...last, &cursor, until: end, queries)
            }
        }
    }

    private func scan(
        _ rest: ClosedRange<UInt64>, _ cursor: inout LogCursor<App>, until end: UInt64, _ queries: isolated QueryExecutor
    ) async throws(StoreError) {
        if cursor.query.order == .reverse { return try await scanBack(rest, &cursor, queries) }
        var past = try await past(at: rest.lowerBound - 1, queries)
        var matcher = StateMatcher<App>(cursor, from: past)
        try await scan(&past, through: rest.upperBound, &matcher, &cursor.stepsLeft, until: end, queries)
        cursor.pending = matcher.found[...]
        cursor.pass(rest.lowerBound...past.sequence)
        guard cursor.rest != nil || cursor.follows else { return }
        // At the end of the log, other followers continue from the previous state.
        keep(&past, insteadOf: cursor.rest == nil ? nil : cursor.kept)
        cursor.kept = past.sequence
    }

    private func scanBack(
        _ rest: ClosedRange<UInt64>, _ cursor: inout LogCursor<App>, _ queries: isolated QueryExecutor
    ) async throws(StoreError) {
        let kept = rest.lowerBound < rest.upperBound ? await loader.sequences(in: rest.lowerBound...rest.upperBound - 1) : []
        let piece = (kept.last ?? rest.lowerBound - 1) + 1...rest.upperBound
        if let path = cursor.query.path, !(try await mayChange(path, in: piece, queries)) { return cursor.pass(piece) }
        // The snapshot may be unusable, so the fold may begin earlier.
        var past = try await nearest(through: rest.upperBound - 1, queries)
        try await fold(&past, through: max(past.sequence, rest.lowerBound - 1), queries)
        let first = past.sequence + 1
        var matcher = StateMatcher<App>(cursor, from: past)
        try await scan(&past, through: rest.upperBound, &matcher, &cursor.stepsLeft, queries)
        cursor.pending = matcher.found.reversed()[...]
        cursor.pass((matcher.isCut ? matcher.found[0] : first)...rest.upperBound)
    }

    /// Whether a range contains an action of the feature that owns the path; no other can change it.
    private func mayChange(
        _ path: Path, in range: ClosedRange<UInt64>, _ queries: isolated QueryExecutor
    ) async throws(StoreError) -> Bool {
        guard let scope = App.scope(of: path) else { return true }
        var isFound = false
        try await walk(from: range.lowerBound, through: range.upperBound, queries) { _, action in
            isFound = action.map { !App.scopes(of: $0).isDisjoint(with: scope) } ?? false
            return !isFound
        }
        return isFound
    }

    func readFound(_ cursor: inout LogCursor<App>, _ body: (LogEntry<App>) -> Void) throws(StoreError) {
        var (count, bytes) = (0, 0)
        while let sequence = cursor.pending.first, count < cursor.query.entriesMax, bytes < Limits.pageBytesMax {
            let read = try readPiece(sequence...sequence, cursor.filter)
            cursor.pending.removeFirst()
            count += 1
            bytes += read.bytes
            for entry in read.found {
                if let finished = cursor.take(entry) { body(finished) }
            }
            if !cursor.wantsMore { return }
        }
    }
}

/// Finds the records that match a query that depends on states; evaluates the condition only when its inputs change.
struct StateMatcher<App: Feature>: RecordVisitor
where App.State: CanonicalCodable, App.Action: CanonicalCodable & ValueConvertible {
    private let filter: LogFilter
    private let condition: Expression?
    // The scopes that the condition reads; `nil`: unknown.
    private let scopes: ScopeSet?
    private let facts: Set<RecordFact>
    private let matchStepsMax: Int
    private let order: LogQuery.Order
    private var watch: PathWatch<App>?
    private var state: App.State
    private var sequence: UInt64
    // Result of the condition for a record that changes none of its inputs, if known.
    private var quiet: Bool?
    private var isQuiet = false
    // An unfinished evaluation, and the steps before it.
    private var evaluation: Evaluation<StateReading<App>>?
    private var begun = 0
    private(set) var steps = 0
    /// The matching records, in log order.
    private(set) var found: [UInt64] = []
    /// Whether older ones were dropped: newest first, they are searched again after these were read.
    private(set) var isCut = false

    init(_ cursor: LogCursor<App>, from past: PastState<App>) {
        filter = cursor.filter
        order = cursor.query.order
        matchStepsMax = cursor.matchStepsMax ?? .max
        condition = filter.reads == nil ? nil : cursor.query.condition
        scopes = filter.reads.flatMap { App.scopes(of: $0.paths + $0.oldPaths) }
        facts = filter.reads?.facts ?? []
        watch = cursor.query.path.map { PathWatch<App>($0, in: past.state) }
        (state, sequence) = (past.state, past.sequence)
    }

    mutating func visit(_ past: inout PastState<App>, _ record: HeaderFields, _ action: App.Action?) -> Bool? {
        past.apply(action, of: record)
        let old = state
        (state, sequence) = (past.state, past.sequence)
        let changesPlace = watch == nil || watch?.look(state) != nil
        let isTouched = scopes.map { !App.changedScopes(from: old, to: state).isDisjoint(with: $0) } ?? true
        if isTouched { quiet = nil }
        var known = RecordFacts(record)
        guard changesPlace, filter.mayContain(known), filter.contains(known, action: { action?.value }) else { return true }
        guard let condition else { return take(true) }
        if let quiet, !isTouched, facts.isEmpty { return take(quiet) }
        if facts.contains(.action) { known.action = action?.value.actionName }
        isQuiet = !isTouched && facts.isEmpty
        evaluation = condition.evaluation(in: StateReading<App>(state), after: StateReading<App>(old), facts: known)
        begun = steps
        return goOn()
    }

    mutating func goOn() -> Bool? {
        guard let before = evaluation?.steps else { return true }
        var holds: Bool?
        if steps - begun < matchStepsMax {
            holds = evaluation?.advance(steps: HistoryLimits.expressionSteps)
            steps += (evaluation?.steps ?? before) - before
        } else {
            // An expensive condition counts as a match: an extra record does less harm than a missing one.
            holds = true
        }
        guard let holds else { return nil }
        evaluation = nil
        if isQuiet { quiet = holds }
        return take(holds)
    }

    private mutating func take(_ isWanted: Bool) -> Bool {
        guard isWanted else { return true }
        found.append(sequence)
        guard order == .reverse else { return found.count < Limits.pageRecordsMax }
        if found.count >= 2 * HistoryLimits.foundRecordsMax {
            found.removeFirst(HistoryLimits.foundRecordsMax)
            isCut = true
        }
        return true
    }
}
