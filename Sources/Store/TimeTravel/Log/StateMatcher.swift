import Chronicle
import ChronicleLog
import ChronicleStore
import Expressions

/// Decides for each record whether a query that depends on states matches; evaluates the condition only when its inputs change.
struct StateMatcher<App: Feature> where App.State: CanonicalCodable, App.Action: CanonicalCodable & ValueConvertible {
    private let filter: LogFilter
    private let condition: Expression?
    // The scopes that the condition reads; `nil`: unknown.
    private let scopes: ScopeSet?
    private let facts: Set<RecordFact>
    private var watch: PlaceWatch<App>?
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
        watch = query.path.map { PlaceWatch<App>($0, in: past.state) }
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

    /// Continues with the condition for the last record; `nil`: undecided.
    mutating func goOn() -> Bool? {
        let before = evaluation?.steps ?? 0
        let holds = evaluation?.advance(steps: HistoryLimits.expressionSteps)
        steps += (evaluation?.steps ?? 0) - before
        guard let holds else { return nil }
        if isQuiet { quiet = holds }
        return holds
    }
}
