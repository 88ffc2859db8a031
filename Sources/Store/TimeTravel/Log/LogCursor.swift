public import Chronicle
import ChronicleLog
public import ChronicleStore
public import Expressions

public struct LogCursor<App: Feature>: Sendable {
    let query: LogQuery
    let filter: LogFilter
    var rest: ClosedRange<UInt64>?
    // An edit run that may continue.
    private var run: LogEntry<App>?
    private var left: Int
    var hasBegun = false
    /// The matching records that are still to be read, in query order.
    var pending: ArraySlice<UInt64> = []
    var stepsLeft = HistoryLimits.expressionStepsMax
    /// The sequence of the state that was cached to continue from.
    var kept: UInt64?

    init(_ query: LogQuery, _ range: ClosedRange<UInt64>?) {
        self.query = query
        filter = LogFilter(query)
        rest = range
        left = max(query.limit, 0)
    }

    public var hasMore: Bool { left > 0 && (rest != nil || run != nil || !pending.isEmpty) }

    var wantsMore: Bool { left > 0 }

    /// The last record read; `nil`: all.
    public var reached: UInt64? { rest.map { query.order == .forward ? $0.lowerBound - 1 : $0.upperBound + 1 } }

    func next(_ count: Int) -> ClosedRange<UInt64>? {
        guard left > 0, count > 0, let rest else { return nil }
        let length = min(rest.upperBound - rest.lowerBound, UInt64(count) - 1)
        return switch query.order {
        case .forward: rest.lowerBound...rest.lowerBound + length
        case .reverse: rest.upperBound - length...rest.upperBound
        }
    }

    mutating func pass(_ range: ClosedRange<UInt64>) {
        guard let rest else { return }
        switch query.order {
        case .forward: self.rest = range.upperBound < rest.upperBound ? range.upperBound + 1...rest.upperBound : nil
        case .reverse: self.rest = range.lowerBound > rest.lowerBound ? rest.lowerBound...range.lowerBound - 1 : nil
        }
    }

    /// Continues after a concurrent compaction; `false` if the caller specified the beginning, or if pages would miss records.
    mutating func begin(after base: UInt64) -> Bool {
        let isBehind = { (sequence: UInt64) in sequence <= base }
        guard query.from == nil, rest.map({ isBehind($0.lowerBound) }) == true || pending.contains(where: isBehind) else {
            return false
        }
        if query.order == .forward, left < query.limit || rest.map({ base > $0.upperBound }) == true { return false }
        if let run, run.last <= base { self.run = nil }
        pending.removeAll(where: isBehind)
        if let rest { self.rest = base < rest.upperBound ? max(rest.lowerBound, base + 1)...rest.upperBound : nil }
        return true
    }

    mutating func take(_ entry: LogEntry<App>) -> LogEntry<App>? {
        guard left > 0 else { return nil }
        let isTyping = query.groupsTyping && entry.isTyping
        if let run, isTyping, let joined = Self.joined(run, entry) {
            self.run = joined
            return nil
        }
        let before = finish()
        if before != nil, left == 0 { return before }
        if isTyping {
            run = entry
            return before
        }
        guard before != nil else {
            left -= 1
            return entry
        }
        // Two at once: the second one waits as a run that nothing joins.
        run = entry
        return before
    }

    /// The run, once nothing can join it.
    mutating func finish() -> LogEntry<App>? {
        guard let finished = run, left > 0 else { return nil }
        run = nil
        left -= 1
        return finished
    }

    private static func joined(_ run: LogEntry<App>, _ entry: LogEntry<App>) -> LogEntry<App>? {
        guard run.name == entry.name, run.record.header.origin == entry.record.header.origin,
            run.isTyping, run.count < UInt64(HistoryLimits.runRecordsMax)
        else { return nil }
        if entry.first == run.last + 1 { return LogEntry(first: run.first, record: entry.record, name: run.name) }
        if entry.last + 1 == run.first { return LogEntry(first: entry.first, record: run.record, name: run.name) }
        return nil
    }
}

/// Selects log records and how to show them.
public struct LogQuery: Sendable {
    public enum Order: Sendable {
        case forward
        case reverse
    }

    /// The first point whose record is included; the record of a sequence is the one that led to it.
    public var from: Point?
    public var to: Point?
    public var limit: Int
    public var feature: String?
    /// Only actions of these names, with or without their feature: `add`, `todos.add`; empty: any.
    public var actions: [String]
    /// Only records that this uid requested.
    public var origin: UInt32?
    /// Only actions that contain this text, ignoring ASCII case.
    public var search: String?
    public var condition: Expression?
    /// Only records that changed this path or below it.
    public var path: Path?
    public var order: Order
    public var showsChanges: Bool
    /// Whether consecutive edits are one entry.
    public var groupsTyping: Bool

    /// Whether a page costs more than reading: it searches, or folds records.
    var isLong: Bool {
        feature != nil || !actions.isEmpty || origin != nil || search != nil || condition != nil || path != nil || showsChanges
            || groupsTyping
    }

    var entriesMax: Int { showsChanges ? HistoryLimits.pageChangedRecordsMax : HistoryLimits.pageRecordsMax }

    public init(
        from: Point? = nil, to: Point? = nil, limit: Int = .max, feature: String? = nil, actions: [String] = [],
        origin: UInt32? = nil, search: String? = nil, condition: Expression? = nil, path: Path? = nil, order: Order = .forward,
        showsChanges: Bool = false,
        groupsTyping: Bool = true
    ) {
        self.from = from
        self.to = to
        self.limit = limit
        self.feature = feature
        self.actions = actions
        self.origin = origin
        self.search = search
        self.condition = condition
        self.path = path
        self.order = order
        self.showsChanges = showsChanges
        self.groupsTyping = groupsTyping
    }
}

/// A log record, or an edit run shown as one.
public struct LogEntry<App: Feature>: Sendable {
    public var first: UInt64
    /// The last record; its action is the result of the run.
    public var record: LoggedRecord<App>
    /// The feature and name of the action: `todos.add`; `nil` for records without one.
    public var name: String?
    /// The changes, if requested; `nil` also for more than `HistoryLimits.changesMax`.
    public var changes: [Change]?

    public var last: UInt64 { record.header.sequence }
    /// Whether it is an edit, so that more of them may join.
    public var isTyping: Bool { record.action.map(App.kind) == .edit }
    public var count: UInt64 { last - first + 1 }
}

struct LogFilter: Sendable {
    private let query: LogQuery
    private let search: SubstringSearch
    // The parts of the condition that need no state; those that need no action first.
    private let ofHeader: [Expression]
    private let ofAction: [Expression]
    /// Inputs of the other parts; `nil`: no other parts.
    let reads: Reads?

    init(_ query: LogQuery) {
        self.query = query
        search = SubstringSearch(query.search ?? "")
        let parts = query.condition?.conjuncts ?? []
        ofHeader = parts.filter { $0.reads.isOfRecordAlone && !$0.reads.facts.contains(.action) }
        ofAction = parts.filter { $0.reads.isOfRecordAlone && $0.reads.facts.contains(.action) }
        let rest = parts.filter { !$0.reads.isOfRecordAlone }.map(\.reads)
        reads = rest.isEmpty ? nil : rest.reduce(into: Reads()) { $0.form(union: $1) }
    }

    var looksAtStates: Bool { query.path != nil || reads != nil }

    private var looksAtActions: Bool { looksForActions || !ofAction.isEmpty }

    // Whether a record without an action never matches.
    private var looksForActions: Bool { query.feature != nil || !query.actions.isEmpty || !search.isEmpty }

    func mayContain(_ facts: RecordFacts) -> Bool {
        if let wanted = query.origin, wanted != facts.uid { return false }
        return ofHeader.allSatisfy { $0.holds(facts) }
    }

    /// Prefilter by bytes: the payload contains texts as they are.
    func mayContain(_ payload: RawSpan) -> Bool { search.matches(payload) }

    func contains(_ facts: RecordFacts, action: () -> Value?) -> Bool {
        guard looksAtActions else { return true }
        let action = action()
        guard action.map(isWanted) ?? !looksForActions else { return false }
        var facts = facts
        facts.action = action?.actionName
        return ofAction.allSatisfy { $0.holds(facts) }
    }

    private func isWanted(_ value: Value) -> Bool {
        let name = value.actionName
        let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
        if let feature = query.feature, parts.first?.hasSameBytes(as: feature) != true { return false }
        let isNamed = query.actions.contains { name.hasSameBytes(as: $0) || parts.last?.hasSameBytes(as: $0) == true }
        guard isNamed || query.actions.isEmpty else { return false }
        return search.isEmpty || isFound(in: value)
    }

    private func isFound(in value: Value) -> Bool {
        switch value {
        case .text(let text): search.matches(text.utf8Span.span.bytes)
        case .list(let elements): elements.contains(where: isFound(in:))
        case .record(let fields): fields.contains { isFound(in: $0.value) }
        case .null, .bool, .int, .double: false
        }
    }
}

extension Value {
    /// The full name of a root feature's action, `todos.add`, from its value.
    var actionName: String {
        guard case .record(let features) = self, let feature = features.first else { return "" }
        guard case .record(let actions) = feature.value, actions.count == 1, let action = actions.first else {
            return feature.name
        }
        return feature.name + "." + action.name
    }
}

extension Expression {
    fileprivate func holds(_ facts: RecordFacts) -> Bool { holds(in: ValueReader(.null), facts: facts) }
}

extension Reads {
    fileprivate mutating func form(union other: Reads) {
        paths += other.paths
        oldPaths += other.oldPaths
        facts.formUnion(other.facts)
    }
}

extension RecordFacts {
    /// The facts of a record except its action, which must be read separately.
    init(_ header: HeaderFields) {
        self.init(
            sequence: header.sequence, uid: header.origin, time: header.time, step: header.step, kind: header.kind.name)
    }

    init(_ header: RecordHeader) {
        self.init(
            sequence: header.sequence, uid: header.origin, time: header.time, step: header.step, kind: header.kind.name)
    }
}

/// Decides for each record whether a query that depends on states matches; evaluates the condition only when its inputs change.
struct StateMatcher<App: Feature> where App.State: CanonicalCodable, App.Action: CanonicalCodable & ValueConvertible {
    private let filter: LogFilter
    private let condition: Expression?
    // The scopes that the condition reads; `nil`: unknown.
    private let scopes: ScopeSet?
    private let facts: Set<RecordFact>
    private var watch: PathWatch<App>?
    private var state: App.State
    // Result of the condition for a record that changes none of its inputs, if known.
    private var quiet: Bool?
    private var isQuiet = false
    private var evaluation: Evaluation<StateReading<App>>?
    private(set) var steps = 0

    init(_ query: LogQuery, _ filter: LogFilter, from past: PastState<App>) {
        self.filter = filter
        condition = filter.reads == nil ? nil : query.condition
        scopes = filter.reads.flatMap { App.scopes(of: $0.paths + $0.oldPaths) }
        facts = filter.reads?.facts ?? []
        watch = query.path.map { PathWatch<App>($0, in: past.state) }
        state = past.state
    }

    /// Whether the record that leads to the next state matches; `nil`: call `goOn`.
    mutating func look(_ next: borrowing PastState<App>, _ record: HeaderFields, _ action: App.Action?) -> Bool? {
        let old = state
        state = next.state
        let changesPlace = watch == nil || watch?.look(state) != nil
        let isTouched = scopes.map { !App.changedScopes(from: old, to: state).isDisjoint(with: $0) } ?? true
        if isTouched { quiet = nil }
        var known = RecordFacts(record)
        guard changesPlace, filter.mayContain(known), filter.contains(known, action: { action?.value }) else { return false }
        guard let condition else { return true }
        if let quiet, !isTouched, facts.isEmpty { return quiet }
        if facts.contains(.action) { known.action = action?.value.actionName }
        isQuiet = !isTouched && facts.isEmpty
        evaluation = condition.evaluation(in: StateReading<App>(state), after: StateReading<App>(old), facts: known)
        return goOn()
    }

    /// Counts the last record as a match, and following ones with the same evaluation: the condition takes too long.
    mutating func giveUp() -> Bool {
        evaluation = nil
        if isQuiet { quiet = true }
        return true
    }

    mutating func goOn() -> Bool? {
        let before = evaluation?.steps ?? 0
        let holds = evaluation?.advance(steps: HistoryLimits.expressionSteps)
        steps += (evaluation?.steps ?? 0) - before
        guard let holds else { return nil }
        if isQuiet { quiet = holds }
        return holds
    }
}
