public import Fields

/// Something to be done.
///
/// 56 bytes: what most todos don't have is stored apart.
public struct Todo: FieldedRow {
    /// Its id, a small whole number from 1 that is never used again; 0 before it is handed out.
    public var id: UInt64
    /// What is to be done.
    @Exact public var title: String
    // None or one.
    private var stored: [ColdFields]
    /// When it was added, in microseconds since 1970; 0 before it is.
    public var created: Int64
    /// When it was completed, in microseconds since 1970; `nil` while it is open.
    public var completed: Int64?
    /// How important it is.
    public var priority: Priority
    private var storedDue: Due

    private struct ColdFields: Sendable, Equatable {
        @Exact var note = ""
        @Exact var tags: [String] = []
        var wait: Due?
        var after: [UInt64] = []
        var origin = TodoOrigin()
    }

    /// Makes a todo.
    public init(
        id: UInt64 = 0, title: String, note: String = "", tags: [String] = [], priority: Priority = .none, due: Due? = nil,
        wait: Due? = nil, after: [UInt64] = [], origin: TodoOrigin = TodoOrigin(), created: Int64 = 0, completed: Int64? = nil
    ) {
        self.id = id
        self.title = title
        let isPlain = note.utf8.isEmpty && tags.isEmpty && wait == nil && after.isEmpty && origin.isInitial
        stored = isPlain ? [] : [ColdFields(note: note, tags: tags, wait: wait, after: after, origin: origin)]
        self.created = created
        self.completed = completed
        self.priority = priority
        storedDue = due ?? .none
    }

    /// Makes one without an id, a title and times.
    public init() { self.init(title: "") }

    /// Its fields.
    public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
        try visitor.field(1, "id", &id)
        try visitor.field(2, "title", &title, .required)
        var cold = cold
        try visitor.field(3, "note", &cold.note)
        try visitor.field(4, "tags", &cold.tags)
        try visitor.field(5, "priority", &priority)
        try visitor.field(6, "due", &due)
        try visitor.field(7, "created", &created)
        try visitor.field(8, "completed", &completed)
        try visitor.field(9, "wait", &cold.wait)
        try visitor.field(10, "after", &cold.after)
        try visitor.field(13, "origin", &cold.origin)
        if Visitor.changesFields { self.cold = cold }
    }

    /// More about it; empty for most.
    public var note: String {
        get { stored.first?.note ?? "" }
        set { cold.note = newValue }
    }

    /// Words to find it by, in the order given.
    public var tags: [String] {
        get { stored.first?.tags ?? [] }
        set { cold.tags = newValue }
    }

    /// When it is due.
    public var due: Due? {
        get { storedDue == .none ? nil : storedDue }
        set { storedDue = newValue ?? .none }
    }

    /// Until when it is in nobody's way: until that day begins, or that minute.
    public var wait: Due? {
        get { stored.first?.wait }
        set { cold.wait = newValue }
    }

    /// The ids of the todos that are to be done before, whether they are still there or not.
    public var after: [UInt64] {
        get { stored.first?.after ?? [] }
        set { cold.after = newValue }
    }

    /// Where it comes from, if it was imported.
    public var origin: TodoOrigin {
        get { stored.first?.origin ?? TodoOrigin() }
        set { cold.origin = newValue }
    }

    /// Whether it is done.
    public var isCompleted: Bool { completed != nil }

    // Stored anew only when it differs: most visitors change nothing.
    private var cold: ColdFields {
        get { stored.first ?? ColdFields() }
        set { if newValue != cold { stored = newValue == ColdFields() ? [] : [newValue] } }
    }
}

/// A whole todo and the place it is put back to.
public struct PlacedTodo: Fielded {
    /// The todo, with its id and times.
    public var todo: Todo
    /// Its index once it is back; behind the last where the list is shorter.
    public var index: Int

    /// Makes a placed todo.
    public init(_ todo: Todo, at index: Int) {
        self.todo = todo
        self.index = index
    }

    /// Makes one whose fields are as they begin.
    public init() { self.init(Todo(), at: 0) }

    /// Its fields.
    public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
        try visitor.field(1, "todo", &todo, .needed)
        try visitor.field(2, "index", &index, .required)
    }
}
