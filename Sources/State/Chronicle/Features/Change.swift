/// One difference between two states, in a form for people, clients and undo.
public struct Change: Sendable, Equatable {
    public enum Kind: String, Sendable {
        /// A field that is no list has another value.
        case set
        case insert
        case remove
        /// An element has other contents at the same index.
        case replace
        case move
    }

    /// The path of the record that contains the field (`todos`), or of the list (`todos.items`).
    public var path: String
    public var kind: Kind
    /// The element's id; `nil` for `set`.
    public var id: Int64?
    /// The element's index after this change (`insert`, `replace`, `move`), or before it (`remove`).
    public var at: Int?
    public var from: Int?
    /// The old value: for `set` a record of the one field, `nil` if the state left it out; else the element.
    public var old: Value?
    /// The new value, likewise.
    public var new: Value?

    public init(
        path: String, kind: Kind, id: Int64? = nil, at: Int? = nil, from: Int? = nil, old: Value? = nil, new: Value? = nil
    ) { (self.path, self.kind, self.id, self.at, self.from, self.old, self.new) = (path, kind, id, at, from, old, new) }

    /// The same change in the state of a parent.
    public func under(_ name: String) -> Change {
        var change = self
        change.path = path.isEmpty ? name : name + "." + path
        return change
    }

    fileprivate var debugLines: [String] {
        switch kind {
        case .set: fields("-", old) + fields("+", new)
        case .insert: ["+ \(place(at)) \(text(new))"]
        case .remove: ["- \(place(at)) \(text(old))"]
        case .replace: ["- \(place(at)) \(text(old))", "+ \(place(at)) \(text(new))"]
        case .move: ["- \(place(from)) id \(id ?? 0)", "+ \(place(at)) id \(id ?? 0)"]
        }
    }

    private func fields(_ sign: String, _ record: Value?) -> [String] {
        (record?.record ?? []).map { "\(sign) \(path.isEmpty ? "" : path + ".")\($0.name): \(text($0.value))" }
    }

    private func place(_ index: Int?) -> String { "\(path)[\(index.map(String.init) ?? "?")]" }
    private func text(_ value: Value?) -> String { (value ?? .null).description }
}

/// Changes as lines of a diff for debugging: `-` and the old value, `+` and the new value.
public enum DebugLines {
    public static let changesMax = 1_000

    /// The lines for some changes; `nil` means more changes than can be shown.
    public static func lines(of changes: [Change]?) -> [String] {
        guard let changes, changes.count <= changesMax else { return ["- more than can be shown", "+ more than can be shown"] }
        return changes.flatMap(\.debugLines)
    }
}

/// A set of a feature's scopes: bit i stands for `Feature.scopes[i]`.
public struct ScopeSet: OptionSet, Sendable, Equatable {
    public var rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The set of one scope, given its index (0 to 63).
    public init(index: Int) { self.rawValue = 1 << UInt64(index) }

    /// The same scopes in a parent's list, in which their feature's first scope has the index `offset`.
    public func shifted(by offset: Int) -> ScopeSet { ScopeSet(rawValue: rawValue << UInt64(offset)) }
}

/// The places in which two states differ, for the path index.
public struct StateDifference: Sendable, Equatable {
    public struct Element: Sendable, Equatable {
        /// The index of the list among the scopes.
        public var list: Int
        public var id: UInt64
        /// The fields that changed, or all fields of an element that was added or removed: bit i stands for the i-th that is named.
        public var parts: UInt64

        public init(list: Int, id: UInt64, parts: UInt64) { (self.list, self.id, self.parts) = (list, id, parts) }
    }

    public var scopes: ScopeSet = []
    /// Elements with ids that differ, without those that only moved.
    public var elements: [Element] = []
    public var scopeCount = 0

    public init() {}
    public var isEmpty: Bool { scopes.isEmpty }

    /// Adds the difference of a child, whose scopes follow those compared so far.
    public mutating func add(_ child: StateDifference) {
        scopes.formUnion(child.scopes.shifted(by: scopeCount))
        for element in child.elements {
            elements.append(Element(list: element.list + scopeCount, id: element.id, parts: element.parts))
        }
        scopeCount += child.scopeCount
    }
}

/// Follows one path of a state from state to state, without reading the rest of it.
///
/// States are passed `inout` because visiting the fields requires it; they are not changed.
public enum PlaceFollower<State: Sendable>: Sendable {
    /// The value at the place; `null` if the place is empty.
    case value(@Sendable (inout State) -> Value)
    case list(ListFollower<State>)
}

public struct ListFollower<State: Sendable>: Sendable {
    /// The fields that it reads of an element, in their order.
    public var fields: [String]
    public var count: @Sendable (inout State) -> Int
    /// Passes the `fields` of each element that differs, in the old state and in the new; `nil` where the element is missing.
    ///
    /// Fields that are left out elsewhere are `null`. The fields may be equal, if the element moved or changed in other fields. Shared
    /// storage is skipped. Returns `false` if the body does.
    public var differences:
        @Sendable (_ old: inout State, _ new: inout State, _ body: ([Value.Field]?, [Value.Field]?) -> Bool) -> Bool

    @inlinable public init(
        fields: [String], count: @escaping @Sendable (inout State) -> Int,
        differences: @escaping @Sendable (inout State, inout State, ([Value.Field]?, [Value.Field]?) -> Bool) -> Bool
    ) { (self.fields, self.count, self.differences) = (fields, count, differences) }
}

/// A conflict of undo: a value that changed after the change that is undone.
public struct Conflict: Sendable, Equatable {
    /// A field (`counter.count`), an element (`todos.items[12]`), or a field of one (`todos.items[12].title`).
    public var path: String
    /// The value that the undone change set; `nil`: it removed the value.
    public var expected: Value?
    /// The present value; `nil` if there is no value now.
    public var found: Value?

    public init(_ path: String, expected: Value?, found: Value?) {
        (self.path, self.expected, self.found) = (path, expected, found)
    }

    /// The same conflict in the state of a parent.
    public func under(_ name: String) -> Conflict {
        Conflict(path.isEmpty ? name : name + "." + path, expected: expected, found: found)
    }
}

public struct RevertResult<State: Sendable>: Sendable {
    /// The new state, in which conflicts are overridden: conflicting values are reverted, as far as their element still exists.
    public var state: State
    /// The conflicts; if there are any, the state is only used if a person overrides them.
    public var conflicts: [Conflict]

    public init(_ state: State, conflicts: [Conflict] = []) { (self.state, self.conflicts) = (state, conflicts) }
}

/// One step of the path to a place in a state.
public enum PlaceStep: Sendable, Equatable {
    case name(String)
    case id(UInt64)
}

/// A stretch of a fork that was or will be merged, whose new elements get other ids in the log that it is merged into.
public struct ForkStretch<State: Sendable>: Sendable {
    /// The state of the fork at the end of the stretch.
    public var end: State
    /// The state of the other log before the merge: new elements of the stretch get ids above those of this state.
    public var before: State
    /// The state of the other log after the merge, which shows what the merge brought; `nil`: the merge is still to come, and brings
    /// everything.
    public var after: State?

    public init(end: State, before: State, after: State? = nil) { (self.end, self.before, self.after) = (end, before, after) }
}
