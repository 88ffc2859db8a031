public import Reducing

/// Questions that the app asks, each with exactly one result.
///
/// A flow waits in the state, so it survives whoever started it, and anybody may answer it. What kinds there are, what they
/// ask and what an answer leads to is the business of coordinators, above all features.
public enum Flows: Feature {
    /// There are no commands.
    public typealias Command = Never

    /// The fields of the state; their bits stand in `Field`.
    public static let scopes = ["items", "nextID"]

    enum Field {
        static let items = ScopeSet(index: 0)
        static let nextID = ScopeSet(index: 1)
    }

    /// What an order is logged as is a fact: nobody can say that a flow has ended, only answer or cancel it.
    public static func nature(of action: Action) -> ActionNature {
        switch action {
        case .start, .answer, .cancel: .order
        case .started, .ended, .offered, .restore: .fact
        }
    }

    /// The next id is no less than the other's.
    public static func reserveIDs(of other: State, in state: inout State) { state.nextID = max(state.nextID, other.nextID) }

    /// The id of the flow that was started.
    public static func created(by action: Action) -> [UInt64] {
        if case .started(let flow) = action { [flow.id] } else { [] }
    }

    /// The open flow of the kind that is to be started.
    public static func existing(for action: Action, in state: State) -> [UInt64] {
        if case .start(let kind) = action { state.flow(of: kind).map { [$0.id] } ?? [] } else { [] }
    }

    /// The fields that differ; of the list only pages that aren't shared are looked at.
    public static func changedScopes(from old: State, to new: State) -> ScopeSet {
        var scopes: ScopeSet = []
        if old.items != new.items { scopes.insert(Field.items) }
        if old.nextID != new.nextID { scopes.insert(Field.nextID) }
        return scopes
    }

    /// The fields that an action is about.
    public static func scopes(of action: Action) -> ScopeSet {
        switch action {
        case .start, .started, .restore: [Field.items, Field.nextID]
        case .answer, .cancel, .ended, .offered: Field.items
        }
    }
}
