public import Fields

/// Something to be done.
///
/// 56 bytes: what most todos don't have is stored apart.
public struct Todo: FieldedRow {
    /// Its id, a small whole number from 1 that is never used again; 0 before it is handed out.
    public var id: UInt64
    /// What is to be done.
    @Exact public var title: String
    private var cold: Apart<ColdFields>
    /// When it was added, in microseconds since 1970; 0 before it is.
    public var created: Int64
    /// When it was completed, in microseconds since 1970; `nil` while it is open.
    public var completed: Int64?
    /// How important it is.
    public var priority: Priority
    private var storedDue: Due

    private struct ColdFields: StoredApart {
        @Exact var note = ""
        @Exact var tags: [String] = []
        var wait: Due?
        var after: [UInt64] = []
        @Exact var every = ""
        var remind: Due?
        var reminded: Due?
        var origin = TodoOrigin()
        var series: UInt64 = 0
        var remindBefore: Int64?

        static var isReadInPlace: Bool { true }
    }

    /// `visit` only passes stored properties on.
    public static var isReadInPlace: Bool { true }

    /// Makes a todo.
    public init(
        id: UInt64 = 0, title: String, note: String = "", tags: [String] = [], priority: Priority = .none, due: Due? = nil,
        wait: Due? = nil, after: [UInt64] = [], every: String = "", remind: Due? = nil, reminded: Due? = nil,
        origin: TodoOrigin = TodoOrigin(), series: UInt64 = 0, remindBefore: Int64? = nil, created: Int64 = 0,
        completed: Int64? = nil
    ) {
        self.id = id
        self.title = title
        cold = Apart(
            ColdFields(
                note: note, tags: tags, wait: wait, after: after, every: every, remind: remind, reminded: reminded,
                origin: origin, series: series, remindBefore: remindBefore))
        self.created = created
        self.completed = completed
        self.priority = priority
        storedDue = due ?? .none
    }

    /// Makes one without an id, a title and times.
    public init() { self.init(title: "") }

    /// Its fields.
    public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
        visitor.filledIn()
        try visitor.field(1, "id", &id)
        try visitor.field(2, "title", &title, .required)
        try cold.visit(&visitor) { (cold, visitor) throws(Visitor.Failure) in
            try visitor.field(3, "note", &cold.note)
            try visitor.field(4, "tags", &cold.tags)
        }
        try visitor.field(5, "priority", &priority)
        try visitor.field(6, "due", &due)
        visitor.filledIn()
        try visitor.field(7, "created", &created)
        visitor.filledIn()
        try visitor.field(8, "completed", &completed)
        try cold.visit(&visitor) { (cold, visitor) throws(Visitor.Failure) in
            try visitor.field(9, "wait", &cold.wait)
            try visitor.field(10, "after", &cold.after)
            try visitor.field(11, "every", &cold.every)
            try visitor.field(12, "remind", &cold.remind)
            visitor.filledIn()
            try visitor.field(13, "reminded", &cold.reminded)
            visitor.filledIn()
            try visitor.field(14, "origin", &cold.origin)
            visitor.filledIn()
            try visitor.field(15, "series", &cold.series)
            try visitor.field(16, "remindBefore", &cold.remindBefore)
        }
    }

    /// More about it; empty for most.
    public var note: String {
        get { cold.content?.note ?? "" }
        set { cold.value.note = newValue }
    }

    /// Words to find it by, in the order given.
    public var tags: [String] {
        get { cold.content?.tags ?? [] }
        set { cold.value.tags = newValue }
    }

    /// When it is due.
    public var due: Due? {
        get { storedDue == .none ? nil : storedDue }
        set { storedDue = newValue ?? .none }
    }

    /// Until when it is in nobody's way: until that day begins, or that minute.
    public var wait: Due? {
        get { cold.content?.wait }
        set { cold.value.wait = newValue }
    }

    /// The ids of the todos that are to be done before, whether they are still there or not.
    public var after: [UInt64] {
        get { cold.content?.after ?? [] }
        set { cold.value.after = newValue }
    }

    /// By which rule another one takes its place when it is completed, as `every monday`; empty for most, and for those that are done.
    public var every: String {
        get { cold.content?.every ?? "" }
        set { cold.value.every = newValue }
    }

    /// When somebody is to be reminded of it: at that minute, or as that day begins, where the daemon is.
    public var remind: Due? {
        get { cold.content?.remind }
        set { cold.value.remind = newValue }
    }

    /// How long before the due that is, in microseconds, whole minutes of which count; `nil` where it has a time of its own.
    ///
    /// Of a due without a time days before are at 9:00, and all else is counted from where the day begins.
    public var remindBefore: Int64? {
        get { cold.content?.remindBefore }
        set { cold.value.remindBefore = newValue }
    }

    /// The reminder that was given, or can't be.
    public var reminded: Due? {
        get { cold.content?.reminded }
        set { cold.value.reminded = newValue }
    }

    /// The reminder that is still to come: of what is open, and once.
    var comingReminder: Due? {
        guard completed == nil, let remind, remind != reminded else { return nil }
        return remind
    }

    /// Where it comes from, if it was imported.
    public var origin: TodoOrigin {
        get { cold.content?.origin ?? TodoOrigin() }
        set { cold.value.origin = newValue }
    }

    /// The id of the todo that recurred first, of those that took each other's place when they were completed; 0 of that one itself.
    public var series: UInt64 {
        get { cold.content?.series ?? 0 }
        set { cold.value.series = newValue }
    }

    /// Whether it is done.
    public var isCompleted: Bool { completed != nil }
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
