import PersistentCollections
public import Reducing
import Values

extension Fielded {
    /// The names of the fields; those of a child's fields behind its own.
    public static var scopeNames: [String] {
        var (names, initial) = (FieldNames(), Self())
        initial.visit(&names)
        return names.names
    }
}

/// What follows from the fields of a state.
extension Feature where State: Fielded {
    /// The names of the fields; those of a child's fields behind its own.
    ///
    /// They are made anew each time; a root keeps them.
    public static var scopes: [String] { State.scopeNames }

    /// The fields that differ; of lists only what isn't shared is looked at.
    public static func changedScopes(from old: State, to new: State) -> ScopeSet { new.differences(from: old) }

    /// What changed: of lists by row, each other field as a whole.
    public static func changes(from old: State, to new: State, limit: Int) -> [Change]? { new.changes(from: old, limit: limit) }

    /// That of the fields.
    public static var shape: Shape { State.shape }

    /// The names of the children in the state.
    public static var children: [String] {
        var (names, initial) = (FieldNames(), State())
        initial.visit(&names)
        return names.children
    }

    /// The fields by name, lists of rows empty.
    public static func summary(of state: State) -> Value { state.values(.summary).value }

    /// The lists of rows.
    public static func lists(of state: State) -> [ListView] {
        var (lists, copy) = (FieldLists(), state)
        copy.visit(&lists)
        return lists.lists
    }

    /// The state by name, of children what they show.
    public static func viewParts(of state: State) -> ViewParts {
        var (visitor, copy) = (FieldViews(), state)
        copy.visit(&visitor)
        return visitor.parts
    }

    /// What one child shows, and no other is asked; without children, a field of what the feature shows.
    public static func viewParts(of state: State, child name: String) -> ViewParts? {
        var (visitor, copy) = (ChildView(name: name), state)
        copy.visit(&visitor)
        return visitor.hasChildren ? visitor.parts : viewParts(of: state).part(name)
    }

    /// The next id is no less than the other's.
    public static func reserveIDs(of other: State, in state: inout State) {
        var ids = FieldIDs(other)
        state.visit(&ids)
    }

    /// The rows of each list behind which an id to be handed out stands.
    public static func carriedOver(_ state: State, since origin: State, along legs: [ForkLeg<State>]) -> State {
        state.carriedOver(since: origin, along: legs)
    }

    /// Each field as its rule says.
    public static func takenBack(_ present: State, from after: State, to before: State) -> TakenBack<State> {
        present.takenBack(from: after, to: before)
    }
}

extension Feature where State: Fielded, Action: Cased {
    /// That of the children's actions, else of the cases which clients dispatch: not of facts.
    public static var actionShape: Shape {
        var (children, initial) = (ChildActions(), State())
        initial.visit(&children)
        return children.shapes.isEmpty ? Action.shape { nature(of: $0) != .fact } : .record(children.shapes)
    }

    /// Those of the children's actions, else of all cases.
    public static var actionNames: [String] {
        var (children, initial) = (ChildActions(), State())
        initial.visit(&children)
        return children.shapes.isEmpty ? Action.blanks.map(\.caseName) : children.names
    }
}

/// What follows from the numbers: a child of the state has that of the case which holds its actions.
extension Feature where State: Fielded, Action: Cased {
    /// Each child says what leads there; none of one without children.
    public static func compensation(from present: State, to wanted: State) throws(Refusal) -> [Action] {
        var (compensation, copy) = (ChildCompensation<Self>(present), wanted)
        try copy.visit(&compensation)
        return compensation.actions
    }

    /// The nature that the child gives its action: an event of a child is an event of the root.
    public static func nature(of action: Action) -> ActionNature { ChildAnswer(Self.self, action).nature }

    public static func indexedScope(of action: Action) -> ScopeSet { ChildAnswer(Self.self, action).indexedScope }
}

/// The answers of the child whose action a case holds; the defaults for any other action.
private struct ChildAnswer: FieldVisitor {
    static var changesFields: Bool { false }
    private let content: CaseContent
    private var offset = 0
    private(set) var nature = ActionNature.order
    private(set) var indexedScope: ScopeSet = []

    init<Root: Feature>(_ root: Root.Type, _ action: Root.Action) where Root.State: Fielded, Root.Action: Cased {
        content = CaseContent(of: action)
        guard content.part != nil else { return }
        var initial = Root.State()
        initial.visit(&self)
    }

    mutating func child<Child: Feature>(
        _ number: UInt32, _ name: String, _ feature: Child.Type, _ state: inout Child.State
    ) where Child.State: Fielded {
        defer { offset += 1 + Child.scopes.count }
        guard number == content.number, let action = content.part as? Child.Action else { return }
        nature = Child.nature(of: action)
        indexedScope = Child.indexedScope(of: action).shifted(by: offset + 1)
    }
}

/// The number of a case, and its only value.
struct CaseContent: FieldVisitor {
    static var changesFields: Bool { false }
    private(set) var number: UInt32 = 0
    private(set) var part: Any?

    init(of action: some Cased) { _ = action.visited(by: &self) }

    mutating func whole<Part: Field & CanonicalCodable>(_ number: UInt32, _ name: String, _ part: inout Part) {
        (self.number, self.part) = (number, part)
    }
}

/// Collects the actions of children that lead from an older state to what it is shown.
private struct ChildCompensation<Root: Feature>: FieldVisitor where Root.State: Fielded, Root.Action: Cased {
    typealias Failure = Refusal

    let present: Root.State
    private(set) var actions: [Root.Action] = []

    init(_ present: Root.State) { self.present = present }

    mutating func child<Child: Feature>(
        _ number: UInt32, _ name: String, _ feature: Child.Type, _ state: inout Child.State
    ) throws(Refusal) where Child.State: Fielded {
        let present = present.field(number, like: state)
        if Child.changedScopes(from: present, to: state).isEmpty { return }
        for action in try Child.compensation(from: present, to: state) {
            guard let blank = Root.Action.blank(number) else { preconditionFailure("\(name) has no case of its own") }
            var holder = CaseHolder(action)
            actions.append(blank.visited(by: &holder))
            precondition(holder.holds, "the case \(number) holds no action of \(name)")
        }
    }
}

/// Puts an action of a child into the case that holds it.
private struct CaseHolder<Held: Sendable>: FieldVisitor {
    let held: Held
    private(set) var holds = false

    init(_ held: Held) { self.held = held }

    mutating func whole<Part: Field & CanonicalCodable>(_ number: UInt32, _ name: String, _ part: inout Part) {
        guard let held = held as? Part else { return }
        part = held
        holds = true
    }
}

/// Collects the lists of rows of what it is shown.
private struct FieldLists: FieldVisitor {
    static var changesFields: Bool { false }
    private(set) var lists: [ListView] = []

    mutating func rows<Row: FieldedRow>(
        _ number: UInt32, _ name: String, _ table: inout OrderedTable<Row>, undone rule: RowUndoRule
    ) {
        lists.append(ListView(table, at: name))
    }

    mutating func child<Child: Feature>(
        _ number: UInt32, _ name: String, _ feature: Child.Type, _ state: inout Child.State
    ) where Child.State: Fielded {
        lists += Child.lists(of: state).map { $0.under(name) }
    }
}

extension ListView {
    fileprivate init<Row: FieldedRow>(_ table: OrderedTable<Row>, at path: String) {
        self.init(
            path: path, count: table.count,
            elements: { Row.values(at: $0, of: table) },
            find: { id in UInt64(exactly: id).flatMap { table.read($0, \.value) } },
            selecting: { names in
                var (selection, row) = (FieldSelection(names), Row())
                row.visit(&selection)
                let bits = selection.bits
                return ListColumns(names: selection.names, texts: selection.texts) {
                    Row.show(bits, $1, at: $0, of: table, to: $2)
                }
            })
    }
}

/// Raises the next id to that of another state.
private struct FieldIDs<State: Fielded>: FieldVisitor {
    let other: State

    init(_ other: State) { self.other = other }

    mutating func nextID(_ number: UInt32, _ name: String, _ next: inout UInt64) {
        next = max(next, other.field(number, like: next))
    }

    mutating func child<Child: Feature>(
        _ number: UInt32, _ name: String, _ feature: Child.Type, _ state: inout Child.State
    ) where Child.State: Fielded {
        Child.reserveIDs(of: other.field(number, like: state), in: &state)
    }
}

/// Collects the names of scopes.
private struct FieldNames: FieldVisitor {
    static var changesFields: Bool { false }
    private(set) var names: [String] = []
    private(set) var children: [String] = []

    mutating func field<Part: Field>(
        _ number: UInt32, _ name: String, _ part: inout Part, _ presence: FieldPresence, undone rule: UndoRule
    ) {
        names.append(name)
    }

    mutating func rows<Row: FieldedRow>(
        _ number: UInt32, _ name: String, _ table: inout OrderedTable<Row>, undone rule: RowUndoRule
    ) {
        names.append(name)
    }

    mutating func nextID(_ number: UInt32, _ name: String, _ next: inout UInt64) { names.append(name) }

    mutating func child<Child: Feature>(
        _ number: UInt32, _ name: String, _ feature: Child.Type, _ state: inout Child.State
    ) where Child.State: Fielded {
        names += [name] + Child.scopes.map { name + "." + $0 }
        children.append(name)
    }
}

/// Collects what the actions of children look like.
private struct ChildActions: FieldVisitor {
    private(set) var shapes: [Shape.Field] = []
    private(set) var names: [String] = []

    mutating func child<Child: Feature>(
        _ number: UInt32, _ name: String, _ feature: Child.Type, _ state: inout Child.State
    ) where Child.State: Fielded {
        shapes.append(Shape.Field(name, Child.actionShape, isOptional: true))
        names += Child.actionNames.map { name + "." + $0 }
    }
}
